package openai

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
	format "github.com/quirehq/quire/composer/messages/openai"
	"github.com/quirehq/quire/composer/request"
)

// params sets the members beside tools, system prompt and messages.
func (w *writer) params(q *request.Request, mode Mode) (key string, err error) {
	add := func(name string, value messages.JSON) {
		w.body.Params = append(w.body.Params, messages.Member{Name: name, Value: value})
	}
	if q.Model != "" {
		add("model", wire.Quote(q.Model))
	}
	name := "max_completion_tokens"
	if w.body.API == format.Responses {
		name = "max_output_tokens"
	}
	if q.MaxOutput > 0 && !wire.Has(q.Params, name) && !wire.Has(q.Params, "max_tokens") {
		add(name, messages.JSON(strconv.FormatInt(q.MaxOutput, 10)))
	}
	if mode == Explicit {
		add("prompt_cache_options", `{"mode":"explicit"}`)
	}
	taken := map[string]bool{"messages": true, "input": true, "instructions": true, "tools": true}
	for _, m := range w.body.Params {
		taken[m.Name] = true
	}
	for _, m := range q.Params {
		switch {
		case taken[m.Name]:
			return "", fmt.Errorf("parameter %q stands twice", m.Name)
		case m.Name == "prompt_cache_retention" && mode == Explicit:
			return "", fmt.Errorf("parameter %q beside breakpoints; want one of them", m.Name)
		case m.Name == "prompt_cache_key":
			key = wire.Plain(m.Value)
		}
		taken[m.Name] = true
		w.body.Params = append(w.body.Params, m)
	}
	if !taken["prompt_cache_key"] {
		if key = CacheKey(*q); key != "" {
			add("prompt_cache_key", wire.Quote(key))
		}
	}
	return key, nil
}

func (w *writer) tools(q *request.Request) {
	for i := range q.Tools {
		w.body.Tools = append(w.body.Tools, messages.ToolSpec{Name: q.Tools[i].Name, Definition: definition(&q.Tools[i], w.body.API)})
	}
}

// definition spells a tool.
func definition(t *request.Tool, api format.API) messages.JSON {
	if t.Definition != "" {
		return t.Definition
	}
	inner := `"description":` + wire.Quote(t.Description) + `,"name":` + wire.Quote(t.Name)
	if t.Schema != "" {
		inner += `,"parameters":` + t.Schema
	}
	if api == format.Responses {
		return `{` + inner + `,"type":"function"}`
	}
	return `{"function":{` + inner + `},"type":"function"}`
}

// system makes the system prompt.
func (w *writer) system(q *request.Request) {
	prompt := messages.Message{Role: messages.System}
	var all strings.Builder
	for _, b := range q.System {
		if b.Text != "" && w.parts {
			prompt.Content = append(prompt.Content, messages.Text(b.Text))
			w.volatile = append(w.volatile, b.Volatile)
		}
		all.WriteString(b.Text)
		w.systemEnds = append(w.systemEnds, len(prompt.Content))
	}
	switch text := all.String(); {
	case text == "":
	case w.parts:
		w.prompt = 1
		w.body.Messages = append(w.body.Messages, prompt)
	case w.body.API == format.Responses:
		w.body.System = messages.TextMessage(messages.System, text)
	default:
		w.prompt = 1
		w.body.Messages = append(w.body.Messages, messages.TextMessage(messages.System, text))
	}
}

// messages puts the conversation into the API's shapes.
func (w *writer) messages(q *request.Request) error {
	if w.body.Messages == nil {
		w.body.Messages = []messages.Message{}
	}
	for i := range q.Messages {
		from := request.Place{Part: request.Messages, Index: i}
		if err := w.message(&q.Messages[i], from); err != nil {
			return fmt.Errorf("%v: %w", from, err)
		}
		w.ends = append(w.ends, len(w.body.Messages))
	}
	return nil
}

