package sessions

import (
	"fmt"
	"strings"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

const gemini = wire.Gemini

// Members that keep what has no field.
const (
	geminiNoRole   = string(gemini) + ":role"     // null: the content has no role
	geminiPart     = string(gemini) + ":part"     // the kind of a part that is none of those below
	geminiCall     = string(gemini) + ":call"     // what a functionCall has beside id, name and args
	geminiResponse = string(gemini) + ":response" // what a functionResponse has beside id, name and response
)

var (
	geminiRoles = []string{string(messages.Assistant)}
	geminiTaken = []string{"type", "text", "arguments", "id", "name", "content", "error", "result", "toolCallId"}
)

// readGemini reads a body of generateContent.
func readGemini(call *Call, body wire.Member) error {
	r := body.Read()
	found := false
	err := r.Object("a request body, an object", func(name string) error {
		v, err := r.Value(name)
		if err != nil {
			return err
		}
		switch {
		case name == "contents":
			found = true
			list := v.Read()
			return list.Array("contents: a list", func() error {
				m, err := readGeminiContent(list)
				call.Messages = append(call.Messages, m)
				return err
			})
		case name == "systemInstruction" && v.Kind() == '{':
			call.System, err = readGeminiContent(v.Read())
			call.System.Role = messages.System
			return err
		case name == "tools" && v.Kind() == '[':
			call.Tools, err = readGeminiTools(v)
			return err
		}
		call.Params = append(call.Params, v.Member())
		return nil
	})
	if err == nil && !found {
		err = body.Errorf("a body without contents")
	}
	return err
}

func readGeminiContent(r *wire.Reader) (messages.Message, error) {
	m := messages.Message{Role: messages.User, Shape: messages.ShapeAbsent}
	hasRole := false
	err := r.Object("a content, an object", func(name string) error {
		v, err := r.Value(name)
		if err != nil {
			return err
		}
		text, isText := v.Text()
		switch {
		case name == "role" && isText && text == "model":
			m.Role, hasRole = messages.Assistant, true
		case name == "role" && isText && text != "":
			m.Role, hasRole = messages.Role(gemini.Escape(text, geminiRoles)), true
		case name == "role":
			return v.Errorf("role: want a name, not empty; found %s", v.Kind())
		case name == "parts" && v.Kind() == '[':
			m.Shape = messages.ShapeBlocks
			m.Content = []messages.Block{}
			parts := v.Read()
			return parts.Array("parts: a list", func() error {
				members, err := parts.Members("a part, an object")
				m.Content = append(m.Content, readGeminiPart(members))
				return err
			})
		default:
			gemini.KeepBeside(&m, v)
		}
		return nil
	})
	if !hasRole {
		m.Extra = append(m.Extra, messages.Member{Name: geminiNoRole, Value: "null"})
	}
	return m, err
}

// readGeminiPart reads a part: what it is, is said by which member it has.
func readGeminiPart(members []wire.Member) messages.Block {
	var b messages.Block
	var data *wire.Member
	thought := false
	for i, m := range members {
		switch m.Name {
		case "text", "functionCall", "functionResponse", "inlineData", "fileData":
			if data != nil {
				return opaquePart(members)
			}
			data = &members[i]
		case "thought":
			thought = m.Kind() == 't'
		}
	}
	if data == nil {
		return opaquePart(members)
	}
	keep := func(except string) {
		for _, m := range members {
			if m.Name != except {
				b.Extra = append(b.Extra, gemini.Keep(m, geminiTaken))
			}
		}
	}
	text, isText := data.Text()
	switch {
	case data.Name == "text" && isText:
		b.Kind, b.Text = messages.KindText, text
		if thought {
			b.Kind = messages.KindThinking
		}
		keep("text")
	case data.Name == "functionCall" && data.Kind() == '{':
		b.Kind = messages.KindToolCall
		keep(data.Name)
		geminiFunction(&b, *data, "args", geminiCall)
	case data.Name == "functionResponse" && data.Kind() == '{':
		b.Kind = messages.KindToolResult
		keep(data.Name)
		geminiFunction(&b, *data, "response", geminiResponse)
	case (data.Name == "inlineData" || data.Name == "fileData") && data.Kind() == '{':
		b.Kind = messages.KindFile
		if v, ok := wire.Path(*data, "mimeType"); ok {
			mime, _ := v.Text()
			switch {
			case strings.HasPrefix(mime, "image/"):
				b.Kind = messages.KindImage
			case strings.HasPrefix(mime, "audio/"):
				b.Kind = messages.KindAudio
			}
		}
		keep("")
	default:
		return opaquePart(members)
	}
	return b
}

func opaquePart(members []wire.Member) messages.Block {
	b := messages.Block{Kind: messages.Kind(geminiPart)}
	for _, m := range members {
		b.Extra = append(b.Extra, gemini.Keep(m, geminiTaken))
	}
	return b
}

// geminiFunction reads a call or a response.
func geminiFunction(b *messages.Block, data wire.Member, payload, rest string) {
	members, err := data.Read().Members("a function, an object")
	if err != nil {
		return // it was read before
	}
	var others []wire.Member
	for _, m := range members {
		text, isText := m.Text()
		switch {
		case m.Name == "id" && isText && text != "":
			b.ID = text
		case m.Name == "name" && isText && text != "":
			b.Name = text
		case m.Name == payload && m.Kind() != '"':
			b.Value = m.JSON()
		default:
			others = append(others, m)
		}
	}
	b.Extra = append(b.Extra, wire.KeepRest(rest, others)...)
}

// readGeminiTools reads the tools: declarations one by one where that can be undone, else element by element.
func readGeminiTools(list wire.Member) ([]messages.ToolSpec, error) {
	tools := []messages.ToolSpec{}
	split := false // the last element was taken apart
	err := list.Each("a list of tools", func(_ int, v wire.Member) error {
		declarations, ok := wire.Path(v, "functionDeclarations")
		members, _ := v.Read().Members("a tool, an object")
		named := func(m wire.Member) bool { _, ok := wire.Path(m, "name"); return ok }
		if ok && !split && len(members) == 1 && declarations.Kind() == '[' &&
			every(declarations, named) && some(declarations, named) {
			split = true
			inner, err := wire.ReadTools(declarations.Read())
			tools = append(tools, inner...)
			return err
		}
		split = false
		tool, err := wire.ReadTool(v)
		if tool.Name == "" && len(members) > 0 {
			tool.Name = members[0].Name
		}
		if _, ok := wire.Path(v, "name"); ok && err == nil {
			err = v.Errorf("a tool with a name: want functionDeclarations around it")
		}
		tools = append(tools, tool)
		return err
	})
	return tools, err
}

// appendGemini appends the body of a call of generateContent.
func appendGemini(dst []byte, c Call) ([]byte, error) {
	w := wire.Append(dst)
	w.Open('{')
	if c.System.Role != "" {
		w.Name("systemInstruction")
		m := c.System
		m.Role = messages.User
		writeGeminiContent(w, &m)
	}
	if c.Tools != nil {
		w.Name("tools")
		writeGeminiTools(w, c.Tools)
	}
	w.Name("contents")
	w.Open('[')
	for i := range c.Messages {
		writeGeminiContent(w, &c.Messages[i])
	}
	w.Close(']')
	for _, m := range c.Params {
		w.Member(m)
	}
	w.Close('}')
	out, err := w.Result()
	if err != nil {
		return out, fmt.Errorf("sessions: gemini: %w", err)
	}
	return out, nil
}

func writeGeminiTools(w *wire.Writer, tools []messages.ToolSpec) {
	w.Open('[')
	open := false
	for _, t := range tools {
		v, err := wire.Read([]byte(t.Definition)).Value("")
		if err != nil {
			w.Fail(err)
			return
		}
		if _, declared := wire.Path(v, "name"); declared {
			if !open {
				w.Open('{')
				w.Name("functionDeclarations")
				w.Open('[')
				open = true
			}
			w.Value(t.Definition)
			continue
		}
		if open {
			w.Close(']')
			w.Close('}')
			open = false
		}
		w.Value(t.Definition)
	}
	if open {
		w.Close(']')
		w.Close('}')
	}
	w.Close(']')
}

func writeGeminiContent(w *wire.Writer, m *messages.Message) {
	w.Open('{')
	if _, none := wire.Find(m.Extra, geminiNoRole); !none {
		role := "model"
		if m.Role != messages.Assistant {
			role = gemini.Unescape(string(m.Role))
		}
		w.Text("role", role)
	}
	if m.Content != nil || m.Shape != messages.ShapeAbsent {
		w.Name("parts")
		w.Open('[')
		for i := range m.Content {
			writeGeminiPart(w, &m.Content[i])
		}
		w.Close(']')
	}
	gemini.WriteBeside(w, m, geminiNoRole)
	w.Close('}')
}

func writeGeminiPart(w *wire.Writer, b *messages.Block) {
	w.Open('{')
	switch b.Kind {
	case messages.KindText, messages.KindThinking:
		w.Text("text", b.Text)
	case messages.KindToolCall:
		w.Name("functionCall")
		writeGeminiFunction(w, b, "args", geminiCall)
	case messages.KindToolResult:
		w.Name("functionResponse")
		writeGeminiFunction(w, b, "response", geminiResponse)
	}
	gemini.Write(w, b.Extra, geminiCall, geminiResponse)
	w.Close('}')
}

func writeGeminiFunction(w *wire.Writer, b *messages.Block, payload, rest string) {
	w.Open('{')
	replaced := gemini.WriteID(w, "id", b.ID)
	if b.Name != "" {
		w.Text("name", b.Name)
	}
	switch {
	case b.Value != "":
		w.Name(payload)
		w.Value(b.Value)
	case b.Text != "":
		w.Name(payload)
		w.Open('{')
		w.Text("result", b.Text)
		w.Close('}')
	}
	wire.WriteRest(w, b.Extra, rest, replaced...)
	w.Close('}')
}
