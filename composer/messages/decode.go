package messages

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// ParseMessage reads one message in the form that [Message.AppendJSON] writes, in any spelling. It also reads an id and
// metadata, content that is a bare string, null or absent, and a result of blocks under content. Members it does not
// know are kept in Extra; so is all of a block of an unknown kind.
//
// Duplicate keys, lone surrogates and invalid UTF-8 are refused, with the byte.
func ParseMessage(src []byte) (Message, error) {
	m, err := parseMessage(src)
	return m, edge(err)
}

func parseMessage(src []byte) (Message, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(src))
	m, err := decodeMessage(d)
	if err == nil {
		end := d.InputOffset()
		if _, err = d.ReadToken(); err == nil {
			err = fmt.Errorf("something follows the message, which ends at byte %d", end)
		} else if errors.Is(err, io.EOF) {
			return m, nil
		}
	}
	return Message{}, located(err)
}

// located adds the byte to an error of the decoder that does not say it by itself.
func located(err error) error {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return fmt.Errorf("byte %d: %w", syntax.ByteOffset, syntax.Err)
	}
	if errors.Is(err, io.EOF) {
		return errors.New("cut short: want a message")
	}
	return err
}

// object reads an object and hands over each member; the function reads the value.
func object(d *jsontext.Decoder, what string, member func(name string) error) error {
	if kind := d.PeekKind(); kind != '{' {
		if kind == 0 {
			_, err := d.ReadToken()
			return err
		}
		return fmt.Errorf("byte %d: want %s, an object; found %s", d.InputOffset(), what, kind)
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		if err := member(name.String()); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// text reads a string.
func text(d *jsontext.Decoder, what string) (string, error) {
	if kind := d.PeekKind(); kind != '"' && kind != 0 {
		return "", fmt.Errorf("byte %d: %s: want a string; found %s", d.InputOffset(), what, kind)
	}
	token, err := d.ReadToken()
	if err != nil {
		return "", err
	}
	return token.String(), nil
}

// value reads any value as it is spelled.
func value(d *jsontext.Decoder) (JSON, error) {
	v, err := d.ReadValue()
	return JSON(v), err
}

func decodeMessage(d *jsontext.Decoder) (Message, error) {
	m := Message{Shape: ShapeAbsent}
	err := object(d, "a message", func(name string) (err error) {
		switch name {
		case "role":
			var role string
			role, err = text(d, name)
			m.Role = Role(role)
		case "content":
			m.Content, m.Shape, err = decodeContent(d)
		case "metadata":
			m.Metadata, err = value(d)
		default:
			var v JSON
			v, err = value(d)
			if id, ok := v.unquote(); ok && name == "id" {
				m.ID = id
			} else {
				m.Extra = append(m.Extra, Member{name, v}) // also an id that is no string: it is not the host's
			}
		}
		return err
	})
	if err == nil && m.Role == "" {
		err = fmt.Errorf("message without a role that ends at byte %d", d.InputOffset())
	}
	return m, err
}

// decodeContent reads a string, null or a list of blocks.
func decodeContent(d *jsontext.Decoder) ([]Block, Shape, error) {
	switch d.PeekKind() {
	case '"':
		content, err := text(d, "content")
		return []Block{Text(content)}, ShapeString, err
	case 'n':
		_, err := d.ReadToken()
		return nil, ShapeNull, err
	}
	blocks, err := decodeBlocks(d)
	return blocks, ShapeBlocks, err
}

func decodeBlocks(d *jsontext.Decoder) ([]Block, error) {
	if kind := d.PeekKind(); kind != '[' && kind != 0 {
		return nil, fmt.Errorf("byte %d: content: want a list of blocks; found %s", d.InputOffset(), kind)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	blocks := []Block{}
	for d.PeekKind() != ']' {
		b, err := decodeBlock(d)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, b)
	}
	_, err := d.ReadToken()
	return blocks, err
}

// decodeBlock keeps all members first: what they mean depends on the type, which may stand last.
func decodeBlock(d *jsontext.Decoder) (Block, error) {
	var b Block
	start := d.InputOffset()
	var members []Member
	err := object(d, "a block", func(name string) (err error) {
		if name == "type" {
			var kind string
			kind, err = text(d, name)
			b.Kind = Kind(kind)
			return err
		}
		v, err := value(d)
		members = append(members, Member{name, v})
		return err
	})
	if err != nil {
		return Block{}, err
	}
	if b.Kind == "" {
		return Block{}, fmt.Errorf("byte %d: a block without a type", start)
	}
	for _, m := range members {
		known, err := b.set(m)
		if err != nil {
			return Block{}, fmt.Errorf("byte %d: %s block: %w", start, b.Kind, err)
		}
		if !known {
			b.Extra = append(b.Extra, m)
		}
	}
	return b, nil
}

// set gives the member to its field, if the kind of b has one for it.
func (b *Block) set(m Member) (known bool, err error) {
	field := func(target *string) (bool, error) {
		s, ok := m.Value.unquote()
		if !ok {
			return false, fmt.Errorf("%s: want a string", m.Name)
		}
		*target = s
		return true, nil
	}
	payload := func() (bool, error) {
		if s, ok := m.Value.unquote(); ok {
			b.Text = s
			if s == "" {
				b.Value = m.Value // the empty string, not an absent value
			}
			return true, nil
		}
		b.Value = m.Value
		return true, nil
	}
	switch b.Kind {
	case KindText, KindThinking:
		if m.Name == "text" {
			return field(&b.Text)
		}
	case KindToolCall:
		switch m.Name {
		case "id":
			return field(&b.ID)
		case "name":
			return field(&b.Name)
		case "arguments":
			return payload()
		}
	case KindToolResult:
		switch m.Name {
		case "toolCallId":
			return field(&b.ID)
		case "name":
			return field(&b.Name)
		case "error":
			b.Error = m.Value
			return true, nil
		case "result":
			return payload()
		case "content":
			if m.Value[0] != '[' {
				return false, nil
			}
			b.Content, err = decodeBlocks(jsontext.NewDecoder(bytes.NewBufferString(string(m.Value))))
			return true, err
		}
	}
	return false, nil
}

// unquote returns the string that v denotes, if it is one. v is valid JSON.
func (v JSON) unquote() (string, bool) {
	if v == "" || v[0] != '"' {
		return "", false
	}
	s, err := jsontext.AppendUnquote(nil, v)
	return string(s), err == nil
}

// text returns what v says: a string's characters, any other value in canonical form.
func (v JSON) text() (string, error) {
	if s, ok := v.unquote(); ok {
		return s, nil
	}
	canonical := jsontext.Value(v)
	err := canonicalize(&canonical)
	return string(canonical), err
}
