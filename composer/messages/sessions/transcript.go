package sessions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/openai"
)

// transcriptValue reads a transcript: a list of messages, an object that holds one, or a list of such.
func (r *reader) transcriptValue(d *wire.Reader) error {
	whole, err := d.Value("")
	if err == nil {
		err = d.End()
	}
	if err == nil {
		err = r.transcript(whole, "", "")
	}
	if err != nil {
		return r.fail("", err)
	}
	return nil
}

// readTranscripts reads lines: each is a message of one transcript, or a transcript.
func (r *reader) readTranscripts(in *lines) error {
	c := r.conversation("", OpenAIChat)
	return r.eachLine(in, func(line int, doc []byte) error {
		d := wire.Read(doc)
		v, err := d.Value("")
		if err == nil {
			err = d.End()
		}
		if err != nil {
			return err
		}
		if _, ok := wire.Path(v, "role"); ok {
			return r.transcriptMessage(c, v, "")
		}
		return r.transcript(v, "", "line "+strconv.Itoa(line))
	})
}

func (r *reader) transcript(m wire.Member, path, thread string) error {
	switch m.Kind() {
	case '{':
		return r.transcriptObject(m, path, thread)
	case '[':
	default:
		return m.Errorf("want a list of messages, or an object with one; found %s", m.Kind())
	}
	c := r.conversation(thread, OpenAIChat)
	list := m.Read()
	i := 0
	return list.Array("a list of messages", func() error {
		v, err := list.Value("")
		if err != nil {
			return err
		}
		at := path + "/" + strconv.Itoa(i)
		i++
		if _, ok := wire.Path(v, "role"); !ok && holdsMessages(v) {
			return r.transcriptObject(v, at, strings.TrimPrefix(at, "/"))
		}
		return r.transcriptMessage(c, v, at)
	})
}

// The members that hold the messages.
var transcriptLists = []string{"traj", "messages", "simulations"}

func holdsMessages(v wire.Member) bool {
	for _, name := range transcriptLists {
		if list, ok := wire.Path(v, name); ok && list.Kind() == '[' {
			return true
		}
	}
	return false
}

func (r *reader) transcriptObject(m wire.Member, path, thread string) error {
	members, err := m.Read().Members("a transcript, an object")
	if err != nil {
		return err
	}
	var id []string
	var list *wire.Member
	for i, v := range members {
		switch {
		case v.Kind() == '[' && slices.Contains(transcriptLists, v.Name):
			list = &members[i]
		case v.Name == "task_id" || v.Name == "trial" || v.Name == "id":
			if text, ok := v.Text(); ok {
				id = append(id, text)
			} else if v.Kind() == '0' {
				id = append(id, string(v.Value))
			}
		}
	}
	if list == nil {
		return m.Errorf("a transcript without messages: want one of %s", strings.Join(transcriptLists, ", "))
	}
	if thread != "" && len(id) > 0 { // one of several
		thread = strings.Join(id, "/")
	}
	return r.transcript(*list, path+"/"+list.Name, thread)
}

// transcriptMessage adds a message of a transcript, and a call before it where the model made it.
func (r *reader) transcriptMessage(c *conversation, v wire.Member, path string) error {
	m, err := chatMessage(v)
	if err != nil {
		return r.broken(path, err)
	}
	line := r.lineOf(v)
	if m.Role == messages.Assistant {
		call := Call{Line: line}
		for _, way := range [][]string{{"extra", "response"}, {}} { // mini-SWE-agent's, tau2-bench's
			if usage, ok := wire.Path(v, append(way, "usage")...); ok && !call.Usage.Recorded {
				call.Usage = openAIUsage(usage)
			}
			if model, ok := wire.Path(v, append(way, "model")...); ok && call.Model == "" {
				call.Model, _ = model.Text()
			}
		}
		if at, ok := wire.Path(v, "timestamp"); ok {
			call.Time = memberTime(at)
		}
		c.call(call)
	}
	c.add(m, r.note(line, path, Aside, noCall))
	return nil
}

// memberTime reads a time, as a string or a number.
func memberTime(m wire.Member) time.Time {
	text, ok := m.Text()
	if !ok {
		text = string(m.Value)
	}
	return parseTime(text)
}

// What logs add to a message, and no provider was sent.
var logMembers = []string{
	"agent", "message_type", "thought", "action", "is_demo", "extra", "timestamp", "turn_idx", "cost", "usage", "raw_data",
	"requestor", "generation_time_seconds", "source", "model", "execution_time", "tool_call_ids", "tags",
	"function", "view", "internal",
}

