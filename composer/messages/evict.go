package messages

import (
	"cmp"
	"slices"
	"strconv"
)

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
// begins at or after k quanta; that evicts the units of the cells before k.
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
