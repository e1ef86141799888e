package request

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/canonical"
	"github.com/quirehq/quire/internal/edits"
)

// KindRequest is the kind of the recipes of this package.
const KindRequest = "request"

// Recipe returns the recipe of the request: the canonical JSON of everything that decided its sections, with texts by
// their digests. [Compile] makes the composition again.
//
//	kind, version            "request", and the [composer.Version] that compiled it
//	context, reserve         in tokens
//	measure, sizes           the estimator's name, and what each section was charged, in order, tools left out
//	caching, conversation    whether the stable block, and the end of the conversation, get a breakpoint
//	template, stable         the template's text, and its stable slots by name
//	values                   what the slots were filled with, by name, where it was not empty
//	facts, notes             of the slot memory
//	chunks                   id, rank and text of each
//	tools                    in canonical JSON
//	turns                    the messages of history and, last, question, in canonical JSON; which are units is found in them
//
// Every integer is a decimal string.
func (r Result) Recipe() []byte {
	recipe := r.made.recipe(fingerprint.SumString)
	return recipe.append(nil)
}

// Inputs returns the texts that the recipe names, in its order. One that stands twice comes twice.
func (r Result) Inputs() (inputs []string) {
	r.made.recipe(func(text string) fingerprint.Digest {
		inputs = append(inputs, text)
		return fingerprint.Digest{}
	})
	return inputs
}

// Compile makes the composition of a recipe again: it splits and fills the template, finds the units and lowers them to
// sections as [Assembler.Build] did. The texts come from load, which vouches for what it returns. What is not a recipe in
// canonical JSON is refused with [composer.ErrRecipe], one of another version with [composer.ErrVersion].
func Compile(src []byte, load func(fingerprint.Digest) (string, error)) (composer.Composition, error) {
	c, err := compile(src, load)
	if err != nil {
		return composer.Composition{}, fmt.Errorf("request: %w", err)
	}
	return c, nil
}

func compile(src []byte, load func(fingerprint.Digest) (string, error)) (composer.Composition, error) {
	r, err := parseRecipe(src)
	if err != nil {
		return composer.Composition{}, err
	}
	p, err := r.parts(load)
	if err != nil {
		return composer.Composition{}, err
	}
	sizes := r.sizes
	l, err := p.lower(r.rules, func(string) (size int64, err error) {
		if len(sizes) == 0 {
			return 0, fmt.Errorf("%w: no size for it", composer.ErrRecipe)
		}
		size, sizes = sizes[0], sizes[1:]
		return size, nil
	})
	if err != nil {
		return composer.Composition{}, err
	}
	if len(sizes) > 0 {
		return composer.Composition{}, fmt.Errorf("%w: %d sizes too many", composer.ErrRecipe, len(sizes))
	}
	return l.compose(r.rules, r.measure)
}

// A recipe is parts with their texts by digest.
type recipe struct {
	rules        rules
	measure      string
	sizes        []int64
	stable       []string
	template     fingerprint.Digest
	values       [slotCount]fingerprint.Digest // zero: empty
	facts, notes fingerprint.Digest            // zero: empty
	chunks       []chunkInput
	tools        []fingerprint.Digest
	turns        []turnInput
}

type chunkInput struct {
	id   string
	rank int64
	text fingerprint.Digest
}

type turnInput struct {
	content fingerprint.Digest
	mark    bool
}

// A making is what a recipe is written of, when it is asked for: naming all texts costs as much as assembling them.
type making struct {
	parts    parts
	lowering *lowering
	rules    rules
	measure  string
}

