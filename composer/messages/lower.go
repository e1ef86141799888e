package messages

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/tiers"
)

// A lowering is the items of a prompt as sections. It decides nothing by itself: it says what stands where, what goes
// before what, and what only together; the composer's gate does the rest.
//
// Everything that may be evicted is informational and in one chain. Its priority is its rank, its place in the order of
// eviction: the last to go is offered room first, and the first that is refused closes the chain for all that would
// have gone before it. That keeps exactly what evicting from the low end until the rest fits would keep. Items of one
// rank are a group, so they stay or go together: a unit, or the units of one cell of the grid.
type lowering struct {
	items    []item
	order    []int  // of emission: places in items
	rank     []int  // of items; core: -1
	ends     []bool // of items: a part of the layout ends behind it, which makes a breakpoint
	sections []composer.Section
	config   composer.Config
	tail     []string // the ids of the tail in order, new ones included
}

const chain = "eviction"

func lower(items []item, r rules, estimator measure.Measure) (lowering, error) {
	l := lowering{items: items, ends: make([]bool, len(items))}
	if err := l.arrange(r); err != nil {
		return lowering{}, err
	}
	cells := l.evict(r)
	if !l.cutsHistory(r) {
		l.order = slices.DeleteFunc(l.order, func(i int) bool { return items[i].group == GroupNotice })
	}
	l.config = composer.Config{
		Gate:     tiers.Reserved,
		Measure:  joinless(estimator),
		Budget:   r.tokens,
		MaxBytes: r.bytes,
		Join:     composer.NoJoin,
	}
	l.sections = make([]composer.Section, len(l.order))
	ids := newIDs(len(l.order))
	for at, i := range l.order {
		t := &items[i]
		s := &l.sections[at]
		*s = composer.Section{ID: ids.of(t.group, t.index), Content: t.content, Cost: r.cost(items, i), Breakpoint: t.mark || l.ends[i]}
		switch rank := l.rank[i]; {
		case t.group == GroupNotice:
			s.Tier, s.Priority = tiers.Informational, len(items) // before all others, as long as core leaves room for it
		case rank >= 0:
			s.Tier, s.Chain, s.Priority, s.Group = tiers.Informational, chain, rank, cells[rank]
		}
	}
	return l, nil
}

// joinless returns the measure for a composition without separators, whatever it says about the empty text.
func joinless(m measure.Measure) measure.Measure {
	if m.Count("") == 0 {
		return m
	}
	return measure.New(m.Name(), func(text string) int64 {
		if text == "" {
			return 0
		}
		return m.Count(text)
	})
}

// ids makes section ids out of one buffer.
type ids struct{ buf []byte }

func newIDs(n int) *ids { return &ids{make([]byte, 0, 16*n)} }

func (d *ids) of(group Group, index int) string {
	start := len(d.buf)
	d.buf = append(d.buf, groupNames[group]...)
	d.buf = append(d.buf, '/')
	d.buf = strconv.AppendInt(d.buf, int64(index), 10)
	return string(d.buf[start:])
}

// arrange finds the order of emission and the breakpoints.
func (l *lowering) arrange(r rules) error {
	in := l.places()
	var flat []int // the messages of all groups
	for _, group := range r.layout.groups() {
		flat = append(flat, in[group]...)
	}
	flat = slices.DeleteFunc(flat, func(i int) bool { return l.items[i].segment != "" })
	var catalog []int
	catalog = append(catalog, in[GroupContext]...)
	catalog = append(catalog, l.skillsInPlace(in)...)
	catalog = append(catalog, in[GroupTools]...)

	l.order = append(make([]int, 0, len(l.items)), in[GroupToolDefinitions]...)
	if r.layout == CacheAware {
		lead := 0
		for lead < len(flat) && l.items[flat[lead]].leads() {
			lead++
		}
		l.order = append(l.order, flat[:lead]...)
		flat = flat[lead:]
		l.markLast(catalog)
	}
	l.order = append(l.order, catalog...)
	history := slices.IndexFunc(flat, func(i int) bool { return l.items[i].group == GroupHistory })
	if history < 0 {
		history = 0
	}
	l.order = append(l.order, flat[:history]...)
	l.order = append(l.order, in[GroupNotice]...)
	l.order = append(l.order, flat[history:]...)
	l.markLast(in[GroupInstructions])
	l.markLast(in[GroupCurrent])

	tail, err := l.arrangeTail(in, r.tailOrder)
	l.order = append(l.order, tail...)
	return err
}

