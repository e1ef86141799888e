package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/canonical"
)

// A Result is what [Assembler.Build] decided.
type Result struct {
	Request Request

	// The system prompt without what was left out of it. Stable is cacheable, as far as the template says so; without
	// caching, or a {cacheBreakpoint}, it is empty. One after the other they are the prompt that is sent without caching.
	Stable, PerCall string
	StableDigest    fingerprint.Digest // of Stable; zero when it is empty
	CacheKey        fingerprint.Key    // of Stable, for caches of the caller's own; no two tenants have one unless entries are shared

	TemplateVersion fingerprint.Digest
	Chunks          []string // the ids of those that are in, in order
	EstimatedTokens int64    // of the input: system prompt, history and question
	HistoryBudget   int64    // see [Assembler.HistoryBudget]
	Warnings        []Warning

	// Composition holds every candidate as a section, and what was decided about it. Its text is the tools in canonical
	// JSON, the system prompt, and the messages in canonical JSON, with nothing between them.
	Composition composer.Composition

	made making
}

// Build assembles a request.
//
//  1. The template is filled. Skills are listed where the model can load them, written out otherwise. Facts and notes
//     are joined by a blank line, and so are chunks, each "[id]" and its text.
//  2. Files of the question that the model reads go into it, before its text.
//  3. Calls without an id get one, and units are found as [messages.Units] does: a call and its results.
//  4. While system prompt, history and question exceed the context without the reserve, the oldest unit of history goes,
//     then, when none is left, the chunk with the lowest rank. Equality fits. The system prompt is measured piece by
//     piece, and all that was measured once is added up.
//  5. What then still exceeds the context is the warning [ContextOverflow], or, with [Config.Strict], a [BudgetError].
//
// An error names the part: a text that is not UTF-8, a message or tool that is not JSON, no question.
func (a *Assembler) Build(in Input) (Result, error) {
	warnings := in.Template.warnings(a.config.Caching, len(in.Skills))
	p, dropped, err := a.parts(in)
	if err != nil {
		return Result{}, fmt.Errorf("request: %w", err)
	}
	warnings = append(warnings, dropped...)
	l, err := p.lower(a.rules, measured(a.estimator))
	if err != nil {
		return Result{}, fmt.Errorf("request: %w", err)
	}
	c, err := l.compose(a.rules, a.estimator.Name())
	if err != nil {
		return Result{}, fmt.Errorf("request: %w", err)
	}
	if over := c.Overflow(); over > 0 && a.config.Strict {
		return Result{}, &BudgetError{over}
	}
	res := Result{
		Composition:     c,
		TemplateVersion: in.Template.Version(),
		Chunks:          []string{},
		EstimatedTokens: c.TotalChars(),
		HistoryBudget:   l.historyBudget(a.rules),
		made:            making{p, l, a.rules, a.estimator.Name()},
	}
	leftOut := a.fill(&res, &in, p, l)
	for _, w := range append(leftOut, Warning{Code: ContextOverflow, Count: c.Overflow()}) {
		if w.Count > 0 {
			warnings = append(warnings, w)
		}
	}
	res.Warnings = warnings
	return res, nil
}

// HistoryBudget returns what the context leaves for the history of a call: the context without the reserve and the system
// prompt, facts included and notes not, and never less than 0. A host asks its memory for so much; [Assembler.Build] then
// trims what notes and question take of it. Notes, history and question of the input do not matter.
func (a *Assembler) HistoryBudget(in Input) (int64, error) {
	in.Notes, in.History, in.Files, in.Question = "", nil, nil, messages.TextMessage(messages.User, "?")
	p, _, err := a.parts(in)
	if err == nil {
		var l *lowering
		if l, err = p.lower(a.rules, measured(a.estimator)); err == nil {
			return l.historyBudget(a.rules), nil
		}
	}
	return 0, fmt.Errorf("request: %w", err)
}

// parts renders the input.
func (a *Assembler) parts(in Input) (p parts, dropped []Warning, err error) {
	p = parts{template: in.Template, values: in.values(&a.config), facts: in.Facts, notes: in.Notes,
		chunks: slices.Clone(in.Chunks)} // a recipe is written of it later
	for i, t := range in.Tools {
		definition, err := t.canonical()
		if err != nil {
			return p, nil, fmt.Errorf("tool %d (%q): %w", i+1, t.Name, err)
		}
		p.tools = append(p.tools, definition)
	}
	question := in.Question
	if question.Role == "" {
		question.Role = messages.User
	}
	question.Content = slices.DeleteFunc(slices.Clone(question.Content), blankText)
	files, dropped := a.config.Model.inline(in.Files)
	if len(files) > 0 {
		question.Content = append(files, question.Content...)
	}
	if len(question.Content) == 0 {
		return p, nil, fmt.Errorf("question: %w: want a text, a file or another block", ErrQuestion)
	}
	conversation := append(append(make([]messages.Message, 0, len(in.History)+1), in.History...), question)
	p.turns = make([]turn, len(conversation))
	units, named := messages.Units(conversation)
	var buf []byte
	for i := range named {
		t := &p.turns[i]
		*t = turn{message: &named[i], unit: units[i], mark: marked(named[i].Content)}
		if buf, t.text, err = named[i].AppendJSONText(buf[:0]); err != nil {
			where := "question"
			if i < len(in.History) {
				where = fmt.Sprintf("history message %d", i+1)
			}
			return p, nil, fmt.Errorf("%s: %w", where, err)
		}
		t.content = string(buf)
	}
	return p, dropped, nil
}

