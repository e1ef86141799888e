package openai

import (
	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

// The content parts that have a kind of their own.
var partKinds = map[string]messages.Kind{
	"text": messages.KindText, "input_text": messages.KindText, "output_text": messages.KindText,
	"image_url": messages.KindImage, "input_image": messages.KindImage,
	"input_audio": messages.KindAudio,
	"file":        messages.KindFile, "input_file": messages.KindFile,
}

// partType is the way back: the type that a part of the kind has unless its extra member typeMember says another.
func partType(api API, role messages.Role, kind messages.Kind) string {
	switch {
	case kind == messages.KindAudio:
		return "input_audio"
	case kind == messages.KindImage && api == Chat:
		return "image_url"
	case kind == messages.KindImage:
		return "input_image"
	case kind == messages.KindFile && api == Responses:
		return "input_file"
	case kind == messages.KindText && api == Responses && role == messages.Assistant:
		return "output_text"
	case kind == messages.KindText && api == Responses:
		return "input_text"
	}
	return format.Unescape(string(kind))
}

// typeMember keeps a type that is not the one partType gives.
const typeMember = string(format) + ":type"

// takenKinds are the types that name another kind of block than the format means.
var takenKinds = []string{
	string(messages.KindThinking), string(messages.KindToolCall), string(messages.KindToolResult),
	string(messages.KindImage), string(messages.KindAudio), string(messages.KindDocument),
}

// readMessage reads a message of chat completions.
func readMessage(r *wire.Reader) (messages.Message, error) {
	place := r.Place()
	members, err := r.Members("a message, an object")
	if err != nil {
		return messages.Message{}, err
	}
	m := messages.Message{Shape: messages.ShapeAbsent}
	if m.Role, err = role(place, members); err != nil {
		return messages.Message{}, err
	}
	if m.Role == messages.Tool {
		return readResult(m, members)
	}
	var reasoning, calls []messages.Block
	for _, member := range members {
		text, isText := member.Text()
		switch {
		case member.Name == "role":
		case member.Name == "content":
			m.Content, m.Shape, err = readContent(member, Chat, m.Role)
		case member.Name == "reasoning_content" && isText && m.Role == messages.Assistant:
			reasoning = []messages.Block{{Kind: messages.KindThinking, Text: text}}
		case member.Name == "tool_calls" && member.Kind() != 'n':
			if calls, err = readCalls(member); len(calls) == 0 {
				format.KeepBeside(&m, member)
			}
		default:
			format.KeepBeside(&m, member)
		}
		if err != nil {
			return messages.Message{}, err
		}
	}
	if reasoning != nil || calls != nil {
		m.Content = append(append(reasoning, m.Content...), calls...)
	}
	return m, nil
}

func role(place wire.Member, members []wire.Member) (messages.Role, error) {
	for _, member := range members {
		if member.Name == "role" {
			text, err := member.WantText()
			if err == nil && text == "" {
				err = member.Errorf("want a role; found an empty string")
			}
			return messages.Role(text), err
		}
	}
	return "", place.Errorf("message without a role")
}

// readContent reads a string, null or a list of parts.
func readContent(content wire.Member, api API, role messages.Role) ([]messages.Block, messages.Shape, error) {
	switch content.Kind() {
	case '"':
		text, err := content.WantText()
		return []messages.Block{messages.Text(text)}, messages.ShapeString, err
	case 'n':
		return nil, messages.ShapeNull, nil
	case '[':
		blocks, err := readParts(content, api, role)
		return blocks, messages.ShapeBlocks, err
	}
	return nil, 0, content.Errorf("content: want a string, a list of parts or null; found %s", content.Kind())
}

func readParts(content wire.Member, api API, role messages.Role) ([]messages.Block, error) {
	blocks := []messages.Block{}
	r := content.Read()
	err := r.Array("a list of content parts", func() error {
		kind, members, err := r.Typed("a content part")
		if err != nil {
			return err
		}
		blocks = append(blocks, readPart(kind, members, api, role))
		return nil
	})
	return blocks, err
}

func readPart(kind string, members []wire.Member, api API, role messages.Role) messages.Block {
	b := messages.Block{Kind: partKinds[kind]}
	switch {
	case b.Kind == messages.KindText && !hasText(members):
		b.Kind = messages.Kind(string(format) + ":" + kind) // what that means is not ours to judge
	case b.Kind == "":
		b.Kind = messages.Kind(format.Escape(kind, takenKinds))
	case partType(api, role, b.Kind) != kind:
		b.Extra = append(b.Extra, messages.Member{Name: typeMember, Value: wire.Quote(kind)})
	}
	for _, member := range members {
		switch {
		case member.Name == "cache_control":
			b.Cache = member.JSON()
		case member.Name == "text" && b.Kind == messages.KindText:
			b.Text, _ = member.Text()
		default:
			b.Extra = append(b.Extra, format.Keep(member, wire.Taken(b.Kind)))
		}
	}
	return b
}

func hasText(members []wire.Member) bool {
	for _, member := range members {
		if member.Name == "text" {
			return member.Kind() == '"'
		}
	}
	return false
}
