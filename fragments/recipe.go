package fragments

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments/template"
	"github.com/quirehq/quire/internal/canonical"
	"github.com/quirehq/quire/internal/edits"
	"github.com/quirehq/quire/tiers"
)

// KindFragments is the kind of the recipes that this package writes.
const KindFragments = "fragments"

// A Compilation is a composition with what it takes to make it again. It converts to a replay.Compilation, which a
// recorder stores.
type Compilation struct {
	composer.Composition
	Kind   string   // KindFragments
	Recipe []byte   // canonical JSON; names its inputs by their digests
	Inputs []string // the texts that the recipe names
}

// Compile composes the assembly as [Assembly.Compose] does, and writes the recipe: all that decided the bytes from the
// assembly on. Providers and transforms are functions and cannot be kept; what they returned is.
//
// The recipe is RFC 8785 with every field present and every integer a decimal string. "config" is the recipe of package
// composer without its sections; "sections" are the assembly's, their texts before references are replaced, with what
// each form was charged after that; then "tools" and "variables", sorted by name.
func (a Assembly) Compile(cfg composer.Config) (Compilation, error) {
	sections, origin, err := a.lower()
	if err != nil {
		return Compilation{}, err
	}
	c, err := composer.Compose(sections, cfg)
	if err != nil {
		return Compilation{}, err
	}
	r := recipe{Config: c.Recipe(), Kind: KindFragments, Version: composer.Version}
	charged := make([]composer.Ingredient, len(a.Sections)) // a section that was left out was charged nothing
	for k, in := range r.Config.Sections {
		charged[origin[k]] = in
	}
	r.Config.Sections = nil
	var inputs []string
	input := func(text string) fingerprint.Digest {
		inputs = append(inputs, text)
		return fingerprint.SumString(text)
	}
	for i, s := range a.Sections {
		in := ingredient{Breakpoint: s.Breakpoint, Chain: s.Chain, Group: s.Group, Name: s.Name, Priority: s.Priority, Tier: s.Tier,
			form: form{Content: input(s.Text), Size: charged[i].Content.Cost.Size(), Bytes: charged[i].Content.Cost.Bytes()}}
		for k, alternate := range s.Alternates {
			f := form{Content: input(alternate)}
			if k < len(charged[i].Alternates) {
				f.Size, f.Bytes = charged[i].Alternates[k].Cost.Size(), charged[i].Alternates[k].Cost.Bytes()
			}
			in.Alternates = append(in.Alternates, f)
		}
		r.Sections = append(r.Sections, in)
	}
	for _, t := range a.Tools {
		r.Tools = append(r.Tools, toolInput{input(t.Description), t.Name, input(t.Schema.String())})
	}
	for name, value := range sortedVariables(a.Variables) {
		v := variableInput{Name: name}
		if !value.Missing {
			d := input(value.Text)
			v.Text = &d
		}
		r.Variables = append(r.Variables, v)
	}
	return Compilation{c, KindFragments, r.appendJSON(nil), inputs}, nil
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
		from := r.Sections[origin[k]]
		in := composer.Ingredient{ID: s.ID, Tier: s.Tier, Priority: s.Priority, Chain: s.Chain, Group: s.Group, Breakpoint: s.Breakpoint,
			Content: composer.Form{Digest: digest(s.Content), Cost: tiers.Charged(from.Size, from.Bytes)}}
		for k, alternate := range s.Alternates {
			f := from.Alternates[k]
			in.Alternates = append(in.Alternates, composer.Form{Digest: digest(alternate), Cost: tiers.Charged(f.Size, f.Bytes)})
		}
		r.Config.Sections = append(r.Config.Sections, in)
	}
	return r.Config.Compose(func(d fingerprint.Digest) (string, error) { return texts[d], nil })
}

// A recipe is what is written. Its fields, and those below, stand in the order of the canonical form.
type recipe struct {
	Config    composer.Recipe
	Kind      string
	Sections  []ingredient
	Tools     []toolInput
	Variables []variableInput
	Version   string
}

type form struct {
	Bytes   int64              `json:"bytes,string"`
	Content fingerprint.Digest `json:"content"`
	Size    int64              `json:"size,string"`
}

type ingredient struct {
	Alternates []form     `json:"alternates"`
	Breakpoint bool       `json:"breakpoint"`
	Chain      string     `json:"chain"`
	Group      string     `json:"group"`
	Name       string     `json:"name"`
	Priority   int        `json:"priority,string"`
	Tier       tiers.Tier `json:"tier"`
	form       `json:",inline"`
}

type toolInput struct {
	Description fingerprint.Digest `json:"description"`
	Name        string             `json:"name"`
	Schema      fingerprint.Digest `json:"schema"`
}

type variableInput struct {
	Name string              `json:"name"`
	Text *fingerprint.Digest `json:"text"` // nil: without a value
}

