package composer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quirehq/quire/internal/edits"
	"github.com/quirehq/quire/tiers"
)

// A Difference says how a composition b differs from a composition a.
type Difference struct {
	Changes []Change // the settings, then the sections in b's order, the removed ones last
	At      int64    // the first byte in which the texts differ; -1: the texts are equal
	A, B    Spot     // what stands at that byte

	// What is left of the common prefix of the texts.
	CommonBytes int64 // of a's text that b's text begins with as well
	CommonSize  int64 // the charged size of b's sections that lie wholly in it, with the separators between them
}

// A Spot is a place in a text.
type Spot struct {
	Section string // the included section that holds the byte, or that the separator before it belongs to; "": the end
	Offset  int64  // of the byte in that section's text; negative in the separator before it
}

// A Change is one thing that differs. Which fields are set is said at the kinds.
type Change struct {
	Kind    ChangeKind
	Section string // the id; "" for a setting
	A, B    string // the values, where they have a short form
	At      int64  // ContentChanged, AlternateChanged: the first byte of the content or alternate that differs
}

// A ChangeKind names what differs.
type ChangeKind string

// The changes of settings: A and B are the values.
const (
	BudgetChanged      ChangeKind = "budget_changed"
	GateChanged        ChangeKind = "gate_changed"
	MeasureChanged     ChangeKind = "measure_changed"
	JoinChanged        ChangeKind = "join_changed"
	FractionChanged    ChangeKind = "fraction_changed"
	MaxBytesChanged    ChangeKind = "max_bytes_changed"
	TailReserveChanged ChangeKind = "tail_reserve_changed"
	SeparatorChanged   ChangeKind = "separator_changed" // what the join is charged
)

// The changes of sections: A and B are the values, or empty for contents.
const (
	ContentChanged    ChangeKind = "content_changed"
	AlternateChanged  ChangeKind = "alternate_changed" // one of them, or their number
	SectionAdded      ChangeKind = "section_added"
	SectionRemoved    ChangeKind = "section_removed"
	Reordered         ChangeKind = "reordered" // the fewest sections whose moving makes b's order of a's
	TierChanged       ChangeKind = "tier_changed"
	CostChanged       ChangeKind = "cost_changed" // of a content that did not change, or of an alternate
	PriorityChanged   ChangeKind = "priority_changed"
	ChainChanged      ChangeKind = "chain_changed"
	GroupChanged      ChangeKind = "group_changed"
	BreakpointChanged ChangeKind = "breakpoint_changed"
	VerdictChanged    ChangeKind = "verdict_changed" // a consequence: it was dropped, admitted, or condensed otherwise
)

// Diff returns how b differs from a: every setting, every section, and the first byte of the text. Two compositions
// without a Change have equal recipes, and so equal texts.
func Diff(a, b Composition) Difference {
	d := Difference{At: -1}
	d.settings(a, b)
	d.sections(a, b)
	textA, textB := a.Text(), b.Text()
	n := edits.CommonPrefix(textA, textB)
	d.CommonBytes = int64(n)
	d.CommonSize = b.sizeWithin(d.CommonBytes)
	if n < len(textA) || n < len(textB) {
		d.At = int64(n)
		d.A, d.B = a.spot(d.At), b.spot(d.At)
	}
	return d
}

// Cause returns the change that best explains why the texts differ, or, when they are equal, what changed first; false
// when nothing did. That is a change of the very section that holds the first differing byte, else the first change of
// a setting, else the first that is no mere consequence.
func (d Difference) Cause() (Change, bool) {
	if d.At >= 0 {
		for _, kinds := range [][]ChangeKind{{ContentChanged, SectionAdded, SectionRemoved}, {Reordered}, {AlternateChanged, TierChanged, CostChanged}} {
			for _, spot := range []Spot{d.B, d.A} {
				for _, c := range d.Changes {
					if spot.Section != "" && c.Section == spot.Section && slices.Contains(kinds, c.Kind) {
						return c, true
					}
				}
			}
		}
	}
	for _, c := range d.Changes {
		if c.Kind != VerdictChanged {
			return c, true
		}
	}
	if len(d.Changes) > 0 {
		return d.Changes[0], true
	}
	return Change{}, false
}

func (d *Difference) change(kind ChangeKind, section, a, b string) {
	if a != b {
		d.Changes = append(d.Changes, Change{Kind: kind, Section: section, A: a, B: b})
	}
}

func (d *Difference) settings(a, b Composition) {
	d.change(BudgetChanged, "", a.rules.Budget.String(), b.rules.Budget.String())
	d.change(GateChanged, "", a.rules.Gate.String(), b.rules.Gate.String())
	d.change(MeasureChanged, "", a.measureName(), b.measureName())
	d.change(JoinChanged, "", a.join.String(), b.join.String())
	d.change(FractionChanged, "", a.rules.ActiveFraction.OrDefault().String(), b.rules.ActiveFraction.OrDefault().String())
	d.change(MaxBytesChanged, "", a.rules.MaxBytes.String(), b.rules.MaxBytes.String())
	d.change(TailReserveChanged, "", fmt.Sprint(a.rules.TailReserve), fmt.Sprint(b.rules.TailReserve))
	d.change(SeparatorChanged, "", costText(a.rules.Separator), costText(b.rules.Separator))
}

