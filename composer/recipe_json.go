package composer

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/quirehq/quire/internal/canonical"
	"github.com/quirehq/quire/internal/edits"
	"github.com/quirehq/quire/tiers"
)

// The canonical form of a recipe: RFC 8785, every field present, every integer a decimal string (an RFC 8785 number is
// a double), a budget that is not set null. Writer and reader stand side by side here and go through the fields in the
// same order, which is that of their names.

// AppendJSON appends the canonical JSON of the recipe.
func (r Recipe) AppendJSON(dst []byte) []byte {
	w := canonical.Writer{Dst: dst}
	writeHead(&w, r)
	for i, in := range r.Sections {
		w.Separate(i)
		writeIngredient(&w, in)
	}
	writeTail(&w, r)
	return w.Dst
}

func writeHead(w *canonical.Writer, r Recipe) {
	w.Text(`{"active-fraction":`, r.ActiveFraction.String())
	w.Budget(`,"budget":`, r.Budget)
	w.Text(`,"gate":`, r.Gate.String())
	w.Text(`,"join":`, r.Join.String())
	w.Text(`,"kind":`, r.Kind)
	w.Budget(`,"max-bytes":`, r.MaxBytes)
	w.Text(`,"measure":`, r.Measure)
	w.Raw(`,"sections":[`)
}

func writeIngredient(w *canonical.Writer, in Ingredient) {
	w.Raw(`{"alternates":[`)
	for k, alternate := range in.Alternates {
		w.Separate(k)
		w.Integer(`{"bytes":`, alternate.Cost.Bytes())
		w.Digest(`,"content":`, alternate.Digest)
		w.Integer(`,"size":`, alternate.Cost.Size())
		w.Raw(`}`)
	}
	w.Bool(`],"breakpoint":`, in.Breakpoint)
	w.Integer(`,"bytes":`, in.Content.Cost.Bytes())
	w.Text(`,"chain":`, in.Chain)
	w.Digest(`,"content":`, in.Content.Digest)
	w.Text(`,"group":`, in.Group)
	w.Text(`,"id":`, in.ID)
	w.Integer(`,"priority":`, int64(in.Priority))
	w.Integer(`,"size":`, in.Content.Cost.Size())
	w.Text(`,"tier":`, in.Tier.String())
	w.Raw(`}`)
}

func writeTail(w *canonical.Writer, r Recipe) {
	w.Integer(`],"separator":{"bytes":`, r.Separator.Bytes())
	w.Integer(`,"size":`, r.Separator.Size())
	w.Integer(`},"tail-reserve":`, r.TailReserve)
	w.Text(`,"version":`, r.Version)
	w.Raw(`}`)
}

// ParseRecipe reads the canonical JSON of a recipe: writing back what was read gives the same bytes. Anything else is refused
// with [ErrRecipe] and the byte where it differs from the form that [Recipe.AppendJSON] writes, or with [ErrVersion] when
// another [Version] wrote it in another form.
func ParseRecipe(src []byte) (Recipe, error) {
	var r parsed
	if _, err := r.parse(src); err != nil {
		return Recipe{}, err
	}
	return r.recipe, nil
}

// A parsed is a recipe with the text it was read from. The next text is read from where it begins to differ.
type parsed struct {
	src    []byte
	recipe Recipe
	ends   []int // of the sections in src
}

// parse reads src, of which it keeps a copy. The sections that src has in common with the text before it, at its
// beginning, are not read again; kept tells their number. After an error nothing is kept.
func (r *parsed) parse(src []byte) (kept int, err error) {
	common := edits.CommonPrefix(r.src, src)
	kept, _ = slices.BinarySearch(r.ends, common+1)
	before := *r
	*r = parsed{}

	base := 0
	if kept > 0 {
		base = before.ends[kept-1]
	}
	p := canonical.NewReader(string(src[base:]), base)
	var recipe Recipe
	more := false
	if kept > 0 {
		recipe = before.recipe
		recipe.Sections = recipe.Sections[:kept]
		more = p.Skip(`,`)
	} else {
		recipe = readHead(p)
		more = !p.At(`]`)
	}
	ends := before.ends[:kept]
	for ; more && p.Err() == nil; more = p.Skip(`,`) {
		recipe.Sections = append(recipe.Sections, readIngredient(p))
		ends = append(ends, base+p.Pos())
	}
	readTail(p, &recipe)
	if err := p.Err(); err != nil {
		return 0, fmt.Errorf("composer: %w", RefuseRecipe(src, KindComposer, err))
	}
	*r = parsed{append(before.src[:common], src[common:]...), recipe, ends}
	return kept, nil
}

func readHead(p *canonical.Reader) (r Recipe) {
	start := p.Pos()
	r.ActiveFraction = canonical.Parse(p, `{"active-fraction":`, tiers.ParseFraction)
	r.Budget = p.Budget(`,"budget":`)
	r.Gate = canonical.Parse(p, `,"gate":`, tiers.ParseGate)
	r.Join = canonical.Parse(p, `,"join":`, ParseJoin)
	r.Kind = p.Text(`,"kind":`)
	r.MaxBytes = p.Budget(`,"max-bytes":`)
	r.Measure = p.Text(`,"measure":`)
	p.Raw(`,"sections":[`)
	p.RoundTrip(start, func(w *canonical.Writer) { writeHead(w, r) })
	return r
}

func readIngredient(p *canonical.Reader) (in Ingredient) {
	start := p.Pos()
	for range p.Elements(`{"alternates":[`) {
		bytes := p.Integer(`{"bytes":`)
		digest := p.Digest(`,"content":`)
		size := p.Integer(`,"size":`)
		p.Raw(`}`)
		in.Alternates = append(in.Alternates, Form{digest, tiers.Charged(size, bytes)})
	}
	in.Breakpoint = p.Bool(`],"breakpoint":`)
	bytes := p.Integer(`,"bytes":`)
	in.Chain = p.Text(`,"chain":`)
	in.Content.Digest = p.Digest(`,"content":`)
	in.Group = p.Text(`,"group":`)
	in.ID = p.Text(`,"id":`)
	in.Priority = canonical.Parse(p, `,"priority":`, strconv.Atoi)
	in.Content.Cost = tiers.Charged(p.Integer(`,"size":`), bytes)
	in.Tier = canonical.Parse(p, `,"tier":`, tiers.ParseTier)
	p.Raw(`}`)
	p.RoundTrip(start, func(w *canonical.Writer) { writeIngredient(w, in) })
	return in
}

func readTail(p *canonical.Reader, r *Recipe) {
	start := p.Pos()
	bytes := p.Integer(`],"separator":{"bytes":`)
	r.Separator = tiers.Charged(p.Integer(`,"size":`), bytes)
	r.TailReserve = p.Integer(`},"tail-reserve":`)
	r.Version = p.Text(`,"version":`)
	p.Raw(`}`)
	p.End()
	p.RoundTrip(start, func(w *canonical.Writer) { writeTail(w, *r) })
}
