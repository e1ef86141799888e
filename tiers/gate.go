package tiers

import (
	"errors"
	"fmt"
	"math"
)

// A Gate says what is charged, and when.
type Gate uint8

// The gates.
const (
	// Published is the pass of the published prompt builder, to the letter. The ceiling is computed from all core
	// items, but each core item is charged only when the pass comes to it, and separators are never charged. So the
	// result can exceed a budget that core alone respects, by the core items that stand late and by the separators;
	// Plan.Overflow says by how much.
	Published Gate = 0

	// Reserved charges all core with its separators before the pass begins, and every admitted item with the separator
	// it brings. If core with its separators fits the budget, so does the whole, in any order of items.
	Reserved Gate = 1

	// PrefixStable gates the head (the first Rules.Head items) and the tail each as Reserved does: the head against
	// Budget - TailReserve, the tail against what the admitted head left. No tail can change a verdict in the head.
	PrefixStable Gate = 2
)

var gateNames = []string{"published", "reserved", "prefix-stable"}

// String returns the gate's name as prompt files and recipes spell it.
func (g Gate) String() string { return nameOf(gateNames, uint8(g)) }

// ParseGate reads a name that [Gate.String] writes.
func ParseGate(name string) (Gate, error) { return parseName[Gate]("gate", gateNames, name) }

// MarshalText writes the gate's name.
func (g Gate) MarshalText() ([]byte, error) { return marshalName("gate", gateNames, uint8(g)) }

// UnmarshalText reads the gate's name. After an error the gate is what it was.
func (g *Gate) UnmarshalText(text []byte) error {
	return unmarshalName(g, "gate", gateNames, text)
}

// Rules are what [Admit] holds items against. The zero value is the published gate without any limit.
type Rules struct {
	Gate           Gate
	Budget         Budget   // in the measure of Cost.Size
	MaxBytes       Budget   // a second cap, in the measure of Cost.Bytes: an item is admitted only if both hold
	ActiveFraction Fraction // zero: DefaultActiveFraction
	Separator      Cost     // what stands between two included items; the zero value costs nothing
	Head           int      // PrefixStable: how many leading items are the head
	TailReserve    int64    // PrefixStable: what the head leaves for the tail, >= 0
}

// A Plan is what [Admit] decided.
type Plan struct {
	Verdicts      []Verdict // one an item, in the given order
	Included      int       // how many are in
	Total         Cost      // the sum of the included, without separators
	Emitted       Cost      // the sum of the included and the separators between them
	Overflow      int64     // by how much Emitted exceeds Budget, >= 0
	OverflowBytes int64     // by how much Emitted exceeds MaxBytes, >= 0
}

// What [Admit] refuses. [ItemError] says which item it was, where it was one.
var (
	ErrNegative   = errors.New("negative")
	ErrUnknown    = errors.New("unknown")
	ErrTooLarge   = errors.New("the sum of all sizes and separators exceeds int64")
	ErrSplitGroup = errors.New("the group has members on both sides of the last breakpoint")
)

// An ItemError is an error about the item at Index.
type ItemError struct {
	Index int
	Err   error
}

// Error names the item.
func (e *ItemError) Error() string { return fmt.Sprintf("tiers: item %d: %v", e.Index, e.Err) }

// Unwrap returns the cause.
func (e *ItemError) Unwrap() error { return e.Err }

// Admit decides which items are in.
//
//  1. Items are offered by priority, the higher first, then in the given order.
//  2. Core is in. The limit of active is [Ceiling] of what core costs, without separators; of informational, the budget.
//  3. Any other item is in when what was charged so far, the separator it brings (where the gate counts separators) and
//     its cost stay within its limit and within MaxBytes. Where its cost does not fit, its alternates are tried in
//     order under the same limits.
//  4. An item that does not fit is refused and the pass goes on: a later smaller one may fit.
//  5. A refused item closes its chain, and so does one that gets in as an alternate: later ones of it are refused.
//  6. A group is offered when its first member is. Its members are tested in offer order, each as in 3 on top of those
//     before it; if one does not fit or stands in a closed chain, none is in and the chains of all of them are closed.
//     Members do not close chains for each other: they are offered at once, so an alternate closes its chain for what
//     is offered after the group. Core ignores chains and groups.
//
// Errors, before any decision: a cost that is negative ([ErrNegative]) or not known ([ErrUnknown]), a negative reserve,
// an unknown tier or gate, a sum beyond int64 ([ErrTooLarge]), a group across the end of the head ([ErrSplitGroup]).
// Admit takes linear time.
func Admit(items []Item, rules Rules) (Plan, error) {
	head, err := check(items, rules)
	if err != nil {
		return Plan{}, err
	}
	p := pass{items: items, rules: rules, verdicts: make([]Verdict, len(items))}
	if rules.Gate != Published {
		p.separator = rules.Separator
	}
	p.run(0, head, rules.Budget.less(rules.TailReserve))
	p.run(head, len(items), rules.Budget)
	return p.plan(), nil
}

