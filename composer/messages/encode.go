package messages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/wellformed"
)

// AppendJSON appends the canonical JSON of the message to dst: members sorted, no white space, strings as
// [fingerprint.AppendJSONString] writes them, and only what is part of the message (see [Message]). Values are in
// canonical form too, but for integers, which keep their digits: an id beyond 2^53 is a fact, and no double holds it.
//
// The members of a message are content and role; of a block, type and, where they are not absent, text (text,
// thinking), arguments, id, name (tool_call), result or content, error, name, toolCallId (tool_result). A result of one
// text block without extra members is written as the string it is the same as.
//
// It is an error when a text is not valid UTF-8 ([fingerprint.ErrInvalidUTF8]), a value is not JSON, or an extra member
// has the name of another; what is returned then is dst as it was.
func (m Message) AppendJSON(dst []byte) ([]byte, error) {
	e := encoder{buf: slices.Grow(dst, jsonLen(m.Content))}
	if err := e.message(&m); err != nil {
		return dst, edge(err)
	}
	return e.buf, nil
}

// Text returns what the message is charged for: the texts of its blocks, the empty ones left out, joined by "\n". The
// text of a tool call is its arguments, a string as it is and any other value in canonical JSON; of a tool result, its
// error, unless that is null, and its result, both in canonical JSON, strings too (the published estimate), or the texts
// of its blocks. Images and all other kinds have none. The errors are those of [Message.AppendJSON].
func (m Message) Text() (string, error) {
	_, text, err := m.AppendJSONText(nil)
	return text, err
}

// AppendJSONText is [Message.AppendJSON] and [Message.Text] in one: both need the values in canonical form.
func (m Message) AppendJSONText(dst []byte) (json []byte, text string, err error) {
	e := encoder{buf: slices.Grow(dst, jsonLen(m.Content))}
	if err := e.message(&m); err != nil {
		return dst, "", edge(err)
	}
	return e.buf, e.text(), nil
}

// jsonLen returns about how long the canonical JSON of a message is, rather more than less.
func jsonLen(blocks []Block) int {
	n := 36
	for i := range blocks {
		b := &blocks[i]
		n += 28 + len(b.Text) + len(b.Text)/16 + len(b.ID) + len(b.Name) + len(b.Value) + len(b.Error)
		if b.ID != "" {
			n += 32 // the names of more members
		}
		for _, x := range b.Extra {
			n += len(x.Name) + len(x.Value) + 4
		}
		if len(b.Content) > 0 {
			n += jsonLen(b.Content)
		}
	}
	return n
}

// An encoder writes messages one after the other into one buffer. Values are brought into canonical form once, for the
// JSON and for the text.
type encoder struct {
	buf  []byte
	last int // where the value of the last member begins

	// What the text of the message at hand is joined of: most have one piece or none, for which nothing is allocated.
	pieces int
	first  piece
	more   []piece
}

// A piece is a text that stands somewhere already, in a message or in the encoder's buffer, and need not be copied.
type piece struct {
	text     string
	from, to int // in the buffer, when text is ""
}

// message appends the canonical JSON of m.
func (e *encoder) message(m *Message) error {
	start := len(e.buf)
	e.pieces, e.first, e.more = 0, piece{}, e.more[:0]
	e.raw(`{"content":[`)
	err := e.blocks(m.Content)
	if err == nil {
		e.raw(`]`)
		err = e.str("role", "role", string(m.Role))
	}
	if err == nil {
		err = e.close(start, m.Extra)
	}
	if err != nil {
		e.buf = e.buf[:start]
	}
	return err
}

// add adds a piece to the text.
func (e *encoder) add(p piece) {
	if e.pieces++; e.pieces == 1 {
		e.first = p
	} else {
		e.more = append(e.more, p)
	}
}

// at returns a piece of the text.
func (e *encoder) at(i int) *piece {
	if i == 0 {
		return &e.first
	}
	return &e.more[i-1]
}

// pieceTexts appends the pieces of the message that was written last, which stands in buf: in the encoder's, or in a copy of it.
func pieceTexts[T string | []byte](e *encoder, buf T, list []string) []string {
	for i := range e.pieces {
		p := e.at(i)
		text := p.text
		if text == "" {
			text = string(buf[p.from:p.to])
		}
		list = append(list, text)
	}
	return list
}

// text returns the text of the message that was written last.
func (e *encoder) text() string {
	var few [4]string
	return strings.Join(pieceTexts(e, e.buf, few[:0]), "\n")
}

func (e *encoder) raw(s string) { e.buf = append(e.buf, s...) }

func (e *encoder) blocks(blocks []Block) error {
	for i := range blocks {
		if i > 0 {
			e.raw(",")
		}
		if err := e.block(&blocks[i]); err != nil {
			return fmt.Errorf("block %d: %w", i+1, err)
		}
	}
	return nil
}

// block writes the members that have a field in sorted order; close sorts the rest in, where there is any.
func (e *encoder) block(b *Block) error {
	start := len(e.buf)
	e.raw("{")
	var err error
	switch b.Kind {
	case KindText, KindThinking:
		err = e.str("text", "text", b.Text)
		e.piece(b.Text)
	case KindToolCall:
		err = e.toolCall(b)
	case KindToolResult:
		err = e.toolResult(b)
	}
	if err == nil {
		err = e.str("type", "type", string(b.Kind))
	}
	if err != nil {
		return err
	}
	return e.close(start, b.Extra)
}

