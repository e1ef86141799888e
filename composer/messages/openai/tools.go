package openai

import (
	"slices"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

// callMember keeps what a tool call has beside its id, its name and its arguments, where that is more than the type
// "function".
const callMember = string(format) + ":call"

// Types of tool calls, and of the items for them in the responses API.
const (
	function = "function"
	custom   = "custom"
)

// readCalls reads the tool calls of a message of chat completions.
func readCalls(list wire.Member) ([]messages.Block, error) {
	var calls []messages.Block
	r := list.Read()
	err := r.Array("tool_calls: a list of calls", func() error {
		call, err := readCall(r)
		calls = append(calls, call)
		return err
	})
	return calls, err
}

func readCall(r *wire.Reader) (messages.Block, error) {
	call := messages.Block{Kind: messages.KindToolCall}
	place := r.Place()
	members, err := r.Members("a tool call, an object")
	if err != nil {
		return call, err
	}
	kind := function
	for _, m := range members {
		if text, ok := m.Text(); ok && m.Name == "type" {
			kind = text
		}
	}
	argumentsName := "arguments"
	if kind == custom {
		argumentsName = "input"
	}
	rest := wire.Append(nil)
	rest.Open('{')
	called := false
	for _, m := range members {
		text, isText := m.Text()
		switch {
		case m.Name == "id" && isText && text != "":
			call.ID = text
		case m.Name == kind && m.Kind() == '{':
			called = true
			var left []wire.Member
			if left, err = readCalled(&call, m, argumentsName); err != nil {
				return call, err
			}
			if len(left) > 0 {
				rest.Name(kind)
				rest.Open('{')
				for _, m := range left {
					rest.Member(m.Member())
				}
				rest.Close('}')
			}
		default:
			rest.Member(m.Member())
		}
	}
	rest.Close('}')
	if !called {
		return call, place.Errorf("a tool call without its %s", kind)
	}
	if string(rest.Buf) != `{"type":"function"}` {
		call.Extra = []messages.Member{{Name: callMember, Value: messages.JSON(rest.Buf)}}
	}
	return call, nil
}

// readCalled reads the name and the arguments, and returns the other members.
func readCalled(call *messages.Block, called wire.Member, argumentsName string) (rest []wire.Member, err error) {
	members, err := called.Read().Members("a function, an object")
	if err != nil {
		return nil, err
	}
	named := false
	for _, m := range members {
		switch m.Name {
		case "name":
			named = true
			call.Name, err = m.WantText()
		case argumentsName:
			wire.SetPayload(call, m)
		default:
			rest = append(rest, m)
		}
		if err != nil {
			return nil, err
		}
	}
	if !named {
		return nil, called.Errorf("a tool call without the name of the tool")
	}
	return rest, nil
}

func writePayload(w *wire.Writer, name string, b *messages.Block) {
	switch {
	case b.Value != "":
		w.Name(name)
		w.Value(b.Value)
	case b.Text != "":
		w.Text(name, b.Text)
	}
}

// writeCall writes a tool call of chat completions. Arguments of another format, which are a value, become the string
// that this one wants.
func writeCall(w *wire.Writer, b *messages.Block) {
	w.Open('{')
	replaced := format.WriteID(w, "id", b.ID)
	rest, kept := wire.Find(b.Extra, callMember)
	if !kept {
		w.Text("type", function)
		w.Name(function)
		w.Open('{')
		w.Text("name", b.Name)
		writePayload(w, "arguments", b)
		w.Close('}')
		w.Close('}')
		return
	}
	members, err := wire.Read([]byte(rest)).Members("the rest of a tool call, an object")
	if err != nil {
		w.Fail(err)
	}
	kind, arguments := function, "arguments"
	for _, m := range members {
		if text, ok := m.Text(); ok && m.Name == "type" {
			kind = text
		}
	}
	if kind == custom {
		arguments = "input"
	}
	w.Name(kind)
	w.Open('{')
	w.Text("name", b.Name)
	writePayload(w, arguments, b)
	for _, m := range members {
		if m.Name == kind && m.Kind() == '{' {
			inner, err := m.Read().Members("a function, an object")
			if err != nil {
				w.Fail(err)
			}
			for _, m := range inner {
				w.Member(m.Member())
			}
		}
	}
	w.Close('}')
	for _, m := range members {
		if (m.Name != kind || m.Kind() != '{') && !slices.Contains(replaced, m.Name) {
			w.Member(m.Member())
		}
	}
	w.Close('}')
}

// readResult reads a message of role tool.
func readResult(m messages.Message, members []wire.Member) (messages.Message, error) {
	b := messages.Block{Kind: messages.KindToolResult}
	for _, member := range members {
		text, isText := member.Text()
		var err error
		switch {
		case member.Name == "role":
		case member.Name == "tool_call_id" && isText && text != "":
			b.ID = text
		case member.Name == "name" && isText && text != "":
			b.Name = text
		case member.Name == "cache_control":
			b.Cache = member.JSON()
		case member.Name == "content":
			m.Shape, err = readOutput(&b, member, Chat)
		default:
			format.KeepBeside(&m, member)
		}
		if err != nil {
			return messages.Message{}, err
		}
	}
	m.Content = []messages.Block{b}
	return m, nil
}

// readOutput reads the content of a result: a string, a list of parts, or any other value as it is.
func readOutput(b *messages.Block, content wire.Member, api API) (shape messages.Shape, err error) {
	switch content.Kind() {
	case '"':
		wire.SetPayload(b, content)
		return messages.ShapeString, nil
	case 'n':
		return messages.ShapeNull, nil
	case '[':
		b.Content, err = readParts(content, api, messages.Tool)
		return messages.ShapeBlocks, err
	}
	b.Value = content.JSON()
	return messages.ShapeString, nil
}

func writeOutput(w *wire.Writer, name string, b *messages.Block, shape messages.Shape, api API) {
	switch {
	case len(b.Content) > 0 || b.Content != nil && shape == messages.ShapeBlocks:
		w.Name(name)
		writeParts(w, b.Content, api, messages.Tool)
	case b.Value != "":
		w.Name(name)
		w.Value(b.Value)
	case b.Text != "":
		w.Text(name, b.Text)
	case shape == messages.ShapeNull:
		w.Name(name)
		w.Value("null")
	case shape == messages.ShapeAbsent:
	default:
		w.Text(name, "")
	}
}

// soleResult returns the tool result that is all of a tool message.
func soleResult(m *messages.Message) (*messages.Block, bool) {
	if m.Role == messages.Tool && len(m.Content) == 1 && m.Content[0].Kind == messages.KindToolResult {
		return &m.Content[0], true
	}
	return nil, false
}
