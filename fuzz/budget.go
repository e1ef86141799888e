package fuzz

import (
	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/tiers"
)

// CheckWithinBudget checks that what a compile function emits fits any budget that its core fits: the sum of what the
// included sections are charged, with the separators between them, in the measure of the composition. Where nothing was
// charged on trust and the measure is one of package measure, the text itself is counted too. A budget that core fits
// must not be refused either, unless it is 0.
//
// The budgets are drawn by the check, most of them where it matters: at the size of core, at the size of everything,
// and one beside. The compile function is given one with each input, and first of all the zero budget, which is
// unlimited. It may hold the sections against less.
//
// The gate published does not keep this law, and says so: see [tiers.Published].
func CheckWithinBudget[In any](t rapid.TB, inputs *rapid.Generator[In], compile func(In, tiers.Budget) (composer.Composition, error)) {
	t.Helper()
	check(t, "compile refused every input, or core fitted no budget", func(t *rapid.T, tr *trial) {
		in := inputs.Draw(t, "input")
		whole, ok := compiled(t, tr, func() (composer.Composition, error) { return compile(in, tiers.Budget{}) })
		if !ok {
			return
		}
		core, total := charged(whole)
		limit := rapid.OneOf(
			rapid.SampledFrom([]int64{0, core, core + 1, max(total-1, 0), total}),
			rapid.Int64Range(0, total),
		).Draw(t, "budget")
		c, ok := compiled(t, tr, func() (composer.Composition, error) { return compile(in, tiers.Limit(limit)) })
		if !ok {
			if core <= limit && limit > 0 {
				t.Fatalf("a budget of %d was refused, though core takes %d: %s", limit, core, tr.lastRefusal())
			}
			return
		}
		core, emitted := charged(c)
		if core > limit {
			return // nothing fits, and core is never dropped
		}
		tr.held++
		if emitted > limit {
			t.Fatalf("%d are emitted under a budget of %d, though core takes only %d (gate %v, effective budget %v)\n%s",
				emitted, limit, core, c.Recipe().Gate, c.EffectiveBudget(), c.Explain().Table())
		}
		if m, counted := countable(c); counted && m.Count(c.Text()) > limit {
			t.Fatalf("the text measures %d %s under a budget of %d, though what it was charged is %d\n%s",
				m.Count(c.Text()), m.Name(), limit, emitted, c.Explain().Table())
		}
	})
}

// charged returns what core costs, and what everything that is in costs, each with the separators between.
func charged(c composer.Composition) (core, emitted int64) {
	separator := c.Recipe().Separator.Size()
	add := func(sum *int64, size int64, first bool) {
		if !first {
			*sum += separator
		}
		*sum += size
	}
	noCore, none := true, true
	for _, d := range c.Decisions() {
		if d.Tier == tiers.Core {
			add(&core, d.Size, noCore)
			noCore = false
		}
		if d.Included {
			add(&emitted, d.Size, none)
			none = false
		}
	}
	return core, emitted
}

// countable returns the measure of a composition when the size of the text is at most what was charged: the measure is
// known, and every size was measured by it.
func countable(c composer.Composition) (measure.Measure, bool) {
	for s := range c.Sections() {
		if s.Cost.Known() {
			return measure.Measure{}, false
		}
	}
	return measure.ByName(c.Recipe().Measure)
}
