package sessions

import (
	"slices"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/openai"
)

// An sdkLog is a stream of events of OpenHands' SDK, which followed the events that are an action or an observation. An
// event says by its kind what it is.
type sdkLog struct {
	*openHandsView
	response string // that the last message came from, where it is an action
}

// event adds the message that an event is, or says why it is none.
func (log *sdkLog) event(kind string, event wire.Member, line int, path string) error {
	members, err := event.Read().Members("an event, an object")
	if err != nil {
		return err
	}
	e := map[string]wire.Member{}
	for _, m := range members {
		if m.Kind() != 'n' {
			e[m.Name] = m
		}
	}
	text := func(name string) string { return wire.TextAt(e[name]) }
	m := sdkMessage{role: messages.Tool, id: text("tool_call_id"), name: text("tool_name")}
	response := ""
	switch kind {
	case "SystemPromptEvent":
		m = sdkMessage{role: messages.System, content: []wire.Member{e["system_prompt"], e["dynamic_context"]}}
		if tools := e["tools"]; some(tools, isDeclared) {
			list, err := wire.ReadTools(tools.Read())
			if err != nil {
				return err
			}
			log.tools = list
		}
	case "MessageEvent":
		content, ok := wire.Path(e["llm_message"], "content")
		if !ok {
			return e["llm_message"].Errorf("a message without content")
		}
		m = sdkMessage{role: messages.User, content: []wire.Member{content, e["extended_content"]}}
		if text("source") == "agent" {
			m.role = messages.Assistant
			m.reasoning, _ = wire.Path(e["llm_message"], "reasoning_content")
		}
	case "ActionEvent":
		m = sdkMessage{role: messages.Assistant, content: []wire.Member{e["thought"]}, reasoning: e["reasoning_content"],
			call: e["tool_call"]}
		response = text("llm_response_id")
	case "ObservationEvent":
		content, ok := wire.Path(e["observation"], "content")
		if !ok {
			content = e["observation"]
		}
		m.content = []wire.Member{content, e["extended_content"]}
	case "AgentErrorEvent":
		m.content = []wire.Member{e["error"]}
	case "UserRejectObservation":
		m.content = []wire.Member{e["rejection_reason"]}
	case "Condensation":
		forgotten := map[string]bool{}
		_ = e["forgotten_event_ids"].Each("a list of ids", func(_ int, id wire.Member) error {
			forgotten[wire.TextAt(id)] = true
			return nil
		})
		log.condense(event, func(id string) bool { return forgotten[id] }, line, path)
		log.response = ""
		return nil
	default:
		log.r.note(line, path, Aside, "an event of kind "+kind)
		return nil
	}
	message, err := m.read()
	if err != nil {
		return err
	}
	if response != "" && response == log.response { // one more call of the same answer
		last := &log.list[len(log.list)-1]
		last.Content = append(slices.Clip(last.Content), message.Content...)
		log.count()
		log.r.note(line, path, Used, "of the response above")
		return nil
	}
	log.response = response
	if m.role == messages.Assistant {
		log.call(Call{Line: line, Time: parseTime(text("timestamp"))})
	}
	log.add(message, log.r.note(line, path, Aside, noCall))
	return nil
}

// isDeclared reports whether a tool is written down as a provider gets it; else only its class is known.
func isDeclared(tool wire.Member) bool {
	_, function := wire.Path(tool, "function")
	_, name := wire.Path(tool, "name")
	return function || name
}

// An sdkMessage is what of an event makes a message.
type sdkMessage struct {
	role            messages.Role
	content         []wire.Member // strings, blocks or lists of blocks; those that are absent are nothing
	reasoning, call wire.Member
	id, name        string // of the call that a result belongs to
}

// read writes the message as a provider gets it and reads that.
func (m sdkMessage) read() (messages.Message, error) {
	w := wire.Append(nil)
	w.Open('{')
	w.Text("role", string(m.role))
	w.Name("content")
	w.Open('[')
	for _, c := range m.content {
		var err error
		switch c.Kind() {
		case '[':
			err = c.Each("a list", func(_ int, part wire.Member) error { return writeSDKPart(w, part) })
		case '{', '"':
			err = writeSDKPart(w, c)
		}
		if err != nil {
			return messages.Message{}, err
		}
	}
	w.Close(']')
	if m.reasoning.Kind() == '"' && len(m.reasoning.Value) > len(`""`) {
		w.Name("reasoning_content")
		w.Value(m.reasoning.JSON())
	}
	if m.call.Kind() == '{' {
		w.Name("tool_calls")
		w.Open('[')
		if err := writeCall(w, m.call); err != nil {
			return messages.Message{}, err
		}
		w.Close(']')
	}
	if m.role == messages.Tool {
		w.Text("tool_call_id", m.id)
		w.Text("name", m.name)
	}
	w.Close('}')
	if w.Err != nil {
		return messages.Message{}, w.Err
	}
	return openai.ParseMessage(w.Buf)
}

// writeSDKPart writes a block of text, or of images, as parts of chat completions. Anything else is a text: its JSON.
func writeSDKPart(w *wire.Writer, part wire.Member) error {
	text := func(s string) {
		w.Open('{')
		w.Text("type", "text")
		w.Text("text", s)
		w.Close('}')
	}
	if s, ok := part.Text(); ok {
		text(s)
		return nil
	}
	if v, ok := wire.Path(part, "text"); ok && v.Kind() == '"' {
		s, _ := v.Text()
		text(s)
		return nil
	}
	if urls, ok := wire.Path(part, "image_urls"); ok && urls.Kind() == '[' {
		return urls.Each("a list", func(_ int, url wire.Member) error {
			w.Open('{')
			w.Text("type", "image_url")
			w.Name("image_url")
			w.Open('{')
			w.Name("url")
			w.Value(url.JSON())
			w.Close('}')
			w.Close('}')
			return nil
		})
	}
	text(string(part.JSON()))
	return nil
}
