package composer

import (
	"slices"

	"github.com/quirehq/quire/internal/canonical"
)

// A RecipeWriter writes the recipes of compositions, one after the other: it is to [Composition.Recipe] what a
// [Recompiler] is to [Recipe.Compose]. Sections that a composition has in common with the one before it, at its
// beginning, are neither hashed nor written again. The zero value is ready to use. It keeps the contents of the last
// composition alive, and is not safe for concurrent use.
type RecipeWriter struct {
	written candidates
	recipe  Recipe
	src     []byte
	ends    []int // of the sections in src
}

// Write returns the recipe of a composition, and its canonical JSON. Both are valid until the next call.
func (w *RecipeWriter) Write(c Composition) (Recipe, []byte) {
	rules := c.rulesOfRecipe()
	head := canonical.Writer{}
	writeHead(&head, rules)
	kept := 0
	if len(w.src) >= len(head.Dst) && string(w.src[:len(head.Dst)]) == string(head.Dst) {
		for kept < min(len(w.written.parts), len(c.parts)) && sameInput(&w.written, &c.candidates, kept) {
			kept++
		}
	}
	w.written = candidates{append(w.written.items[:0], c.items...), append(w.written.parts[:0], c.parts...), c.chains, c.groups}
	w.ends = w.ends[:kept]
	rules.Sections = slices.Grow(w.recipe.Sections[:kept], len(c.parts)-kept)
	out := canonical.Writer{Dst: append(w.src[:0], head.Dst...)}
	if kept > 0 {
		out.Dst = w.src[:w.ends[kept-1]]
	}
	for i := kept; i < len(c.parts); i++ {
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

// sameInput reports whether the i-th sections of both are written the same way.
func sameInput(a, b *candidates, i int) bool {
	s, t := a.section(i), b.section(i)
	x, y := &a.items[i], &b.items[i]
	return s.ID == t.ID && s.Content == t.Content && s.Tier == t.Tier && s.Priority == t.Priority && s.Chain == t.Chain &&
		s.Group == t.Group && s.Breakpoint == t.Breakpoint && slices.Equal(s.Alternates, t.Alternates) &&
		x.Cost == y.Cost && slices.Equal(x.Alternates, y.Alternates)
}
