package sessions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

// With returns the call with other messages: those of an assembly of its prompt. A system message that leads them becomes
// the system prompt, where the call has one.
func (c Call) With(list []messages.Message) Call {
	c.Lead = 0
	if c.System.Role != "" && len(list) > 0 && list[0].Role == messages.System {
		c.System, list = list[0], list[1:]
	}
	c.Messages = list
	return c
}

// As returns the call as it is made to another API, [OpenAIChat] or [Anthropic], and what has no form there and is left
// out, each thing once. A call of this API already is returned as it is.
//
//   - System messages that lead become the system prompt of Anthropic's API; later ones become messages of the user.
//   - Results are messages of their own for OpenAI, in front of what the user says besides; for Anthropic they are blocks
//     of a message of the user, one for all results of a turn.
//   - Arguments are a string for OpenAI and an object for Anthropic.
//   - Images and documents change their spelling. An image in a result follows it as a message of the user for OpenAI.
//   - Thinking, cache markers for OpenAI, and what a format adds to its blocks are left out: no provider takes another's.
//   - Of the parameters, model, max_tokens, temperature, top_p and stream stay.
func (c Call) As(api API) (Call, []string, error) {
	if c.API == api {
		return c, nil, nil
	}
	if api != OpenAIChat && api != Anthropic {
		return c, nil, fmt.Errorf("sessions: a call is made to OpenAI's chat completions or Anthropic's messages, not to API %d", api)
	}
	v := conversion{to: api, source: c.API}
	out := Call{Thread: c.Thread, Line: c.Line, API: api, Model: c.Model, Time: c.Time, Usage: c.Usage}
	for _, m := range c.Params {
		switch m.Name {
		case "model", "max_tokens", "temperature", "top_p", "stream":
			out.Params = append(out.Params, m)
		default:
			v.leaveOut("the parameter " + m.Name)
		}
	}
	if c.Tools != nil {
		out.Tools = []messages.ToolSpec{}
	}
	for _, t := range c.Tools {
		tool, err := ConvertTool(t, api)
		if err != nil {
			v.leaveOut("the tool " + t.Name)
			continue
		}
		out.Tools = append(out.Tools, tool)
	}
	list := c.Messages
	if c.System.Role != "" {
		list = append([]messages.Message{c.System}, list...)
	}
	for i := range list {
		if api == Anthropic {
			v.toAnthropic(&list[i])
		} else {
			v.toOpenAI(&list[i])
		}
	}
	out.System, out.Messages = v.system, v.list
	return out, v.left, nil
}

type conversion struct {
	to, source API
	system     messages.Message
	list       []messages.Message
	left       []string
}

func (v *conversion) leaveOut(what string) {
	if !slices.Contains(v.left, what) {
		v.left = append(v.left, what)
	}
}

// toOpenAI adds a message in the form of chat completions.
func (v *conversion) toOpenAI(m *messages.Message) {
	var content, media, calls []messages.Block
	for i := range m.Content {
		b := &m.Content[i]
		switch b.Kind {
		case messages.KindToolCall:
			call := messages.Block{Kind: b.Kind, ID: b.ID, Name: b.Name, Text: b.Text}
			if b.Text == "" {
				if call.Text = string(b.Value); call.Text == "" || call.Text == `""` {
					call.Text = "{}"
				}
			}
			calls = append(calls, call)
		case messages.KindToolResult:
			result := messages.Block{Kind: b.Kind, ID: b.ID, Name: b.Name, Text: b.Text}
			if b.Text == "" {
				result.Text = resultText(b)
			}
			var texts []string
			for k := range b.Content {
				part, ok := v.part(&b.Content[k])
				switch {
				case !ok:
				case part.Kind == messages.KindText:
					texts = append(texts, part.Text)
				default:
					media = append(media, part)
				}
			}
			if len(texts) > 0 {
				result.Text = strings.Join(texts, "\n")
			}
			v.list = append(v.list, messages.Message{
				Role: messages.Tool, Content: []messages.Block{result}, Shape: messages.ShapeString})
		default:
			if part, ok := v.part(b); ok {
				content = append(content, part)
			}
		}
	}
	if len(media) > 0 {
		v.list = append(v.list, messages.Message{Role: messages.User, Content: media})
	}
	if len(content)+len(calls) == 0 {
		return
	}
	out := messages.Message{Role: m.Role, Content: append(content, calls...)}
	switch {
	case len(content) == 0:
		out.Shape = messages.ShapeNull
	case len(content) == 1 && wire.PlainText(&content[0]):
		out.Shape = messages.ShapeString
	}
	v.list = append(v.list, out)
}

// resultText returns a result that is a value as a text.
func resultText(b *messages.Block) string {
	if text, ok := wire.Unquote(b.Value); ok {
		return text
	}
	if b.Value != "" {
		return string(b.Value)
	}
	if text, ok := wire.Unquote(b.Error); ok {
		return text
	}
	return ""
}

