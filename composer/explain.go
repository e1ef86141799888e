package composer

import (
	"fmt"
	"strings"

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

	core, coreBytes int64 // with its separators
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
	CoreLate            CauseCode = "core-late"            // published: core was charged only after others had been admitted
	SeparatorsUncharged CauseCode = "separators-uncharged" // published: separators are never charged
	TailCoreTooLarge    CauseCode = "tail-core-too-large"  // prefix-stable: the tail's core exceeds the reserve
)

// Explain returns the explanation of the composition.
func (c Composition) Explain() Explanation {
	e := Explanation{
		Gate:          c.rules.Gate,
		Measure:       c.measureName(),
		Budget:        c.rules.Budget,
		MaxBytes:      c.rules.MaxBytes,
		Decisions:     c.Decisions(),
		Included:      c.plan.Included,
		Contents:      c.plan.Total.Size(),
		Separators:    c.plan.Emitted.Size() - c.plan.Total.Size(),
		Overflow:      c.plan.Overflow,
		OverflowBytes: c.plan.OverflowBytes,
	}
	e.core, e.coreBytes = c.coreWithSeparators()
	e.Causes = e.causes()
	return e
}

// causes splits the overflow: first what core with its separators is over by itself, then, of the rest, what the
// contents are over by, then the separators.
func (e Explanation) causes() []Cause {
	rest := e.Overflow
	var causes []Cause
	take := func(code CauseCode, amount int64) {
		if amount = min(amount, rest); amount > 0 {
			causes = append(causes, Cause{code, amount})
			rest -= amount
		}
	}
	take(CoreTooLarge, e.Budget.Over(e.core))
	switch e.Gate {
	case tiers.Published:
		budget, _ := e.Budget.Value()
		take(CoreLate, e.Contents-max(budget, e.core))
		take(SeparatorsUncharged, rest)
	case tiers.PrefixStable:
		take(TailCoreTooLarge, rest)
	}
	return causes
}

func (c Composition) coreWithSeparators() (size, bytes int64) {
	var n int64
	for i, v := range c.plan.Verdicts {
		if v.Reason == tiers.IsCore {
			size += c.items[i].Cost.Size()
			bytes += c.items[i].Cost.Bytes()
			n++
		}
	}
	n = max(n-1, 0)
	return size + n*c.rules.Separator.Size(), bytes + n*c.rules.Separator.Bytes()
}

// Warning returns one line when the published gate overflowed the budget, or the limit in bytes, though core with its
// separators fits it, and names the gate that would not have; else "".
func (e Explanation) Warning() string {
	var exceeded []string
	if e.Overflow > 0 && e.Budget.Over(e.core) == 0 {
		exceeded = append(exceeded, fmt.Sprintf("the budget of %v by %d %s", e.Budget, e.Overflow, e.Measure))
	}
	if e.OverflowBytes > 0 && e.MaxBytes.Over(e.coreBytes) == 0 {
		exceeded = append(exceeded, fmt.Sprintf("max-bytes %v by %d bytes", e.MaxBytes, e.OverflowBytes))
	}
	if e.Gate != tiers.Published || exceeded == nil {
		return ""
	}
	return "the published gate exceeds " + strings.Join(exceeded, " and ") + " though core fits; gate reserved keeps within it"
}
