package composer

import (
	"errors"
	"fmt"
	"math"

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
// Compose is linear in the input. It keeps what the sections say, so the caller may change them afterwards; the text
// itself is made when it is first asked for.
func Compose(sections []Section, cfg Config, probes ...Probe) (Composition, error) {
	if err := checkNames(cfg.Measure.Name(), cfg.Join); err != nil {
		return Composition{}, err
	}
	candidates, err := lowered(sections, cfg.Measure)
	if err != nil {
		return Composition{}, err
	}
	join := cfg.Join.Text()
	c, err := admit(Composition{
		candidates: candidates,
		measure:    cfg.Measure.Name(),
		join:       cfg.Join,
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

// admit completes a composition that holds its candidates and rules.
func admit(c Composition) (Composition, error) {
	c.rules.Head = c.headLen()
	plan, err := tiers.Admit(c.items, c.rules)
	if err != nil {
		var item *tiers.ItemError
		if errors.As(err, &item) {
			return Composition{}, &SectionError{item.Index, c.parts[item.Index].id, item.Err}
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
func (c *candidates) headLen() int {
	for i := len(c.parts); i > 0; i-- {
		if c.parts[i-1].breakpoint {
			return i
		}
	}
	return 0
}
