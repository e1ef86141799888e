package sessions

import (
	"strconv"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/openai"
)

// readOpenHands reads lines: each is a whole session with its history, as evaluations write them, or one event.
func (r *reader) readOpenHands(in *lines) error {
	log := r.openHandsLog("")
	return r.eachLine(in, func(line int, doc []byte) error { return r.openHandsLine(log, line, doc) })
}

func (r *reader) openHandsLine(log *openHandsLog, line int, doc []byte) error {
	whole, err := wire.ReadRecords(doc).Whole()
	if err != nil {
		return err
	}
	if whole.Kind() == '[' {
		return r.openHandsEvents(whole, "", "")
	}
	members, err := whole.Read().Members("a session, an object")
	if err != nil {
		return err
	}
	thread := ""
	isEvent := false
	var history *wire.Member
	for i, m := range members {
		switch text, _ := m.Text(); m.Name {
		case "instance_id":
			thread = text
		case "history":
			history = &members[i]
		case "source", "action", "observation", "kind":
			isEvent = true
		}
	}
	if history == nil {
		if isEvent {
			return log.event(whole, "")
		}
		return whole.Errorf("a session without a history")
	}
	for _, m := range members {
		if m.Name != "history" {
			r.note(line, "/"+m.Name, Aside, "about the session")
		}
	}
	if thread == "" && r.isLines {
		thread = "line " + strconv.Itoa(line)
	}
	return r.openHandsEvents(*history, "/history", thread)
}

// An openHandsLog is a stream of events: actions, of the user and of the agent, and what was observed.
type openHandsLog struct {
	*conversation
	response string // the model response that the last action came from
	sdk      *sdkLog
}

func (r *reader) openHandsLog(thread string) *openHandsLog {
	c := r.conversation(thread, OpenAIChat)
	return &openHandsLog{conversation: c, sdk: &sdkLog{conversation: c}}
}

func (r *reader) openHandsEvents(list wire.Member, path, thread string) error {
	log := r.openHandsLog(thread)
	i := 0
	d := list.Read()
	return d.Array("a list of events", func() error {
		v, err := d.Value("")
		if err != nil {
			return err
		}
		at := path + "/" + strconv.Itoa(i)
		i++
		if v.Kind() == '[' { // files of the first versions pair an action with its observation
			pair := v.Read()
			k := 0
			return pair.Array("an action and its observation", func() error {
				e, err := pair.Value("")
				if err != nil {
					return err
				}
				k++
				return log.event(e, at+"/"+strconv.Itoa(k-1))
			})
		}
		return log.event(v, at)
	})
}

// An openHandsEvent is what of an event matters here.
type openHandsEvent struct {
	source, action, observation, at, content string
	hasContent                               bool
	args, call                               wire.Member // args, and tool_call_metadata
}

func (log *openHandsLog) event(v wire.Member, path string) error {
	line := log.r.lineOf(v)
	err := v.Check()
	var members []wire.Member
	if err == nil {
		members, err = v.Read().Members("an event, an object")
	}
	if err != nil {
		return log.r.broken(path, err)
	}
	var e openHandsEvent
	kind := ""
	for _, m := range members {
		text, isText := m.Text()
		switch m.Name {
		case "kind":
			kind = text
		case "source":
			e.source = text
		case "action":
			e.action = text
		case "observation":
			e.observation = text
		case "timestamp":
			e.at = text
		case "content":
			e.content, e.hasContent = text, isText
		case "args":
			e.args = m
		case "tool_call_metadata":
			if m.Kind() == '{' {
				e.call = m
			}
		}
	}
	if kind != "" && e.action == "" && e.observation == "" {
		if err := log.sdk.event(kind, members, line, path); err != nil {
			return log.r.broken(path, err)
		}
		return nil
	}
	if e.action != "" && len(e.args.Value) == 0 {
		e.args = v // the first versions have them in the event itself
	}
	if e.source == "" && e.action == "message" && !log.answers() {
		e.source = "user" // nor do they say who it is
	}
	if e.source == "" && e.action == "" && e.observation == "" {
		return log.r.broken(path, v.Errorf("an event without source, action and observation"))
	}
	if err := log.take(e, line, path); err != nil {
		return log.r.broken(path, err)
	}
	return nil
}

