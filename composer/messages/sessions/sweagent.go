package sessions

import (
	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

// readSWEAgent reads a trajectory: its history holds what the model was given, one step after the other. Demonstrations
// show the model how the work is done: they are part of the prompt, but not of what happened, so no call is made of them.
func (r *reader) readSWEAgent() error {
	c := r.conversation("", OpenAIChat)
	leads, lead := true, 0 // whether the next message may be among those at the front that no budget evicts; how many are
	aside := func(member string) string {
		if member == "trajectory" {
			return "repeats the history"
		}
		return "no message: " + member
	}
	found, err := r.eachIn("history", aside, func(path string, v wire.Member) error {
		m, err := chatMessage(v)
		if err != nil {
			return err
		}
		line := r.lineOf(v)
		demo, _ := wire.Path(v, "is_demo")
		isDemo := demo.Kind() == 't'
		if m.Role == messages.Assistant && !isDemo {
			c.call(Call{Line: line, Lead: lead})
		}
		c.add(m, r.note(line, path, Aside, noCall))
		if leads = leads && (isDemo || m.Role == messages.System); leads {
			lead = len(c.list)
		}
		return nil
	})
	if err == nil && !found {
		err = wire.Read(r.doc).Errorf("a trajectory without a history")
	}
	return err
}
