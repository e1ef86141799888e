package request

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/tiers"
)

// parts are what a call is made of once all of it is text: all that decides, beside the rules. They are what a recipe
// names, and what sections are made of, the first time and every time after.
type parts struct {
	template     Template
	values       slotTexts
	facts, notes string
	chunks       []Chunk
	tools        []string // canonical JSON
	turns        []turn   // the history, and last the question
}

// A turn is a message of the conversation.
type turn struct {
	message *messages.Message
	content string // canonical JSON
	text    string // what it is charged for; only the first time
	unit    int    // the place of the first message of its unit
	mark    bool   // a breakpoint after it was asked for
}

// A lowering is the parts as sections. It decides nothing: it says what stands where and what goes before what.
type lowering struct {
	sections []composer.Section
	places   []place // of the sections
	system   int     // where the system prompt begins among the sections
	cut      int     // where its per-call part begins
	history  int     // where the conversation begins

	ids   strings.Builder // of numbered sections, one after the other
	names map[string]int
	twice bool // the template has several slots for chunks
	price func(text string) (int64, error)
}

// A place says what a section is of.
type place struct {
	kind  placeKind
	index int // of a chunk or turn
}

type placeKind uint8

const (
	ofTool placeKind = iota
	ofTemplate
	ofNotes
	ofChunk
	ofTurn
)

const (
	chain    = "trim"
	blankRow = "\n\n"
)

// measured prices texts for the first time.
func measured(m measure.Measure) func(string) (int64, error) {
	return func(text string) (int64, error) {
		size, valid := m.CountValid(text)
		if valid && size < 0 {
			return 0, fmt.Errorf("the estimator %q counts %d", m.Name(), size)
		}
		return size, nil // the composer tells where UTF-8 is invalid
	}
}

// lower makes the sections: tools, then the pieces of the template with what fills them, then history and question.
//
// What may go is informational and in one chain. The highest-ranked chunk is offered first, then the next, then history,
// the newest unit first; so whatever is refused first, all that would have gone before it goes too. That is what leaving
// out from the other end until the rest fits would keep.
func (p *parts) lower(r rules, price func(string) (int64, error)) (*lowering, error) {
	l := &lowering{price: price, names: map[string]int{}}
	chunks, slots := p.rankedChunks(), 0
	for _, piece := range p.template.pieces {
		if piece.slot == slotChunks {
			slots++
		}
	}
	l.twice = slots > 1
	most := len(p.tools) + len(p.template.pieces) + 1 + slots*len(chunks) + len(p.turns)
	l.sections, l.places = make([]composer.Section, 0, most), make([]place, 0, most)
	l.ids.Grow(14 * most)
	for i, definition := range p.tools {
		s := composer.Section{ID: l.id("tools/", i), Content: definition, Cost: tiers.Charged(0, 0)}
		l.sections, l.places = append(l.sections, s), append(l.places, place{ofTool, i})
	}
	l.system = len(l.sections)
	for i, piece := range p.template.pieces {
		if i == p.template.cut {
			l.cut = len(l.sections)
		}
		if err := l.piece(p, piece, i, chunks); err != nil {
			return nil, err
		}
	}
	if p.template.cut == len(p.template.pieces) {
		l.cut = len(l.sections)
	}
	if stable := l.sections[l.system:l.cut]; r.caching && p.template.split && slices.ContainsFunc(stable, notBlank) {
		stable[len(stable)-1].Breakpoint = true
	}
	l.history = len(l.sections)
	return l, l.conversation(p, r)
}

// piece adds the sections of a piece of the template. Empty ones are left out.
func (l *lowering) piece(p *parts, piece piece, i int, chunks []chunkSection) error {
	switch piece.slot {
	case -1:
		return l.add(composer.Section{ID: l.id("template/", i), Content: piece.text}, place{kind: ofTemplate})
	case slotMemory:
		notes := p.notes
		if p.facts != "" && notes != "" {
			notes = blankRow + notes
		}
		if err := l.add(composer.Section{ID: l.unique("memory/facts"), Content: p.facts}, place{kind: ofTemplate}); err != nil {
			return err
		}
		return l.add(composer.Section{ID: l.unique("memory/notes"), Content: notes}, place{kind: ofNotes})
	case slotChunks:
		for k, c := range chunks {
			id := l.id("chunks/", k)
			s := composer.Section{ID: l.unique(id), Content: c.text, Tier: tiers.Informational,
				Chain: chain, Priority: c.standing + len(p.turns)}
			if l.twice {
				s.Group = id
			}
			if err := l.add(s, place{ofChunk, k}); err != nil {
				return err
			}
		}
		return nil
	}
	return l.add(composer.Section{ID: l.unique(slotNames[piece.slot]), Content: p.values[piece.slot]}, place{kind: ofTemplate})
}