// message writes one message as those it is in the API: results, and in the responses API thoughts and calls, stand alone.
func (w *writer) message(m *messages.Message, from request.Place) error {
	role := m.Role
	if role == messages.Tool {
		role = messages.User // of what is no result
	}
	open := messages.Message{Role: role, Extra: ours(m.Extra)}
	var calls []messages.Block
	emit := func() {
		if open.Content = append(open.Content, calls...); len(open.Content) > 0 && !w.continues(&open) {
			w.body.Messages = append(w.body.Messages, open)
		}
		open.Content, calls = nil, nil
	}
	alone := func(role messages.Role, id string, b messages.Block) {
		emit()
		w.body.Messages = append(w.body.Messages, messages.Message{Role: role, ID: id, Content: []messages.Block{b}})
	}
	responses := w.body.API == format.Responses
	before := len(w.body.Messages)
	for k := range m.Content {
		b, err := w.block(m.Content[k])
		if err != nil {
			return fmt.Errorf("block %d: %w", k+1, err)
		}
		switch {
		case b.Kind == messages.KindToolResult:
			alone(messages.Tool, "", b)
		case b.Kind == messages.KindThinking && responses && wire.Has(b.Extra, "encrypted_content"):
			alone(messages.Assistant, m.ID, b)
		case b.Kind == messages.KindThinking:
			w.findings = append(w.findings, request.Finding{Code: request.ThinkingDropped, At: from.String()})
		case b.Kind == messages.KindToolCall && responses:
			alone(messages.Assistant, "", b)
		case b.Kind == messages.KindToolCall:
			calls = append(calls, b)
		default:
			open.Content = append(open.Content, b)
		}
	}
	emit()
	if len(m.Content) == 0 && len(w.body.Messages) == before {
		w.body.Messages = append(w.body.Messages, open)
	}
	return nil
}

// continues adds a message of the assistant to the one before it, where that has calls: in chat completions their results
// stand directly after the message that makes them, so an answer that came in several messages is one.
func (w *writer) continues(m *messages.Message) bool {
	n := len(w.body.Messages)
	if w.body.API != format.Chat || m.Role != messages.Assistant || len(m.Extra) > 0 || n == 0 {
		return false
	}
	last := &w.body.Messages[n-1]
	isCall := func(b messages.Block) bool { return b.Kind == messages.KindToolCall }
	first := slices.IndexFunc(last.Content, isCall)
	if last.Role != messages.Assistant || len(last.Extra) > 0 || first < 0 {
		return false
	}
	for _, b := range m.Content { // calls stand last
		if isCall(b) {
			last.Content = append(last.Content, b)
		} else {
			last.Content = slices.Insert(last.Content, first, b)
			first++
		}
	}
	return true
}

// ours returns the members that are not of another format. An error is in the text of its result.
func ours(extra []messages.Member) []messages.Member {
	isError := func(m messages.Member) bool { return m.Name == "is_error" }
	return slices.DeleteFunc(slices.Clone(wire.OpenAI.Own(extra)), isError)
}

// block puts a block into the API's shape.
func (w *writer) block(b messages.Block) (messages.Block, error) {
	b.Extra = ours(b.Extra)
	switch b.Kind {
	case messages.KindToolCall:
		switch {
		case b.Value != "" && b.Value != `""`:
			v, err := wire.Canonical(b.Value)
			if err != nil {
				return b, fmt.Errorf("arguments: %w", err)
			}
			b.Text = wire.Plain(v)
		case b.Text == "":
			b.Text = "{}"
		}
		b.Value = ""
	case messages.KindToolResult:
		return w.result(b)
	case messages.KindImage, messages.KindFile, messages.KindDocument, messages.KindAudio:
		return media(b, w.body.API)
	}
	if wire.OpenAI.Foreign(string(b.Kind)) {
		return b, fmt.Errorf("%s has no form in this API", b.Kind)
	}
	return b, nil
}

func (w *writer) result(b messages.Block) (messages.Block, error) {
	b.Text, b.Value, b.Error = wire.ResultText(&b), "", ""
	if len(b.Content) == 0 {
		b.Content = nil
		return b, nil
	}
	content := make([]messages.Block, len(b.Content))
	for i := range b.Content {
		var err error
		if content[i], err = w.block(b.Content[i]); err != nil {
			return b, fmt.Errorf("block %d of the result: %w", i+1, err)
		}
		if w.body.API == format.Chat && content[i].Kind != messages.KindText {
			return b, fmt.Errorf("block %d of the result: %s: chat completions take texts alone in a result", i+1, content[i].Kind)
		}
	}
	b.Content = content
	return b, nil
}

// media spells an image or a file as the API's part. What chat completions have in an object of their own is that object.
func media(b messages.Block, api format.API) (messages.Block, error) {
	image, _ := wire.Find(b.Extra, "image_url")
	switch {
	case b.Kind == messages.KindAudio && wire.Has(b.Extra, "input_audio"),
		api == format.Chat && (strings.HasPrefix(string(image), "{") || wire.Has(b.Extra, "file")):
		return b, nil
	}
	m, err := wire.ReadMedia(&b)
	var out messages.Block
	switch {
	case err != nil:
	case api == format.Chat:
		out, err = m.Chat()
	default:
		out, err = m.Responses()
	}
	if err != nil {
		return b, fmt.Errorf("%s: %w", b.Kind, err)
	}
	out.Cache = b.Cache
	return out, nil
}
