package anthropic

import (
	"fmt"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

const format = wire.Anthropic

// A Request is a body. The zero value is one without messages.
type Request struct {
	System   messages.Message // the zero value: none
	Messages []messages.Message
	Tools    []messages.ToolSpec // nil: no such member
	Params   []messages.Member   // all other members, in the order read
}

// Parse reads a body. An error says the line, the byte and what was wanted.
func Parse(src []byte) (Request, error) {
	q, err := parse(src)
	if err != nil {
		return Request{}, fmt.Errorf("anthropic: %w", err)
	}
	return q, nil
}

// ParseMessage reads one message, as session logs hold them: with role and content, and other members that are kept.
func ParseMessage(src []byte) (messages.Message, error) {
	r := wire.Read(src)
	m, err := readMessage(r)
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return messages.Message{}, fmt.Errorf("anthropic: %w", err)
	}
	return m, nil
}

func parse(src []byte) (Request, error) {
	var q Request
	r := wire.Read(src)
	place, found := r.Place(), false
	err := r.Object("a request body, an object", func(name string) (err error) {
		switch {
		case name == "messages":
			found = true
			q.Messages = []messages.Message{}
			return r.Array("a list of messages", func() error {
				m, err := readMessage(r)
				q.Messages = append(q.Messages, m)
				return err
			})
		case name == "system" && r.Kind() != 'n':
			content, err := r.Value(name)
			if err != nil {
				return err
			}
			q.System.Role = messages.System
			q.System.Content, q.System.Shape, err = readContent(content)
			return err
		case name == "tools" && r.Kind() == '[':
			q.Tools, err = wire.ReadTools(r)
			return err
		}
		m, err := r.Value(name)
		q.Params = append(q.Params, m.Member())
		return err
	})
	if err == nil && !found {
		err = place.Errorf("a body without messages")
	}
	if err == nil {
		err = r.End()
	}
	return q, err
}

func readMessage(r *wire.Reader) (messages.Message, error) {
	var m messages.Message
	m.Shape = messages.ShapeAbsent
	place := r.Place()
	err := r.Object("a message, an object", func(name string) error {
		member, err := r.Value(name)
		if err != nil {
			return err
		}
		switch name {
		case "role":
			var role string
			role, err = member.WantText()
			m.Role = messages.Role(role)
		case "content":
			m.Content, m.Shape, err = readContent(member)
		default:
			format.KeepBeside(&m, member)
		}
		return err
	})
	if err == nil && m.Role == "" {
		err = place.Errorf("message without a role")
	}
	return m, err
}

// readContent reads a string or a list of blocks.
func readContent(content wire.Member) ([]messages.Block, messages.Shape, error) {
	switch content.Kind() {
	case '"':
		text, err := content.WantText()
		return []messages.Block{messages.Text(text)}, messages.ShapeString, err
	case '[':
		blocks, err := readBlocks(content)
		return blocks, messages.ShapeBlocks, err
	}
	return nil, 0, content.Errorf("content: want a string or a list of blocks; found %s", content.Kind())
}

func readBlocks(content wire.Member) ([]messages.Block, error) {
	blocks := []messages.Block{}
	r := content.Read()
	err := r.Array("a list of content blocks", func() error {
		kind, members, err := r.Typed("a content block")
		if err != nil {
			return err
		}
		b, err := readBlock(kind, members)
		blocks = append(blocks, b)
		return err
	})
	return blocks, err
}

// The types that have a kind of their own, and the member that makes such a block what it is.
var kinds = map[string]struct {
	kind   messages.Kind
	member string
}{
	"text":        {messages.KindText, "text"},
	"thinking":    {messages.KindThinking, "thinking"},
	"tool_use":    {messages.KindToolCall, "name"},
	"tool_result": {messages.KindToolResult, ""},
	"image":       {messages.KindImage, ""},
	"document":    {messages.KindDocument, ""},
}

// takenKinds are the types that name another kind of block than the format means.
var takenKinds = []string{
	string(messages.KindToolCall), string(messages.KindAudio), string(messages.KindFile),
}

func blockType(kind messages.Kind) string {
	if kind == messages.KindToolCall {
		return "tool_use"
	}
	return format.Unescape(string(kind))
}

func readBlock(kind string, members []wire.Member) (messages.Block, error) {
	known, ok := kinds[kind]
	b := messages.Block{Kind: known.kind}
	if !ok {
		b.Kind = messages.Kind(format.Escape(kind, takenKinds))
	} else if known.member != "" && !hasText(members, known.member) {
		b.Kind = messages.Kind(string(format) + ":" + kind) // what that means is not ours to judge
	}
	for _, m := range members {
		text, isText := m.Text()
		var err error
		switch {
		case m.Name == "cache_control":
			b.Cache = m.JSON()
		case b.Kind == messages.KindText && m.Name == "text",
			b.Kind == messages.KindThinking && m.Name == "thinking":
			b.Text = text
		case b.Kind == messages.KindToolCall && m.Name == "id" && isText && text != "",
			b.Kind == messages.KindToolResult && m.Name == "tool_use_id" && isText && text != "":
			b.ID = text
		case b.Kind == messages.KindToolCall && m.Name == "name":
			b.Name = text
		case b.Kind == messages.KindToolCall && m.Name == "input":
			wire.SetPayload(&b, m)
		case b.Kind == messages.KindToolResult && m.Name == "content" && m.Kind() == '[':
			b.Content, err = readBlocks(m)
		case b.Kind == messages.KindToolResult && m.Name == "content":
			wire.SetPayload(&b, m)
		default:
			b.Extra = append(b.Extra, format.Keep(m, wire.Taken(b.Kind)))
		}
		if err != nil {
			return b, err
		}
	}
	return b, nil
}

