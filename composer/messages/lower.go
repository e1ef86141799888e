package messages

import (
	"slices"
	"strconv"
	"strings"

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
	ends     []bool // of items: a part of the layout ends after it, which makes a breakpoint
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

// ids makes section ids out of one text.
type ids struct{ all strings.Builder }

func newIDs(n int) *ids {
	var d ids
	d.all.Grow(16 * n)
	return &d
}

func (d *ids) of(group Group, index int) string {
	var digits [20]byte
	start := d.all.Len()
	d.all.WriteString(groupNames[group])
	d.all.WriteByte('/')
	d.all.Write(strconv.AppendInt(digits[:0], int64(index), 10))
	return d.all.String()[start:]
}