// places returns the places of the items of each group, in the group's order.
func (l *lowering) places() (in [groupCount][]int) {
	var count [groupCount]int
	for i := range l.items {
		count[l.items[i].group]++
	}
	for group, n := range count {
		in[group] = make([]int, 0, n)
	}
	for i := range l.items {
		group := l.items[i].group
		in[group] = append(in[group], i)
	}
	return in
}

func (l *lowering) markLast(places []int) {
	if len(places) > 0 {
		l.ends[places[len(places)-1]] = true
	}
}

// skillsInPlace returns the lines of the catalog, each with its body behind it unless that is in the tail.
func (l *lowering) skillsInPlace(in [groupCount][]int) []int {
	body := map[int]int{} // by line
	for _, i := range in[GroupSkillBodies] {
		if l.items[i].inPlace() {
			body[l.items[i].line] = i
		}
	}
	var out []int
	for _, line := range in[GroupSkills] {
		out = append(out, line)
		if i, ok := body[line]; ok {
			out = append(out, i)
		}
	}
	return out
}

// arrangeTail returns what stands in the tail: known ids in their place, new ones behind them as they come.
func (l *lowering) arrangeTail(in [groupCount][]int, known []string) ([]int, error) {
	at := map[string]int{}
	l.tail = slices.Clone(known)
	for place, id := range l.tail {
		at[id] = place
	}
	items := make([]int, len(l.tail), len(l.tail)+len(in[GroupTail]))
	for place := range items {
		items[place] = -1
	}
	for _, group := range []Group{GroupAttachments, GroupSkillBodies, GroupTail} {
		for _, i := range in[group] {
			t := &l.items[i]
			if t.segment == "" {
				if group == GroupTail {
					return nil, &MessageError{group, t.index, fmt.Errorf("a segment without an id")}
				}
				continue
			}
			place, seen := at[t.segment]
			if !seen {
				place = len(l.tail)
				at[t.segment] = place
				l.tail = append(l.tail, t.segment)
				items = append(items, -1)
			}
			if items[place] >= 0 {
				return nil, &MessageError{group, t.index, fmt.Errorf("%w: %q", ErrDuplicateSegment, t.segment)}
			}
			items[place] = i
		}
	}
	return slices.DeleteFunc(items, func(i int) bool { return i < 0 }), nil
}

// evict gives every item that may be evicted its rank, and returns for each rank the name of its group: "" where the
// rank has one item alone.
func (l *lowering) evict(r rules) (cells []string) {
	e := evictions{lowering: l, rules: r, places: l.places(), ranks: make([]evictedRank, 0, len(l.items))}
	l.rank = make([]int, len(l.items))
	for i := range l.rank {
		l.rank[i] = -1
	}
	e.findUnits()
	for _, group := range r.layout.evictions() {
		e.exhaust(group)
	}
	cells = make([]string, len(e.ranks))
	for rank, k := range e.ranks {
		if k.members > 1 {
			cells[rank] = k.kind + strconv.FormatInt(k.name, 10)
		}
	}
	return cells
}

// evictions hands out ranks, from 0 for what goes first.
type evictions struct {
	*lowering
	rules  rules
	places [groupCount][]int
	units  []evictedUnit // by the place in the conversation of their first message
	ranks  []evictedRank

	start int64 // of the next unit of the history, in sizes of whole messages from the session's start
	cell  int64 // of the grid, that the last rank of the history stands for; -1: none yet
}

// An evictedRank is what goes together.
type evictedRank struct {
	members int
	kind    string // "unit/" or "cell/"
	name    int64  // the unit's first message, or the place of the cell on the grid
}

type evictedUnit struct {
	core bool
	rank int // -1: none yet
}

// findUnits finds which units reach into what is never evicted.
func (e *evictions) findUnits() {
	if e.rules.policy == ByItem {
		return
	}
	e.units = make([]evictedUnit, len(e.places[GroupHistory])+len(e.places[GroupToolResults])+len(e.places[GroupCurrent]))
	for u := range e.units {
		e.units[u].rank = -1
	}
	for _, i := range e.places[GroupCurrent] {
		e.units[e.items[i].unit].core = true
	}
}

