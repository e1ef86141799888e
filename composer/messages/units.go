package messages

import (
	"slices"
	"strconv"

	"github.com/quirehq/quire/fingerprint"
)

// Units finds what belongs together in a conversation: for each message the place of the first message of its unit. It
// also returns the conversation with an id for every call that had none, and for its result; the messages passed are
// not changed.
//
// A result belongs to the last call before it that has its id and no result yet, or, where all have one, to the last
// that has the id: real logs use ids again in later turns. A result without an id belongs to the first call without
// one, of the same tool if the result names it, that has no result yet: parallel results come in the order of their
// calls. A result without a call and a call without a result are units of their own, and pass as they are.
//
// Where a message of the assistant holds a thought, a call or anything else that is no text, the assistant's messages
// directly after it belong to the same answer and are in its unit: some formats make a message of each thought, text
// and parallel call. A provider refuses a call without the thought that led to it.
//
// Blocks of other kinds that have an extra member call_id, a text, are paired by it like calls and results: in a message
// of the assistant's they are calls, in any other results.
//
// An id is made of the call's name, its arguments in canonical form and how many calls stand before it: it is the same
// each time the session is rebuilt, and no two calls have the same.
func Units(conversation []Message) (first []int, named []Message) {
	turns := make([]*Message, len(conversation))
	for i := range conversation {
		turns[i] = &conversation[i]
	}
	units := link(turns)
	first, named = make([]int, len(units)), make([]Message, len(units))
	for i, m := range turns {
		first[i], named[i] = int(units[i]), *m
	}
	return first, named
}

// link is [Units] on messages that may be replaced by changed copies.
func link(conversation []*Message) (first []int32) {
	u := make(union, len(conversation))
	for i := range u {
		u[i] = int32(i)
	}
	p := pairing{named: map[string]calls{}, nameless: map[string][]*namelessCall{}}
	answering := false // the message before belongs to an answer of more than texts
	for i, m := range conversation {
		if m.Role != Assistant {
			answering = false
		} else if answering {
			u.join(int32(i-1), int32(i))
		} else {
			answering = m.moreThanText()
		}
		for k := range m.Content {
			b := &conversation[i].Content[k]
			switch b.Kind {
			case KindToolCall:
				p.count++
				if b.ID != "" {
					p.call(b.ID, int32(i))
					continue
				}
				conversation[i] = conversation[i].withBlockID(m, k, p.callNameless(b, int32(i)))
			case KindToolResult:
				if b.ID != "" {
					if at, ok := p.result(b.ID); ok {
						u.join(at, int32(i))
					}
				} else if call := p.resultNameless(b.Name); call != nil {
					u.join(call.at, int32(i))
					conversation[i] = conversation[i].withBlockID(m, k, call.id)
				}
			default:
				id := b.callID()
				if id == "" {
					continue
				}
				if m.Role == Assistant {
					p.call(id, int32(i))
				} else if at, ok := p.result(id); ok {
					u.join(at, int32(i))
				}
			}
		}
	}
	for i := range u {
		u[i] = u.find(int32(i))
	}
	return u
}

func (m *Message) moreThanText() bool {
	return slices.ContainsFunc(m.Content, func(b Block) bool { return b.Kind != KindText })
}

// callID returns the id by which a block of a kind that has no field for it is a call or answers one, or "".
func (b *Block) callID() string {
	for i := range b.Extra {
		if b.Extra[i].Name == "call_id" {
			id, _ := b.Extra[i].Value.unquote()
			return id
		}
	}
	return ""
}

// withBlockID returns m with an id for its k-th block. The original is what the caller passed: it is not written to.
func (m *Message) withBlockID(original *Message, k int, id string) *Message {
	if m == original {
		changed := *m
		changed.Content = slices.Clone(m.Content)
		m = &changed
	}
	m.Content[k].ID = id
	return m
}

// A union holds disjoint sets of messages, each named by its first one.
type union []int32

func (u union) find(i int32) int32 {
	for u[i] != i {
		u[i] = u[u[i]]
		i = u[i]
	}
	return i
}

func (u union) join(a, b int32) {
	a, b = u.find(a), u.find(b)
	u[max(a, b)] = min(a, b)
}

// A pairing holds the calls seen so far.
type pairing struct {
	count    int // of calls, for the ids of those without one
	named    map[string]calls
	open     []openCall
	nameless map[string][]*namelessCall // by tool, those without a result; "" holds all
}

// calls are the calls of one id: the last one, and those without a result, as a list through pairing.open.
type calls struct {
	last int32
	open int32 // 1 + place of the last one without a result; 0: none
}

type openCall struct {
	at   int32
	next int32 // as calls.open
}

func (p *pairing) call(id string, at int32) {
	p.open = append(p.open, openCall{at, p.named[id].open})
	p.named[id] = calls{at, int32(len(p.open))}
}

func (p *pairing) result(id string) (at int32, ok bool) {
	c, ok := p.named[id]
	if !ok {
		return 0, false
	}
	if c.open == 0 {
		return c.last, true
	}
	call := p.open[c.open-1]
	p.named[id] = calls{c.last, call.next}
	return call.at, true
}

type namelessCall struct {
	id       string
	at       int32
	answered bool
}

// callNameless notes a call without an id and gives it one, of 37 characters that every provider takes.
func (p *pairing) callNameless(b *Block, at int32) string {
	e := encoder{buf: []byte("{")}
	_ = e.toolCall(b) // what has no canonical form is refused with its place when the message is written
	key := fingerprint.Frame("call", b.Name, string(e.buf), strconv.Itoa(p.count))
	call := &namelessCall{id: "call_" + key.String()[:32], at: at}
	p.nameless[""] = append(p.nameless[""], call)
	if b.Name != "" {
		p.nameless[b.Name] = append(p.nameless[b.Name], call)
	}
	return call.id
}

// resultNameless returns the call that a result without an id belongs to, or nil.
func (p *pairing) resultNameless(tool string) *namelessCall {
	queue := p.nameless[tool]
	for len(queue) > 0 {
		call := queue[0]
		queue = queue[1:]
		p.nameless[tool] = queue
		if !call.answered { // it may have been found under its tool, or among all
			call.answered = true
			return call
		}
	}
	return nil
}