// recipe names the parts, in the order in which append writes their digests.
func (m *making) recipe(named func(string) fingerprint.Digest) recipe {
	p, l := &m.parts, m.lowering
	r := recipe{rules: m.rules, measure: m.measure, stable: p.template.stable}
	filled := func(text string) (d fingerprint.Digest) {
		if text != "" {
			d = named(text)
		}
		return d
	}
	for i := range p.chunks {
		c := &p.chunks[i]
		r.chunks = append(r.chunks, chunkInput{c.ID, c.Rank, named(c.Text)})
	}
	r.facts, r.notes = filled(p.facts), filled(p.notes)
	r.template = named(p.template.text)
	for _, tool := range p.tools {
		r.tools = append(r.tools, named(tool))
	}
	for i := range p.turns {
		r.turns = append(r.turns, turnInput{named(p.turns[i].content), p.turns[i].mark})
	}
	for _, s := range valueOrder() {
		r.values[s] = filled(p.values[s])
	}
	if l == nil { // the zero Result
		return r
	}
	for i := range l.sections {
		if l.places[i].kind != ofTool {
			r.sizes = append(r.sizes, l.sections[i].Cost.Size())
		}
	}
	return r
}

// valueOrder returns the slots in the order of their names.
func valueOrder() []slot {
	return []slot{slotAddendum, slotContext, slotInstructions, slotLocale, slotOutputFormat, slotSkills, slotTimezone, slotToday}
}

