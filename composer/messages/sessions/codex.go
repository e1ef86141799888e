package sessions

import (
	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/openai"
)

// A codexLog is a rollout: items in the order in which the model was given or made them.
type codexLog struct {
	*conversation
	answering bool // the last item was the model's
	model     string
	pending   int // the call that waits for its token count, as 1 + index; 0: none
}

func (r *reader) readCodex(in *lines) error {
	log := codexLog{conversation: r.conversation("", OpenAIResponses)}
	return r.eachLine(in, log.read)
}

func (log *codexLog) read(line int, doc []byte) error {
	self, err := wire.Read(doc).Whole()
	if err != nil {
		return err
	}
	members, err := self.Read().Members("a line of the rollout, an object")
	if err != nil {
		return err
	}
	var kind, at string
	var payload *wire.Member
	for i, m := range members {
		switch text, _ := m.Text(); m.Name {
		case "type":
			kind = text
		case "timestamp":
			at = text
		case "payload":
			payload = &members[i]
		}
	}
	switch {
	case payload == nil && kind == "":
		return log.meta(line, self) // rollouts of the first versions have no envelopes
	case payload == nil:
		return log.item(line, at, self)
	}
	switch kind {
	case "session_meta":
		return log.meta(line, *payload)
	case "response_item":
		return log.item(line, at, *payload)
	case "compacted":
		return log.compacted(line, *payload)
	case "event_msg":
		log.event(*payload)
		log.r.note(line, "", Aside, "an event: what it says of the prompt, items say")
	case "turn_context":
		log.turn(*payload)
		log.r.note(line, "", Aside, "the settings of a turn")
	case "":
		return self.Errorf("a line of the rollout without a type")
	default:
		log.r.note(line, "", Aside, "a line of type "+kind)
	}
	return nil
}

// meta reads the head of the rollout: the instructions, and the tools that are not built in.
func (log *codexLog) meta(line int, payload wire.Member) error {
	members, err := payload.Read().Members("the session's head, an object")
	if err != nil {
		return err
	}
	used := false
	for _, m := range members {
		switch {
		case m.Name == "base_instructions" && m.Kind() == '{':
			if text, ok := wire.Path(m, "text"); ok && text.Kind() == '"' {
				log.system, used = textMessage(messages.System, wire.TextAt(text)), true
			}
		case (m.Name == "base_instructions" || m.Name == "instructions") && m.Kind() == '"':
			text, _ := m.Text()
			log.system, used = textMessage(messages.System, text), true
		case m.Name == "dynamic_tools" && m.Kind() == '[':
			tools, err := wire.ReadTools(m.Read())
			if err != nil {
				return err
			}
			log.tools, used = toolsFor(OpenAIResponses, tools), true
		}
	}
	if used {
		log.r.note(line, "", Used, "")
	} else {
		log.r.note(line, "", Aside, "a head without instructions and tools")
	}
	return nil
}

// item reads an item of the responses API.
func (log *codexLog) item(line int, at string, payload wire.Member) error {
	switch kind := wire.TextAt(payload, "type"); kind {
	case "":
		log.r.note(line, "", Aside, "a record without a type")
		return nil
	case "ghost_snapshot", "state", "compaction_trigger":
		log.r.note(line, "", Aside, "an item of type "+kind)
		return nil
	}
	m, err := openai.ParseItem(payload.Value)
	if err != nil {
		return payload.Wrap(err)
	}
	if m.Role != messages.Assistant {
		log.answering = false
	} else if !log.answering {
		log.answering = true
		log.call(Call{Line: line, Model: log.model, Time: parseTime(at)})
		log.pending = len(log.r.out.Calls)
	}
	log.add(m, log.r.note(line, "", Aside, noCall))
	return nil
}

// compacted starts the history anew, with what it was replaced by.
func (log *codexLog) compacted(line int, payload wire.Member) error {
	if payload.Kind() != '{' {
		return payload.Errorf("want a compaction, an object; found %s", payload.Kind())
	}
	list := []messages.Message{textMessage(messages.User, wire.TextAt(payload, "message"))}
	if replacement, _ := wire.Path(payload, "replacement_history"); replacement.Kind() == '[' {
		list = nil
		err := replacement.Each("a list of items", func(_ int, v wire.Member) error {
			item, err := openai.ParseItem(v.Value)
			if err != nil {
				return v.Wrap(err)
			}
			list = append(list, item)
			return nil
		})
		if err != nil {
			return err
		}
	}
	log.restart()
	log.answering = false
	record := log.r.note(line, "", Aside, noCall)
	for _, m := range list {
		log.add(m, record)
	}
	return nil
}

func (log *codexLog) turn(payload wire.Member) {
	if model := wire.TextAt(payload, "model"); model != "" {
		log.model = model
	}
}

// event takes the token counts; all else stands in items too.
func (log *codexLog) event(payload wire.Member) {
	counts, _ := wire.Path(payload, "info", "last_token_usage")
	if u := openAIUsage.read(counts); u.Recorded && log.pending > 0 {
		log.r.out.Calls[log.pending-1].Usage = u
		log.pending = 0
	}
}
