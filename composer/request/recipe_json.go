package request

import (
	"fmt"
	"slices"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/internal/canonical"
)

// The canonical form of a recipe. Writer and reader go through the fields in the same order, which is that of their names.

func (r *recipe) write(w *canonical.Writer) {
	w.Bool(`{"caching":`, r.rules.caching)
	w.Raw(`,"chunks":[`)
	for i, c := range r.chunks {
		w.Separate(i)
		w.Text(`{"id":`, c.id)
		w.Integer(`,"rank":`, c.rank)
		w.Digest(`,"text":`, c.text)
		w.Raw(`}`)
	}
	w.Integer(`],"context":`, r.rules.context)
	w.Bool(`,"conversation":`, r.rules.conversation)
	w.DigestOrNull(`,"facts":`, r.facts)
	w.Text(`,"kind":`, KindRequest)
	w.Text(`,"measure":`, r.measure)
	w.DigestOrNull(`,"notes":`, r.notes)
	w.Integer(`,"reserve":`, r.rules.reserve)
	w.Raw(`,"sizes":[`)
	for i, size := range r.sizes {
		w.Separate(i)
		w.Integer(``, size)
	}
	w.Raw(`],"stable":[`)
	for i, name := range r.stable {
		w.Separate(i)
		w.Text(``, name)
	}
	w.Digest(`],"template":`, r.template)
	w.Raw(`,"tools":[`)
	for i, d := range r.tools {
		w.Separate(i)
		w.Digest(``, d)
	}
	w.Raw(`],"turns":[`)
	for i, t := range r.turns {
		w.Separate(i)
		w.Digest(`{"content":`, t.content)
		w.Bool(`,"mark":`, t.mark)
		w.Raw(`}`)
	}
	w.Raw(`],"values":{`)
	n := 0
	for _, s := range valueOrder() {
		if !r.values[s].IsZero() {
			w.Separate(n)
			w.Text(``, slotNames[s])
			w.Digest(`:`, r.values[s])
			n++
		}
	}
	w.Text(`},"version":`, composer.Version)
	w.Raw(`}`)
}

func (r *recipe) read(p *canonical.Reader) {
	r.rules.caching = p.Bool(`{"caching":`)
	for range p.Elements(`,"chunks":[`) {
		var c chunkInput
		c.id = p.Text(`{"id":`)
		c.rank = p.Integer(`,"rank":`)
		c.text = p.Digest(`,"text":`)
		p.Raw(`}`)
		r.chunks = append(r.chunks, c)
	}
	r.rules.context = p.Integer(`],"context":`)
	r.rules.conversation = p.Bool(`,"conversation":`)
	r.facts = p.DigestOrNull(`,"facts":`)
	p.Raw(`,"kind":"` + KindRequest + `"`)
	r.measure = p.Text(`,"measure":`)
	r.notes = p.DigestOrNull(`,"notes":`)
	r.rules.reserve = p.AtLeast(0, `,"reserve":`)
	for range p.Elements(`,"sizes":[`) {
		r.sizes = append(r.sizes, p.AtLeast(0, ``))
	}
	for range p.Elements(`],"stable":[`) {
		r.stable = append(r.stable, p.Text(``))
	}
	r.template = p.Digest(`],"template":`)
	for range p.Elements(`,"tools":[`) {
		r.tools = append(r.tools, p.Digest(``))
	}
	for range p.Elements(`],"turns":[`) {
		var t turnInput
		t.content = p.Digest(`{"content":`)
		t.mark = p.Bool(`,"mark":`)
		p.Raw(`}`)
		r.turns = append(r.turns, t)
	}
	for range p.Elements(`],"values":{`) {
		s := canonical.Parse(p, ``, parseSlot)
		r.values[s] = p.Digest(`:`)
	}
	p.Raw(`},"version":"` + composer.Version + `"}`)
	p.End()
	p.RoundTrip(0, r.write)
}

func parseSlot(name string) (slot, error) {
	if s := slices.Index(slotNames[:], name); s >= 0 {
		return slot(s), nil
	}
	return 0, fmt.Errorf("unknown slot %q", name)
}

func parseRecipe(src []byte) (recipe, error) {
	var r recipe
	p := canonical.NewReader(string(src), 0)
	r.read(p)
	if err := p.Err(); err != nil {
		return recipe{}, composer.RefuseRecipe(src, KindRequest, err)
	}
	switch {
	case r.rules.reserve >= r.rules.context:
		return recipe{}, fmt.Errorf("%w: a reserve of %d in a context of %d", composer.ErrRecipe, r.rules.reserve, r.rules.context)
	case len(r.turns) == 0:
		return recipe{}, fmt.Errorf("%w: no question", composer.ErrRecipe)
	}
	return r, nil
}
