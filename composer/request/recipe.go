package request

import (
	"fmt"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/canonical"
)

// KindRequest is the kind of the recipes of this package.
const KindRequest = "request"

// Compilation returns the composition with its recipe: the canonical JSON of everything that decided the sections, with
// texts by their digests. [CompileRecipe] makes the composition again. Every text is hashed.
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
func (r Result) Compilation() composer.Compilation {
	recipe, inputs := r.made.recipe()
	w := canonical.Writer{}
	recipe.write(&w)
	return composer.Compilation{Composition: r.Composition, Kind: KindRequest, Recipe: w.Dst, Inputs: inputs}
}

// CompileRecipe makes the composition of a recipe again: it splits and fills the template, finds the units and lowers them
// to sections as [Assembler.Build] did. The texts come from load, which vouches for what it returns. What is not a recipe
// in canonical JSON is refused with [composer.ErrRecipe], one of another version with [composer.ErrVersion].
func CompileRecipe(src []byte, load func(fingerprint.Digest) (string, error)) (composer.Composition, error) {
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

// recipe names the parts, and returns the texts that it names.
func (m *making) recipe() (r recipe, inputs []string) {
	named := func(text string) fingerprint.Digest {
		inputs = append(inputs, text)
		return fingerprint.SumString(text)
	}
	filled := func(text string) fingerprint.Digest {
		if text == "" {
			return fingerprint.Digest{}
		}
		return named(text)
	}
	p, l := &m.parts, m.lowering
	r.rules, r.measure, r.stable = m.rules, m.measure, p.template.stable
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
		return r, inputs
	}
	for i := range l.sections {
		if l.places[i].kind != ofTool {
			r.sizes = append(r.sizes, l.sections[i].Cost.Size())
		}
	}
	return r, inputs
}

// valueOrder returns the slots in the order of their names.
func valueOrder() []slot {
	return []slot{slotAddendum, slotContext, slotInstructions, slotLocale, slotOutputFormat, slotSkills, slotTimezone, slotToday}
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
