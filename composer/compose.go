package composer

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/tiers"
)

// A Probe is told of a composition once it is made. It cannot change anything, the event is its own. A nil Probe is
// skipped.
type Probe func(PromptBuilt)

// Compose decides which sections are in and returns the composition.
//
//  1. The effective budget is cfg.Budget when set, else the resolver's answer when it has one, else unlimited.
//  2. Every section without a Cost is measured, and so is every alternate.
//  3. tiers.Admit decides, under the gate; see there for the rules.
//  4. The text is the contents (or the alternates chosen) of the included sections, in the given order, with the join
//     between them.
//
// Errors come before any decision: an empty or duplicate id, invalid UTF-8, a negative size or reserve, a sum beyond int64,
// an unknown tier, gate or join, a measure without a name, a group on both sides of the last breakpoint under
// tiers.PrefixStable. With an error there is no composition, not even part of one.
//
// Compose is linear in the input. It keeps a copy of the sections, so the caller may change them afterwards; the text
// itself is made when it is first asked for.
func Compose(sections []Section, cfg Config, probes ...Probe) (Composition, error) {
	if err := checkNames(cfg.Measure.Name(), cfg.Join); err != nil {
		return Composition{}, err
	}
	kept, items, err := lowered(sections, cfg.Measure)
	if err != nil {
		return Composition{}, err
	}
	join := cfg.Join.Text()
	c, err := admit(Composition{
		sections: kept,
		items:    items,
		measure:  cfg.Measure.Name(),
		join:     cfg.Join,
		rules: tiers.Rules{
			Gate:           cfg.Gate,
			Budget:         tiers.EffectiveBudget(cfg.Budget, cfg.Resolver, cfg.Depth, cfg.Role),
			MaxBytes:       cfg.MaxBytes,
			ActiveFraction: cfg.ActiveFraction,
			Separator:      tiers.Charged(cfg.Measure.Count(join), int64(len(join))),
			TailReserve:    cfg.TailReserve,
		},
	})
	if err != nil {
		return Composition{}, err
	}
	for _, probe := range probes {
		if probe != nil {
			probe(BuildPromptBuiltEvent(c)) // each has maps of its own
		}
	}
	return c, nil
}

// lowered returns a copy of the sections, which nothing the caller does can change, and the numbers that gates decide by.
// It is the one place where anything is measured. It goes through the sections once: when there are many, looking at them
// is what takes time.
func lowered(sections []Section, m measure.Measure) ([]Section, []tiers.Item, error) {
	kept, items := make([]Section, len(sections)), make([]tiers.Item, len(sections))
	var alternates []string // of all sections
	var costs []tiers.Cost  // of the alternates
	chains, groups := numbering{}, numbering{}
	ids := newIDs(len(sections))
	for i := range sections {
		s, item := &kept[i], &items[i]
		*s = sections[i]
		if len(s.Alternates) > 0 {
			start := len(alternates)
			alternates = append(alternates, s.Alternates...)
			s.Alternates = slices.Clip(alternates[start:])
			costs = append(costs, make([]tiers.Cost, len(s.Alternates))...)
			item.Alternates = slices.Clip(costs[start:])
		}
		if err := s.price(item, m); err != nil {
			return nil, nil, &SectionError{i, s.ID, err}
		}
		ids.add(s.ID)
		item.Tier, item.Priority = s.Tier, s.Priority
		item.Chain, item.Group = chains.number(s.Chain), groups.number(s.Group)
	}
	return kept, items, ids.check(kept)
}

// price sets the costs of an item, which has room for all, to those of the section, which it checks.
func (s *Section) price(item *tiers.Item, m measure.Measure) error {
	if s.Cost.Known() {
		if !utf8.ValidString(s.Content) {
			return s.encodingError()
		}
		item.Cost = s.Cost
	} else {
		size, valid := m.CountValid(s.Content)
		if !valid {
			return s.encodingError()
		}
		item.Cost = tiers.Charged(size, int64(len(s.Content)))
	}
	for k, alternate := range s.Alternates {
		size, valid := m.CountValid(alternate)
		if !valid {
			return s.encodingError()
		}
		item.Alternates[k] = tiers.Charged(size, int64(len(alternate)))
	}
	return s.checkNames()
}

// A numbering gives names the numbers 1, 2, 3 … in order of appearance, and the empty name 0.
type numbering map[string]int

func (n numbering) number(name string) int {
	if name == "" {
		return 0
	}
	return n.add(name)
}

func (n numbering) add(name string) int {
	if _, known := n[name]; !known {
		n[name] = len(n) + 1
	}
	return n[name]
}

// admit completes a composition that holds its sections, items and rules.
func admit(c Composition) (Composition, error) {
	c.rules.Head = headLen(c.sections)
	plan, err := tiers.Admit(c.items, c.rules)
	if err != nil {
		var item *tiers.ItemError
		if errors.As(err, &item) {
			return Composition{}, &SectionError{item.Index, c.sections[item.Index].ID, item.Err}
		}
		return Composition{}, rulesError{err}
	}
	c.plan = plan
	c.memo = new(memo)
	c.length = int64(max(plan.Included-1, 0) * len(c.join.Text()))
	for i := range plan.Verdicts {
		if plan.Verdicts[i].Included() {
			c.length += int64(len(c.form(i)))
		}
		if c.length > math.MaxInt { // only where int has 32 bits, or one large string stands in many sections
			return Composition{}, fmt.Errorf("composer: %w", tiers.ErrTooLarge)
		}
	}
	return c, nil
}

// headLen returns how many sections stand up to and including the last one with a breakpoint.
func headLen(sections []Section) int {
	for i := len(sections); i > 0; i-- {
		if sections[i-1].Breakpoint {
			return i
		}
	}
	return 0
}