// toAnthropic adds a message in the form of Anthropic's messages.
func (v *conversion) toAnthropic(m *messages.Message) {
	var blocks []messages.Block
	for i := range m.Content {
		b := &m.Content[i]
		switch b.Kind {
		case messages.KindToolCall:
			call := messages.Block{Kind: b.Kind, ID: b.ID, Name: b.Name, Value: b.Value}
			if b.Text != "" {
				call.Value = object(b.Text)
			} else if b.Value == "" || b.Value == `""` {
				call.Value = "{}"
			}
			blocks = append(blocks, call)
		case messages.KindToolResult:
			result := messages.Block{Kind: b.Kind, ID: b.ID, Text: b.Text, Cache: b.Cache}
			if b.Text == "" && b.Content == nil {
				result.Text = resultText(b)
			}
			for k := range b.Content {
				if part, ok := v.part(&b.Content[k]); ok {
					result.Content = append(result.Content, part)
				}
			}
			if b.Error != "" && b.Error != "null" && b.Error != "false" {
				result.Extra = []messages.Member{{Name: "is_error", Value: "true"}}
			}
			blocks = append(blocks, result)
		default:
			if part, ok := v.part(b); ok && (part.Kind != messages.KindText || part.Text != "") {
				blocks = append(blocks, part)
			}
		}
	}
	if len(blocks) == 0 {
		return // a provider refuses a message that holds nothing
	}
	role := messages.User
	switch {
	case m.Role == messages.Assistant:
		role = messages.Assistant
	case (m.Role == messages.System || m.Role == messages.Developer) && len(v.list) == 0:
		v.system.Role = messages.System
		v.system.Content = append(v.system.Content, blocks...)
		return
	}
	if n := len(v.list); n > 0 && role == v.list[n-1].Role {
		v.list[n-1].Content = append(v.list[n-1].Content, blocks...)
		return
	}
	v.list = append(v.list, messages.Message{Role: role, Content: blocks})
}

// object returns arguments as the object that they should be.
func object(arguments string) messages.JSON {
	if v, err := wire.Read([]byte(arguments)).Value(""); err == nil && v.Kind() == '{' && valid([]byte(arguments)) {
		return messages.JSON(arguments)
	}
	return `{"arguments":` + wire.Quote(arguments) + `}`
}

// part returns a block in the form of the API, if it has one there.
func (v *conversion) part(b *messages.Block) (messages.Block, bool) {
	out := messages.Block{Kind: b.Kind}
	if v.to == Anthropic {
		out.Cache = b.Cache
	}
	switch b.Kind {
	case messages.KindText:
		out.Text = b.Text
		return out, true
	case messages.KindThinking, "redacted_thinking", "reasoning":
		v.leaveOut("thinking")
		return out, false
	case "refusal":
		if text, ok := wire.Find(b.Extra, "refusal"); ok {
			out.Kind = messages.KindText
			out.Text, _ = wire.Unquote(text)
			return out, out.Text != ""
		}
	}
	if media, ok := mediaOf(b); ok {
		if extra, kind, ok := media.extra(v.to); ok {
			out.Kind, out.Extra = kind, extra
			return out, true
		}
	}
	v.leaveOut("blocks of kind " + string(b.Kind))
	return out, false
}

// media is an image or a document: a URL, or data with its type.
type media struct{ mime, data, url string }

// mediaOf reads the spellings of OpenAI, Anthropic and Gemini.
func mediaOf(b *messages.Block) (m media, ok bool) {
	at := func(member string, names ...string) string {
		value, ok := wire.Find(b.Extra, member)
		if !ok {
			return ""
		}
		v, err := wire.Read([]byte(value)).Value("")
		if err != nil {
			return ""
		}
		if v, ok = wire.Path(v, names...); !ok {
			return ""
		}
		text, _ := v.Text()
		return text
	}
	switch {
	case at("source", "data") != "" && at("source", "type") != "text":
		m.mime, m.data = at("source", "media_type"), at("source", "data")
	case at("source", "url") != "":
		m.url = at("source", "url")
	case at("inlineData", "data") != "":
		m.mime, m.data = at("inlineData", "mimeType"), at("inlineData", "data")
	case at("image_url", "url") != "":
		m.url = at("image_url", "url")
	case at("image_url") != "":
		m.url = at("image_url")
	case at("file", "file_data") != "":
		m.url = at("file", "file_data")
	default:
		return m, false
	}
	if rest, isData := strings.CutPrefix(m.url, "data:"); isData {
		mime, data, ok := strings.Cut(rest, ";base64,")
		if !ok {
			return m, false
		}
		m = media{mime: mime, data: data}
	}
	return m, true
}

// extra returns the members of a block in the form of an API, and its kind.
func (m media) extra(api API) ([]messages.Member, messages.Kind, bool) {
	kind := messages.KindImage
	if m.mime == "application/pdf" {
		kind = messages.KindDocument
	} else if m.mime != "" && !strings.HasPrefix(m.mime, "image/") {
		return nil, "", false
	}
	url := m.url
	if url == "" {
		url = "data:" + m.mime + ";base64," + m.data
	}
	switch {
	case api == Anthropic && m.url != "":
		return []messages.Member{{Name: "source", Value: `{"type":"url","url":` + wire.Quote(m.url) + `}`}}, kind, true
	case api == Anthropic:
		return []messages.Member{{Name: "source", Value: `{"type":"base64","media_type":` + wire.Quote(m.mime) +
			`,"data":` + wire.Quote(m.data) + `}`}}, kind, true
	case kind == messages.KindDocument:
		return []messages.Member{{Name: "file", Value: `{"filename":"document.pdf","file_data":` + wire.Quote(url) + `}`}},
			messages.KindFile, true
	}
	return []messages.Member{{Name: "image_url", Value: `{"url":` + wire.Quote(url) + `}`}}, kind, true
}
