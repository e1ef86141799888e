package openai

import (
	"errors"
	"strings"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

var errInstructions = errors.New("instructions: want one text")

// itemMember marks a message that is an item of an unknown type; its value says whether the item has a role.
const itemMember = string(format) + ":item"

// Items that are not messages and have a kind of their own.
const (
	functionCall       = "function_call"
	functionCallOutput = "function_call_output"
	customCall         = "custom_tool_call"
	customCallOutput   = "custom_tool_call_output"
	reasoning          = "reasoning"
	messageItem        = "message"
)

// readItem reads an item of an input of the responses API.
func readItem(r *wire.Reader) (messages.Message, error) {
	place := r.Place()
	members, err := r.Members("an input item, an object")
	if err != nil {
		return messages.Message{}, err
	}
	kind, hasRole, hasType := messageItem, false, false
	for _, m := range members {
		switch m.Name {
		case "role":
			hasRole = true
		case "type":
			hasType = true
			if kind, err = m.WantText(); err == nil && kind == "" {
				err = m.Errorf("an input item with an empty type")
			}
			if err != nil {
				return messages.Message{}, err
			}
		}
	}
	switch kind {
	case functionCall, customCall:
		return readCallItem(kind, members)
	case functionCallOutput, customCallOutput:
		return readOutputItem(kind, members)
	case reasoning:
		return readOpaque(messages.Message{Role: messages.Assistant}, messages.Block{Kind: messages.KindThinking}, members)
	case messageItem:
		if !hasRole && !hasType {
			return messages.Message{}, place.Errorf("an input item without a role and without a type")
		}
		return readMessageItem(place, members)
	}
	m := messages.Message{Role: messages.Assistant, Extra: []messages.Member{{Name: itemMember, Value: "false"}}}
	if strings.HasSuffix(kind, "_call_output") || strings.HasSuffix(kind, "_response") {
		m.Role = messages.Tool // of a call that the caller carried out, or was asked about
	}
	if hasRole {
		m.Extra[0].Value = "true"
		if m.Role, err = role(place, members); err != nil {
			return m, err
		}
	}
	return readOpaque(m, messages.Block{Kind: messages.Kind(format.Escape(kind, takenKinds))}, members)
}

// readOpaque keeps the members of an item in a block.
func readOpaque(m messages.Message, b messages.Block, members []wire.Member) (messages.Message, error) {
	for _, member := range members {
		switch text, ok := member.Text(); {
		case member.Name == "type", member.Name == "role" && b.Kind != messages.KindThinking:
		case member.Name == "id" && ok && text != "":
			m.ID = text
		default:
			b.Extra = append(b.Extra, format.Keep(member, wire.Taken(b.Kind)))
		}
	}
	m.Content = []messages.Block{b}
	return m, nil
}

func readMessageItem(place wire.Member, members []wire.Member) (m messages.Message, err error) {
	m.Shape = messages.ShapeAbsent
	if m.Role, err = role(place, members); err != nil {
		return m, err
	}
	for _, member := range members {
		switch member.Name {
		case "role":
		case "content":
			m.Content, m.Shape, err = readContent(member, Responses, m.Role)
		default:
			format.KeepBeside(&m, member)
		}
		if err != nil {
			return messages.Message{}, err
		}
	}
	return m, nil
}

func readCallItem(kind string, members []wire.Member) (messages.Message, error) {
	m := messages.Message{Role: messages.Assistant}
	b := messages.Block{Kind: messages.KindToolCall}
	arguments := "arguments"
	if kind == customCall {
		arguments = "input"
		b.Extra = []messages.Member{{Name: typeMember, Value: wire.Quote(kind)}}
	}
	named := false
	for _, member := range members {
		text, isText := member.Text()
		switch {
		case member.Name == "type":
		case member.Name == "id" && isText && text != "":
			m.ID = text
		case member.Name == "call_id" && isText && text != "":
			b.ID = text
		case member.Name == "name":
			var err error
			named = true
			if b.Name, err = member.WantText(); err != nil {
				return m, err
			}
		case member.Name == arguments:
			wire.SetPayload(&b, member)
		default:
			b.Extra = append(b.Extra, format.Keep(member, wire.Taken(b.Kind)))
		}
	}
	if !named && len(members) > 0 {
		return m, members[0].Errorf("a %s without the name of the tool", kind)
	}
	m.Content = []messages.Block{b}
	return m, nil
}

func readOutputItem(kind string, members []wire.Member) (messages.Message, error) {
	m := messages.Message{Role: messages.Tool, Shape: messages.ShapeAbsent}
	b := messages.Block{Kind: messages.KindToolResult}
	if kind == customCallOutput {
		b.Extra = []messages.Member{{Name: typeMember, Value: wire.Quote(kind)}}
	}
	for _, member := range members {
		text, isText := member.Text()
		var err error
		switch {
		case member.Name == "type":
		case member.Name == "id" && isText && text != "":
			m.ID = text
		case member.Name == "call_id" && isText && text != "":
			b.ID = text
		case member.Name == "output":
			m.Shape, err = readOutput(&b, member, Responses)
		default:
			b.Extra = append(b.Extra, format.Keep(member, wire.Taken(b.Kind)))
		}
		if err != nil {
			return m, err
		}
	}
	m.Content = []messages.Block{b}
	return m, nil
}

func writeInput(w *wire.Writer, list []messages.Message, bare bool) {
	w.Name("input")
	if bare && len(list) == 1 && len(list[0].Content) == 1 && wire.PlainText(&list[0].Content[0]) {
		w.String(list[0].Content[0].Text)
		return
	}
	w.Open('[')
	for i := range list {
		writeItems(w, &list[i])
	}
	w.Close(']')
}

// writeItems writes a message as the items it is: thoughts, calls and results are items of their own.
func writeItems(w *wire.Writer, m *messages.Message) {
	if hasRole, ok := wire.Find(m.Extra, itemMember); ok && len(m.Content) == 1 {
		w.Open('{')
		w.Text("type", format.Unescape(string(m.Content[0].Kind)))
		if hasRole == "true" {
			w.Text("role", string(m.Role))
		}
		if m.ID != "" {
			w.Text("id", m.ID)
		}
		format.Write(w, m.Content[0].Extra)
		w.Close('}')
		return
	}
	if len(m.Content) == 0 {
		writeMessageItem(w, m, m.Content)
	}
	for i := 0; i < len(m.Content); i++ {
		end := i
		for end < len(m.Content) && !isItem(m.Content[end].Kind) {
			end++
		}
		if end > i {
			writeMessageItem(w, m, m.Content[i:end])
			i = end - 1
			continue
		}
		w.Open('{')
		writeBlockItem(w, &m.Content[i], m.Shape)
		if len(m.Content) == 1 && m.ID != "" {
			w.Text("id", m.ID)
		}
		w.Close('}')
	}
}

func isItem(kind messages.Kind) bool {
	return kind == messages.KindThinking || kind == messages.KindToolCall || kind == messages.KindToolResult
}

func writeMessageItem(w *wire.Writer, m *messages.Message, parts []messages.Block) {
	w.Open('{')
	w.Text("role", string(m.Role))
	writeContent(w, m, parts, Responses)
	format.WriteBeside(w, m)
	w.Close('}')
}

func writeBlockItem(w *wire.Writer, b *messages.Block, shape messages.Shape) {
	usual := map[messages.Kind]string{
		messages.KindThinking: reasoning, messages.KindToolCall: functionCall, messages.KindToolResult: functionCallOutput,
	}[b.Kind]
	kind := typeOf(b, usual)
	w.Name("type")
	w.Value(kind)
	var replaced []string
	switch b.Kind {
	case messages.KindToolCall:
		replaced = format.WriteID(w, "call_id", b.ID)
		w.Text("name", b.Name)
		arguments := "arguments"
		if kind == wire.Quote(customCall) {
			arguments = "input"
		}
		writePayload(w, arguments, b)
	case messages.KindToolResult:
		replaced = format.WriteID(w, "call_id", b.ID)
		writeOutput(w, "output", b, shape, Responses)
	}
	format.Write(w, b.Extra, append(replaced, typeMember)...)
	if _, ok := wire.Find(b.Extra, "summary"); !ok && b.Kind == messages.KindThinking && b.Text != "" {
		w.Name("summary") // another format's thought
		w.Value(`[{"type":"summary_text","text":` + wire.Quote(b.Text) + `}]`)
	}
}

func (q Request) writeSystem(w *wire.Writer) {
	if len(q.System.Content) == 1 && wire.PlainText(&q.System.Content[0]) {
		w.Text("instructions", q.System.Content[0].Text)
		return
	}
	w.Fail(errInstructions)
}
