package sessions

import (
	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

// readGeminiCLI reads a session of Gemini CLI: a call and its result stand in one record of the model.
func (r *reader) readGeminiCLI() error {
	c := r.conversation("", Gemini)
	aside := func(string) string { return "about the session" }
	_, err := r.eachIn("messages", aside, func(path string, v wire.Member) error {
		if err := v.Check(); err != nil {
			return err
		}
		return r.geminiRecord(c, v, path)
	})
	return err
}

func (r *reader) geminiRecord(c *conversation, v wire.Member, path string) error {
	line := r.lineOf(v)
	members, err := v.Read().Members("a message, an object")
	if err != nil {
		return err
	}
	var kind string
	var call Call
	var content, calls, thoughts *wire.Member
	for i, m := range members {
		switch text, _ := m.Text(); m.Name {
		case "type":
			kind = text
		case "content":
			content = &members[i]
		case "toolCalls":
			calls = &members[i]
		case "thoughts":
			thoughts = &members[i]
		case "model":
			call.Model = text
		case "timestamp":
			call.Time = parseTime(text)
		case "tokens":
			call.Usage = geminiUsage.read(m)
		}
	}
	role := messages.User
	switch kind {
	case "user":
	case "gemini":
		role = messages.Assistant
	case "":
		return v.Errorf("a message without a type")
	default:
		r.note(line, path, Aside, "a message of type "+kind)
		return nil
	}
	m := messages.Message{Role: role}
	if thoughts != nil && thoughts.Kind() == '[' {
		err = thoughts.Each("a list", func(_ int, t wire.Member) error {
			m.Content = append(m.Content, messages.Block{Kind: messages.KindThinking, Text: thought(t), Extra: []messages.Member{
				{Name: "thought", Value: "true"}}})
			return nil
		})
	}
	if err == nil && content != nil {
		err = geminiText(&m, *content)
	}
	if err != nil {
		return err
	}
	results := messages.Message{Role: messages.User}
	if calls != nil && calls.Kind() == '[' {
		err = calls.Each("a list", func(_ int, call wire.Member) error { return geminiToolCall(&m, &results, call) })
		if err != nil {
			return err
		}
	}
	record := r.note(line, path, Aside, noCall)
	if role == messages.Assistant {
		call.Line = line
		c.call(call)
	}
	c.add(m, record)
	if len(results.Content) > 0 {
		c.add(results, record)
	}
	return nil
}

// thought returns the text of a thought: a subject and a description.
func thought(t wire.Member) string {
	text, _ := t.Text()
	for _, name := range []string{"subject", "description", "text"} {
		if v, ok := wire.Path(t, name); ok {
			part, _ := v.Text()
			if text != "" && part != "" {
				text += "\n"
			}
			text += part
		}
	}
	return text
}

// geminiText adds content that is a string, a part, or a list of both.
func geminiText(m *messages.Message, content wire.Member) error {
	switch text, isText := content.Text(); {
	case isText:
		if text != "" {
			m.Content = append(m.Content, messages.Text(text))
		}
	case content.Kind() == '[':
		return content.Each("a list", func(_ int, part wire.Member) error { return geminiText(m, part) })
	case content.Kind() == '{':
		members, err := content.Read().Members("a part, an object")
		if err != nil {
			return err
		}
		m.Content = append(m.Content, readGeminiPart(camelCase(members)))
	case content.Kind() != 'n':
		return content.Errorf("content: want a string or parts; found %s", content.Kind())
	}
	return nil
}

func geminiToolCall(m, results *messages.Message, call wire.Member) error {
	members, err := call.Read().Members("a tool call, an object")
	if err != nil {
		return err
	}
	b := messages.Block{Kind: messages.KindToolCall}
	var result *wire.Member
	for i, v := range members {
		switch text, _ := v.Text(); v.Name {
		case "id":
			b.ID = text
		case "name":
			b.Name = text
		case "args":
			b.Value = v.JSON()
		case "result":
			result = &members[i]
		}
	}
	if b.Name == "" {
		return call.Errorf("a tool call without the name of the tool")
	}
	m.Content = append(m.Content, b)
	if result == nil || result.Kind() == 'n' {
		return nil
	}
	held := messages.Message{}
	if err := geminiText(&held, *result); err != nil {
		return err
	}
	if len(held.Content) == 1 && held.Content[0].Kind == messages.KindToolResult {
		if held.Content[0].ID == "" {
			held.Content[0].ID = b.ID
		}
		results.Content = append(results.Content, held.Content[0])
		return nil
	}
	response := messages.Block{Kind: messages.KindToolResult, ID: b.ID, Name: b.Name}
	if text, ok := result.Text(); ok && text != "" {
		response.Text = text
	} else {
		response.Value = result.JSON()
	}
	results.Content = append(results.Content, response)
	return nil
}
