package composer

import (
	"fmt"

	"github.com/quirehq/quire/tiers"
)

// An Explanation says for people what a composition decided: what became of each candidate, what the budget went to,
// and where an overflow comes from.
type Explanation struct {
	Gate          tiers.Gate
	Measure       string
	Budget        tiers.Budget
	MaxBytes      tiers.Budget
	Decisions     []Decision
	Included      int
	Contents      int64 // the sum of the included sizes
	Separators    int64 // what stands between them
	Overflow      int64
	OverflowBytes int64
	Causes        []Cause // of Overflow; their amounts add up to it
}

// A Cause is one source of an overflow.
type Cause struct {
	Code   CauseCode
	Amount int64 // in the measure
}

// A CauseCode names a source of an overflow.
type CauseCode string

// The causes.
const (
	CoreTooLarge        CauseCode = "core-too-large"       // core with its separators alone exceeds the budget
	CoreLate            CauseCode = "core-late"            // published: core was charged only after others had been let in
	SeparatorsUncharged CauseCode = "separators-uncharged" // published: separators are never charged
	TailCoreTooLarge    CauseCode = "tail-core-too-large"  // prefix-stable: the tail's core exceeds the reserve
)

// Explain returns the explanation of the composition.
func (c Composition) Explain() Explanation {
	e := Explanation{
		Gate:          c.rules.Gate,
		Measure:       c.measure,
		Budget:        c.rules.Budget,
		MaxBytes:      c.rules.MaxBytes,
		Decisions:     c.Decisions(),
		Included:      c.plan.Included,
		Contents:      c.plan.Total.Size(),
		Separators:    c.plan.Emitted.Size() - c.plan.Total.Size(),
		Overflow:      c.plan.Overflow,
		OverflowBytes: c.plan.OverflowBytes,
	}
	e.Causes = c.causes(e)
	return e
}

// causes splits the overflow: first what core with its separators is over by itself, then, of the rest, what the
// contents are over by, then the separators.
func (c Composition) causes(e Explanation) []Cause {
	rest := e.Overflow
	var causes []Cause
	take := func(code CauseCode, amount int64) {
		if amount = min(amount, rest); amount > 0 {
			causes = append(causes, Cause{code, amount})
			rest -= amount
		}
	}
	core := c.coreWithSeparators()
	take(CoreTooLarge, e.Budget.Over(core))
	switch e.Gate {
	case tiers.Published:
		budget, _ := e.Budget.Value()
		take(CoreLate, e.Contents-max(budget, core))
		take(SeparatorsUncharged, rest)
	case tiers.PrefixStable:
		take(TailCoreTooLarge, rest)
	}
	return causes
}

func (c Composition) coreWithSeparators() int64 {
	var sum, n int64
	for i, v := range c.plan.Verdicts {
		if v.Reason == tiers.IsCore {
			sum += c.items[i].Cost.Size()
			n++
		}
	}
	return sum + max(n-1, 0)*c.rules.Separator.Size()
}

// Warning returns one line when the published gate overflowed though core with its separators fits the budget, and
// names the gate that would not have; else "".
func (e Explanation) Warning() string {
	if e.Gate != tiers.Published || e.Overflow == 0 {
		return ""
	}
	for _, cause := range e.Causes {
		if cause.Code == CoreTooLarge {
			return ""
		}
	}
	return fmt.Sprintf("the published gate exceeds the budget of %v by %d %s though core fits; gate reserved keeps within it",
		e.Budget, e.Overflow, e.Measure)
}
