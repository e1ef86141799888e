package composer

import (
	"errors"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

// KindComposer is the kind of the recipes that this package writes. Front ends have kinds of their own.
const KindComposer = "composer"

// A Recipe is everything that decided the bytes of a composition, with contents named by their digests. From a recipe
// and the contents the composition can be made again, on any machine and without the function that measured them: the
// sizes stand in the recipe. From the recipe alone every decision can be made again.
//
// Depth and role are not in it; once the budget is resolved they decide nothing.
type Recipe struct {
	Kind           string // KindComposer
	Version        string // the [Version] that compiled it
	Gate           tiers.Gate
	Measure        string
	Budget         tiers.Budget
	MaxBytes       tiers.Budget
	ActiveFraction tiers.Fraction
	TailReserve    int64
	Join           Join
	Separator      tiers.Cost // of the join
	Sections       []Ingredient
}

// An Ingredient is a candidate section of a [Recipe].
type Ingredient struct {
	ID         string
	Tier       tiers.Tier
	Content    Form
	Alternates []Form
	Priority   int
	Chain      string
	Group      string
	Breakpoint bool
}

// A Form is one text of a section, the content or an alternate: which one, and what it is charged.
type Form struct {
	Digest fingerprint.Digest
	Cost   tiers.Cost
}

// What [ParseRecipe] and [Recipe.Compose] refuse.
var (
	ErrRecipe  = errors.New("not a recipe")
	ErrVersion = errors.New("recipe of another compiler version")
)

// Recipe returns the recipe of the composition. Every content is hashed.
func (c Composition) Recipe() Recipe {
	r := c.rulesOfRecipe()
	r.Sections = make([]Ingredient, len(c.parts))
	for i := range c.parts {
		r.Sections[i] = c.ingredient(i)
	}
	return r
}

// rulesOfRecipe is a recipe without its sections.
func (c Composition) rulesOfRecipe() Recipe {
	return Recipe{
		Kind:           KindComposer,
		Version:        Version,
		Gate:           c.rules.Gate,
		Measure:        c.measureName(),
		Budget:         c.rules.Budget,
		MaxBytes:       c.rules.MaxBytes,
		ActiveFraction: c.rules.ActiveFraction.OrDefault(),
		TailReserve:    c.rules.TailReserve,
		Join:           c.join,
		Separator:      c.rules.Separator,
	}
}

func (c Composition) ingredient(i int) Ingredient {
	s, item := c.section(i), &c.items[i]
	in := Ingredient{
		ID: s.ID, Tier: s.Tier,
		Content:  Form{fingerprint.SumString(s.Content), item.Cost},
		Priority: s.Priority, Chain: s.Chain, Group: s.Group, Breakpoint: s.Breakpoint,
	}
	for k, alternate := range s.Alternates {
		in.Alternates = append(in.Alternates, Form{fingerprint.SumString(alternate), item.Alternates[k]})
	}
	return in
}

// Key names the recipe: the digest of its canonical JSON.
func (r Recipe) Key() fingerprint.Key { return fingerprint.Key(fingerprint.Sum(r.AppendJSON(nil))) }

// Contents yields the digests of all contents and alternates, in recipe order. One that stands twice comes twice.
func (r Recipe) Contents(yield func(fingerprint.Digest) bool) {
	for _, in := range r.Sections {
		if !yield(in.Content.Digest) {
			return
		}
		for _, alternate := range in.Alternates {
			if !yield(alternate.Digest) {
				return
			}
		}
	}
}
