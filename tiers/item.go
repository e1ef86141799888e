package tiers

// A Cost is what an item is charged: a size in the measure that the budget is counted in, and a size in UTF-8 bytes.
// The zero value is "not known yet"; what a caller passes to [Admit] must be known.
type Cost struct {
	size, bytes int64
	known       bool
}

// Charged returns a known cost. It is trusted, even when it is 0.
func Charged(size, bytes int64) Cost { return Cost{size, bytes, true} }

// Known reports whether the cost was made by [Charged].
func (c Cost) Known() bool { return c.known }

// Size returns the size in the budget's measure.
func (c Cost) Size() int64 { return c.size }

// Bytes returns the size in UTF-8 bytes.
func (c Cost) Bytes() int64 { return c.bytes }

// An Item is one candidate.
type Item struct {
	Tier       Tier
	Cost       Cost
	Alternates []Cost // shorter forms, tried in order when Cost does not fit; core is never condensed
	Priority   int    // the higher is offered first; equal ones in the given order
	Chain      int    // 0: none. Once one of a chain is refused or condensed, all offered later in it are refused
	Group      int    // 0: none. Members of a group are admitted together or not at all
}

// A Reason says why a verdict is what it is.
type Reason uint8

// The reasons. Core and Fits admit; the others refuse.
const (
	IsCore      Reason = 0 // core is always in
	Fits        Reason = 1 // it, or an alternate, fitted its limits
	OverCeiling Reason = 2 // an active item did not fit below the ceiling
	OverBudget  Reason = 3 // an informational item did not fit the budget
	OverBytes   Reason = 4 // it fitted its limit but not Rules.MaxBytes
	InGroup     Reason = 5 // a member of its group, possibly itself, did not fit or stood in a closed chain
	InChain     Reason = 6 // an earlier one of its chain was refused or condensed
)

var reasonNames = []string{"core", "fits", "over-ceiling", "over-budget", "over-bytes", "group", "chain"}

// String returns the reason's name as decisions spell it.
func (r Reason) String() string { return nameOf(reasonNames, uint8(r)) }

// ParseReason reads a name that [Reason.String] writes.
func ParseReason(name string) (Reason, error) { return parseName[Reason]("reason", reasonNames, name) }

// MarshalText writes the reason's name.
func (r Reason) MarshalText() ([]byte, error) { return marshalName("reason", reasonNames, uint8(r)) }

// UnmarshalText reads the reason's name. After an error the reason is what it was.
func (r *Reason) UnmarshalText(text []byte) error {
	return unmarshalName(r, "reason", reasonNames, text)
}

// Admits reports whether an item with this reason is in.
func (r Reason) Admits() bool { return r == IsCore || r == Fits }

// A Verdict is the decision about one item.
type Verdict struct {
	Reason    Reason
	Alternate int    // 0: the item as it is; k > 0: its k-th alternate, Alternates[k-1]
	Limit     Budget // what it was held against; not set for core, and where its tier has no limit
	Before    int64  // what was charged before it was offered, in the unit of Limit
}

// Included reports whether the item is in.
func (v Verdict) Included() bool { return v.Reason.Admits() }

// Chosen returns the cost of the form that the verdict settled on: of the item, or of an alternate.
func (v Verdict) Chosen(item Item) Cost { return item.form(v.Alternate) }

// form returns the cost of the item itself for 0, else of its k-th alternate.
func (item *Item) form(k int) Cost {
	if k > 0 {
		return item.Alternates[k-1]
	}
	return item.Cost
}
