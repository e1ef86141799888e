package composer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/canonical"
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

// ParseRecipe reads the canonical JSON of a recipe. Anything else, canonical or not, is refused with [ErrRecipe] and the
// byte where it differs from the form that [Recipe.AppendJSON] writes: writing back what was read gives the same bytes.
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
	common := commonPrefix(r.src, src)
	kept, _ = slices.BinarySearch(r.ends, common+1)
	before := *r
	*r = parsed{}

	var p parser
	var recipe Recipe
	more := false
	if kept > 0 {
		p = parser{src: string(src[before.ends[kept-1]:]), base: before.ends[kept-1]}
		recipe = before.recipe
		recipe.Sections = recipe.Sections[:kept]
		more = p.skip(`,`)
	} else {
		p = parser{src: string(src)}
		recipe = p.head()
		more = !p.at(`]`)
	}
	ends := before.ends[:kept]
	for ; more && p.err == nil; more = p.skip(`,`) {
		recipe.Sections = append(recipe.Sections, p.ingredient())
		ends = append(ends, p.base+p.pos)
	}
	p.tail(&recipe)
	if p.err != nil {
		return 0, p.err
	}
	*r = parsed{append(before.src[:common], src[common:]...), recipe, ends}
	return kept, nil
}

func (p *parser) head() (r Recipe) {
	start := p.pos
	r.ActiveFraction = parseName(p, `{"active-fraction":`, tiers.ParseFraction)
	r.Budget = p.budget(`,"budget":`)
	r.Gate = parseName(p, `,"gate":`, tiers.ParseGate)
	r.Join = parseName(p, `,"join":`, ParseJoin)
	r.Kind = p.text(`,"kind":`)
	r.MaxBytes = p.budget(`,"max-bytes":`)
	r.Measure = p.text(`,"measure":`)
	p.raw(`,"sections":[`)
	p.roundTrip(start, func(w *canonical.Writer) { writeHead(w, r) })
	return r
}

func (p *parser) ingredient() (in Ingredient) {
	start := p.pos
	p.raw(`{"alternates":[`)
	for more := !p.at(`]`); more && p.err == nil; more = p.skip(`,`) {
		bytes := p.integer(`{"bytes":`)
		digest := p.digest(`,"content":`)
		size := p.integer(`,"size":`)
		p.raw(`}`)
		in.Alternates = append(in.Alternates, Form{digest, tiers.Charged(size, bytes)})
	}
	p.raw(`],"breakpoint":`)
	if in.Breakpoint = p.skip(`true`); !in.Breakpoint {
		p.raw(`false`)
	}
	bytes := p.integer(`,"bytes":`)
	in.Chain = p.text(`,"chain":`)
	in.Content.Digest = p.digest(`,"content":`)
	in.Group = p.text(`,"group":`)
	in.ID = p.text(`,"id":`)
	in.Priority = parseName(p, `,"priority":`, strconv.Atoi)
	in.Content.Cost = tiers.Charged(p.integer(`,"size":`), bytes)
	in.Tier = parseName(p, `,"tier":`, tiers.ParseTier)
	p.raw(`}`)
	p.roundTrip(start, func(w *canonical.Writer) { writeIngredient(w, in) })
	return in
}

func (p *parser) tail(r *Recipe) {
	start := p.pos
	bytes := p.integer(`],"separator":{"bytes":`)
	r.Separator = tiers.Charged(p.integer(`,"size":`), bytes)
	r.TailReserve = p.integer(`},"tail-reserve":`)
	r.Version = p.text(`,"version":`)
	p.raw(`}`)
	if p.err == nil && p.pos < len(p.src) {
		p.fail("the end")
	}
	p.roundTrip(start, func(w *canonical.Writer) { writeTail(w, *r) })
}

// A parser reads what a Writer wrote. Its first error stays; after it every method returns a zero value.
type parser struct {
	src     string
	base    int // where src begins in the whole text
	pos     int
	err     error
	scratch []byte // of roundTrip
}

func (p *parser) fail(want string) {
	if p.err == nil {
		p.err = fmt.Errorf("composer: %w: byte %d: want %s", ErrRecipe, p.base+p.pos, want)
	}
}

func (p *parser) at(s string) bool { return strings.HasPrefix(p.src[p.pos:], s) }

func (p *parser) skip(s string) bool {
	found := p.err == nil && p.at(s)
	if found {
		p.pos += len(s)
	}
	return found
}

func (p *parser) raw(s string) {
	if !p.skip(s) {
		p.fail(s)
	}
}

func (p *parser) text(before string) string {
	p.raw(before)
	if p.err != nil {
		return ""
	}
	rest := p.src[p.pos:]
	if !strings.HasPrefix(rest, `"`) {
		p.fail("a string")
		return ""
	}
	end := 1 + strings.IndexByte(rest[1:], '"')
	if end > 0 && strings.IndexByte(rest[1:end], '\\') < 0 {
		p.pos += end + 1
		return rest[1:end] // whether its characters may stand unescaped, roundTrip tells
	}
	dec := jsontext.NewDecoder(strings.NewReader(rest))
	token, err := dec.ReadToken()
	if err != nil || token.Kind() != '"' {
		p.fail("a string")
		return ""
	}
	p.pos += int(dec.InputOffset())
	return token.String()
}

func (p *parser) integer(before string) int64 {
	return parseName(p, before, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) })
}

func (p *parser) digest(before string) fingerprint.Digest {
	return parseName(p, before, fingerprint.ParseDigest)
}

func (p *parser) budget(before string) tiers.Budget {
	p.raw(before)
	if p.skip("null") {
		return tiers.Budget{}
	}
	n := p.integer("")
	if p.err != nil {
		return tiers.Budget{}
	}
	return tiers.Limit(n)
}

// parseName reads a string and gives it its meaning.
func parseName[T any](p *parser, before string, parse func(string) (T, error)) (v T) {
	start := p.base + p.pos + len(before)
	s := p.text(before)
	if p.err != nil {
		return v
	}
	v, err := parse(s)
	if err != nil {
		p.err = fmt.Errorf("composer: %w: byte %d: %w", ErrRecipe, start, err)
	}
	return v
}

// roundTrip refuses what says the same in another way: "007", an escape that is not needed, a ratio that is not reduced.
// It looks at what was read since start.
func (p *parser) roundTrip(start int, write func(*canonical.Writer)) {
	if p.err != nil {
		return
	}
	said := p.src[start:p.pos]
	if !utf8.ValidString(said) {
		p.err = fmt.Errorf("composer: %w: %w", ErrRecipe, ErrInvalidUTF8)
		return
	}
	w := canonical.Writer{Dst: p.scratch[:0]}
	write(&w)
	if p.scratch = w.Dst; string(w.Dst) != said {
		canonical := string(w.Dst)
		at := commonPrefix(canonical, said)
		p.pos = start + at
		p.fail(fmt.Sprintf("the canonical form, %.40q here", canonical[at:]))
	}
}
