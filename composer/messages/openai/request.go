package openai

import (
	"fmt"
	"slices"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

const format = wire.OpenAI

// An API is one of OpenAI's two.
type API uint8

// The APIs.
const (
	Chat      API = 0 // chat completions
	Responses API = 1
)

// A Request is a body. The zero value is one of chat completions without messages.
type Request struct {
	API      API
	System   messages.Message    // responses: the instructions; the zero value: none
	Messages []messages.Message  // system messages included
	Tools    []messages.ToolSpec // nil: no such member
	Params   []messages.Member   // all other members, in the order read
	Bare     bool                // responses: the input is a string, not a list of one message
}

// Parse reads a body: one with messages is of chat completions, any other with an input of responses. An error says the line,
// the byte and what was wanted.
func Parse(src []byte) (Request, error) {
	q, err := parse(src)
	if err != nil {
		return Request{}, fmt.Errorf("openai: %w", err)
	}
	return q, nil
}

// ParseMessages reads a list of messages of chat completions, as transcripts hold them.
func ParseMessages(src []byte) ([]messages.Message, error) {
	r := wire.Read(src)
	list, err := readMessages(r, readMessage)
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	return list, nil
}

// ParseMessage reads one message of chat completions.
func ParseMessage(src []byte) (messages.Message, error) { return parseOne(src, readMessage) }

// ParseItem reads one item of an input of the responses API.
func ParseItem(src []byte) (messages.Message, error) { return parseOne(src, readItem) }

func parseOne(src []byte, read func(*wire.Reader) (messages.Message, error)) (messages.Message, error) {
	r := wire.Read(src)
	m, err := read(r)
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return messages.Message{}, fmt.Errorf("openai: %w", err)
	}
	return m, nil
}

func parse(src []byte) (Request, error) {
	var q Request
	r := wire.Read(src)
	place := r.Place()
	var input *wire.Member
	chat := false
	err := r.Object("a request body, an object", func(name string) (err error) {
		switch {
		case name == "messages":
			chat = true
			q.Messages, err = readMessages(r, readMessage)
			return err
		case name == "tools" && r.Kind() == '[':
			q.Tools, err = wire.ReadTools(r)
			return err
		}
		m, err := r.Value(name)
		if name == "input" {
			input = &m
		} else {
			q.Params = append(q.Params, m.Member())
		}
		return err
	})
	if err == nil {
		err = r.End()
	}
	switch {
	case err != nil:
		return Request{}, err
	case !chat && input == nil:
		return Request{}, place.Errorf("a body without messages and without input")
	case !chat:
		q.API = Responses
		q.takeInstructions()
		err = q.readInput(*input)
	case input != nil:
		q.Params = append(q.Params, input.Member())
	}
	return q, err
}

// readInput reads a string, which is one message of the user, or a list of items.
func (q *Request) readInput(input wire.Member) (err error) {
	text, isText := input.Text()
	if !isText {
		q.Messages, err = readMessages(input.Read(), readItem)
		return err
	}
	q.Bare = true
	q.Messages = []messages.Message{{
		Role: messages.User, Content: []messages.Block{messages.Text(text)}, Shape: messages.ShapeString,
	}}
	return nil
}

// takeInstructions makes the instructions the system message, if they are a string.
func (q *Request) takeInstructions() {
	for i, m := range q.Params {
		if m.Name == "instructions" {
			if text, ok := wire.Unquote(m.Value); ok {
				q.System = messages.Message{
					Role: messages.System, Content: []messages.Block{messages.Text(text)}, Shape: messages.ShapeString,
				}
				q.Params = slices.Delete(q.Params, i, i+1)
			}
			return
		}
	}
}

func readMessages(r *wire.Reader, read func(*wire.Reader) (messages.Message, error)) ([]messages.Message, error) {
	list := []messages.Message{}
	err := r.Array("a list of messages", func() error {
		m, err := read(r)
		list = append(list, m)
		return err
	})
	return list, err
}

// AppendJSON appends the body to dst. It is an error when a value is not JSON, a text is not UTF-8, or a block has no
// form in the API; what is returned then is dst as it was.
//
// The members come in the order model, instructions, tools, messages or input, then the others as they were read.
func (q Request) AppendJSON(dst []byte) ([]byte, error) {
	w := wire.Append(dst)
	w.Open('{')
	model, hasModel := wire.Find(q.Params, "model")
	if hasModel {
		w.Name("model")
		w.Value(model)
	}
	if q.System.Role != "" {
		q.writeSystem(w)
	}
	if q.Tools != nil {
		w.Name("tools")
		w.Open('[')
		for _, tool := range q.Tools {
			w.Value(tool.Definition)
		}
		w.Close(']')
	}
	if q.API == Responses {
		writeInput(w, q.Messages, q.Bare)
	} else {
		writeChat(w, q.Messages)
	}
	for _, m := range q.Params {
		if m.Name != "model" {
			w.Member(m)
		}
	}
	w.Close('}')
	out, err := w.Result()
	if err != nil {
		return out, fmt.Errorf("openai: %w", err)
	}
	return out, nil
}

// Canonical returns the one form of all requests that say the same: content of a single text is a string, content that
// holds nothing is null, an input is a list; tools, unknown members and parameters are in canonical JSON, with their
// members sorted at every depth, and so are the parameters themselves. The order of messages, parts and tools stays.
func (q Request) Canonical() (Request, error) {
	c := q
	c.Bare = false
	c.System = canonicalShape(q.System)
	c.Messages = make([]messages.Message, len(q.Messages))
	for i, m := range q.Messages {
		m, err := wire.CanonicalMessage(m)
		if err != nil {
			return Request{}, fmt.Errorf("openai: message %d: %w", i+1, err)
		}
		c.Messages[i] = canonicalShape(m)
	}
	var err error
	if c.Tools, err = wire.CanonicalTools(q.Tools); err == nil {
		c.Params, err = wire.CanonicalMembers(q.Params)
	}
	if err != nil {
		return Request{}, fmt.Errorf("openai: %w", err)
	}
	return c, nil
}

// canonicalShape spells the content as most servers that speak this API take it.
func canonicalShape(m messages.Message) messages.Message {
	if result, ok := soleResult(&m); ok {
		content := result.Content
		if len(content) == 1 && wire.PlainText(&content[0]) && result.Value == "" {
			m.Content = slices.Clone(m.Content)
			m.Content[0].Text, m.Content[0].Content = content[0].Text, nil
			m.Shape = messages.ShapeString
		} else if len(content) == 0 {
			m.Shape = messages.ShapeString
		} else {
			m.Shape = messages.ShapeBlocks
		}
		return m
	}
	parts := parts(&m)
	switch {
	case m.Role == "":
	case len(parts) == 0:
		m.Shape = messages.ShapeNull
	case len(parts) == 1 && wire.PlainText(&parts[0]):
		m.Shape = messages.ShapeString
	default:
		m.Shape = messages.ShapeBlocks
	}
	return m
}

// Prompt returns the request as a prompt that can be assembled under a budget. The system message and the system and
// developer messages that lead are instructions; what stands after the last message of the assistant is the current
// input, or, where nothing does, the last message; the rest is history.
func (q Request) Prompt() messages.Prompt {
	return messages.Prompt{
		Groups: wire.Split(q.System, q.Messages, 0),
		Tools:  q.Tools,
		Model:  messages.Model{Tools: len(q.Tools) > 0},
	}
}
