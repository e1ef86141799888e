package messages

import (
	"fmt"
	"strconv"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/internal/canonical"
)

// The canonical form of a recipe. Writer and reader go through the fields in the same order, which is that of their names.

func (r *recipe) write(w *canonical.Writer) {
	w.Raw(`{"items":[`)
	for i := range r.items {
		w.Separate(i)
		r.items[i].write(w, r.rules)
	}
	w.Text(`],"kind":`, KindMessages)
	w.Text(`,"layout":`, r.rules.layout.String())
	w.Budget(`,"max-input-bytes":`, r.rules.bytes)
	w.Budget(`,"max-input-tokens":`, r.rules.tokens)
	w.Text(`,"measure":`, r.measure)
	w.Text(`,"policy":`, r.rules.policy.String())
	w.Integer(`,"quantum":`, r.rules.quantum)
	w.Raw(`,"tail":[`)
	for i, id := range r.rules.tailOrder {
		w.Separate(i)
		w.Text(``, id)
	}
	w.Text(`],"version":`, composer.Version)
	w.Raw(`}`)
}

func (r *recipe) read(p *canonical.Reader) {
	for range p.Elements(`{"items":[`) {
		r.items = append(r.items, readIngredient(p))
	}
	p.Raw(`],"kind":"` + KindMessages + `"`)
	r.rules.layout = canonical.Parse(p, `,"layout":`, parseLayout)
	r.rules.bytes = p.Budget(`,"max-input-bytes":`)
	r.rules.tokens = p.Budget(`,"max-input-tokens":`)
	r.measure = p.Text(`,"measure":`)
	r.rules.policy = canonical.Parse(p, `,"policy":`, parsePolicy)
	r.rules.quantum = p.AtLeast(1, `,"quantum":`)
	for range p.Elements(`,"tail":[`) {
		r.rules.tailOrder = append(r.rules.tailOrder, p.Text(``))
	}
	p.Raw(`],"version":"` + composer.Version + `"}`)
	p.End()
	for i := range r.items {
		if in := &r.items[i]; in.whole == notSaid {
			in.whole = r.rules.counted(in.size, in.bytes)
		}
	}
	p.RoundTrip(0, r.write)
}

// notSaid stands for a number of an item that its recipe does not say.
const notSaid = -1

func (in *ingredient) write(w *canonical.Writer, r rules) {
	w.Integer(`{"bytes":`, in.bytes)
	w.Digest(`,"digest":`, in.digest)
	w.Text(`,"group":`, in.group.String())
	if in.line >= 0 {
		w.Integer(`,"line":`, int64(in.line))
	}
	if in.mark {
		w.Raw(`,"mark":true`)
	}
	if in.priority != 0 {
		w.Integer(`,"priority":`, int64(in.priority))
	}
	if in.segment != "" {
		w.Text(`,"segment":`, in.segment)
	}
	w.Integer(`,"size":`, in.size)
	if in.whole != r.counted(in.size, in.bytes) {
		w.Integer(`,"whole":`, in.whole)
	}
	w.Raw(`}`)
}

func readIngredient(p *canonical.Reader) (in ingredient) {
	in.unit, in.line, in.whole = -1, notSaid, notSaid
	in.bytes = p.AtLeast(0, `{"bytes":`)
	in.digest = p.Digest(`,"digest":`)
	in.group = canonical.Parse(p, `,"group":`, parseGroup)
	if p.Skip(`,"line":`) {
		in.line = canonical.Parse(p, ``, strconv.Atoi)
	}
	in.mark = p.Skip(`,"mark":true`)
	if p.Skip(`,"priority":`) {
		in.priority = canonical.Parse(p, ``, strconv.Atoi)
	}
	if p.Skip(`,"segment":`) {
		in.segment = p.Text(``)
	}
	in.size = p.AtLeast(0, `,"size":`)
	if p.Skip(`,"whole":`) {
		in.whole = p.AtLeast(0, ``)
	}
	p.Raw(`}`)
	return in
}

func parseRecipe(src []byte) (recipe, error) {
	var r recipe
	p := canonical.NewReader(string(src), 0)
	r.read(p)
	if err := p.Err(); err != nil {
		return recipe{}, composer.RefuseRecipe(src, KindMessages, err)
	}
	var count [groupCount]int
	for i := range r.items {
		t := &r.items[i]
		t.index = count[t.group]
		count[t.group]++
	}
	taken := map[int]bool{}
	for i := range r.items {
		t := &r.items[i]
		if t.group != GroupSkillBodies {
			continue
		}
		if t.line < 0 || t.line >= len(r.items) || r.items[t.line].group != GroupSkills || taken[t.line] {
			return recipe{}, fmt.Errorf("%w: item %d: no line of a skill for this body alone at place %d", composer.ErrRecipe, i+1, t.line)
		}
		taken[t.line] = true
		t.index = r.items[t.line].index
	}
	return r, nil
}
