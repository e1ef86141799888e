package sessions

import (
	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/openai"
)

// questionLine reads a BFCL question: the turns of a user, to which no answers are given.
func (r *reader) questionLine(line int, doc []byte) error {
	d := wire.Read(doc)
	members, err := d.Members("a question, an object")
	if err == nil {
		err = d.End()
	}
	if err != nil {
		return err
	}
	c := r.conversation("line", OpenAIChat)
	var turns *wire.Member
	for i, m := range members {
		switch text, isText := m.Text(); {
		case m.Name == "id" && isText:
			c.thread = text
		case m.Name == "function" && m.Kind() == '[':
			tools, err := wire.ReadTools(m.Read())
			if err != nil {
				return err
			}
			c.tools = toolsFor(OpenAIChat, tools)
		case m.Name == "question" && m.Kind() == '[':
			turns = &members[i]
		}
	}
	if turns == nil {
		return wire.Read(doc).Errorf("a question without turns: want question, a list")
	}
	var calls []int // how many messages each call has
	var list []messages.Message
	t := turns.Read()
	err = t.Array("question: a list of turns", func() error {
		turn, err := t.Value("")
		if err != nil {
			return err
		}
		if turn.Kind() == '{' { // older questions are one turn, without a list around it
			m, err := openai.ParseMessage(turn.Value)
			if err != nil {
				return turn.Wrap(err)
			}
			list = append(list, m)
			return nil
		}
		said, err := openai.ParseMessages(turn.Value)
		if err != nil {
			return turn.Wrap(err)
		}
		list = append(list, said...)
		calls = append(calls, len(list))
		return nil
	})
	if err != nil {
		return err
	}
	if len(calls) == 0 && len(list) > 0 {
		calls = []int{len(list)}
	}
	r.note(line, "", Used, "turns of the user; no answers are recorded")
	for _, n := range calls {
		r.add(Call{Thread: c.thread, Line: line, API: OpenAIChat, Messages: list[:n:n], Tools: c.tools})
	}
	return nil
}
