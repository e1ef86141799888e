package openai

import (
	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

// parts returns the blocks of a message that are parts of its content: not a leading thought, and no calls at the end.
func parts(m *messages.Message) []messages.Block {
	blocks := m.Content
	if len(blocks) > 0 && m.Role == messages.Assistant && wire.PlainThinking(&blocks[0]) {
		blocks = blocks[1:]
	}
	end := len(blocks)
	for end > 0 && blocks[end-1].Kind == messages.KindToolCall {
		end--
	}
	return blocks[:end]
}

func writeChat(w *wire.Writer, list []messages.Message) {
	w.Name("messages")
	w.Open('[')
	for i := range list {
		writeMessage(w, &list[i])
	}
	w.Close(']')
}

// writeMessage writes a message of chat completions.
func writeMessage(w *wire.Writer, m *messages.Message) {
	w.Open('{')
	w.Text("role", string(m.Role))
	if result, ok := soleResult(m); ok {
		replaced := format.WriteID(w, "tool_call_id", result.ID)
		if result.Name != "" {
			w.Text("name", result.Name)
		}
		writeOutput(w, "content", result, m.Shape, Chat)
		if result.Cache != "" {
			w.Name("cache_control")
			w.Value(result.Cache)
		}
		format.WriteBeside(w, m, replaced...)
		format.Write(w, result.Extra)
		w.Close('}')
		return
	}
	parts := parts(m)
	blocks := m.Content
	if len(blocks) > 0 && m.Role == messages.Assistant && wire.PlainThinking(&blocks[0]) {
		w.Text("reasoning_content", blocks[0].Text)
		blocks = blocks[1:]
	}
	writeContent(w, m, parts, Chat)
	if calls := blocks[len(parts):]; len(calls) > 0 {
		w.Name("tool_calls")
		w.Open('[')
		for i := range calls {
			writeCall(w, &calls[i])
		}
		w.Close(']')
	}
	format.WriteBeside(w, m)
	w.Close('}')
}

// writeContent writes the parts in the shape the message was read in, as far as they allow it.
func writeContent(w *wire.Writer, m *messages.Message, parts []messages.Block, api API) {
	switch {
	case len(parts) == 0 && m.Shape == messages.ShapeAbsent:
	case len(parts) == 0 && m.Shape == messages.ShapeNull:
		w.Name("content")
		w.Value("null")
	case len(parts) == 1 && m.Shape == messages.ShapeString && wire.PlainText(&parts[0]):
		w.Text("content", parts[0].Text)
	default:
		w.Name("content")
		writeParts(w, parts, api, m.Role)
	}
}

func writeParts(w *wire.Writer, parts []messages.Block, api API, role messages.Role) {
	w.Open('[')
	for i := range parts {
		writePart(w, &parts[i], api, role)
	}
	w.Close(']')
}

func writePart(w *wire.Writer, b *messages.Block, api API, role messages.Role) {
	w.Open('{')
	w.Name("type")
	w.Value(typeOf(b, partType(api, role, b.Kind)))
	switch b.Kind {
	case messages.KindText:
		w.Text("text", b.Text)
	case messages.KindThinking: // another format's: this one has no such part
		w.Text("thinking", b.Text)
	}
	format.Write(w, b.Extra, typeMember)
	if b.Cache != "" {
		w.Name("cache_control")
		w.Value(b.Cache)
	}
	w.Close('}')
}

// typeOf returns the type of a block as JSON: the one it was read with, or the usual one.
func typeOf(b *messages.Block, usual string) messages.JSON {
	if kept, ok := wire.Find(b.Extra, typeMember); ok {
		return kept
	}
	return wire.Quote(usual)
}
