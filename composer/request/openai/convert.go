package openai

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer/messages"
	wire "github.com/quirehq/quire/composer/messages/openai"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/fingerprint"
)

func quote(text string) messages.JSON { return messages.JSON(fingerprint.AppendJSONString(nil, text)) }

// params sets the members beside tools, system prompt and messages.
func (w *writer) params(q *request.Request, mode Mode) (key string, err error) {
	add := func(name string, value messages.JSON) {
		w.body.Params = append(w.body.Params, messages.Member{Name: name, Value: value})
	}
	if q.Model != "" {
		add("model", quote(q.Model))
	}
	name := "max_completion_tokens"
	if w.body.API == wire.Responses {
		name = "max_output_tokens"
	}
	if q.MaxOutput > 0 && !has(q.Params, name) && !has(q.Params, "max_tokens") {
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
			key = plain(m.Value)
		}
		taken[m.Name] = true
		w.body.Params = append(w.body.Params, m)
	}
	if !taken["prompt_cache_key"] {
		if key = CacheKey(*q); key != "" {
			add("prompt_cache_key", quote(key))
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
func definition(t *request.Tool, api wire.API) messages.JSON {
	if t.Definition != "" {
		return t.Definition
	}
	inner := `"description":` + quote(t.Description) + `,"name":` + quote(t.Name)
	if t.Schema != "" {
		inner += `,"parameters":` + t.Schema
	}
	if api == wire.Responses {
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
	case w.body.API == wire.Responses:
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
	responses := w.body.API == wire.Responses
	before := len(w.body.Messages)
	for k := range m.Content {
		b, err := w.block(m.Content[k])
		if err != nil {
			return fmt.Errorf("block %d: %w", k+1, err)
		}
		switch {
		case b.Kind == messages.KindToolResult:
			alone(messages.Tool, "", b)
		case b.Kind == messages.KindThinking && responses && has(b.Extra, "encrypted_content"):
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
	if w.body.API != wire.Chat || m.Role != messages.Assistant || len(m.Extra) > 0 || n == 0 {
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

func has(members []messages.Member, name string) bool {
	return slices.ContainsFunc(members, func(m messages.Member) bool { return m.Name == name })
}

// ours returns the members that are not of another format.
func ours(extra []messages.Member) []messages.Member {
	foreign := func(m messages.Member) bool { return strings.HasPrefix(m.Name, "anthropic:") || m.Name == "is_error" }
	return slices.DeleteFunc(slices.Clone(extra), foreign)
}

// block puts a block into the API's shape.
func (w *writer) block(b messages.Block) (messages.Block, error) {
	b.Extra = ours(b.Extra)
	switch b.Kind {
	case messages.KindToolCall:
		switch {
		case b.Value != "" && b.Value != `""`:
			v := jsontext.Value(b.Value)
			if err := v.Canonicalize(jsontext.CanonicalizeRawInts(false)); err != nil {
				return b, fmt.Errorf("arguments: %w", err)
			}
			b.Text = plain(messages.JSON(v))
		case b.Text == "":
			b.Text = "{}"
		}
		b.Value = ""
	case messages.KindToolResult:
		return w.result(b)
	case messages.KindImage, messages.KindFile, messages.KindDocument, messages.KindAudio:
		return media(b, w.body.API)
	}
	if strings.HasPrefix(string(b.Kind), "anthropic:") {
		return b, fmt.Errorf("%s has no form in this API", b.Kind)
	}
	return b, nil
}

func (w *writer) result(b messages.Block) (messages.Block, error) {
	if b.Error != "" && b.Error != "null" && b.Text == "" && b.Value == "" && len(b.Content) == 0 {
		b.Text = plain(b.Error)
	}
	b.Error = ""
	if b.Value != "" {
		b.Text, b.Value = plain(b.Value), ""
	}
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
		if w.body.API == wire.Chat && content[i].Kind != messages.KindText {
			return b, fmt.Errorf("block %d of the result: %s: chat completions take texts alone in a result", i+1, content[i].Kind)
		}
	}
	b.Content = content
	return b, nil
}

// plain returns a string's characters, or any other value as it is spelled.
func plain(v messages.JSON) string {
	if v != "" && v[0] == '"' {
		if text, err := jsontext.AppendUnquote(nil, v); err == nil {
			return string(text)
		}
	}
	return string(v)
}

// media spells an image or a file as the API's part.
func media(b messages.Block, api wire.API) (messages.Block, error) {
	members := map[string]messages.JSON{}
	for _, m := range b.Extra {
		members[m.Name] = m.Value
	}
	url, err := location(members)
	if err != nil {
		return b, fmt.Errorf("%s: %w", b.Kind, err)
	}
	out := messages.Block{Kind: b.Kind, Cache: b.Cache}
	switch {
	case b.Kind == messages.KindAudio && members["input_audio"] != "":
		return b, nil
	case url == "" && (has(b.Extra, "file_id") || has(b.Extra, "file")):
		return b, nil // in the API's shape, or the provider has it already
	case url == "" || b.Kind == messages.KindAudio:
		return b, fmt.Errorf("%s: no form in this API; want bytes in base64 or a URL", b.Kind)
	case b.Kind == messages.KindImage && api == wire.Chat:
		if held := members["image_url"]; held != "" && held[0] == '{' {
			return b, nil
		}
		out.Extra = []messages.Member{{Name: "image_url", Value: `{"url":` + quote(url) + `}`}}
	case b.Kind == messages.KindImage:
		out.Extra = []messages.Member{{Name: "image_url", Value: quote(url)}}
		if detail := members["detail"]; detail != "" {
			out.Extra = append(out.Extra, messages.Member{Name: "detail", Value: detail})
		}
	case !strings.HasPrefix(url, "data:") && api == wire.Chat:
		return b, fmt.Errorf("%s: chat completions take no file by its URL", b.Kind)
	default:
		out.Kind = messages.KindFile
		name := plain(members["title"])
		if name == "" {
			name = plain(members["filename"])
		}
		if name == "" {
			name = "file"
		}
		switch {
		case api == wire.Chat:
			out.Extra = []messages.Member{{Name: "file", Value: `{"file_data":` + quote(url) + `,"filename":` + quote(name) + `}`}}
		case strings.HasPrefix(url, "data:"):
			out.Extra = []messages.Member{{Name: "file_data", Value: quote(url)}, {Name: "filename", Value: quote(name)}}
		default:
			out.Extra = []messages.Member{{Name: "file_url", Value: quote(url)}}
		}
	}
	return out, nil
}

// location returns where the bytes are, as a URL; "" where it is none.
func location(members map[string]messages.JSON) (string, error) {
	if held := members["image_url"]; held != "" {
		var object struct {
			URL string `json:"url"`
		}
		if held[0] != '{' {
			return plain(held), nil
		}
		err := json.Unmarshal([]byte(held), &object)
		return object.URL, err
	}
	if held := members["file_data"]; held != "" {
		return plain(held), nil
	}
	if held := members["file_url"]; held != "" {
		return plain(held), nil
	}
	var source struct {
		Type  string `json:"type"`
		URL   string `json:"url"`
		Data  string `json:"data"`
		Media string `json:"media_type"`
	}
	if held := members["source"]; held != "" {
		if err := json.Unmarshal([]byte(held), &source); err != nil {
			return "", fmt.Errorf("source: %w", err)
		}
	}
	switch source.Type {
	case "base64":
		return "data:" + source.Media + ";base64," + source.Data, nil
	case "url":
		return source.URL, nil
	}
	return "", nil
}
