package fingerprint

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/internal/utf16order"
)

// MaxDepth is how deep arrays and objects may nest in a document that [Canonical] accepts.
const MaxDepth = 1000

// Canonical returns the canonical form of a JSON document, as RFC 8785 defines it. Two documents have
// the same canonical form if and only if they denote the same value, and these are the rules:
//
//   - No white space outside strings.
//   - Object members are sorted at every depth by their keys, compared as sequences of UTF-16 code units.
//   - Strings are written as [AppendJSONString] does; "\u0041" and "A" are one string. Nothing is
//     normalised: composed and decomposed accents stay different.
//   - Numbers are written as ECMAScript writes the double: 1.0, 1e0 and 1 are 1, and -0 is 0.
//   - A literal whose value is an integer must be kept exactly: it is accepted when its canonical form
//     denotes the same decimal value (10, 1e21, 295147905179352830000) and refused otherwise
//     (9007199254740993 would become 9007199254740992).
//   - Any other literal denotes the nearest double, as the RFC has it: 333333333.33333329 is
//     333333333.3333333, and 1e-400 is 0. Where every digit counts, use a string.
//   - An absent member differs from null, 1 from "1", [] from {}.
//
// Whatever has no canonical form is refused by a [*JSONError], which says where and wraps one of the
// Err values of this package: anything but exactly one JSON text (a byte order mark, too, is not part
// of one), bytes that are not UTF-8, lone surrogates, duplicate keys, numbers beyond a double, nesting
// beyond [MaxDepth].
//
// The time is linear in the length of src however it nests, but for the sorting of members that come
// out of order. The result shares no memory with src.
func Canonical(src []byte) ([]byte, error) {
	dst, err := AppendCanonical(make([]byte, 0, len(src)), src)
	if err != nil {
		return nil, err
	}
	return dst, nil
}

// AppendCanonical appends what [Canonical] returns to dst. When it returns an error, the bytes it
// returns are dst as it was. The spare capacity of dst must not overlap src.
func AppendCanonical(dst, src []byte) ([]byte, error) {
	c := canonicalizer{src: src, out: dst}
	if err := c.transcribe(); err != nil {
		return dst, err
	}
	if len(c.shuffled) == 0 {
		return c.out, nil
	}
	transcript := bytes.Clone(c.out[len(dst):])
	return c.appendSorted(c.out[:len(dst)], transcript, span{0, len(transcript), 0, len(c.shuffled)}), nil
}

// A canonicalizer works in two passes. The first copies the document, every token in canonical form, and
// puts the members of an object in order when it closes. Of objects nested n deep that would move the
// innermost n times; so where bytes were moved maxMoves times already, the object is only noted. The second
// pass, if any were, copies the transcript with the members of those in order. Each byte is thus written a
// fixed number of times.
type canonicalizer struct {
	src, out []byte
	start    int // where the transcript begins in out

	open     []container
	keys     []byte   // of members, without escapes
	members  []member // of the objects that are open, those of the innermost last
	shuffled []object // in the order of their opening brackets; also all that are open
	sorted   []member // of the shuffled objects
	text     []byte   // room for a string without its escapes, or for members that are being sorted
}

// maxMoves is enough for nearly all objects that are out of order: those that hold few others.
const maxMoves = 2

// A span is a part of the transcript, with the shuffled objects that lie in it.
type span struct {
	from, to       int
	objFrom, objTo int
}

type member struct {
	keyFrom, keyTo int  // in canonicalizer.keys
	text           span // key and value
}

// An object is one whose members are still to be sorted, or one around such an object.
type object struct {
	from, to      int // what is between the brackets in the transcript
	next          int // the first object in canonicalizer.shuffled that is not in it
	first, beyond int // its members in canonicalizer.sorted; none if they are in order
}

