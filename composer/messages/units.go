package messages

import (
	"slices"
	"strconv"

	"github.com/quirehq/quire/fingerprint"
)

// link finds the units of a conversation: it returns for each message the place of the first message of its unit. On
// the way it gives ids to calls without one, and to their results, in copies that take the place of the messages.
//
// A result belongs to the last call before it that has its id and no result yet, or, where all have one, to the last
// that has the id: real logs use ids again in later turns. A result without an id belongs to the first call without
// one, of the same tool if the result names it, that has no result yet: parallel results come in the order of their
// calls. A result without a call and a call without a result are units of their own, and pass as they are.
//
// A message of thinking alone belongs to the assistant message directly behind it.
func link(conversation []*Message) (first []int32) {
	u := make(union, len(conversation))
	for i := range u {
		u[i] = int32(i)
	}
	p := pairing{named: map[string]calls{}, nameless: map[string][]*namelessCall{}}
	for i, m := range conversation {
		if i > 0 && m.Role == Assistant && conversation[i-1].thinkingAlone() {
			u.join(int32(i-1), int32(i))
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
			}
		}
	}
	for i := range u {
		u[i] = u.find(int32(i))
	}
	return u
}

// thinkingAlone reports whether m is what some logs make of an assistant's thinking: a message of its own.
func (m *Message) thinkingAlone() bool {
	if m.Role != Assistant || len(m.Content) == 0 {
		return false
	}
	for i := range m.Content {
		if m.Content[i].Kind != KindThinking {
			return false
		}
	}
	return true
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

// callNameless notes a call without an id and gives it one: 128 bits of what it is called, what it is told and how many
// calls were before it. It is the same each time the session is rebuilt, and no other call of the session has it.
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