// assembly loads the texts. Tools decide no byte of the composition, so theirs are not asked for.
func (r *recipe) assembly(load func(fingerprint.Digest) (string, error)) (Assembly, error) {
	a := Assembly{Variables: make(map[string]template.Value, len(r.Variables))}
	for _, v := range r.Variables {
		value := template.Value{Missing: v.Text == nil}
		if v.Text != nil {
			var err error
			if value.Text, err = load(*v.Text); err != nil {
				return Assembly{}, &Error{Kind: KindVariable, Name: v.Name, Err: err}
			}
		}
		a.Variables[v.Name] = value
	}
	for _, in := range r.Sections {
		s := AssembledSection{Name: in.Name, Tier: in.Tier, Priority: in.Priority, Chain: in.Chain, Group: in.Group, Breakpoint: in.Breakpoint}
		var err error
		if s.Text, err = load(in.Content); err != nil {
			return Assembly{}, s.fail("", err)
		}
		for k, f := range in.Alternates {
			alternate, err := load(f.Content)
			if err != nil {
				return Assembly{}, s.fail(alternateField(k), err)
			}
			s.Alternates = append(s.Alternates, alternate)
		}
		a.Sections = append(a.Sections, s)
	}
	return a, nil
}

func parseRecipe(src []byte) (recipe, error) {
	var in struct {
		Config    jsontext.Value  `json:"config"`
		Kind      string          `json:"kind"`
		Sections  []ingredient    `json:"sections"`
		Tools     []toolInput     `json:"tools"`
		Variables []variableInput `json:"variables"`
		Version   string          `json:"version"`
	}
	if err := json.Unmarshal(src, &in, json.RejectUnknownMembers(true)); err != nil {
		return recipe{}, fmt.Errorf("%w: %w", composer.ErrRecipe, err)
	}
	if in.Kind != KindFragments {
		return recipe{}, fmt.Errorf("%w: kind %q; want %q", composer.ErrRecipe, in.Kind, KindFragments)
	}
	if in.Version != composer.Version {
		return recipe{}, fmt.Errorf("%w: %q; this build compiles %q", composer.ErrVersion, in.Version, composer.Version)
	}
	config, err := composer.ParseRecipe(in.Config)
	if err != nil {
		return recipe{}, fmt.Errorf("config: %w", err)
	}
	r := recipe{config, in.Kind, in.Sections, in.Tools, in.Variables, in.Version}
	if len(config.Sections) > 0 {
		return recipe{}, fmt.Errorf("%w: config has sections", composer.ErrRecipe)
	}
	if canonical := r.appendJSON(nil); string(canonical) != string(src) {
		at := edits.CommonPrefix(canonical, src)
		return recipe{}, fmt.Errorf("%w: byte %d: want the canonical form, %.40q here", composer.ErrRecipe, at, canonical[at:])
	}
	return r, nil
}

func (r *recipe) appendJSON(dst []byte) []byte {
	w := canonical.Writer{Dst: dst}
	w.Raw(`{"config":`)
	w.Dst = r.Config.AppendJSON(w.Dst)
	w.Text(`,"kind":`, r.Kind)
	w.Raw(`,"sections":[`)
	for i, in := range r.Sections {
		w.Separate(i)
		w.Raw(`{"alternates":[`)
		for k, f := range in.Alternates {
			w.Separate(k)
			w.Integer(`{"bytes":`, f.Bytes)
			w.Digest(`,"content":`, f.Content)
			w.Integer(`,"size":`, f.Size)
			w.Raw(`}`)
		}
		w.Bool(`],"breakpoint":`, in.Breakpoint)
		w.Integer(`,"bytes":`, in.Bytes)
		w.Text(`,"chain":`, in.Chain)
		w.Digest(`,"content":`, in.Content)
		w.Text(`,"group":`, in.Group)
		w.Text(`,"name":`, in.Name)
		w.Integer(`,"priority":`, int64(in.Priority))
		w.Integer(`,"size":`, in.Size)
		w.Text(`,"tier":`, in.Tier.String())
		w.Raw(`}`)
	}
	w.Raw(`],"tools":[`)
	for i, t := range r.Tools {
		w.Separate(i)
		w.Digest(`{"description":`, t.Description)
		w.Text(`,"name":`, t.Name)
		w.Digest(`,"schema":`, t.Schema)
		w.Raw(`}`)
	}
	w.Raw(`],"variables":[`)
	for i, v := range r.Variables {
		w.Separate(i)
		w.Text(`{"name":`, v.Name)
		if v.Text == nil {
			w.Raw(`,"text":null}`)
			continue
		}
		w.Digest(`,"text":`, *v.Text)
		w.Raw(`}`)
	}
	w.Text(`],"version":`, r.Version)
	w.Raw(`}`)
	return w.Dst
}