// A container is an array or object that is not closed yet.
type container struct {
	isObject bool
	hasKey   bool // a key has been read and its value has not
	isSorted bool // the members so far are
	isEmpty  bool
	moves    int // how often bytes in it were moved, at most
	first    int // index in members of its first one
	keys     int // length of canonicalizer.keys without its keys
	object   int // index in shuffled that is kept for it
}

// transcribe is the first pass. The decoder checks the grammar, UTF-8, surrogates and duplicate keys.
func (c *canonicalizer) transcribe() error {
	c.start = len(c.out)
	dec := jsontext.NewDecoder(bytes.NewBuffer(c.src))
	for {
		if err := c.token(dec); err != nil {
			return err
		}
		if len(c.open) == 0 {
			break
		}
	}
	end := dec.InputOffset()
	switch _, err := dec.ReadToken(); err {
	case io.EOF:
		return nil
	case nil:
		rest := bytes.TrimLeft(c.src[end:], " \t\r\n")
		return newJSONError(c.src, int64(len(c.src)-len(rest)), "", fmt.Errorf("%w: more than one value", ErrSyntax))
	default:
		return syntaxError(c.src, err)
	}
}

// token copies a key, a scalar or a bracket.
func (c *canonicalizer) token(dec *jsontext.Decoder) error {
	var in *container
	if len(c.open) > 0 {
		in = &c.open[len(c.open)-1]
	}
	kind := dec.PeekKind()
	isClosing := kind == jsontext.KindEndObject || kind == jsontext.KindEndArray
	if in != nil && !in.isEmpty && !in.hasKey && !isClosing {
		c.out = append(c.out, ',')
	}

	if isClosing {
		if _, err := dec.ReadToken(); err != nil {
			return syntaxError(c.src, err)
		}
		c.closeContainer(byte(kind))
		return nil
	}
	if in != nil {
		in.isEmpty = false
	}
	if in != nil && in.isObject && !in.hasKey {
		return c.key(dec, in)
	}
	if kind == jsontext.KindBeginObject || kind == jsontext.KindBeginArray {
		if _, err := dec.ReadToken(); err != nil {
			return syntaxError(c.src, err)
		}
		if len(c.open) == MaxDepth {
			return newJSONError(c.src, dec.InputOffset()-1, dec.StackPointer(), fmt.Errorf("%w: the limit is %d", ErrDepth, MaxDepth))
		}
		c.openContainer(byte(kind))
		return nil
	}

	literal, err := c.literal(dec)
	if err != nil {
		return err
	}
	switch kind {
	case jsontext.KindString:
		if bytes.IndexByte(literal, '\\') < 0 {
			c.out = append(c.out, literal...)
		} else {
			c.text, _ = jsontext.AppendUnquote(c.text[:0], literal) // the decoder found it valid
			c.out = appendString(c.out, c.text)
		}
	case jsontext.KindNumber:
		if c.out, err = appendNumber(c.out, literal); err != nil {
			return newJSONError(c.src, dec.InputOffset()-int64(len(literal)), dec.StackPointer(), err)
		}
	default:
		c.out = append(c.out, literal...)
	}
	c.endValue()
	return nil
}

// literal reads a key or scalar as it is spelled. What the decoder returns is valid until its next
// call only, so the same bytes are taken from the source.
func (c *canonicalizer) literal(dec *jsontext.Decoder) ([]byte, error) {
	value, err := dec.ReadValue()
	if err != nil {
		return nil, syntaxError(c.src, err)
	}
	end := dec.InputOffset()
	return c.src[end-int64(len(value)) : end], nil
}

func (c *canonicalizer) key(dec *jsontext.Decoder, in *container) error {
	literal, err := c.literal(dec)
	if err != nil {
		return err
	}
	m := member{keyFrom: len(c.keys), text: span{from: len(c.out) - c.start, objFrom: len(c.shuffled)}}
	if bytes.IndexByte(literal, '\\') < 0 {
		c.keys = append(c.keys, literal[1:len(literal)-1]...)
		c.out = append(c.out, literal...)
	} else {
		c.keys, _ = jsontext.AppendUnquote(c.keys, literal) // the decoder found it valid
		c.out = appendString(c.out, c.keys[m.keyFrom:])
	}
	c.out = append(c.out, ':')
	m.keyTo = len(c.keys)
	if in.isSorted && len(c.members) > in.first {
		in.isSorted = c.compare(c.members[len(c.members)-1], m) < 0
	}
	in.hasKey = true
	c.members = append(c.members, m)
	return nil
}

