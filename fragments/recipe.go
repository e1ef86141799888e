package fragments

import (
	"fmt"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments/template"
	"github.com/quirehq/quire/internal/canonical"
)

// KindFragments is the kind of the recipes that this package writes.
const KindFragments = "fragments"

// Compile composes the assembly as [Assembly.Compose] does, and writes the recipe: all that decided the bytes from the
// assembly on. Providers and transforms are functions and cannot be kept; what they returned is.
//
// The recipe is RFC 8785 with every field present and every integer a decimal string. "config" is the recipe of package
// composer without its sections; "sections" are the assembly's, their texts before references are replaced, with what
// each form was charged after that; then "tools" and "variables", sorted by name.
func (a Assembly) Compile(cfg composer.Config) (composer.Compilation, error) {
	sections, origin, err := a.lower()
	if err != nil {
		return composer.Compilation{}, err
	}
	c, err := composer.Compose(sections, cfg)
	if err != nil {
		return composer.Compilation{}, err
	}
	r := recipe{config: c.Recipe()}
	charged := make([]composer.Ingredient, len(a.Sections)) // a section that was left out was charged nothing
	for k, in := range r.config.Sections {
		charged[origin[k]] = in
	}
	r.config.Sections = nil
	var inputs []string
	input := func(text string) fingerprint.Digest {
		inputs = append(inputs, text)
		return fingerprint.SumString(text)
	}
	for i, s := range a.Sections {
		in := composer.Ingredient{ID: s.Name, Tier: s.Tier, Priority: s.Priority, Chain: s.Chain, Group: s.Group, Breakpoint: s.Breakpoint,
			Content: composer.Form{Digest: input(s.Text), Cost: charged[i].Content.Cost}}
		for k, alternate := range s.Alternates {
			form := composer.Form{Digest: input(alternate)}
			if k < len(charged[i].Alternates) {
				form.Cost = charged[i].Alternates[k].Cost
			}
			in.Alternates = append(in.Alternates, form)
		}
		r.sections = append(r.sections, in)
	}
	for _, t := range a.Tools {
		r.tools = append(r.tools, toolInput{input(t.Description), t.Name, input(t.Schema.String())})
	}
	for name, value := range sortedVariables(a.Variables) {
		v := variableInput{name: name}
		if !value.Missing {
			v.text = input(value.Text)
		}
		r.variables = append(r.variables, v)
	}
	w := canonical.Writer{}
	r.write(&w)
	return composer.Compilation{Composition: c, Kind: KindFragments, Recipe: w.Dst, Inputs: inputs}, nil
}

// CompileRecipe makes a composition again from a recipe that [Assembly.Compile] wrote. The texts come from load, which
// is asked for the digests of the inputs that the composition needs and vouches for what it returns. References are
// replaced again; sizes are those that were charged. A recipe of another composer.Version is refused with
// composer.ErrVersion, anything that is no recipe of this kind in canonical form with composer.ErrRecipe.
func CompileRecipe(src []byte, load func(fingerprint.Digest) (string, error)) (composer.Composition, error) {
	r, err := parseRecipe(src)
	if err != nil {
		return composer.Composition{}, fmt.Errorf("fragments: %w", err)
	}
	a, err := r.assembly(load)
	if err != nil {
		return composer.Composition{}, err
	}
	sections, origin, err := a.lower()
	if err != nil {
		return composer.Composition{}, err
	}
	texts := map[fingerprint.Digest]string{}
	digest := func(text string) fingerprint.Digest {
		d := fingerprint.SumString(text)
		texts[d] = text
		return d
	}
	for k, s := range sections {
		in := r.sections[origin[k]]
		in.Breakpoint = s.Breakpoint // which may have moved here
		in.Content.Digest = digest(s.Content)
		for k, alternate := range s.Alternates {
			in.Alternates[k].Digest = digest(alternate)
		}
		r.config.Sections = append(r.config.Sections, in)
	}
	return r.config.Compose(func(d fingerprint.Digest) (string, error) { return texts[d], nil })
}

// A recipe is what is written.
type recipe struct {
	config    composer.Recipe       // without sections
	sections  []composer.Ingredient // by name, as they were before references were replaced
	tools     []toolInput
	variables []variableInput
}

type toolInput struct {
	description fingerprint.Digest
	name        string
	schema      fingerprint.Digest
}

type variableInput struct {
	name string
	text fingerprint.Digest // zero: without a value
}

// assembly loads the texts. Tools decide no byte of the composition, so theirs are not asked for.
func (r *recipe) assembly(load func(fingerprint.Digest) (string, error)) (Assembly, error) {
	a := Assembly{Variables: make(map[string]template.Value, len(r.variables))}
	for _, v := range r.variables {
		value := template.Value{Missing: v.text.IsZero()}
		if !value.Missing {
			var err error
			if value.Text, err = load(v.text); err != nil {
				return Assembly{}, &Error{Kind: KindVariable, Name: v.name, Err: err}
			}
		}
		a.Variables[v.name] = value
	}
	for _, in := range r.sections {
		s := AssembledSection{Name: in.ID, Tier: in.Tier, Priority: in.Priority, Chain: in.Chain, Group: in.Group, Breakpoint: in.Breakpoint}
		var err error
		if s.Text, err = load(in.Content.Digest); err != nil {
			return Assembly{}, s.fail("", err)
		}
		for k, form := range in.Alternates {
			alternate, err := load(form.Digest)
			if err != nil {
				return Assembly{}, s.fail(alternateField(k), err)
			}
			s.Alternates = append(s.Alternates, alternate)
		}
		a.Sections = append(a.Sections, s)
	}
	return a, nil
}
