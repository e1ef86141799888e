package composer

import (
	"slices"

	"github.com/quirehq/quire/internal/canonical"
	"github.com/quirehq/quire/tiers"
)

// A RecipeWriter writes the recipes of compositions, one after the other: it is to [Composition.Recipe] what a
// [Recompiler] is to [Recipe.Compose]. Sections that a composition has in common with the one before it, at its
// beginning, are neither hashed nor written again. The zero value is ready to use. It keeps the contents of the last
// composition alive, and is not safe for concurrent use.
type RecipeWriter struct {
	sections []Section
	items    []tiers.Item
	recipe   Recipe
	src      []byte
	ends     []int // of the sections in src
}

// Write returns the recipe of a composition, and its canonical JSON. Both are valid until the next call.
func (w *RecipeWriter) Write(c Composition) (Recipe, []byte) {
	rules := c.rulesOfRecipe()
	head := canonical.Writer{}
	writeHead(&head, rules)
	kept := 0
	if len(w.src) >= len(head.Dst) && string(w.src[:len(head.Dst)]) == string(head.Dst) {
		for kept < min(len(w.sections), len(c.sections)) && sameInput(w.sections[kept], c.sections[kept], w.items[kept], c.items[kept]) {
			kept++
		}
	}
	w.sections = append(w.sections[:kept], c.sections[kept:]...)
	w.items = append(w.items[:kept], c.items[kept:]...)
	w.ends = w.ends[:kept]
	rules.Sections = slices.Grow(w.recipe.Sections[:kept], len(c.sections)-kept)
	out := canonical.Writer{Dst: append(w.src[:0], head.Dst...)}
	if kept > 0 {
		out.Dst = w.src[:w.ends[kept-1]]
	}
	for i := kept; i < len(c.sections); i++ {
		in := c.ingredient(i)
		rules.Sections = append(rules.Sections, in)
		out.Separate(i)
		writeIngredient(&out, in)
		w.ends = append(w.ends, len(out.Dst))
	}
	writeTail(&out, rules)
	w.recipe, w.src = rules, out.Dst
	return w.recipe, w.src
}

// sameInput reports whether two sections are written the same way.
func sameInput(a, b Section, x, y tiers.Item) bool {
	return a.ID == b.ID && a.Content == b.Content && a.Tier == b.Tier && a.Priority == b.Priority && a.Chain == b.Chain &&
		a.Group == b.Group && a.Breakpoint == b.Breakpoint && slices.Equal(a.Alternates, b.Alternates) &&
		x.Cost == y.Cost && slices.Equal(x.Alternates, y.Alternates)
}