// check refuses bad input and returns how many items the head has: none, unless the gate knows a head.
func check(items []Item, rules Rules) (head int, err error) {
	if int(rules.Gate) >= len(gateNames) {
		return 0, fmt.Errorf("tiers: %w gate %d; want %s", ErrUnknown, rules.Gate, oneOf(gateNames))
	}
	if rules.TailReserve < 0 {
		return 0, fmt.Errorf("tiers: %w tail reserve %d", ErrNegative, rules.TailReserve)
	}
	if rules.Separator.size < 0 || rules.Separator.bytes < 0 {
		return 0, fmt.Errorf("tiers: %w separator: size %d, byte count %d; a measure counts from 0, and none may take a built-in name", ErrNegative, rules.Separator.size, rules.Separator.bytes)
	}
	if rules.Gate == PrefixStable {
		if rules.Head < 0 || rules.Head > len(items) {
			return 0, fmt.Errorf("tiers: head of %d among %d items", rules.Head, len(items))
		}
		head = rules.Head
	}
	var sum Cost
	var inHead map[int]bool // by group: which side its first member stood on
	for i := range items {
		item := &items[i]
		if int(item.Tier) >= len(tierNames) {
			return 0, &ItemError{i, fmt.Errorf("%w tier %d", ErrUnknown, item.Tier)}
		}
		largest, err := largestForm(item)
		if err != nil {
			return 0, &ItemError{i, err}
		}
		if !sum.grow(largest) || (i > 0 && !sum.grow(rules.Separator)) {
			return 0, &ItemError{i, ErrTooLarge}
		}
		if head > 0 && item.Group != 0 && item.Tier != Core {
			side, seen := inHead[item.Group]
			if seen && side != (i < head) {
				return 0, &ItemError{i, ErrSplitGroup}
			}
			if inHead == nil {
				inHead = make(map[int]bool)
			}
			inHead[item.Group] = i < head
		}
	}
	return head, nil
}

// largestForm returns the larger of an item's cost and its alternates', each dimension by itself.
func largestForm(item *Item) (largest Cost, err error) {
	for k := range 1 + len(item.Alternates) {
		c := item.form(k)
		switch {
		case !c.known:
			return Cost{}, fmt.Errorf("%w cost", ErrUnknown)
		case c.size < 0:
			return Cost{}, fmt.Errorf("%w size %d", ErrNegative, c.size)
		case c.bytes < 0:
			return Cost{}, fmt.Errorf("%w byte count %d", ErrNegative, c.bytes)
		}
		largest = Charged(max(largest.size, c.size), max(largest.bytes, c.bytes))
	}
	return largest, nil
}

// grow adds c, both not negative, and reports whether the sum still fits.
func (sum *Cost) grow(c Cost) bool {
	if sum.size > math.MaxInt64-c.size || sum.bytes > math.MaxInt64-c.bytes {
		return false
	}
	sum.size += c.size
	sum.bytes += c.bytes
	return true
}

// An account is what was charged so far, with the separators that the gate counts. Once it is open, to any item, the
// next one brings a separator.
type account struct {
	open        bool
	size, bytes int64
}

// A pass goes over the regions of one Admit. A region is a run of items that is gated by itself: all of them, or the
// head and then the tail.
type pass struct {
	items     []Item
	rules     Rules
	separator Cost // that is charged
	verdicts  []Verdict
	charged   account
	closed    map[int]bool // chains
	limits    [3]Budget    // of the tiers, in this region
}

// with returns the account with one more item of cost c, and a separator before it.
func (a account) with(c, separator Cost) account {
	if a.open {
		c.size += separator.size
		c.bytes += separator.bytes
	}
	return account{true, a.size + c.size, a.bytes + c.bytes}
}

