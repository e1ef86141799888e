package sessions

import (
	"fmt"
	"slices"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/openai"
)

// What logs add to a message, and no provider was sent.
var logMembers = []string{
	"agent", "message_type", "thought", "action", "is_demo", "extra", "timestamp", "turn_idx", "cost", "usage", "raw_data",
	"requestor", "generation_time_seconds", "source", "model", "execution_time", "tool_call_ids", "tags",
	"function", "view", "internal",
}

// chatMessage reads a message of chat completions as logs hold it, without what the log adds. Results may name their call as
// tool_call_ids, a list, or as id; calls may have name and arguments at the top.
func chatMessage(v wire.Member) (m messages.Message, err error) {
	members, err := v.Read().Members("a message, an object")
	if err != nil {
		return m, err
	}
	role, callID := wire.TextAt(v, "role"), wire.TextAt(v, "tool_call_id")
	w := wire.Append(nil)
	w.Open('{')
	for _, m := range members {
		switch {
		case m.Name == "tool_call_ids" && m.Kind() == '[' && callID == "":
			_ = m.Each("a list of ids", func(_ int, id wire.Member) error { // the first one
				if text, ok := id.Text(); ok && callID == "" {
					callID = text
					w.Text("tool_call_id", text)
				}
				return nil
			})
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

// writeCalls writes tool calls in the provider's form.
func writeCalls(w *wire.Writer, list wire.Member) error {
	w.Open('[')
	err := list.Each("tool_calls: a list of calls", func(_ int, v wire.Member) error {
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
