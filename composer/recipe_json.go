package composer

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

// The canonical form of a recipe: RFC 8785, every field present, every integer a decimal string (an RFC 8785 number is
// a double), a budget that is not set null. Writer and reader stand side by side here and go through the fields in the
// same order, which is that of their names.

// AppendJSON appends the canonical JSON of the recipe.
func (r Recipe) AppendJSON(dst []byte) []byte {
	w := writer{dst}
	w.head(r)
	for i, in := range r.Sections {
		if i > 0 {
			w.raw(`,`)
		}
		w.ingredient(in)
	}
	w.tail(r)
	return w.dst
}

func (w *writer) head(r Recipe) {
	w.text(`{"active-fraction":`, r.ActiveFraction.String())
	w.budget(`,"budget":`, r.Budget)
	w.text(`,"gate":`, r.Gate.String())
	w.text(`,"join":`, r.Join.String())
	w.text(`,"kind":`, r.Kind)
	w.budget(`,"max-bytes":`, r.MaxBytes)
	w.text(`,"measure":`, r.Measure)
	w.raw(`,"sections":[`)
}

func (w *writer) ingredient(in Ingredient) {
	w.raw(`{"alternates":[`)
	for k, alternate := range in.Alternates {
		if k > 0 {
			w.raw(`,`)
		}
		w.integer(`{"bytes":`, alternate.Cost.Bytes())
		w.digest(`,"content":`, alternate.Digest)
		w.integer(`,"size":`, alternate.Cost.Size())
		w.raw(`}`)
	}
	w.raw(`],"breakpoint":`)
	w.raw(strconv.FormatBool(in.Breakpoint))
	w.integer(`,"bytes":`, in.Content.Cost.Bytes())
	w.text(`,"chain":`, in.Chain)
	w.digest(`,"content":`, in.Content.Digest)
	w.text(`,"group":`, in.Group)
	w.text(`,"id":`, in.ID)
	w.integer(`,"priority":`, int64(in.Priority))
	w.integer(`,"size":`, in.Content.Cost.Size())
	w.text(`,"tier":`, in.Tier.String())
	w.raw(`}`)
}

func (w *writer) tail(r Recipe) {
	w.integer(`],"separator":{"bytes":`, r.Separator.Bytes())
	w.integer(`,"size":`, r.Separator.Size())
	w.integer(`},"tail-reserve":`, r.TailReserve)
	w.text(`,"version":`, r.Version)
	w.raw(`}`)
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
	p.roundTrip(start, func(w *writer) { w.head(r) })
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
	p.roundTrip(start, func(w *writer) { w.ingredient(in) })
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
	p.roundTrip(start, func(w *writer) { w.tail(*r) })
}

// A writer appends fields: the punctuation and name before a value, then the value.
type writer struct{ dst []byte }

func (w *writer) raw(s string) { w.dst = append(w.dst, s...) }

func (w *writer) text(before, s string) {
	w.raw(before)
	w.dst = fingerprint.AppendJSONString(w.dst, s)
}

func (w *writer) integer(before string, n int64) {
	w.raw(before)
	w.dst = append(strconv.AppendInt(append(w.dst, '"'), n, 10), '"')
}

func (w *writer) digest(before string, d fingerprint.Digest) {
	w.raw(before)
	w.dst = append(hex.AppendEncode(append(w.dst, '"'), d[:]), '"')
}

func (w *writer) budget(before string, b tiers.Budget) {
	if n, limited := b.Value(); limited {
		w.integer(before, n)
		return
	}
	w.raw(before)
	w.raw("null")
}

// A parser reads what a writer wrote. Its first error stays; after it every method returns a zero value.
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
func (p *parser) roundTrip(start int, write func(*writer)) {
	if p.err != nil {
		return
	}
	said := p.src[start:p.pos]
	if !utf8.ValidString(said) {
		p.err = fmt.Errorf("composer: %w: %w", ErrRecipe, ErrInvalidUTF8)
		return
	}
	w := writer{p.scratch[:0]}
	write(&w)
	if p.scratch = w.dst; string(w.dst) != said {
		canonical := string(w.dst)
		at := commonPrefix(canonical, said)
		p.pos = start + at
		p.fail(fmt.Sprintf("the canonical form, %.40q here", canonical[at:]))
	}
}