func (d *Difference) sections(a, b Composition) {
	where := make(map[string]int, len(a.parts))
	for i := range a.parts {
		where[a.parts[i].id] = i
	}
	var order []int // the places in a of what both have, in b's order
	kept := make([]bool, len(a.parts))
	for j := range b.parts {
		if i, both := where[b.parts[j].id]; both {
			order = append(order, i)
			kept[i] = true
		}
	}
	stays := increasing(order)
	for j := range b.parts {
		id := b.parts[j].id
		i, both := where[id]
		if !both {
			d.Changes = append(d.Changes, Change{Kind: SectionAdded, Section: id})
			continue
		}
		d.section(a, i, b, j)
		if !stays[i] {
			d.Changes = append(d.Changes, Change{Kind: Reordered, Section: id, A: fmt.Sprint("place ", i+1), B: fmt.Sprint("place ", j+1)})
		}
	}
	for i := range a.parts {
		if !kept[i] {
			d.Changes = append(d.Changes, Change{Kind: SectionRemoved, Section: a.parts[i].id})
		}
	}
}

func (d *Difference) section(a Composition, i int, b Composition, j int) {
	s, t := a.section(i), b.section(j)
	if s.Content != t.Content {
		d.Changes = append(d.Changes, Change{Kind: ContentChanged, Section: s.ID, At: int64(edits.CommonPrefix(s.Content, t.Content))})
	} else {
		d.change(CostChanged, s.ID, costText(a.items[i].Cost), costText(b.items[j].Cost))
	}
	if len(s.Alternates) != len(t.Alternates) {
		d.change(AlternateChanged, s.ID, fmt.Sprint(len(s.Alternates), " alternates"), fmt.Sprint(len(t.Alternates), " alternates"))
	}
	for k := range min(len(s.Alternates), len(t.Alternates)) {
		if s.Alternates[k] != t.Alternates[k] {
			name := fmt.Sprint("alternate ", k+1)
			d.Changes = append(d.Changes, Change{Kind: AlternateChanged, Section: s.ID, A: name, B: name,
				At: int64(edits.CommonPrefix(s.Alternates[k], t.Alternates[k]))})
		} else {
			d.change(CostChanged, s.ID, costText(a.items[i].Alternates[k]), costText(b.items[j].Alternates[k]))
		}
	}
	d.change(TierChanged, s.ID, s.Tier.String(), t.Tier.String())
	d.change(PriorityChanged, s.ID, fmt.Sprint(s.Priority), fmt.Sprint(t.Priority))
	d.change(ChainChanged, s.ID, s.Chain, t.Chain)
	d.change(GroupChanged, s.ID, s.Group, t.Group)
	d.change(BreakpointChanged, s.ID, fmt.Sprint(s.Breakpoint), fmt.Sprint(t.Breakpoint))
	d.change(VerdictChanged, s.ID, verdictText(a.plan.Verdicts[i]), verdictText(b.plan.Verdicts[j]))
}

func costText(c tiers.Cost) string { return fmt.Sprintf("%d (%d bytes)", c.Size(), c.Bytes()) }

// verdictText says what was decided, without the numbers it was decided by.
func verdictText(v tiers.Verdict) string {
	if v.Alternate > 0 {
		return fmt.Sprint(v.Reason, ", alternate ", v.Alternate)
	}
	return v.Reason.String()
}

// sizeWithin returns the charged size of the included sections that end within the first n bytes of the text.
func (c Composition) sizeWithin(n int64) (size int64) {
	first := true
	for i, d := range c.Decisions() {
		if !d.Included {
			continue
		}
		if d.End > n {
			break
		}
		if !first {
			size += c.rules.Separator.Size()
		}
		first = false
		size += c.plan.Verdicts[i].Chosen(c.items[i]).Size()
	}
	return size
}

// spot returns what stands at a byte of the text. An empty section holds no byte.
func (c Composition) spot(at int64) Spot {
	for _, d := range c.Decisions() {
		if d.Included && at < d.End {
			return Spot{d.ID, at - d.Start}
		}
	}
	return Spot{}
}

// increasing returns the members of a longest increasing run among numbers that are all different, leaving out others:
// what need not move for the list to be sorted.
func increasing(list []int) map[int]bool {
	var tails []int // places in list: the smallest end of an increasing run of each length
	before := make([]int, len(list))
	for i, v := range list {
		k, _ := slices.BinarySearchFunc(tails, v, func(t, v int) int { return list[t] - v })
		before[i] = -1
		if k > 0 {
			before[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	in := make(map[int]bool, len(tails))
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = before[i] {
			in[list[i]] = true
		}
	}
	return in
}

// String describes the change in one line.
func (c Change) String() string {
	var b strings.Builder
	b.WriteString(string(c.Kind))
	if c.Section != "" {
		fmt.Fprintf(&b, ": section %q", c.Section)
	}
	switch {
	case c.Kind == ContentChanged || c.Kind == AlternateChanged && c.A == c.B:
		if c.A != "" {
			fmt.Fprintf(&b, ", %s", c.A)
		}
		fmt.Fprintf(&b, ", from byte %d on", c.At)
	case c.A != "" || c.B != "":
		fmt.Fprintf(&b, ": %s, was %s", c.B, c.A)
	}
	return b.String()
}