// blankText reports whether a block is a text that says nothing, which providers refuse.
func blankText(b messages.Block) bool { return b.Kind == messages.KindText && blank(b.Text) }

// marked reports whether a block has a cache marker.
func marked(blocks []messages.Block) bool {
	return slices.ContainsFunc(blocks, func(b messages.Block) bool { return b.Cache != "" || marked(b.Content) })
}

// canonical returns the declaration in one form, whatever provider it is for.
func (t Tool) canonical() (string, error) {
	definition := jsontext.Value(t.Definition)
	if t.Definition == "" {
		dst := fingerprint.AppendJSONString([]byte(`{"description":`), t.Description)
		dst = fingerprint.AppendJSONString(append(dst, `,"name":`...), t.Name)
		if t.Schema != "" {
			if err := canonical.CheckObject(string(t.Schema)); err != nil {
				return "", fmt.Errorf("schema: %w", err)
			}
			dst = append(append(dst, `,"schema":`...), t.Schema...)
		}
		definition = append(dst, '}')
	}
	if err := definition.Canonicalize(jsontext.CanonicalizeRawInts(false)); err != nil {
		return "", err
	}
	return string(definition), nil
}

// fill reads off what was decided, and returns the warnings of what was left out.
func (a *Assembler) fill(res *Result, in *Input, p parts, l *lowering) []Warning {
	included := make([]bool, len(l.sections))
	i := 0
	for v := range res.Composition.Verdicts() {
		included[i] = v.Included()
		i++
	}
	text := func(from, to int) string {
		n := 0
		for i := from; i < to; i++ {
			n += len(l.sections[i].Content)
		}
		var b strings.Builder
		b.Grow(n)
		for i := from; i < to; i++ {
			if included[i] {
				b.WriteString(l.sections[i].Content)
			}
		}
		return b.String()
	}
	res.PerCall = text(l.cut, l.history)
	if stable := text(l.system, l.cut); a.config.Caching && in.Template.split {
		res.Stable = stable
	} else {
		res.PerCall = stable + res.PerCall
	}

	q := &res.Request
	*q = Request{Model: a.config.Model.Name, MaxOutput: a.config.Reserve, Tools: in.Tools, Params: in.Params, Namespace: "shared"}
	if !a.config.Shared {
		q.Namespace = "tenant/" + in.Tenant
	}
	q.Messages = make([]messages.Message, 0, len(p.turns))
	chunkIn := make([]bool, len(p.chunks))
	turnsOut := 0 // units of history
	for i, at := range l.places {
		switch {
		case at.kind == ofChunk:
			chunkIn[at.index] = included[i]
		case at.kind == ofTurn && included[i]:
			q.Messages = append(q.Messages, *p.turns[at.index].message)
		case at.kind == ofTurn && p.turns[at.index].unit == at.index: // the rest of the unit goes with its first message
			turnsOut++
		}
	}
	a.system(res, in)
	if n := len(q.Messages); a.rules.conversation {
		for i := max(0, n-2); i < n; i++ {
			q.Breakpoints = append(q.Breakpoints, Breakpoint{At: Place{Messages, i}})
		}
	}
	chunksOut := 0
	for i, c := range p.chunks {
		if chunkIn[i] {
			res.Chunks = append(res.Chunks, c.ID)
		} else if in.Template.has(slotChunks) {
			chunksOut++
		}
	}
	return []Warning{{Code: TurnsTrimmed, Count: int64(turnsOut)}, {Code: ChunksTrimmed, Count: int64(chunksOut)}}
}

// system makes the blocks of the system prompt. No block is blank that need not be: a blank stable one is part of the
// next.
func (a *Assembler) system(res *Result, in *Input) {
	q := &res.Request
	if res.Stable != "" {
		res.StableDigest = fingerprint.SumString(res.Stable)
		res.CacheKey = fingerprint.CacheKey(q.Namespace, res.Stable)
	}
	rest := res.PerCall
	if blank(res.Stable) {
		rest = res.Stable + rest
	} else {
		q.System = append(q.System, SystemBlock{res.Stable, in.Template.volatile})
		q.Breakpoints = append(q.Breakpoints, Breakpoint{Place{System, 0}, a.config.TTL})
	}
	if rest != "" {
		q.System = append(q.System, SystemBlock{rest, true})
	}
}

// has reports whether the template has the slot.
func (t *Template) has(s slot) bool {
	return slices.ContainsFunc(t.pieces, func(p piece) bool { return p.slot == s })
}
