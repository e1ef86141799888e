package sessions

import "github.com/quirehq/quire/composer/messages"

// noCall is the reason of messages that stand after the last call.
const noCall = "no call follows"

// A conversation grows message by message. Its calls share the memory of the messages.
type conversation struct {
	r       *reader
	thread  string
	api     API
	system  messages.Message
	tools   []messages.ToolSpec
	list    []messages.Message
	records []int // their outcomes
	settled int   // how many of the outcomes are
}

func (r *reader) conversation(thread string, api API) *conversation {
	return &conversation{r: r, thread: thread, api: api}
}

// add appends a message. Its record is used as soon as a call follows.
func (c *conversation) add(m messages.Message, record int) {
	c.list = append(c.list, m)
	c.records = append(c.records, record)
}

// add adds a call.
func (r *reader) add(call Call) {
	if call.Tools == nil && r.opts.Tools != nil {
		if _, done := r.supplied[call.API]; !done {
			if r.supplied == nil {
				r.supplied = map[API][]messages.ToolSpec{}
			}
			r.supplied[call.API] = toolsFor(call.API, r.opts.Tools)
		}
		call.Tools = r.supplied[call.API]
	}
	r.out.Calls = append(r.out.Calls, call)
}

// call makes a call of all messages so far. Where nothing was said yet there is none: what a program says by itself, such as
// a greeting, is no answer.
func (c *conversation) call(call Call) {
	if len(c.list) == 0 && c.system.Role == "" {
		return
	}
	for ; c.settled < len(c.records); c.settled++ {
		c.r.out.Outcomes[c.records[c.settled]].settle()
	}
	call.Thread, call.API, call.System = c.thread, c.api, c.system
	call.Messages = c.list[:len(c.list):len(c.list)]
	call.Tools = c.tools
	c.r.add(call)
}

// restart begins the history anew. Calls that were made keep their messages.
func (c *conversation) restart() { c.list, c.records, c.settled = nil, nil, 0 }

// settle turns a record that waited for a call into a used one.
func (o *Outcome) settle() {
	if o.Status == Aside && o.Reason == noCall {
		o.Status, o.Reason = Used, ""
	}
}

// textMessage returns a message as formats with bare strings have it.
func textMessage(role messages.Role, text string) messages.Message {
	m := messages.TextMessage(role, text)
	m.Shape = messages.ShapeString
	return m
}