func (e *evictions) exhaust(group Group) {
	places := slices.Clone(e.places[group])
	switch group {
	case GroupHistory:
		e.cell = -1
		for _, i := range places {
			e.evictTurn(i)
		}
		e.evictResultsOfHistory()
		return
	case GroupContext:
		// Lowest priority first, of equal ones the last.
		slices.Reverse(places)
		slices.SortStableFunc(places, func(a, b int) int {
			return cmp.Compare(e.items[a].priority, e.items[b].priority)
		})
	default:
		slices.Reverse(places)
	}
	for _, i := range places {
		if group == GroupToolResults && e.rules.policy != ByItem {
			e.evictResult(i)
		} else {
			e.rank[i] = e.newRank("", 0)
		}
	}
}

// newRank returns the next rank. Kind and name tell it from others in the recipe, once it has several members.
func (e *evictions) newRank(kind string, name int64) int {
	e.ranks = append(e.ranks, evictedRank{1, kind, name})
	return len(e.ranks) - 1
}

// join gives an item the rank of others.
func (e *evictions) join(i, rank int) {
	e.rank[i] = rank
	e.ranks[rank].members++
}

// evictResult ranks a current tool result, unless its call stands in the history: then its unit's turn comes with that.
func (e *evictions) evictResult(i int) {
	first := e.items[i].unit
	unit := &e.units[first]
	switch {
	case unit.core || int(first) < len(e.places[GroupHistory]):
	case unit.rank < 0:
		unit.rank = e.newRank("unit/", int64(first))
		e.rank[i] = unit.rank
	default:
		e.join(i, unit.rank)
	}
}

// evictTurn ranks a message of the history with its unit, and a unit with its cell. Which cell that is depends on
// nothing but what was said before the unit began: while the session grows, units come to the last cells, and results
// that are late to where their calls are, but nothing changes its cell. The cut for k is before the first unit that
// begins at or behind k quanta; that evicts the units of the cells before k.
func (e *evictions) evictTurn(i int) {
	t := &e.items[i]
	start := e.start
	e.start = sum(e.start, t.whole)
	if e.rules.policy == ByItem {
		e.rank[i] = e.newRank("", 0)
		return
	}
	unit := &e.units[t.unit]
	switch {
	case unit.core:
		return
	case unit.rank >= 0:
		e.join(i, unit.rank)
		return
	case e.rules.policy == Quantised:
		if cell := start / e.rules.quantum; cell != e.cell {
			e.cell = cell
			unit.rank = e.newRank("cell/", cell)
			e.rank[i] = unit.rank
		} else {
			unit.rank = len(e.ranks) - 1
			e.join(i, unit.rank)
		}
	default:
		unit.rank = e.newRank("unit/", int64(t.unit))
		e.rank[i] = unit.rank
	}
}

// evictResultsOfHistory ranks the current tool results whose calls stand in the history.
func (e *evictions) evictResultsOfHistory() {
	if e.rules.policy == ByItem {
		return
	}
	for _, i := range e.places[GroupToolResults] {
		if unit := e.units[e.items[i].unit]; int(e.items[i].unit) < len(e.places[GroupHistory]) && !unit.core {
			e.join(i, unit.rank)
		}
	}
}

// cutsHistory reports whether the oldest of the history will not fit. It is in exactly when all that goes after it, and
// what never goes, fits with it.
func (l *lowering) cutsHistory(r rules) bool {
	oldest := -1
	for i := range l.items {
		if l.items[i].group == GroupHistory && l.rank[i] >= 0 && (oldest < 0 || l.rank[i] < oldest) {
			oldest = l.rank[i]
		}
	}
	if oldest < 0 {
		return false
	}
	var size, bytes int64
	for i := range l.items {
		if l.items[i].group != GroupNotice && (l.rank[i] < 0 || l.rank[i] >= oldest) {
			c := r.cost(l.items, i)
			size, bytes = sum(size, c.Size()), sum(bytes, c.Bytes())
		}
	}
	tokens, limited := r.tokens.Value()
	if limited && size > tokens {
		return true
	}
	most, limited := r.bytes.Value()
	return limited && bytes > most
}
