package messages

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/canonical"
	"github.com/quirehq/quire/internal/edits"
	"github.com/quirehq/quire/tiers"
)

// KindMessages is the kind of the recipes of this package.
const KindMessages = "messages"

// Recipe returns the recipe of the assembly: the canonical JSON of everything that decided it before there were
// sections. Each candidate is named by the digest of its canonical JSON, with its group and its sizes; which calls and
// results are a unit is not in it, for that is found in the contents. [Compile] makes the composition again.
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
func (a Assembly) Recipe() []byte {
	r := recipe{rules: a.rules, measure: a.measure, items: make([]ingredient, len(a.items))}
	for i := range a.items {
		r.items[i] = ingredient{a.items[i], fingerprint.SumString(a.items[i].content)}
	}
	return r.append(nil)
}

// Inputs returns the contents that the recipe names, in its order. One that stands twice comes twice.
func (a Assembly) Inputs() []string {
	inputs := make([]string, len(a.items))
	for i := range a.items {
		inputs[i] = a.items[i].content
	}
	return inputs
}

// Compile makes the composition of a recipe again: it reads the messages, finds the units and lowers them to sections
// as [Prompt.Assemble] did. The contents come from load, which vouches for what it returns. What is not a recipe in
// canonical JSON is refused with [composer.ErrRecipe], one of another version with [composer.ErrVersion].
func Compile(src []byte, load func(fingerprint.Digest) (string, error)) (composer.Composition, error) {
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

// append writes the recipe.
func (r recipe) append(dst []byte) []byte {
	w := canonical.Writer{Dst: dst}
	w.Raw(`{"items":[`)
	for i := range r.items {
		w.Separate(i)
		r.items[i].write(&w, r.rules)
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
	return w.Dst
}

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

// parseRecipe reads what append writes. Whether it was written so is seen by writing it again.
func parseRecipe(src []byte) (recipe, error) {
	var p parsedRecipe
	if err := json.Unmarshal(src, &p, json.RejectUnknownMembers(true)); err != nil {
		return recipe{}, fmt.Errorf("%w: %w", composer.ErrRecipe, err)
	}
	if p.Kind != KindMessages {
		return recipe{}, fmt.Errorf("%w: kind %q; want %q", composer.ErrRecipe, p.Kind, KindMessages)
	}
	if p.Version != composer.Version {
		return recipe{}, fmt.Errorf("%w: %q; this build compiles %q", composer.ErrVersion, p.Version, composer.Version)
	}
	r, err := p.recipe()
	if err != nil {
		return recipe{}, fmt.Errorf("%w: %w", composer.ErrRecipe, err)
	}
	written := r.append(nil)
	if at := edits.CommonPrefix(written, src); at < len(written) {
		return recipe{}, fmt.Errorf("%w: byte %d differs from canonical form", composer.ErrRecipe, at)
	}
	if len(src) > len(written) {
		return recipe{}, fmt.Errorf("%w: something follows it at byte %d", composer.ErrRecipe, len(written))
	}
	return r, nil
}

type parsedRecipe struct {
	Items   []parsedItem `json:"items"`
	Kind    string       `json:"kind"`
	Layout  string       `json:"layout"`
	Bytes   *string      `json:"max-input-bytes"`
	Tokens  *string      `json:"max-input-tokens"`
	Measure string       `json:"measure"`
	Policy  string       `json:"policy"`
	Quantum string       `json:"quantum"`
	Tail    []string     `json:"tail"`
	Version string       `json:"version"`
}

type parsedItem struct {
	Bytes    string  `json:"bytes"`
	Digest   string  `json:"digest"`
	Group    string  `json:"group"`
	Line     *string `json:"line"`
	Mark     bool    `json:"mark"`
	Priority string  `json:"priority"`
	Segment  string  `json:"segment"`
	Size     string  `json:"size"`
	Whole    string  `json:"whole"`
}

func (p parsedRecipe) recipe() (r recipe, err error) {
	r.measure, r.rules.tailOrder = p.Measure, p.Tail
	if r.rules.layout, err = parseLayout(p.Layout); err != nil {
		return r, err
	}
	if r.rules.policy, err = parsePolicy(p.Policy); err != nil {
		return r, err
	}
	var n integers
	limit := func(name string, text *string) tiers.Budget {
		if text == nil {
			return tiers.Budget{}
		}
		return tiers.Limit(n.read(name, *text))
	}
	r.rules.tokens = limit("max-input-tokens", p.Tokens)
	r.rules.bytes = limit("max-input-bytes", p.Bytes)
	if r.rules.quantum = n.read("quantum", p.Quantum); n.err == nil && r.rules.quantum < 1 {
		return r, fmt.Errorf("quantum %d; want 1 or more", r.rules.quantum)
	}
	if n.err != nil {
		return r, n.err
	}
	r.items = make([]ingredient, len(p.Items))
	var count [groupCount]int
	for i, in := range p.Items {
		t, err := in.ingredient(r.rules)
		if err != nil {
			return r, fmt.Errorf("item %d: %w", i+1, err)
		}
		t.index = count[t.group]
		count[t.group]++
		r.items[i] = t
	}
	taken := map[int]bool{}
	for i := range r.items {
		t := &r.items[i]
		if t.group != GroupSkillBodies {
			continue
		}
		if t.line < 0 || t.line >= len(r.items) || r.items[t.line].group != GroupSkills || taken[t.line] {
			return r, fmt.Errorf("item %d: no line of a skill for this body alone at place %d", i+1, t.line)
		}
		taken[t.line] = true
		t.index = r.items[t.line].index
	}
	return r, nil
}

func (in parsedItem) ingredient(r rules) (t ingredient, err error) {
	if t.digest, err = fingerprint.ParseDigest(in.Digest); err != nil {
		return t, err
	}
	if t.group, err = parseGroup(in.Group); err != nil {
		return t, err
	}
	var n integers
	t.size, t.bytes = n.read("size", in.Size), n.read("bytes", in.Bytes)
	t.unit, t.line, t.whole = -1, -1, r.counted(t.size, t.bytes)
	if in.Line != nil {
		t.line = int(n.read("line", *in.Line))
	}
	if in.Priority != "" {
		t.priority = int(n.read("priority", in.Priority))
	}
	if in.Whole != "" {
		t.whole = n.read("whole", in.Whole)
	}
	t.mark, t.segment = in.Mark, in.Segment
	if n.err == nil && (t.size < 0 || t.bytes < 0 || t.whole < 0) {
		n.err = errors.New("negative size")
	}
	return t, n.err
}

// integers reads decimals and keeps the first error.
type integers struct{ err error }

func (n *integers) read(name, text string) int64 {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil && n.err == nil {
		n.err = fmt.Errorf("%s: want an integer in decimal; found %q", name, text)
	}
	return v
}