// compare compares the keys of two members.
func (c *canonicalizer) compare(a, b member) int {
	return utf16order.Compare(c.keys[a.keyFrom:a.keyTo], c.keys[b.keyFrom:b.keyTo])
}

// endValue notes where the value of a member ends.
func (c *canonicalizer) endValue() {
	if len(c.open) == 0 {
		return
	}
	if in := &c.open[len(c.open)-1]; in.isObject {
		text := &c.members[len(c.members)-1].text
		text.to, text.objTo = len(c.out)-c.start, len(c.shuffled)
		in.hasKey = false
	}
}

func (c *canonicalizer) openContainer(bracket byte) {
	if c.open == nil {
		c.open = make([]container, 0, 8) // enough for most documents, and one allocation instead of four
	}
	c.out = append(c.out, bracket)
	in := container{isObject: bracket == '{', isSorted: true, isEmpty: true,
		first: len(c.members), keys: len(c.keys), object: len(c.shuffled)}
	if in.isObject {
		if c.members == nil {
			c.members, c.shuffled = make([]member, 0, 16), make([]object, 0, 8)
		}
		c.shuffled = append(c.shuffled, object{from: len(c.out) - c.start})
	}
	c.open = append(c.open, in)
}

func (c *canonicalizer) closeContainer(bracket byte) {
	in := c.open[len(c.open)-1]
	c.open = c.open[:len(c.open)-1]
	if in.isObject {
		c.closeObject(&in)
	}
	if len(c.open) > 0 {
		around := &c.open[len(c.open)-1]
		around.moves = max(around.moves, in.moves)
	}
	c.out = append(c.out, bracket)
	c.endValue()
}

// closeObject sorts the members of an object, or notes that they are to be.
func (c *canonicalizer) closeObject(in *container) {
	o, members := &c.shuffled[in.object], c.members[in.first:]
	isDone := in.object == len(c.shuffled)-1 // nothing in it is left for the second pass
	if !in.isSorted {
		slices.SortFunc(members, c.compare)
		if in.moves < maxMoves { // then nothing in it was noted: that takes as many moves
			in.moves++
			c.rearrange(o.from, members)
		} else {
			isDone = false
			o.to, o.next = len(c.out)-c.start, len(c.shuffled)
			o.first = len(c.sorted)
			c.sorted = append(c.sorted, members...)
			o.beyond = len(c.sorted)
		}
	}
	if isDone {
		c.shuffled = c.shuffled[:in.object]
	}
	c.keys, c.members = c.keys[:in.keys], c.members[:in.first]
}

// rearrange writes the members of an object, which begin at from in the transcript and end where that does, in the
// order of the slice.
func (c *canonicalizer) rearrange(from int, members []member) {
	c.text = append(c.text[:0], c.out[c.start+from:]...)
	out := c.out[:c.start+from]
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, c.text[m.text.from-from:m.text.to-from]...)
	}
}

// appendSorted is the second pass, over a part of the transcript.
func (c *canonicalizer) appendSorted(dst, transcript []byte, part span) []byte {
	done := part.from
	for i := part.objFrom; i < part.objTo; {
		o := &c.shuffled[i]
		if o.first == o.beyond {
			i++
			continue
		}
		dst = append(dst, transcript[done:o.from]...)
		for j, m := range c.sorted[o.first:o.beyond] {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = c.appendSorted(dst, transcript, m.text)
		}
		done, i = o.to, o.next
	}
	return append(dst, transcript[done:part.to]...)
}