// chatMessage reads a message of chat completions as logs hold it, without what the log adds. Results may name their call as tool_call_ids, a list, or as id; calls may have name and arguments at the top.
func chatMessage(v wire.Member) (m messages.Message, err error) {
	members, err := v.Read().Members("a message, an object")
	if err != nil {
		return m, err
	}
	role, callID := "", ""
	for _, m := range members {
		switch text, _ := m.Text(); m.Name {
		case "role":
			role = text
		case "tool_call_id":
			callID = text
		}
	}
	w := wire.Append(nil)
	w.Open('{')
	for _, m := range members {
		switch {
		case m.Name == "tool_call_ids" && m.Kind() == '[' && callID == "":
			if id, ok := firstText(m); ok {
				w.Text("tool_call_id", id)
			}
		case m.Name == "id" && role == "tool" && callID == "":
			w.Name("tool_call_id")
			w.Value(m.JSON())
		case m.Name == "function" && role == "tool" && m.Kind() == '"':
			w.Name("name")
			w.Value(m.JSON())
		case m.Name == "tool_calls" && m.Kind() == '[':
			w.Name("tool_calls")
			if err := writeCalls(w, m); err != nil {
				return messages.Message{}, err
			}
		case slices.Contains(logMembers, m.Name):
		default:
			w.Member(m.Member())
		}
	}
	w.Close('}')
	if w.Err != nil {
		if err := v.Check(); err != nil {
			return messages.Message{}, err
		}
		return messages.Message{}, v.Wrap(w.Err)
	}
	// Errors are found in what was written, whose places are not those of the file: the message is named.
	if m, err = openai.ParseMessage(w.Buf); err != nil {
		return m, v.Errorf("%w", unplaced(err))
	}
	return m, nil
}

// unplaced returns the reason of an error without its place.
func unplaced(err error) error {
	if e := wire.Of(err); e != nil {
		if e.Where != "" {
			return fmt.Errorf("%s: %w", e.Where, e.Err)
		}
		return e.Err
	}
	return err
}

func firstText(list wire.Member) (text string, ok bool) {
	r := list.Read()
	_ = r.Array("a list", func() error {
		m, err := r.Value("")
		if !ok && err == nil {
			text, ok = m.Text()
		}
		return err
	})
	return text, ok
}

// writeCalls writes tool calls in the provider's form.
func writeCalls(w *wire.Writer, list wire.Member) error {
	w.Open('[')
	r := list.Read()
	err := r.Array("tool_calls: a list of calls", func() error {
		v, err := r.Value("")
		if err != nil {
			return err
		}
		return writeCall(w, v)
	})
	w.Close(']')
	return err
}

// writeCall writes a tool call in the provider's form: logs also have name and arguments at the top, or a bare name for a
// function.
func writeCall(w *wire.Writer, v wire.Member) error {
	members, err := v.Read().Members("a tool call, an object")
	if err != nil {
		return err
	}
	var id, name, arguments *wire.Member
	nested := false
	for i, m := range members {
		switch {
		case m.Name == "function" && m.Kind() != '"', m.Name == "custom":
			nested = true
		case m.Name == "name", m.Name == "function":
			name = &members[i]
		case m.Name == "arguments":
			arguments = &members[i]
		case m.Name == "id":
			id = &members[i]
		}
	}
	if nested || name == nil {
		w.Value(v.JSON())
		return nil
	}
	w.Open('{')
	if id != nil {
		w.Member(id.Member())
	}
	w.Text("type", "function")
	w.Name("function")
	w.Open('{')
	w.Name("name")
	w.Value(name.JSON())
	if arguments != nil {
		if arguments.Kind() == '"' {
			w.Member(arguments.Member())
		} else {
			w.Text("arguments", string(arguments.JSON()))
		}
	}
	w.Close('}')
	w.Close('}')
	return nil
}

// openAIUsage reads what a provider of OpenAI's kind counted: its prompt tokens include those read from the cache.
func openAIUsage(m wire.Member) Usage {
	if m.Kind() != '{' {
		return Usage{}
	}
	members, err := m.Read().Members("usage, an object")
	if err != nil {
		return Usage{}
	}
	u := Usage{Recorded: true}
	for _, m := range members {
		switch m.Name {
		case "prompt_tokens", "input_tokens":
			u.Input = integer(m)
		case "completion_tokens", "output_tokens":
			u.Output = integer(m)
		case "cache_read_input_tokens", "input_tokens_cache_read":
			u.Cached = max(u.Cached, integer(m))
		case "cache_creation_input_tokens", "input_tokens_cache_write":
			u.Written = integer(m)
		case "prompt_tokens_details", "input_tokens_details":
			if cached, ok := wire.Path(m, "cached_tokens"); ok {
				u.Cached = max(u.Cached, integer(cached))
			}
		}
	}
	return u
}