// Events that are not in the prompt: what the host does for itself.
var openHandsAside = map[string]bool{
	"recall": true, "agent_state_changed": true, "null": true, "change_agent_state": true, "pause": true, "resume": true,
	"stop": true, "start": true, "condensation": true, "condensation_request": true, "server_ready": true, "": true,
}

func (log *openHandsLog) take(e openHandsEvent, line int, path string) error {
	name := e.action
	if name == "" {
		name = e.observation
	}
	arg := func(name string) (string, bool) {
		if len(e.args.Value) == 0 {
			return "", false
		}
		v, ok := wire.Path(e.args, name)
		if !ok {
			return "", false
		}
		return v.Text()
	}
	switch {
	case e.action == "system":
		text, ok := arg("content")
		if !ok {
			return e.args.Errorf("a system event without content")
		}
		if tools, ok := wire.Path(e.args, "tools"); ok && tools.Kind() == '[' {
			var err error
			if log.tools, err = wire.ReadTools(tools.Read()); err != nil {
				return err
			}
		}
		log.add(textMessage(messages.System, text), log.r.note(line, path, Aside, noCall))
	case openHandsAside[name] && len(e.call.Value) == 0:
		if name == "" {
			name = "null"
		}
		log.r.note(line, path, Aside, "an event of the host: "+name)
	case e.observation != "":
		return log.observation(e, line, path)
	case e.action == "message" && e.source == "user":
		text, ok := arg("content")
		if !ok {
			return e.args.Errorf("a message without content")
		}
		log.response = ""
		m := textMessage(messages.User, text)
		if urls, ok := wire.Path(e.args, "image_urls"); ok && urls.Kind() == '[' {
			m = withImages(m, urls)
		}
		log.add(m, log.r.note(line, path, Aside, noCall))
	case e.source == "user" || e.source == "environment":
		log.r.note(line, path, Aside, "an action that is not the model's: "+name)
	default:
		return log.action(e, line, path, arg)
	}
	return nil
}

// withImages adds images to a message of one text.
func withImages(m messages.Message, urls wire.Member) messages.Message {
	r := urls.Read()
	_ = r.Array("a list of addresses", func() error {
		v, err := r.Value("")
		if err == nil {
			m.Shape = messages.ShapeBlocks
			m.Content = append(m.Content, messages.Block{Kind: messages.KindImage, Extra: []messages.Member{
				{Name: "image_url", Value: `{"url":` + v.JSON() + `}`}}})
		}
		return err
	})
	return m
}

// action takes what the model did. Several actions can come from one response; it stands in each of them.
func (log *openHandsLog) action(e openHandsEvent, line int, path string, arg func(string) (string, bool)) error {
	if len(e.call.Value) > 0 {
		if message, ok := responseMessage(e.call); ok {
			id := ""
			id = wire.TextAt(e.call, "model_response", "id")
			if id != "" && id == log.response {
				log.r.note(line, path, Used, "of the response above")
				return nil
			}
			m, err := answered(message)
			if err != nil {
				return err
			}
			log.response = id
			log.call(log.described(e, line))
			log.add(m, log.r.note(line, path, Aside, noCall))
			return nil
		}
	}
	log.call(log.described(e, line))
	log.response = ""
	if e.action == "message" {
		text, ok := arg("content")
		if !ok {
			return e.args.Errorf("a message without content")
		}
		log.add(textMessage(messages.Assistant, text), log.r.note(line, path, Aside, noCall))
		return nil
	}
	// Without the model's response the action itself is the call. Its thought is what the model said.
	m := messages.Message{Role: messages.Assistant, Shape: messages.ShapeNull}
	if thought, ok := arg("thought"); ok && thought != "" {
		m = textMessage(messages.Assistant, thought)
	}
	b := messages.Block{Kind: messages.KindToolCall, Name: e.action}
	if len(e.call.Value) > 0 {
		b.ID = wire.TextAt(e.call, "tool_call_id")
	}
	if len(e.args.Value) > 0 {
		b.Text = string(e.args.JSON())
	}
	m.Content = append(m.Content, b)
	log.add(m, log.r.note(line, path, Aside, noCall))
	return nil
}

