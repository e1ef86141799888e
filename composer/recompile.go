package composer

import (
	"fmt"
	"slices"

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
	parsed   parsed
	sections []Section
	items    []tiers.Item
	places   map[string]int // of the first sections, by id; nil as long as every recipe was read from its beginning
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
	kept = min(kept, len(c.sections)) // fewer than were parsed when loading them failed
	c.keep(kept)
	if r.Kind != KindComposer {
		return Composition{}, fmt.Errorf("composer: %w: kind %q; want %q", ErrRecipe, r.Kind, KindComposer)
	}
	if r.Version != Version {
		return Composition{}, fmt.Errorf("composer: %w: %q; this build compiles %q", ErrVersion, r.Version, Version)
	}
	if err := checkNames(r.Measure, r.Join); err != nil {
		return Composition{}, err
	}
	c.sections = slices.Grow(c.sections, len(r.Sections)-kept)
	c.items = slices.Grow(c.items, len(r.Sections)-kept)
	for i, in := range r.Sections[kept:] {
		if err := c.add(in, load); err != nil {
			return Composition{}, &SectionError{kept + i, in.ID, err}
		}
	}
	if err := c.checkIDs(kept); err != nil {
		c.keep(kept)
		return Composition{}, err
	}
	chains, groups := numbering{}, numbering{}
	for i, in := range r.Sections {
		c.items[i].Chain, c.items[i].Group = chains.number(in.Chain), groups.number(in.Group)
	}
	return admit(Composition{
		sections: c.sections,
		items:    c.items,
		measure:  r.Measure,
		join:     r.Join,
		rules: tiers.Rules{Gate: r.Gate, Budget: r.Budget, MaxBytes: r.MaxBytes, ActiveFraction: r.ActiveFraction,
			Separator: r.Separator, TailReserve: r.TailReserve},
	})
}

// keep forgets all sections but the first.
func (c *Recompiler) keep(kept int) {
	for _, s := range c.sections[kept:] {
		if i, there := c.places[s.ID]; there && i >= kept {
			delete(c.places, s.ID)
		}
	}
	c.sections, c.items = c.sections[:kept], c.items[:kept]
}

// checkIDs is the function of that name, which has looked at the first kept sections already.
func (c *Recompiler) checkIDs(kept int) error {
	if kept == 0 {
		c.places = nil
		return checkIDs(c.sections)
	}
	if c.places == nil {
		c.places = make(map[string]int, len(c.sections))
	}
	for i := len(c.places); i < len(c.sections); i++ { // more than kept when loading failed the last time
		id := c.sections[i].ID
		if first, there := c.places[id]; there {
			return duplicateError(i, first, id)
		}
		c.places[id] = i
	}
	return nil
}

func (c *Recompiler) add(in Ingredient, load func(fingerprint.Digest) (string, error)) (err error) {
	s := Section{ID: in.ID, Tier: in.Tier, Cost: in.Content.Cost,
		Priority: in.Priority, Chain: in.Chain, Group: in.Group, Breakpoint: in.Breakpoint}
	item := tiers.Item{Tier: in.Tier, Cost: in.Content.Cost, Priority: in.Priority}
	if s.Content, err = load(in.Content.Digest); err != nil {
		return err
	}
	for _, form := range in.Alternates {
		alternate, err := load(form.Digest)
		if err != nil {
			return err
		}
		s.Alternates = append(s.Alternates, alternate)
		item.Alternates = append(item.Alternates, form.Cost)
	}
	if err := s.check(); err != nil {
		return err
	}
	c.sections, c.items = append(c.sections, s), append(c.items, item)
	return nil
}