func (r *recipe) append(dst []byte) []byte {
	w := canonical.Writer{Dst: dst}
	w.Bool(`{"caching":`, r.rules.caching)
	w.Raw(`,"chunks":[`)
	for i, c := range r.chunks {
		w.Separate(i)
		w.Text(`{"id":`, c.id)
		w.Integer(`,"rank":`, c.rank)
		w.DigestOrNull(`,"text":`, c.text)
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
	w.DigestOrNull(`],"template":`, r.template)
	w.Raw(`,"tools":[`)
	for i, d := range r.tools {
		w.Separate(i)
		w.DigestOrNull(``, d)
	}
	w.Raw(`],"turns":[`)
	for i, t := range r.turns {
		w.Separate(i)
		w.DigestOrNull(`{"content":`, t.content)
		w.Bool(`,"mark":`, t.mark)
		w.Raw(`}`)
	}
	w.Raw(`],"values":{`)
	n := 0
	for _, s := range valueOrder() {
		if !r.values[s].IsZero() {
			w.Separate(n)
			w.Text(``, slotNames[s])
			w.DigestOrNull(`:`, r.values[s])
			n++
		}
	}
	w.Text(`},"version":`, composer.Version)
	w.Raw(`}`)
	return w.Dst
}

// parseRecipe reads what append writes. Whether it was written so is seen by writing it again.
func parseRecipe(src []byte) (recipe, error) {
	var in struct {
		Caching bool `json:"caching"`
		Chunks  []struct {
			ID   string             `json:"id"`
			Rank int64              `json:"rank,string"`
			Text fingerprint.Digest `json:"text"`
		} `json:"chunks"`
		Context      int64                `json:"context,string"`
		Conversation bool                 `json:"conversation"`
		Facts        *fingerprint.Digest  `json:"facts"`
		Kind         string               `json:"kind"`
		Measure      string               `json:"measure"`
		Notes        *fingerprint.Digest  `json:"notes"`
		Reserve      int64                `json:"reserve,string"`
		Sizes        []string             `json:"sizes"`
		Stable       []string             `json:"stable"`
		Template     fingerprint.Digest   `json:"template"`
		Tools        []fingerprint.Digest `json:"tools"`
		Turns        []struct {
			Content fingerprint.Digest `json:"content"`
			Mark    bool               `json:"mark"`
		} `json:"turns"`
		Values  map[string]fingerprint.Digest `json:"values"`
		Version string                        `json:"version"`
	}
	if err := json.Unmarshal(src, &in, json.RejectUnknownMembers(true)); err != nil {
		return recipe{}, fmt.Errorf("%w: %w", composer.ErrRecipe, err)
	}
	if in.Kind != KindRequest {
		return recipe{}, fmt.Errorf("%w: kind %q; want %q", composer.ErrRecipe, in.Kind, KindRequest)
	}
	if in.Version != composer.Version {
		return recipe{}, fmt.Errorf("%w: %q; this build compiles %q", composer.ErrVersion, in.Version, composer.Version)
	}
	r := recipe{measure: in.Measure, stable: in.Stable, template: in.Template, tools: in.Tools,
		rules: rules{in.Context, in.Reserve, in.Caching, in.Conversation}}
	if r.rules.reserve < 0 || r.rules.reserve >= r.rules.context {
		return recipe{}, fmt.Errorf("%w: a reserve of %d in a context of %d", composer.ErrRecipe, r.rules.reserve, r.rules.context)
	}
	if len(in.Turns) == 0 {
		return recipe{}, fmt.Errorf("%w: no question", composer.ErrRecipe)
	}
	for _, d := range []struct{ from, to *fingerprint.Digest }{{in.Facts, &r.facts}, {in.Notes, &r.notes}} {
		if d.from != nil {
			*d.to = *d.from
		}
	}
	for _, c := range in.Chunks {
		r.chunks = append(r.chunks, chunkInput{c.ID, c.Rank, c.Text})
	}
	for _, t := range in.Turns {
		r.turns = append(r.turns, turnInput{t.Content, t.Mark})
	}
	for _, s := range valueOrder() {
		r.values[s] = in.Values[slotNames[s]]
	}
	for i, text := range in.Sizes {
		size, err := strconv.ParseInt(text, 10, 64)
		if err != nil || size < 0 {
			return recipe{}, fmt.Errorf("%w: size %d: want a non-negative integer in decimal; found %q", composer.ErrRecipe, i+1, text)
		}
		r.sizes = append(r.sizes, size)
	}
	canonical := r.append(nil)
	if at := difference(canonical, src); at >= 0 {
		return recipe{}, fmt.Errorf("%w: byte %d differs from canonical form", composer.ErrRecipe, at)
	}
	return r, nil
}

// difference returns the first byte in which two texts differ, or -1.
func difference(a, b []byte) int {
	at := edits.CommonPrefix(a, b)
	if at == len(a) && at == len(b) {
		return -1
	}
	return at
}

// parts loads the texts.
func (r *recipe) parts(load func(fingerprint.Digest) (string, error)) (p parts, err error) {
	get := func(what string, d fingerprint.Digest) (text string) {
		if err == nil && !d.IsZero() {
			if text, err = load(d); err != nil {
				err = fmt.Errorf("%s: %w", what, err)
			}
		}
		return text
	}
	stable := r.stable
	if stable == nil {
		stable = []string{}
	}
	p.template = ParseTemplate(get("template", r.template), stable)
	for i, c := range r.chunks {
		p.chunks = append(p.chunks, Chunk{c.id, get(fmt.Sprintf("chunk %d", i+1), c.text), c.rank})
	}
	p.facts, p.notes = get("facts", r.facts), get("notes", r.notes)
	for i, d := range r.tools {
		p.tools = append(p.tools, get(fmt.Sprintf("tool %d", i+1), d))
	}
	for _, s := range valueOrder() {
		p.values[s] = get(slotNames[s], r.values[s])
	}
	p.turns = make([]turn, len(r.turns))
	conversation := make([]messages.Message, len(r.turns))
	for i, t := range r.turns {
		what := fmt.Sprintf("message %d", i+1)
		p.turns[i] = turn{content: get(what, t.content), mark: t.mark}
		if err != nil {
			break
		}
		if conversation[i], err = messages.ParseMessage([]byte(p.turns[i].content)); err != nil {
			err = fmt.Errorf("%s: %w", what, err)
		}
	}
	if err != nil {
		return parts{}, err
	}
	units, named := messages.Units(conversation)
	for i := range p.turns {
		p.turns[i].message, p.turns[i].unit = &named[i], units[i]
	}
	return p, nil
}
