// Package tiers decides which priced items fit a budget.
//
// Numbers go in, decisions come out. An [Item] is a [Tier], a [Cost] and a few integers that say how it wants to be
// offered; [Rules] are a [Gate], a [Budget] and its companions; [Admit] returns a [Plan] with one [Verdict] an item.
// There is no text, no clock, no floating point and no I/O here, so equal input gives equal output on every machine.
//
// Three tiers, most important first: [Core] is never refused, [Active] is admitted up to a ceiling somewhat below the
// budget, [Informational] up to the budget itself. Three gates say what is charged when: [Published], [Reserved] and
// [PrefixStable]. Items are offered by priority, the higher first, and in the given order where priorities are equal.
// With a chain, a group and a list of alternates that one pass expresses "evict from the low end until it fits", "a tool
// call stays or goes with its results" and "use the shorter form"; there is no second mechanism.
//
// [Published] is the pass that an earlier system documented, kept to the letter for those whose prompts depend on its
// bytes, and the default for that reason. Its ceiling knows all core, but each core item is charged only when the pass
// comes to it, and separators never: core that stands late, and the separators, come on top of what was admitted before.
// [Reserved] has the same tiers and the same ceiling, but charges all core with its separators before the pass begins,
// and every other item with the separator it brings, so it keeps any budget that core fits. Where core stands first and
// separators cost nothing, the two decide alike. Elsewhere in this module, too, "published" means that system's: its
// token estimate, its event, the names in its reports.
//
// What it does not promise: that a larger budget keeps all that a smaller one kept. A gate that skips an item and goes
// on is not monotone; one chain over all non-core items, without alternates, is.
//
// Sizes are int64 and never negative. Input whose sum would not fit an int64 is refused before any decision.
package tiers