func hasText(members []wire.Member, name string) bool {
	for _, m := range members {
		if m.Name == name {
			return m.Kind() == '"'
		}
	}
	return false
}

// AppendJSON appends the body to dst. It is an error when a value is not JSON or a text is not UTF-8; what is returned
// then is dst as it was.
//
// The members come in the order model, tools, system, messages, in which the provider reads them, then the others as
// they were read.
func (q Request) AppendJSON(dst []byte) ([]byte, error) {
	w := wire.Append(dst)
	w.Open('{')
	if model, ok := wire.Find(q.Params, "model"); ok {
		w.Name("model")
		w.Value(model)
	}
	if q.Tools != nil {
		w.Name("tools")
		w.Open('[')
		for _, tool := range q.Tools {
			w.Value(tool.Definition)
		}
		w.Close(']')
	}
	if q.System.Role != "" {
		writeContent(w, "system", &q.System)
	}
	w.Name("messages")
	w.Open('[')
	for i := range q.Messages {
		writeMessage(w, &q.Messages[i])
	}
	w.Close(']')
	for _, m := range q.Params {
		if m.Name != "model" {
			w.Member(m)
		}
	}
	w.Close('}')
	out, err := w.Result()
	if err != nil {
		return out, fmt.Errorf("anthropic: %w", err)
	}
	return out, nil
}

func writeMessage(w *wire.Writer, m *messages.Message) {
	w.Open('{')
	w.Text("role", string(m.Role))
	writeContent(w, "content", m)
	format.WriteBeside(w, m)
	w.Close('}')
}

func writeContent(w *wire.Writer, name string, m *messages.Message) {
	switch {
	case len(m.Content) == 1 && m.Shape == messages.ShapeString && wire.PlainText(&m.Content[0]):
		w.Text(name, m.Content[0].Text)
	case len(m.Content) == 0 && m.Shape == messages.ShapeAbsent:
	default:
		w.Name(name)
		writeBlocks(w, m.Content)
	}
}

func writeBlocks(w *wire.Writer, blocks []messages.Block) {
	w.Open('[')
	for i := range blocks {
		writeBlock(w, &blocks[i])
	}
	w.Close(']')
}

func writeBlock(w *wire.Writer, b *messages.Block) {
	w.Open('{')
	w.Text("type", blockType(b.Kind))
	var replaced []string
	switch b.Kind {
	case messages.KindText:
		w.Text("text", b.Text)
	case messages.KindThinking:
		w.Text("thinking", b.Text)
	case messages.KindToolCall:
		replaced = format.WriteID(w, "id", b.ID)
		w.Text("name", b.Name)
		writePayload(w, "input", b)
	case messages.KindToolResult:
		replaced = format.WriteID(w, "tool_use_id", b.ID)
		writePayload(w, "content", b)
	}
	format.Write(w, b.Extra, replaced...)
	if b.Cache != "" {
		w.Name("cache_control")
		w.Value(b.Cache)
	}
	w.Close('}')
}

func writePayload(w *wire.Writer, name string, b *messages.Block) {
	switch {
	case b.Value != "":
		w.Name(name)
		w.Value(b.Value)
	case b.Text != "":
		w.Text(name, b.Text)
	case b.Content != nil:
		w.Name(name)
		writeBlocks(w, b.Content)
	}
}

// Canonical returns the one form of all requests that say the same: content is a list of blocks, and so is the system
// prompt; a result of a single text is a string,
// and so is one that holds nothing; tools, unknown members and parameters are in canonical JSON, with their
// members sorted at every depth, and so are the parameters themselves. The order of messages, blocks and tools stays.
func (q Request) Canonical() (Request, error) {
	c := q
	c.Messages = make([]messages.Message, len(q.Messages))
	for i, m := range q.Messages {
		m, err := canonicalMessage(m)
		if err != nil {
			return Request{}, fmt.Errorf("anthropic: message %d: %w", i+1, err)
		}
		c.Messages[i] = m
	}
	var err error
	if c.System, err = canonicalMessage(q.System); err != nil {
		return Request{}, fmt.Errorf("anthropic: system: %w", err)
	}
	if c.Tools, err = wire.CanonicalTools(q.Tools); err == nil {
		c.Params, err = wire.CanonicalMembers(q.Params)
	}
	if err != nil {
		return Request{}, fmt.Errorf("anthropic: %w", err)
	}
	return c, nil
}

func canonicalMessage(m messages.Message) (messages.Message, error) {
	m, err := wire.CanonicalMessage(m)
	m.Shape = messages.ShapeBlocks
	for i := range m.Content {
		b := &m.Content[i]
		if b.Kind != messages.KindToolResult || b.Value != "" {
			continue
		}
		if len(b.Content) == 1 && wire.PlainText(&b.Content[0]) {
			b.Text, b.Content = b.Content[0].Text, nil
		}
		if len(b.Content) == 0 && b.Text == "" {
			b.Content, b.Value = nil, `""`
		}
	}
	return m, err
}

// Prompt returns the request as a prompt that can be assembled under a budget. The system prompt is its instructions;
// what stands after the last message of the assistant is the current input, or, where nothing does, the last message;
// the rest is history.
func (q Request) Prompt() messages.Prompt {
	return messages.Prompt{
		Groups: wire.Split(q.System, q.Messages, 0),
		Tools:  q.Tools,
		Model:  messages.Model{Tools: len(q.Tools) > 0},
	}
}

// ParseContent reads the content of a message: a string or a list of blocks.
func ParseContent(src []byte) ([]messages.Block, messages.Shape, error) {
	content, err := wire.Read(src).Whole()
	var blocks []messages.Block
	var shape messages.Shape
	if err == nil {
		blocks, shape, err = readContent(content)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("anthropic: %w", err)
	}
	return blocks, shape, nil
}