// responseMessage returns the message of the model response that an action came from.
func responseMessage(call wire.Member) (wire.Member, bool) {
	choices, ok := wire.Path(call, "model_response", "choices")
	if !ok || choices.Kind() != '[' {
		return wire.Member{}, false
	}
	var message wire.Member
	r := choices.Read()
	_ = r.Array("a list of choices", func() error {
		v, err := r.Value("")
		if err == nil && len(message.Value) == 0 {
			if m, ok := wire.Path(v, "message"); ok && m.Kind() == '{' {
				message = m
			}
		}
		return err
	})
	return message, len(message.Value) > 0
}

// answered reads a message of a response as it is sent again: with content and calls.
func answered(message wire.Member) (messages.Message, error) {
	members, err := message.Read().Members("a message, an object")
	if err != nil {
		return messages.Message{}, err
	}
	w := wire.Append(nil)
	w.Open('{')
	for _, m := range members {
		switch {
		case m.Name == "role", m.Name == "content":
			w.Member(m.Member())
		case m.Name == "tool_calls" && m.Kind() == '[':
			w.Name(m.Name)
			if err := writeCalls(w, m); err != nil {
				return messages.Message{}, err
			}
		case m.Name == "reasoning_content" && m.Kind() == '"':
			w.Member(m.Member())
		}
	}
	w.Close('}')
	m, err := openai.ParseMessage(w.Buf)
	if err != nil {
		return m, message.Errorf("%w", unplaced(err))
	}
	for i := range m.Content {
		// The place in the response is no part of the call.
		if b := &m.Content[i]; b.Kind == messages.KindToolCall {
			b.Extra = nil
		}
	}
	return m, nil
}

func (log *openHandsLog) described(e openHandsEvent, line int) Call {
	call := Call{Line: line, Time: parseTime(e.at)}
	if len(e.call.Value) == 0 {
		return call
	}
	if v, ok := wire.Path(e.call, "model_response", "usage"); ok {
		call.Usage = openAIUsage.read(v)
	}
	call.Model = wire.TextAt(e.call, "model_response", "model")
	return call
}

func (log *openHandsLog) observation(e openHandsEvent, line int, path string) error {
	if !e.hasContent {
		log.r.note(line, path, Aside, "an observation without content: "+e.observation)
		return nil
	}
	m := messages.Message{Role: messages.Tool, Shape: messages.ShapeString}
	b := messages.Block{Kind: messages.KindToolResult, Text: e.content}
	if len(e.call.Value) > 0 {
		b.ID = wire.TextAt(e.call, "tool_call_id")
		b.Name = wire.TextAt(e.call, "function_name")
	}
	if b.ID == "" && !log.called() {
		// What nobody called for was shown to the model as the user's.
		log.add(textMessage(messages.User, e.content), log.r.note(line, path, Aside, noCall))
		return nil
	}
	if b.Text == "" {
		b.Value = `""`
	}
	m.Content = []messages.Block{b}
	log.add(m, log.r.note(line, path, Aside, noCall))
	return nil
}

// answers reports whether what comes next is the model's: the last message is not.
func (log *openHandsLog) answers() bool {
	n := len(log.list)
	return n > 0 && log.list[n-1].Role != messages.Assistant
}

// called reports whether the last message of the model ends with a call that has no id.
func (log *openHandsLog) called() bool {
	for i := len(log.list) - 1; i >= 0; i-- {
		if m := &log.list[i]; m.Role == messages.Assistant {
			n := len(m.Content)
			return n > 0 && m.Content[n-1].Kind == messages.KindToolCall && m.Content[n-1].ID == "" && i == len(log.list)-1
		}
	}
	return false
}
