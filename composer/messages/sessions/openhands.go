package sessions

import (
	"cmp"
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
	*openHandsView
	response string // the model response that the last action came from
	sdk      *sdkLog
}

func (r *reader) openHandsLog(thread string) *openHandsLog {
	view := &openHandsView{conversation: r.conversation(thread, OpenAIChat)}
	return &openHandsLog{openHandsView: view, sdk: &sdkLog{openHandsView: view}}
}

func (r *reader) openHandsEvents(list wire.Member, path, thread string) error {
	log := r.openHandsLog(thread)
	event := func(path string, v wire.Member) error { return log.event(v, path) }
	return r.each(list, path, func(path string, v wire.Member) error {
		if v.Kind() == '[' { // files of the first versions pair an action with its observation
			return r.each(v, path, event)
		}
		return event(path, v)
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
	if err := v.Check(); err != nil {
		return err
	}
	members, err := v.Read().Members("an event, an object")
	if err != nil {
		return err
	}
	var e openHandsEvent
	kind := ""
	log.id = ""
	for _, m := range members {
		text, isText := m.Text()
		switch m.Name {
		case "id":
			log.id = wire.Plain(m.JSON()) // a number, and a text in the SDK
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
		return log.sdk.event(kind, v, line, path)
	}
	if e.action != "" && len(e.args.Value) == 0 {
		e.args = v // the first versions have them in the event itself
	}
	if e.source == "" && e.action == "message" && !log.answers() {
		e.source = "user" // nor do they say who it is
	}
	if e.source == "" && e.action == "" && e.observation == "" {
		return v.Errorf("an event without source, action and observation")
	}
	before := len(log.events)
	if err := log.take(e, line, path); err != nil {
		return err
	}
	if len(log.events) == before && !openHandsHidden[e.name()] {
		log.count()
	}
	return nil
}

// name returns what the event is called, whichever of the two it is.
func (e *openHandsEvent) name() string { return cmp.Or(e.action, e.observation) }

// Events that are not in the prompt: what the host does for itself. Those that are hidden are not in the list in which a
// condensation finds the place of its summary either.
var (
	openHandsAside = map[string]bool{
		"recall": true, "agent_state_changed": true, "null": true, "change_agent_state": true, "pause": true, "resume": true,
		"stop": true, "start": true, "condensation_request": true, "server_ready": true, "": true,
	}
	openHandsHidden = map[string]bool{
		"agent_state_changed": true, "null": true, "change_agent_state": true, "condensation": true, "condensation_request": true, "": true,
	}
)

func (log *openHandsLog) take(e openHandsEvent, line int, path string) error {
	name := e.name()
	arg := func(name string) (string, bool) {
		v, _ := wire.Path(e.args, name)
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
	case e.action == "condensation":
		log.condense(e.args, forgotten(e.args), line, path)
		log.response = ""
	case openHandsAside[name] && len(e.call.Value) == 0:
		log.r.note(line, path, Aside, "an event of the host: "+cmp.Or(name, "null"))
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

// forgotten reads which events a condensation forgets: their ids in a list, or the first and the last one.
func forgotten(args wire.Member) func(id string) bool {
	ids := map[string]bool{}
	if list, ok := wire.Path(args, "forgotten_event_ids"); ok && list.Kind() == '[' {
		_ = list.Each("a list of ids", func(_ int, id wire.Member) error {
			ids[string(id.Value)] = true
			return nil
		})
		return func(id string) bool { return ids[id] }
	}
	first, hasFirst := wire.Path(args, "forgotten_events_start_id")
	last, hasLast := wire.Path(args, "forgotten_events_end_id")
	if !hasFirst || !hasLast || first.Kind() != '0' || last.Kind() != '0' {
		return func(string) bool { return false }
	}
	return func(id string) bool {
		n, err := strconv.ParseInt(id, 10, 64)
		return err == nil && n >= integer(first) && n <= integer(last)
	}
}

// withImages adds images to a message of one text.
func withImages(m messages.Message, urls wire.Member) messages.Message {
	_ = urls.Each("a list of addresses", func(_ int, url wire.Member) error {
		m.Shape = messages.ShapeBlocks
		m.Content = append(m.Content, messages.Block{Kind: messages.KindImage, Extra: wire.ImageURL(wire.TextAt(url), "")})
		return nil
	})
	return m
}

// action takes what the model did. Several actions can come from one response; it stands in each of them.
func (log *openHandsLog) action(e openHandsEvent, line int, path string, arg func(string) (string, bool)) error {
	if message, ok := responseMessage(e.call); ok {
		id := wire.TextAt(e.call, "model_response", "id")
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
	b := messages.Block{Kind: messages.KindToolCall, Name: e.action, ID: wire.TextAt(e.call, "tool_call_id"), Text: string(e.args.JSON())}
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
	_ = choices.Each("a list of choices", func(_ int, choice wire.Member) error {
		if m, _ := wire.Path(choice, "message"); m.Kind() == '{' && len(message.Value) == 0 {
			message = m
		}
		return nil
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
	usage, _ := wire.Path(e.call, "model_response", "usage")
	return Call{Line: line, Time: parseTime(e.at), Usage: openAIUsage.read(usage), Model: wire.TextAt(e.call, "model_response", "model")}
}

func (log *openHandsLog) observation(e openHandsEvent, line int, path string) error {
	if !e.hasContent {
		log.r.note(line, path, Aside, "an observation without content: "+e.observation)
		return nil
	}
	m := messages.Message{Role: messages.Tool, Shape: messages.ShapeString}
	b := messages.Block{Kind: messages.KindToolResult, Text: e.content,
		ID: wire.TextAt(e.call, "tool_call_id"), Name: wire.TextAt(e.call, "function_name")}
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

// called reports whether the last message is the model's and ends with a call that has no id.
func (log *openHandsLog) called() bool {
	if len(log.list) == 0 {
		return false
	}
	m := &log.list[len(log.list)-1]
	n := len(m.Content)
	return m.Role == messages.Assistant && n > 0 && m.Content[n-1].Kind == messages.KindToolCall && m.Content[n-1].ID == ""
}
