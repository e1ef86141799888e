package sessions

import (
	"fmt"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

const converse = wire.Bedrock

// Members that keep what has no field.
const (
	converseCall   = string(converse) + ":call"   // what a toolUse has beside its fields
	converseResult = string(converse) + ":result" // what a toolResult has beside its fields
	converseBlock  = string(converse) + ":block"  // the kind of a block that is none of those with fields
)

// readConverse reads a body of Bedrock's Converse. The tools stay among the parameters, and are read from there.
func readConverse(call *Call, body wire.Member) error {
	r := body.Read()
	found := false
	err := r.Object("a request body, an object", func(name string) error {
		v, err := r.Value(name)
		if err != nil {
			return err
		}
		switch {
		case name == "messages":
			found = true
			list := v.Read()
			return list.Array("a list of messages", func() error {
				m, err := readConverseMessage(list)
				call.Messages = append(call.Messages, m)
				return err
			})
		case name == "system" && v.Kind() == '[':
			call.System.Role = messages.System
			call.System.Content, err = readConverseBlocks(v)
			return err
		case name == "toolConfig":
			if tools, _ := wire.Path(v, "tools"); tools.Kind() == '[' {
				err = tools.Each("a list of tools", func(_ int, t wire.Member) error {
					spec, _ := wire.Path(t, "toolSpec")
					if spec.Kind() != '{' {
						return nil
					}
					tool, err := wire.ReadTool(spec)
					call.Tools = append(call.Tools, tool)
					return err
				})
				if err != nil {
					return err
				}
			}
		}
		call.Params = append(call.Params, v.Member())
		return nil
	})
	if err == nil && !found {
		err = body.Errorf("a body without messages")
	}
	return err
}

func readConverseMessage(r *wire.Reader) (messages.Message, error) {
	place := r.Place()
	m := messages.Message{Shape: messages.ShapeAbsent}
	err := r.Object("a message, an object", func(name string) error {
		v, err := r.Value(name)
		if err != nil {
			return err
		}
		switch name {
		case "role":
			text, err := v.WantText()
			m.Role = messages.Role(text)
			return err
		case "content":
			m.Shape = messages.ShapeBlocks
			m.Content, err = readConverseBlocks(v)
			return err
		}
		converse.KeepBeside(&m, v)
		return nil
	})
	if err == nil && m.Role == "" {
		err = place.Errorf("message without a role")
	}
	return m, err
}

func readConverseBlocks(list wire.Member) ([]messages.Block, error) {
	blocks := []messages.Block{}
	r := list.Read()
	err := r.Array("a list of content blocks", func() error {
		members, err := r.Members("a content block, an object")
		if err != nil {
			return err
		}
		b, err := readConverseBlock(members)
		blocks = append(blocks, b)
		return err
	})
	return blocks, err
}

func readConverseBlock(members []wire.Member) (messages.Block, error) {
	if len(members) == 1 {
		m := members[0]
		switch text, isText := m.Text(); {
		case m.Name == "text" && isText:
			return messages.Text(text), nil
		case m.Name == "toolUse" && m.Kind() == '{':
			return readConverseTool(messages.KindToolCall, m, "input", converseCall)
		case m.Name == "toolResult" && m.Kind() == '{':
			return readConverseTool(messages.KindToolResult, m, "content", converseResult)
		}
	}
	b := messages.Block{Kind: messages.Kind(converseBlock)}
	for _, m := range members {
		switch m.Name {
		case "image":
			b.Kind = messages.KindImage
		case "document":
			b.Kind = messages.KindDocument
		}
		b.Extra = append(b.Extra, converse.Keep(m, []string{"type"}))
	}
	return b, nil
}

func readConverseTool(kind messages.Kind, data wire.Member, payload, rest string) (messages.Block, error) {
	b := messages.Block{Kind: kind}
	members, err := data.Read().Members("a tool's block, an object")
	if err != nil {
		return b, err
	}
	var others []wire.Member
	for _, m := range members {
		text, isText := m.Text()
		switch {
		case m.Name == "toolUseId" && isText && text != "":
			b.ID = text
		case m.Name == "name" && isText && text != "":
			b.Name = text
		case m.Name == payload && m.Kind() == '[' && kind == messages.KindToolResult:
			if b.Content, err = readConverseBlocks(m); err != nil {
				return b, err
			}
		case m.Name == payload && m.Kind() != '"':
			b.Value = m.JSON()
		default:
			others = append(others, m)
		}
	}
	b.Extra = wire.KeepRest(rest, others)
	return b, nil
}

// appendConverse appends the body of a call of Converse.
func appendConverse(dst []byte, c Call) ([]byte, error) {
	w := wire.Append(dst)
	w.Open('{')
	if c.System.Role != "" {
		w.Name("system")
		writeConverseBlocks(w, c.System.Content)
	}
	w.Name("messages")
	w.Open('[')
	for i := range c.Messages {
		m := &c.Messages[i]
		w.Open('{')
		w.Text("role", string(m.Role))
		if m.Content != nil || m.Shape != messages.ShapeAbsent {
			w.Name("content")
			writeConverseBlocks(w, m.Content)
		}
		converse.WriteBeside(w, m)
		w.Close('}')
	}
	w.Close(']')
	for _, m := range c.Params {
		w.Member(m)
	}
	w.Close('}')
	out, err := w.Result()
	if err != nil {
		return out, fmt.Errorf("sessions: bedrock: %w", err)
	}
	return out, nil
}

func writeConverseBlocks(w *wire.Writer, blocks []messages.Block) {
	w.Open('[')
	for i := range blocks {
		b := &blocks[i]
		w.Open('{')
		switch b.Kind {
		case messages.KindText:
			w.Text("text", b.Text)
		case messages.KindToolCall:
			w.Name("toolUse")
			writeConverseTool(w, b, "input", converseCall)
		case messages.KindToolResult:
			w.Name("toolResult")
			writeConverseTool(w, b, "content", converseResult)
		}
		converse.Write(w, b.Extra, converseCall, converseResult)
		w.Close('}')
	}
	w.Close(']')
}

func writeConverseTool(w *wire.Writer, b *messages.Block, payload, rest string) {
	w.Open('{')
	replaced := converse.WriteID(w, "toolUseId", b.ID)
	if b.Name != "" {
		w.Text("name", b.Name)
	}
	switch {
	case b.Content != nil:
		w.Name(payload)
		writeConverseBlocks(w, b.Content)
	case b.Value != "":
		w.Name(payload)
		w.Value(b.Value)
	case b.Text != "":
		w.Name(payload)
		writeConverseBlocks(w, []messages.Block{messages.Text(b.Text)})
	}
	wire.WriteRest(w, b.Extra, rest, replaced...)
	w.Close('}')
}
