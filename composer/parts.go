package composer

import (
	"iter"
	"slices"

	"github.com/quirehq/quire/tiers"
)

// Sections yields the candidates in order, as the caller gave them; those of a recipe have the cost that stands there.
func (c Composition) Sections() iter.Seq[Section] {
	return func(yield func(Section) bool) {
		for i := range c.parts {
			s := c.section(i)
			s.Alternates = slices.Clone(s.Alternates)
			if !yield(s) {
				return
			}
		}
	}
}

// Verdicts yields for every candidate whether it is in, why, and which alternate was chosen: what
// [Composition.Decisions] says, without the places.
func (c Composition) Verdicts() iter.Seq[tiers.Verdict] {
	return func(yield func(tiers.Verdict) bool) {
		for _, v := range c.plan.Verdicts {
			if !yield(v) {
				return
			}
		}
	}
}
