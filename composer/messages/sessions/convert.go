package sessions

import (
	"cmp"
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
	v := conversion{to: api}
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
	to     API
	system messages.Message
	list   []messages.Message
	left   []string
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
			result := messages.Block{Kind: b.Kind, ID: b.ID, Name: b.Name, Text: wire.ResultText(b)}
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
			result := messages.Block{Kind: b.Kind, ID: b.ID, Text: wire.ResultText(b), Cache: b.Cache}
			for k := range b.Content {
				if part, ok := v.part(&b.Content[k]); ok {
					result.Content = append(result.Content, part)
				}
			}
			if wire.Failed(b) {
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
	if v, err := wire.Read([]byte(arguments)).Whole(); err == nil && v.Kind() == '{' {
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
	if media, ok := v.media(b); ok {
		media.Cache = out.Cache
		return media, true
	}
	v.leaveOut("blocks of kind " + string(b.Kind))
	return out, false
}

// media returns an image or a PDF in the form of the API, if it has one there. What logs call an image may be none: where
// the type of the bytes is known, it counts.
func (v *conversion) media(b *messages.Block) (messages.Block, bool) {
	m, err := wire.ReadMedia(b)
	if err != nil {
		return messages.Block{}, false
	}
	switch mime, _, inline := m.Inline(); {
	case !inline:
	case mime == "application/pdf":
		m.Kind, m.Name = messages.KindFile, cmp.Or(m.Name, "document.pdf")
	case mime == "" || strings.HasPrefix(mime, "image/"):
		m.Kind = messages.KindImage
	default:
		return messages.Block{}, false
	}
	var out messages.Block
	if v.to == Anthropic {
		out, err = m.Anthropic()
	} else {
		out, err = m.Chat()
	}
	return out, err == nil
}
