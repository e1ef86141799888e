package composer

import (
	"hash/maphash"
	"slices"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/internal/wellformed"
	"github.com/quirehq/quire/tiers"
)

// candidates are sections as compositions keep them: the integers that gates decide by, and beside them what is no integer.
type candidates struct {
	items  []tiers.Item
	parts  []part
	chains numbering // the names of the items' chains
	groups numbering
}

// A part is what a section has beside its item.
type part struct {
	id, content string
	alternates  []string
	breakpoint  bool
	measured    bool // it came without a cost
}

// lowered returns the candidates of a composition, which nothing the caller does can change. It is the one place where
// anything is measured. It goes through the sections once: when there are many, looking at them is what takes time.
func lowered(sections []Section, m measure.Measure) (candidates, error) {
	c := candidates{items: make([]tiers.Item, 0, len(sections)), parts: make([]part, 0, len(sections))}
	var alternates []string // of all sections
	var costs []tiers.Cost  // of the alternates
	ids := newIDs(len(sections))
	for i := range sections {
		s := &sections[i]
		first := len(alternates)
		alternates = append(alternates, s.Alternates...)
		cost, err := s.price(m)
		if err == nil {
			costs, err = s.priceAlternates(m, costs)
		}
		if err != nil {
			return candidates{}, &SectionError{i, s.ID, err}
		}
		ids.add(s.ID)
		if first == len(alternates) {
			c.add(s, nil, cost, nil)
		} else {
			c.add(s, slices.Clip(alternates[first:]), cost, slices.Clip(costs[first:]))
		}
	}
	return c, c.checkIDs(ids)
}

// price returns what a section is charged for its content, and checks all of it but the alternates.
func (s *Section) price(m measure.Measure) (tiers.Cost, error) {
	cost := s.Cost
	if cost.Known() {
		if !wellformed.UTF8(s.Content) {
			return tiers.Cost{}, s.encodingError()
		}
	} else {
		size, valid := m.CountValid(s.Content)
		if !valid {
			return tiers.Cost{}, s.encodingError()
		}
		cost = tiers.Charged(size, int64(len(s.Content)))
	}
	return cost, s.checkNames()
}

// priceAlternates appends what a section is charged for its alternates.
func (s *Section) priceAlternates(m measure.Measure, costs []tiers.Cost) ([]tiers.Cost, error) {
	for _, alternate := range s.Alternates {
		size, valid := m.CountValid(alternate)
		if !valid {
			return nil, s.encodingError()
		}
		costs = append(costs, tiers.Charged(size, int64(len(alternate))))
	}
	return costs, nil
}

// add appends a section whose alternates are these, and whose forms are charged this. It keeps the slices.
func (c *candidates) add(s *Section, alternates []string, cost tiers.Cost, costs []tiers.Cost) {
	c.parts = append(c.parts, part{s.ID, s.Content, alternates, s.Breakpoint, !s.Cost.Known()})
	c.items = append(c.items, tiers.Item{Tier: s.Tier, Cost: cost, Alternates: costs, Priority: s.Priority,
		Chain: c.chains.number(s.Chain), Group: c.groups.number(s.Group)})
}

// keep forgets all but the first n sections, and the names that none of these has.
func (c *candidates) keep(n int) {
	before := *c
	c.items, c.parts, c.chains, c.groups = c.items[:n], c.parts[:n], numbering{}, numbering{}
	for i := range c.items {
		item := &c.items[i]
		item.Chain = c.chains.number(before.chains.name(item.Chain))
		item.Group = c.groups.number(before.groups.name(item.Group))
	}
}

// section returns a section as it was added.
func (c *candidates) section(i int) Section {
	p, item := &c.parts[i], &c.items[i]
	s := Section{ID: p.id, Content: p.content, Tier: item.Tier, Cost: item.Cost, Alternates: p.alternates, Priority: item.Priority,
		Chain: c.chains.name(item.Chain), Group: c.groups.name(item.Group), Breakpoint: p.breakpoint}
	if p.measured {
		s.Cost = tiers.Cost{}
	}
	return s
}

// checkIDs refuses sections that could not be told apart. All their ids are in the set.
func (c *candidates) checkIDs(ids idSet) error {
	if !ids.mayRepeat {
		return nil
	}
	places := make(map[string]int, len(c.parts))
	for i := range c.parts {
		id := c.parts[i].id
		if first, there := places[id]; there {
			return duplicateError(i, first, id)
		}
		places[id] = i
	}
	return nil
}

// A numbering gives names the numbers 1, 2, 3 … in order of appearance, and the empty name 0.
type numbering struct {
	names   []string
	numbers map[string]int
}

func (n *numbering) number(name string) int {
	last := len(n.names)
	switch {
	case name == "":
		return 0
	case last > 0 && n.names[last-1] == name: // most often there is one name
		return last
	}
	number, known := n.numbers[name]
	if !known {
		if n.numbers == nil {
			n.numbers = make(map[string]int)
		}
		n.names = append(n.names, name)
		number = last + 1
		n.numbers[name] = number
	}
	return number
}

func (n *numbering) name(number int) string {
	if number == 0 {
		return ""
	}
	return n.names[number-1]
}

// An idSet tells whether ids may repeat: whether two have the same hash, as the same ids have. It is an open hash table of
// the upper halves of the hashes, 8 to 16 bytes an id: at a million sections a map costs more than composing them. The
// seed decides where a hash is filed and, hardly ever, that different ids collide.
type idSet struct {
	table     []uint32 // 0 is free
	seed      maphash.Seed
	mayRepeat bool
}

// newIDs returns a set with room for n ids.
func newIDs(n int) idSet {
	size := 4
	for size < 2*n {
		size *= 2
	}
	return idSet{table: make([]uint32, size), seed: maphash.MakeSeed()}
}

func (ids *idSet) add(id string) {
	hash := maphash.String(ids.seed, id)
	mark := uint32(hash>>32) | 1
	last := len(ids.table) - 1 // all ones
	slot := int(hash) & last
	for ids.table[slot] != 0 {
		if ids.table[slot] == mark {
			ids.mayRepeat = true
			return
		}
		slot = (slot + 1) & last
	}
	ids.table[slot] = mark
}
