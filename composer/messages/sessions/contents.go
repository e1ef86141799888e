package sessions

import (
	"slices"
	"strconv"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

// readGeminiCLI reads a session of Gemini CLI: a call and its result stand in one record of the model.
func (r *reader) readGeminiCLI() error {
	c := r.conversation("", Gemini)
	d := wire.ReadRecords(r.doc)
	err := d.Object("a session, an object", func(name string) error {
		if name != "messages" || d.Kind() != '[' {
			v, err := d.Value(name)
			if err == nil {
				r.note(r.lineOf(v), "/"+name, Aside, "about the session")
			}
			return err
		}
		i := 0
		return d.Array("messages: a list", func() error {
			v, err := d.Value("")
			if err != nil {
				return err
			}
			path := "/messages/" + strconv.Itoa(i)
			i++
			err = v.Check()
			if err == nil {
				err = r.geminiRecord(c, v, path)
			}
			if err != nil {
				return r.broken(path, err)
			}
			return nil
		})
	})
	if err == nil {
		err = d.End()
	}
	if err != nil {
		return r.fail("", err)
	}
	return nil
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
			call.Usage = geminiUsage(m)
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
		err = each(*thoughts, func(t wire.Member) error {
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
		err = each(*calls, func(call wire.Member) error { return geminiToolCall(&m, &results, call) })
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

func each(list wire.Member, read func(wire.Member) error) error {
	r := list.Read()
	return r.Array("a list", func() error {
		m, err := r.Value("")
		if err != nil {
			return err
		}
		return read(m)
	})
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
		return each(content, func(part wire.Member) error { return geminiText(m, part) })
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

func geminiUsage(m wire.Member) Usage {
	if m.Kind() != '{' {
		return Usage{}
	}
	members, err := m.Read().Members("tokens, an object")
	if err != nil {
		return Usage{}
	}
	u := Usage{Recorded: true}
	for _, m := range members {
		switch m.Name {
		case "input", "prompt_token_count", "promptTokenCount":
			u.Input = integer(m)
		case "output", "candidates_token_count", "candidatesTokenCount":
			u.Output = integer(m)
		case "cached", "cached_content_token_count", "cachedContentTokenCount":
			u.Cached = integer(m)
		}
	}
	return u
}

// readADK reads a session of ADK, events with contents, or an evaluation set, whose cases hold what was said and done.
func (r *reader) readADK() error {
	d := wire.ReadRecords(r.doc)
	whole, err := d.Value("")
	if err == nil {
		err = d.End()
	}
	if err == nil {
		err = r.adkValue(whole, "", "")
	}
	if err != nil {
		return r.fail("", err)
	}
	return nil
}

func (r *reader) adkValue(v wire.Member, path, thread string) error {
	if v.Kind() == '[' {
		i := 0
		if elements(v, func(e wire.Member) bool { _, ok := wire.Path(e, "query"); return ok }, false) {
			c := r.conversation(thread, Gemini)
			return each(v, func(e wire.Member) error {
				i++
				return r.adkQuery(c, e, path+"/"+strconv.Itoa(i-1))
			})
		}
		return each(v, func(e wire.Member) error {
			i++
			return r.adkValue(e, path+"/"+strconv.Itoa(i-1), strconv.Itoa(i-1))
		})
	}
	members, err := v.Read().Members("a session or an evaluation set, an object")
	if err != nil {
		return err
	}
	id := thread
	for _, m := range members {
		if text, ok := m.Text(); ok && m.Name == "eval_id" {
			id = text
		}
	}
	c := r.conversation(id, Gemini)
	found := false
	for _, m := range members {
		at := path + "/" + m.Name
		i := 0
		next := func() string { i++; return at + "/" + strconv.Itoa(i-1) }
		switch {
		case m.Name == "eval_cases" && m.Kind() == '[':
			err = each(m, func(e wire.Member) error { return r.adkValue(e, next(), "") })
		case m.Name == "conversation" && m.Kind() == '[':
			err = each(m, func(turn wire.Member) error { return r.adkTurn(c, turn, next()) })
		case m.Name == "events" && m.Kind() == '[':
			err = each(m, func(e wire.Member) error { return r.adkEvent(c, e, next()) })
		default:
			r.note(r.lineOf(m), at, Aside, "about the session")
			continue
		}
		found = true
		if err != nil {
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
			err := each(member, func(part wire.Member) error {
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
		return r.broken(path, err)
	}
	content, ok := wire.Path(e, "content")
	if e.Kind() != '{' {
		return r.broken(path, e.Errorf("want an event, an object; found %s", e.Kind()))
	}
	if !ok || content.Kind() != '{' {
		r.note(line, path, Aside, "an event without content")
		return nil
	}
	m, err := adkContent(content)
	if err != nil {
		return r.broken(path, err)
	}
	call := Call{Line: line}
	if at, ok := wire.Path(e, "timestamp"); ok {
		call.Time = memberTime(at)
	}
	if usage, ok := wire.Path(e, "usage_metadata"); ok {
		call.Usage = geminiUsage(usage)
	}
	if m.Role == messages.Assistant {
		c.call(call)
	}
	c.add(m, r.note(line, path, Aside, noCall))
	return nil
}

// adkTurn reads a turn of an evaluation set: what the user said, the calls and their responses, and the last answer. Each
// call of a tool was made by a call of the model.
func (r *reader) adkTurn(c *conversation, turn wire.Member, path string) error {
	line := r.lineOf(turn)
	var said, answer messages.Message
	var calls, responses []messages.Block
	hasAnswer := false
	err := func() error {
		if err := turn.Check(); err != nil {
			return err
		}
		members, err := turn.Read().Members("a turn, an object")
		if err != nil {
			return err
		}
		for _, m := range members {
			switch {
			case m.Name == "user_content" && m.Kind() == '{':
				said, err = adkContent(m)
			case m.Name == "final_response" && m.Kind() == '{':
				hasAnswer = true
				answer, err = adkContent(m)
				answer.Role = messages.Assistant
			case m.Name == "intermediate_data" && m.Kind() == '{':
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
		return nil
	}()
	if err != nil {
		return r.broken(path, err)
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
		return r.broken(path, err)
	}
	query, _ := wire.Path(turn, "query")
	if len(query.Value) == 0 || query.Kind() != '"' {
		return r.broken(path, turn.Errorf("a turn without a query"))
	}
	text, _ := query.Text()
	record := r.note(line, path, Aside, noCall)
	c.add(messages.TextMessage(messages.User, text), record)
	reference, _ := wire.Path(turn, "reference")
	c.call(Call{Line: line})
	if answer, ok := referenceText(reference); ok {
		c.add(messages.TextMessage(messages.Assistant, answer), record)
	}
	return nil
}

func referenceText(m wire.Member) (string, bool) {
	if len(m.Value) == 0 {
		return "", false
	}
	return m.Text()
}

func adkFunctions(data wire.Member, name string, kind messages.Kind, payload string) ([]messages.Block, error) {
	list, ok := wire.Path(data, name)
	if !ok || list.Kind() != '[' {
		return nil, nil
	}
	var blocks []messages.Block
	err := each(list, func(v wire.Member) error {
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
