package sessions

import (
	"strconv"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

// readSWEAgent reads a trajectory: its history holds what the model was given, one step after the other.
func (r *reader) readSWEAgent() error {
	c := r.conversation("", OpenAIChat)
	d := wire.ReadRecords(r.doc)
	found := false
	err := d.Object("a trajectory, an object", func(name string) error {
		if name == "history" && d.Kind() == '[' {
			found = true
			lead, i := leading{open: true}, 0
			return d.Array("history: a list of messages", func() error {
				v, err := d.Value("")
				if err != nil {
					return err
				}
				path := "/history/" + strconv.Itoa(i)
				i++
				return r.sweMessage(c, v, path, &lead)
			})
		}
		v, err := d.Value(name)
		if err != nil {
			return err
		}
		reason := "no message: " + name
		if name == "trajectory" {
			reason = "repeats the history"
		}
		r.note(r.lineOf(v), "/"+name, Aside, reason)
		return nil
	})
	if err == nil {
		err = d.End()
	}
	if err == nil && !found {
		err = wire.Read(r.doc).Errorf("a trajectory without a history")
	}
	if err != nil {
		return r.fail("", err)
	}
	return nil
}

// sweMessage adds a message. Demonstrations show the model how the work is done: they are part of the prompt, but not of
// what happened, so no call is made of them.
func (r *reader) sweMessage(c *conversation, v wire.Member, path string, lead *leading) error {
	m, err := chatMessage(v)
	if err != nil {
		return r.broken(path, err)
	}
	line := r.lineOf(v)
	demo, _ := wire.Path(v, "is_demo")
	isDemo := len(demo.Value) > 0 && demo.Kind() == 't'
	lead.open = lead.open && (isDemo || m.Role == messages.System)
	if m.Role == messages.Assistant && !isDemo {
		c.call(Call{Line: line, Lead: lead.count})
	}
	c.add(m, r.note(line, path, Aside, noCall))
	if lead.open {
		lead.count = len(c.list)
	}
	return nil
}

// leading counts the messages at the front that no budget evicts.
type leading struct {
	count int
	open  bool // the next one may be among them
}