// add adds a section of the system prompt, unless it is empty.
func (l *lowering) add(s composer.Section, at place) error {
	if s.Content == "" {
		return nil
	}
	return l.charge(s, s.Content, at)
}

// charge adds a section that costs what the text does. Its bytes are those of its content.
func (l *lowering) charge(s composer.Section, text string, at place) error {
	size, err := l.price(text)
	if err != nil {
		return fmt.Errorf("section %q: %w", s.ID, err)
	}
	s.Cost = tiers.Charged(size, int64(len(s.Content)))
	l.sections, l.places = append(l.sections, s), append(l.places, at)
	return nil
}

// id returns the name with the number.
func (l *lowering) id(name string, n int) string {
	var digits [20]byte
	start := l.ids.Len()
	l.ids.WriteString(name)
	l.ids.Write(strconv.AppendInt(digits[:0], int64(n), 10))
	return l.ids.String()[start:]
}

// unique returns the name, with a number where a slot stands more than once.
func (l *lowering) unique(name string) string {
	l.names[name]++
	if n := l.names[name]; n > 1 {
		return name + "#" + strconv.Itoa(n)
	}
	return name
}

// A chunkSection is a chunk as it stands in the prompt.
type chunkSection struct {
	text     string
	standing int // the lowest goes first: 1, 2, 3 …
}

// rankedChunks renders the chunks. Each brings the blank line between it and the next on the side of the highest-ranked
// one, which is the last to go: so whichever are left are joined, and nothing stands before the first or after the last.
func (p *parts) rankedChunks() []chunkSection {
	if len(p.chunks) == 0 {
		return nil
	}
	order := make([]int, len(p.chunks)) // the first to go first
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.chunks[a].Rank, p.chunks[b].Rank), cmp.Compare(b, a))
	})
	top := order[len(order)-1]
	sections := make([]chunkSection, len(p.chunks))
	for k, i := range order {
		c := &p.chunks[i]
		before, behind := "", ""
		switch {
		case i < top:
			behind = blankRow
		case i > top:
			before = blankRow
		}
		sections[i] = chunkSection{before + "[" + c.ID + "]\n" + c.Text + behind, k + 1}
	}
	return sections
}

// conversation adds history and question. A unit of history that the question belongs to stays with it.
func (l *lowering) conversation(p *parts, r rules) error {
	question := len(p.turns) - 1
	standing, oldest := make([]int, len(p.turns)), 0 // of the units, by first message: 1 for the oldest
	members := make([]int, len(p.turns))
	for i := range p.turns {
		members[p.turns[i].unit]++
	}
	for i := range p.turns[:question] {
		if p.turns[i].unit == i && i != p.turns[question].unit {
			oldest++
			standing[i] = oldest
		}
	}
	for i := range p.turns {
		t := &p.turns[i]
		s := composer.Section{ID: "question", Content: t.content}
		if i < question {
			s.ID = l.id("history/", i)
		}
		if n := standing[t.unit]; n > 0 {
			s.Tier, s.Chain, s.Priority = tiers.Informational, chain, n
			if members[t.unit] > 1 {
				s.Group = l.id("unit/", t.unit)
			}
		}
		s.Breakpoint = t.mark || r.conversation && i >= question-1
		if err := l.charge(s, t.text, place{ofTurn, i}); err != nil {
			return err
		}
	}
	return nil
}

// compose lets the gate decide.
func (l *lowering) compose(r rules, estimator string) (composer.Composition, error) {
	c, err := composer.Compose(l.sections, composer.Config{
		Gate:    tiers.Reserved,
		Measure: measure.Named(estimator), // all costs are known, and nothing is between sections
		Budget:  tiers.Limit(r.context - r.reserve),
		Join:    composer.NoJoin,
	})
	var about *composer.SectionError
	if errors.As(err, &about) {
		return c, fmt.Errorf("section %q: %w", about.ID, about.Err)
	}
	return c, err
}

// historyBudget returns what the context leaves for the history: less the reserve and the system prompt without notes.
func (l *lowering) historyBudget(r rules) int64 {
	left := r.context - r.reserve
	for i, s := range l.sections[:l.history] {
		if l.places[i].kind != ofNotes {
			left = max(0, left-s.Cost.Size()) // a size may be as large as an int64
		}
	}
	return left
}

// blank reports whether a text holds nothing but white space. Providers refuse a marker on it, and some the block.
func blank(text string) bool { return strings.TrimSpace(text) == "" }

func notBlank(s composer.Section) bool { return !blank(s.Content) }
