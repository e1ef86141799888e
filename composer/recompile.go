package composer

import (
	"fmt"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

// Compose makes the composition again. The contents come from load, which is asked for each digest that
// [Recipe.Contents] yields and vouches for what it returns: a store verifies what it reads, once. A recipe of another
// [Version] is refused with [ErrVersion], never silently compiled under this one.
func (r Recipe) Compose(load func(fingerprint.Digest) (string, error)) (Composition, error) {
	var c Recompiler
	return c.compose(r, 0, load)
}

// A Recompiler makes compositions of recipes, one after the other. Sections that a recipe has in common with the one
// before it, at its beginning, are neither read nor loaded nor validated again; everything is decided again. So the turns
// of a session cost what they add. The zero value is ready to use. It is not safe for concurrent use.
type Recompiler struct {
	parsed     parsed
	candidates candidates
}

// Compose parses the canonical JSON of a recipe, as [ParseRecipe] does, and makes the composition again, as
// [Recipe.Compose] does. The composition is valid until the next call.
func (c *Recompiler) Compose(src []byte, load func(fingerprint.Digest) (string, error)) (Composition, error) {
	kept, err := c.parsed.parse(src)
	if err != nil {
		return Composition{}, err
	}
	return c.compose(c.parsed.recipe, kept, load)
}

// compose makes the composition of a recipe whose first kept sections are those of the one before.
func (c *Recompiler) compose(r Recipe, kept int, load func(fingerprint.Digest) (string, error)) (Composition, error) {
	kept = min(kept, len(c.candidates.parts)) // fewer than were parsed when loading them failed
	c.candidates.keep(kept)
	if err := foreign(r.Kind, r.Version, KindComposer); err != nil {
		return Composition{}, fmt.Errorf("composer: %w", err)
	}
	if err := checkNames(r.Measure, r.Join); err != nil {
		return Composition{}, err
	}
	for i, in := range r.Sections[kept:] {
		if err := c.add(in, load); err != nil {
			return Composition{}, &SectionError{kept + i, in.ID, err}
		}
	}
	ids := newIDs(len(r.Sections))
	for i := range r.Sections {
		ids.add(r.Sections[i].ID)
	}
	if err := c.candidates.checkIDs(ids); err != nil {
		c.candidates.keep(kept)
		return Composition{}, err
	}
	return admit(Composition{
		candidates: c.candidates,
		measure:    r.Measure,
		join:       r.Join,
		rules: tiers.Rules{Gate: r.Gate, Budget: r.Budget, MaxBytes: r.MaxBytes, ActiveFraction: r.ActiveFraction,
			Separator: r.Separator, TailReserve: r.TailReserve},
	})
}

// add loads the forms of a section and adds it to the candidates.
func (c *Recompiler) add(in Ingredient, load func(fingerprint.Digest) (string, error)) (err error) {
	s := Section{ID: in.ID, Tier: in.Tier, Cost: in.Content.Cost,
		Priority: in.Priority, Chain: in.Chain, Group: in.Group, Breakpoint: in.Breakpoint}
	if s.Content, err = load(in.Content.Digest); err != nil {
		return err
	}
	var costs []tiers.Cost
	for _, form := range in.Alternates {
		alternate, err := load(form.Digest)
		if err != nil {
			return err
		}
		s.Alternates = append(s.Alternates, alternate)
		costs = append(costs, form.Cost)
	}
	if err := s.check(); err != nil {
		return err
	}
	c.candidates.add(&s, s.Alternates, s.Cost, costs)
	return nil
}