func (e *encoder) toolCall(b *Block) error {
	if err := e.arguments(b); err != nil {
		return err
	}
	if b.ID != "" {
		if err := e.str("id", "id", b.ID); err != nil {
			return err
		}
	}
	return e.str("name", "name", b.Name)
}

func (e *encoder) toolResult(b *Block) error {
	listed := len(b.Content) > 0 && b.Value == "" && b.Text == ""
	bare := listed && len(b.Content) == 1 && b.Content[0].Kind == KindText && len(b.Content[0].Extra) == 0
	if listed && !bare {
		e.member("content")
		e.raw("[")
		if err := e.blocks(b.Content); err != nil {
			return err
		}
		e.raw("]")
	}
	if b.Error != "" {
		e.member("error")
		at := len(e.buf)
		if err := e.value("error", b.Error); err != nil {
			return err
		}
		if string(e.buf[at:]) != "null" {
			e.written(at)
		}
	}
	if b.Name != "" {
		if err := e.str("name", "name", b.Name); err != nil {
			return err
		}
	}
	const result = "result"
	var err error
	switch {
	case bare:
		err = e.str(result, result, b.Content[0].Text)
	case listed:
		return e.str("toolCallId", "toolCallId", b.ID)
	case b.Value != "":
		e.member(result)
		err = e.value(result, b.Value)
	case b.Text == "" && b.Error != "":
		return e.str("toolCallId", "toolCallId", b.ID) // an error alone: no result, not an empty one
	default:
		err = e.str(result, result, b.Text)
	}
	if err != nil {
		return err
	}
	e.written(e.last)
	return e.str("toolCallId", "toolCallId", b.ID)
}

// arguments writes the arguments of a call, if there are some.
func (e *encoder) arguments(b *Block) error {
	const arguments = "arguments"
	switch {
	case b.Value == "" && b.Text == "":
		return nil
	case b.Value == "":
		e.piece(b.Text)
		return e.str(arguments, arguments, b.Text)
	}
	e.member(arguments)
	if err := e.value(arguments, b.Value); err != nil {
		return err
	}
	if e.buf[e.last] != '"' {
		e.written(e.last)
		return nil
	}
	s, _ := JSON(e.buf[e.last:]).unquote()
	e.piece(s)
	return nil
}

// piece adds a text that stands in the message.
func (e *encoder) piece(text string) {
	if text != "" {
		e.add(piece{text: text})
	}
}

// written adds what was written from the given place on.
func (e *encoder) written(from int) {
	e.add(piece{from: from, to: len(e.buf)})
}

// member writes the separator, where one is due, and a name.
func (e *encoder) member(name string) {
	buf := e.buf
	if buf[len(buf)-1] != '{' {
		buf = append(buf, ',')
	}
	buf = append(append(append(buf, '"'), name...), `":`...)
	e.buf, e.last = buf, len(buf)
}

func (e *encoder) str(member, field, text string) error {
	if err := checkUTF8(field, text); err != nil {
		return err
	}
	e.member(member)
	e.buf = fingerprint.AppendJSONString(e.buf, text)
	return nil
}

func checkUTF8(field, text string) error {
	if offset := wellformed.Invalid(text); offset >= 0 {
		return fmt.Errorf("%s: %w at byte %d", field, fingerprint.ErrInvalidUTF8, offset)
	}
	return nil
}

func (e *encoder) value(field string, v JSON) error {
	at := len(e.buf)
	written, err := jsontext.AppendFormat(e.buf, v, jsontext.ReorderRawObjects(true), jsontext.CanonicalizeRawFloats(true))
	if err != nil {
		e.buf = e.buf[:at]
		return fmt.Errorf("%s: %w", field, err)
	}
	e.buf = written
	return nil
}

func canonicalize(v *jsontext.Value) error {
	return v.Canonicalize(jsontext.CanonicalizeRawInts(false))
}

// close ends the object that begins at start. Extra members are rare, so the object is brought into canonical order
// only where there are some; that also finds the ones whose names were taken.
func (e *encoder) close(start int, extra []Member) error {
	for _, x := range extra {
		if err := checkUTF8("name of a member", x.Name); err != nil {
			return err
		}
		if last := e.buf[len(e.buf)-1]; last != '{' {
			e.buf = append(e.buf, ',')
		}
		e.buf = fingerprint.AppendJSONString(e.buf, x.Name)
		e.buf = append(e.buf, ':')
		if err := e.value(fmt.Sprintf("member %q", x.Name), x.Value); err != nil {
			return err
		}
	}
	e.raw("}")
	if len(extra) == 0 {
		return nil
	}
	for i := range e.pieces {
		if p := e.at(i); p.text == "" && p.from >= start { // it is about to be moved
			p.text = string(e.buf[p.from:p.to])
		}
	}
	object := jsontext.Value(e.buf[start:])
	if err := canonicalize(&object); err != nil {
		return fmt.Errorf("extra members: %w", err)
	}
	e.buf = append(e.buf[:start], object...)
	return nil
}
