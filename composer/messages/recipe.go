package messages

import (
	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/canonical"
)

// KindMessages is the kind of the recipes of this package.
const KindMessages = "messages"

// Compilation returns the composition with its recipe: the canonical JSON of everything that decided the assembly before
// there were sections. Each candidate is named by the digest of its canonical JSON, with its group and its sizes; which
// calls and results are a unit is not in it, for that is found in the contents. [CompileRecipe] makes the composition
// again. Every content is hashed.
//
//	kind, version                     "messages", and the [composer.Version] that compiled it
//	layout, policy, quantum, measure  the rules; the quantum that was used, also where none was set
//	max-input-tokens, max-input-bytes null when not set
//	tail                              the order of the tail before this turn
//	items                             group by group: bytes, digest, group, size; where they are not as for most: line (of
//	                                  a skill's body: the place of its line among the items), mark (a breakpoint was asked
//	                                  for), priority, segment, whole (the size before folding)
//
// Every integer is a decimal string.
func (a Assembly) Compilation() composer.Compilation {
	r := recipe{rules: a.rules, measure: a.measure, items: make([]ingredient, len(a.items))}
	inputs := make([]string, len(a.items))
	for i := range a.items {
		inputs[i] = a.items[i].content
		r.items[i] = ingredient{a.items[i], fingerprint.SumString(inputs[i])}
	}
	w := canonical.Writer{}
	r.write(&w)
	return composer.Compilation{Composition: a.Composition, Kind: KindMessages, Recipe: w.Dst, Inputs: inputs}
}

// CompileRecipe makes the composition of a recipe again: it reads the messages, finds the units and lowers them to
// sections as [Prompt.Assemble] did. The contents come from load, which vouches for what it returns. What is not a recipe
// in canonical JSON is refused with [composer.ErrRecipe], one of another version with [composer.ErrVersion].
func CompileRecipe(src []byte, load func(fingerprint.Digest) (string, error)) (composer.Composition, error) {
	r, err := parseRecipe(src)
	if err != nil {
		return composer.Composition{}, edge(err)
	}
	items, err := r.load(load)
	if err != nil {
		return composer.Composition{}, err
	}
	l, err := lower(items, r.rules, measure.Named(r.measure)) // all sizes stand in the recipe
	if err != nil {
		return composer.Composition{}, err
	}
	a, err := l.assemble(r.rules)
	return a.Composition, err
}

// A recipe is what the items of a prompt are made of, with contents by digest.
type recipe struct {
	rules   rules
	measure string
	items   []ingredient
}

type ingredient struct {
	item
	digest fingerprint.Digest
}

// load fills in what the contents say, and finds the units of the conversation.
func (r recipe) load(load func(fingerprint.Digest) (string, error)) ([]item, error) {
	items := make([]item, len(r.items))
	var turns []*Message
	places := map[Group][]int{}
	for i, in := range r.items {
		t := &items[i]
		*t = in.item
		fail := func(err error) ([]item, error) { return nil, &MessageError{t.group, t.index, err} }
		var err error
		if t.content, err = load(in.digest); err != nil {
			return fail(err)
		}
		if t.group == GroupToolDefinitions {
			continue
		}
		m, err := parseMessage([]byte(t.content))
		if err != nil {
			return fail(err)
		}
		t.message = &m
		places[t.group] = append(places[t.group], i)
	}
	for _, group := range r.rules.layout.conversation() {
		for _, i := range places[group] {
			turns = append(turns, items[i].message)
		}
	}
	units := link(turns)
	for _, group := range r.rules.layout.conversation() {
		for _, i := range places[group] {
			items[i].unit = units[0]
			units = units[1:]
		}
	}
	return items, nil
}