// run gates the items from one index up to another against budget. What was charged before the region stays charged, so
// the tail's share is what the head left.
func (p *pass) run(from, to int, budget Budget) {
	withCore := p.charged
	core := p.charged.size // the ceiling is the same under every gate: what core costs without its separators
	for i := from; i < to; i++ {
		if item := &p.items[i]; item.Tier == Core {
			withCore = withCore.with(item.Cost, p.separator)
			core += item.Cost.size
		}
	}
	p.limits = [...]Budget{Core: {}, Active: budget, Informational: budget}
	if b, limited := budget.Value(); limited {
		p.limits[Active] = Limit(Ceiling(core, b, p.rules.ActiveFraction))
	}
	if p.rules.Gate != Published {
		p.charged = withCore
	}

	order := offerOrder(p.items, from, to)
	groups := groupsOf(p.items, order)
	for _, i := range order {
		switch item := &p.items[i]; {
		case item.Tier == Core:
			p.verdicts[i] = Verdict{Reason: IsCore, Before: p.charged.size}
			if p.rules.Gate == Published {
				p.charged = p.charged.with(item.Cost, p.separator)
			}
		case item.Group == 0:
			if !p.test(i) || p.verdicts[i].Alternate > 0 {
				p.close(item.Chain)
			}
		case groups[item.Group][0] == i:
			p.offerGroup(groups[item.Group])
		}
	}
}

// groupsOf lists the members of every group in offer order; core is no member.
func groupsOf(items []Item, order []int) map[int][]int {
	var groups map[int][]int
	for _, i := range order {
		if g := items[i].Group; g != 0 && items[i].Tier != Core {
			if groups == nil {
				groups = make(map[int][]int)
			}
			groups[g] = append(groups[g], i)
		}
	}
	return groups
}

// offerGroup admits all members or none.
func (p *pass) offerGroup(members []int) {
	before := p.charged
	for _, i := range members {
		if !p.test(i) {
			p.refuse(members, before)
			return
		}
	}
	for _, i := range members {
		if p.verdicts[i].Alternate > 0 {
			p.close(p.items[i].Chain)
		}
	}
}

func (p *pass) refuse(members []int, before account) {
	p.charged = before
	for _, i := range members {
		p.verdicts[i] = Verdict{Reason: InGroup, Limit: p.limits[p.items[i].Tier], Before: before.size}
		p.close(p.items[i].Chain)
	}
}

func (p *pass) close(chain int) {
	if chain == 0 {
		return
	}
	if p.closed == nil {
		p.closed = make(map[int]bool)
	}
	p.closed[chain] = true
}

// test decides about one item that is not core, charges it when it is in, and reports whether it is.
func (p *pass) test(i int) bool {
	item, v := &p.items[i], &p.verdicts[i]
	*v = Verdict{Limit: p.limits[item.Tier], Before: p.charged.size}
	if item.Chain != 0 && p.closed[item.Chain] {
		v.Reason = InChain
		return false
	}
	for k := range 1 + len(item.Alternates) {
		after := p.charged.with(item.form(k), p.separator)
		if v.Limit.Over(after.size) == 0 && p.rules.MaxBytes.Over(after.bytes) == 0 {
			v.Reason, v.Alternate = Fits, k
			p.charged = after
			return true
		}
	}
	switch { // the item as it is says why
	case v.Limit.Over(p.charged.with(item.Cost, p.separator).size) == 0:
		*v = Verdict{Reason: OverBytes, Limit: p.rules.MaxBytes, Before: p.charged.bytes}
	case item.Tier == Active:
		v.Reason = OverCeiling
	default:
		v.Reason = OverBudget
	}
	return false
}

// plan adds up what the verdicts say.
func (p *pass) plan() Plan {
	plan := Plan{Verdicts: p.verdicts, Total: Charged(0, 0)}
	for i := range p.verdicts {
		if v := &p.verdicts[i]; v.Reason.Admits() {
			plan.Included++
			c := p.items[i].form(v.Alternate)
			plan.Total.size += c.size
			plan.Total.bytes += c.bytes
		}
	}
	gaps := max(int64(plan.Included)-1, 0)
	plan.Emitted = Charged(plan.Total.size+gaps*p.rules.Separator.size, plan.Total.bytes+gaps*p.rules.Separator.bytes)
	plan.Overflow = p.rules.Budget.Over(plan.Emitted.size)
	plan.OverflowBytes = p.rules.MaxBytes.Over(plan.Emitted.bytes)
	return plan
}
