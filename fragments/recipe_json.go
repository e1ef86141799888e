package fragments

import (
	"fmt"
	"strconv"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/internal/canonical"
	"github.com/quirehq/quire/tiers"
)

// The canonical form of a recipe. Writer and reader go through the fields in the same order, which is that of their names.

func (r *recipe) write(w *canonical.Writer) {
	w.Raw(`{"config":`)
	w.Dst = r.config.AppendJSON(w.Dst)
	r.writeTail(w)
}

func (r *recipe) writeTail(w *canonical.Writer) {
	w.Text(`,"kind":`, KindFragments)
	w.Raw(`,"sections":[`)
	for i, in := range r.sections {
		w.Separate(i)
		w.Raw(`{"alternates":[`)
		for k, form := range in.Alternates {
			w.Separate(k)
			w.Integer(`{"bytes":`, form.Cost.Bytes())
			w.Digest(`,"content":`, form.Digest)
			w.Integer(`,"size":`, form.Cost.Size())
			w.Raw(`}`)
		}
		w.Bool(`],"breakpoint":`, in.Breakpoint)
		w.Integer(`,"bytes":`, in.Content.Cost.Bytes())
		w.Text(`,"chain":`, in.Chain)
		w.Digest(`,"content":`, in.Content.Digest)
		w.Text(`,"group":`, in.Group)
		w.Text(`,"name":`, in.ID)
		w.Integer(`,"priority":`, int64(in.Priority))
		w.Integer(`,"size":`, in.Content.Cost.Size())
		w.Text(`,"tier":`, in.Tier.String())
		w.Raw(`}`)
	}
	w.Raw(`],"tools":[`)
	for i, t := range r.tools {
		w.Separate(i)
		w.Digest(`{"description":`, t.description)
		w.Text(`,"name":`, t.name)
		w.Digest(`,"schema":`, t.schema)
		w.Raw(`}`)
	}
	w.Raw(`],"variables":[`)
	for i, v := range r.variables {
		w.Separate(i)
		w.Text(`{"name":`, v.name)
		w.DigestOrNull(`,"text":`, v.text)
		w.Raw(`}`)
	}
	w.Text(`],"version":`, composer.Version)
	w.Raw(`}`)
}

func parseRecipe(src []byte) (recipe, error) {
	var r recipe
	p := canonical.NewReader(string(src), 0)
	config := p.Value(`{"config":`)
	r.readTail(p)
	if err := p.Err(); err != nil {
		return recipe{}, composer.RefuseRecipe(src, KindFragments, err)
	}
	var err error
	if r.config, err = composer.ParseRecipe([]byte(config)); err != nil {
		return recipe{}, fmt.Errorf("config: %w", err)
	}
	if len(r.config.Sections) > 0 {
		return recipe{}, fmt.Errorf("%w: config has sections", composer.ErrRecipe)
	}
	return r, nil
}

func (r *recipe) readTail(p *canonical.Reader) {
	start := p.Pos()
	p.Raw(`,"kind":"` + KindFragments + `"`)
	for range p.Elements(`,"sections":[`) {
		var in composer.Ingredient
		for range p.Elements(`{"alternates":[`) {
			bytes := p.Integer(`{"bytes":`)
			digest := p.Digest(`,"content":`)
			size := p.Integer(`,"size":`)
			p.Raw(`}`)
			in.Alternates = append(in.Alternates, composer.Form{Digest: digest, Cost: tiers.Charged(size, bytes)})
		}
		in.Breakpoint = p.Bool(`],"breakpoint":`)
		bytes := p.Integer(`,"bytes":`)
		in.Chain = p.Text(`,"chain":`)
		in.Content.Digest = p.Digest(`,"content":`)
		in.Group = p.Text(`,"group":`)
		in.ID = p.Text(`,"name":`)
		in.Priority = canonical.Parse(p, `,"priority":`, strconv.Atoi)
		in.Content.Cost = tiers.Charged(p.Integer(`,"size":`), bytes)
		in.Tier = canonical.Parse(p, `,"tier":`, tiers.ParseTier)
		p.Raw(`}`)
		r.sections = append(r.sections, in)
	}
	for range p.Elements(`],"tools":[`) {
		var t toolInput
		t.description = p.Digest(`{"description":`)
		t.name = p.Text(`,"name":`)
		t.schema = p.Digest(`,"schema":`)
		p.Raw(`}`)
		r.tools = append(r.tools, t)
	}
	for range p.Elements(`],"variables":[`) {
		var v variableInput
		v.name = p.Text(`{"name":`)
		v.text = p.DigestOrNull(`,"text":`)
		p.Raw(`}`)
		r.variables = append(r.variables, v)
	}
	p.Raw(`],"version":"` + composer.Version + `"}`)
	p.End()
	p.RoundTrip(start, r.writeTail)
}
