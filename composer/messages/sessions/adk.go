package sessions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

// readADK reads a session of ADK, events with contents, or an evaluation set, whose cases hold what was said and done.
func (r *reader) readADK() error {
	whole, err := wire.ReadRecords(r.doc).Whole()
	if err != nil {
		return err
	}
	if whole.Kind() != '[' {
		return r.adkSession(whole, "", "")
	}
	isQuery := func(v wire.Member) bool { _, ok := wire.Path(v, "query"); return ok }
	if some(whole, isQuery) {
		c := r.conversation("", Gemini)
		return r.each(whole, "", func(path string, v wire.Member) error { return r.adkQuery(c, v, path) })
	}
	return r.each(whole, "", func(path string, v wire.Member) error {
		return r.adkSession(v, path, strings.TrimPrefix(path, "/"))
	})
}

func (r *reader) adkSession(v wire.Member, path, thread string) error {
	members, err := v.Read().Members("a session or an evaluation set, an object")
	if err != nil {
		return err
	}
	c := r.conversation(cmp.Or(wire.TextAt(v, "eval_id"), thread), Gemini)
	found := false
	for _, m := range members {
		var read func(path string, v wire.Member) error
		switch m.Name {
		case "eval_cases":
			read = func(path string, v wire.Member) error { return r.adkSession(v, path, "") }
		case "conversation":
			read = func(path string, v wire.Member) error { return r.adkTurn(c, v, path) }
		case "events":
			read = func(path string, v wire.Member) error { return r.adkEvent(c, v, path) }
		}
		at := path + "/" + m.Name
		if read == nil || m.Kind() != '[' {
			r.note(r.lineOf(m), at, Aside, "about the session")
			continue
		}
		found = true
		if err := r.each(m, at, read); err != nil {
			return err
		}
	}
	if !found {
		return v.Errorf("want events, a conversation or eval_cases")
	}
	return nil
}

// camelCase gives the members of ADK's parts the names of the API, without those that are null.
func camelCase(members []wire.Member) []wire.Member {
	out := make([]wire.Member, 0, len(members))
	for _, m := range members {
		if m.Kind() == 'n' {
			continue
		}
		switch m.Name {
		case "function_call":
			m.Name = "functionCall"
		case "function_response":
			m.Name = "functionResponse"
		case "inline_data":
			m.Name = "inlineData"
		case "file_data":
			m.Name = "fileData"
		case "thought_signature":
			m.Name = "thoughtSignature"
		}
		out = append(out, m)
	}
	return out
}

// adkContent reads a content. Calls and responses without an id are paired by name and order.
func adkContent(v wire.Member) (messages.Message, error) {
	members, err := v.Read().Members("a content, an object")
	if err != nil {
		return messages.Message{}, err
	}
	m := messages.Message{Role: messages.User}
	for _, member := range members {
		switch text, _ := member.Text(); member.Name {
		case "role":
			if text == "model" {
				m.Role = messages.Assistant
			}
		case "parts":
			if member.Kind() != '[' {
				continue
			}
			err := member.Each("a list", func(_ int, part wire.Member) error {
				members, err := part.Read().Members("a part, an object")
				if err != nil {
					return err
				}
				b := readGeminiPart(camelCase(members))
				b.Extra = slices.DeleteFunc(b.Extra, func(m messages.Member) bool {
					return m.Name == geminiCall || m.Name == geminiResponse // nulls, and what the log adds
				})
				m.Content = append(m.Content, b)
				return nil
			})
			if err != nil {
				return m, err
			}
		}
	}
	return m, nil
}

func (r *reader) adkEvent(c *conversation, e wire.Member, path string) error {
	line := r.lineOf(e)
	if err := e.Check(); err != nil {
		return err
	}
	if e.Kind() != '{' {
		return e.Errorf("want an event, an object; found %s", e.Kind())
	}
	content, _ := wire.Path(e, "content")
	if content.Kind() != '{' {
		r.note(line, path, Aside, "an event without content")
		return nil
	}
	m, err := adkContent(content)
	if err != nil {
		return err
	}
	if m.Role == messages.Assistant {
		at, _ := wire.Path(e, "timestamp")
		usage, _ := wire.Path(e, "usage_metadata")
		c.call(Call{Line: line, Time: memberTime(at), Usage: geminiUsage.read(usage)})
	}
	c.add(m, r.note(line, path, Aside, noCall))
	return nil
}

// adkTurn reads a turn of an evaluation set: what the user said, the calls and their responses, and the last answer. Each
// call of a tool was made by a call of the model.
func (r *reader) adkTurn(c *conversation, turn wire.Member, path string) error {
	line := r.lineOf(turn)
	if err := turn.Check(); err != nil {
		return err
	}
	members, err := turn.Read().Members("a turn, an object")
	if err != nil {
		return err
	}
	var said, answer messages.Message
	var calls, responses []messages.Block
	hasAnswer := false
	for _, m := range members {
		switch {
		case m.Kind() != '{':
		case m.Name == "user_content":
			said, err = adkContent(m)
		case m.Name == "final_response":
			hasAnswer = true
			answer, err = adkContent(m)
			answer.Role = messages.Assistant
		case m.Name == "intermediate_data":
			if calls, err = adkFunctions(m, "tool_uses", messages.KindToolCall, "args"); err == nil {
				responses, err = adkFunctions(m, "tool_responses", messages.KindToolResult, "response")
			}
		}
		if err != nil {
			return err
		}
	}
	if len(said.Content) == 0 {
		return turn.Errorf("a turn without user_content")
	}
	record := r.note(line, path, Aside, noCall)
	c.add(said, record)
	for i, b := range calls {
		c.call(Call{Line: line})
		c.add(messages.Message{Role: messages.Assistant, Content: []messages.Block{b}}, record)
		if i < len(responses) {
			c.add(messages.Message{Role: messages.User, Content: []messages.Block{responses[i]}}, record)
		}
	}
	if hasAnswer {
		c.call(Call{Line: line})
		c.add(answer, record)
	}
	return nil
}

// adkQuery reads a turn of the first evaluation sets: a query, the tools it is expected to use, whose results are not
// recorded, and the answer that is expected.
func (r *reader) adkQuery(c *conversation, turn wire.Member, path string) error {
	line := r.lineOf(turn)
	if err := turn.Check(); err != nil {
		return err
	}
	query, _ := wire.Path(turn, "query")
	text, ok := query.Text()
	if !ok {
		return turn.Errorf("a turn without a query")
	}
	record := r.note(line, path, Aside, noCall)
	c.add(messages.TextMessage(messages.User, text), record)
	c.call(Call{Line: line})
	reference, _ := wire.Path(turn, "reference")
	if answer, ok := reference.Text(); ok {
		c.add(messages.TextMessage(messages.Assistant, answer), record)
	}
	return nil
}

func adkFunctions(data wire.Member, name string, kind messages.Kind, payload string) ([]messages.Block, error) {
	list, ok := wire.Path(data, name)
	if !ok || list.Kind() != '[' {
		return nil, nil
	}
	var blocks []messages.Block
	err := list.Each("a list", func(_ int, v wire.Member) error {
		b := messages.Block{Kind: kind}
		if v.Kind() != '{' {
			return v.Errorf("%s: want an object; found %s", name, v.Kind())
		}
		geminiFunction(&b, v, payload, geminiCall)
		b.Extra = nil
		if b.Name == "" {
			return v.Errorf("%s: a function without a name", name)
		}
		blocks = append(blocks, b)
		return nil
	})
	return blocks, err
}
