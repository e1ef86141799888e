// Package wire reads and writes the JSON of providers' request bodies: what the packages of the formats share.
//
// Reading is strict: duplicate keys, lone surrogates and invalid UTF-8 are errors that say where. A document of many
// records can be read so that a string that is no Unicode breaks the record and not the document. Values that no field
// stands for keep their spelling, without the white space between tokens.
package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer/messages"
)

// An Error says where in a document something is wrong.
type Error struct {
	Offset int    // bytes before it
	Line   int    // from 1
	Where  string // the value at fault, as a JSON pointer; "" is the whole document
	Err    error
}

// Error gives the line, the byte, the pointer and the reason.
func (e *Error) Error() string {
	where := ""
	if e.Where != "" {
		where = " (" + e.Where + ")"
	}
	return fmt.Sprintf("line %d, byte %d%s: %v", e.Line, e.Offset, where, e.Err)
}

// Unwrap returns the reason without the place.
func (e *Error) Unwrap() error { return e.Err }

// A Reader walks through one JSON document, or a value in it.
type Reader struct {
	src  []byte // of the value
	doc  []byte // of the document
	base int    // where the value begins in the document
	d    *jsontext.Decoder
}

// Read returns a reader of a whole document.
func Read(doc []byte) *Reader {
	return &Reader{src: doc, doc: doc, d: jsontext.NewDecoder(bytes.NewBuffer(doc))}
}

// ReadRecords returns a reader of a whole document that passes over strings that are no Unicode, as lone surrogates make
// them. Each record is checked with [Member.Check] before its strings are used.
func ReadRecords(doc []byte) *Reader {
	return &Reader{src: doc, doc: doc, d: jsontext.NewDecoder(bytes.NewBuffer(doc), jsontext.AllowInvalidUTF8(true))}
}

// A Member is a member of an object, or an element of an array, as the document spells it.
type Member struct {
	Name  string
	Value jsontext.Value // shares the document's memory
	at    int
	doc   []byte
}

// Read returns a reader of the value. It was read before, so duplicate keys are not looked for again.
func (m Member) Read() *Reader {
	d := jsontext.NewDecoder(bytes.NewBuffer(m.Value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return &Reader{src: m.Value, doc: m.doc, base: m.at, d: d}
}

// Check returns an error at the first string in the value that is no Unicode.
func (m Member) Check() error {
	r := &Reader{src: m.Value, doc: m.doc, base: m.at, d: jsontext.NewDecoder(bytes.NewBuffer(m.Value))}
	_, err := r.Value("")
	return err
}

// Kind returns the kind of the value: 'n', 't', 'f', '"', '0', '{' or '['.
func (m Member) Kind() jsontext.Kind { return m.Value.Kind() }

// Text returns the string that the value denotes, if it is one.
func (m Member) Text() (string, bool) {
	if m.Kind() != '"' {
		return "", false
	}
	s, err := jsontext.AppendUnquote(nil, m.Value)
	return string(s), err == nil
}

// WantText returns the string that the value denotes; it is an error when it is none.
func (m Member) WantText() (string, error) {
	s, ok := m.Text()
	if !ok {
		return "", m.Errorf("want a string; found %s", m.Kind())
	}
	return s, nil
}

// Errorf returns an error at the value.
func (m Member) Errorf(format string, args ...any) error {
	return newError(m.doc, m.at, fmt.Errorf(format, args...))
}

// Offset returns how many bytes of the document stand before the value.
func (m Member) Offset() int { return m.at }

// Wrap returns an error about the value: one with a place in it gets the place in the document, any other the value's.
func (m Member) Wrap(err error) error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return newError(m.doc, m.at+e.Offset, e.Err)
	}
	return newError(m.doc, m.at, err)
}

// JSON returns the value without the white space between tokens.
func (m Member) JSON() messages.JSON { return Compact(m.Value) }

// Member returns the value with its name.
func (m Member) Member() messages.Member { return messages.Member{Name: m.Name, Value: m.JSON()} }

// Compact returns the value without the white space between tokens; everything else keeps its spelling.
func Compact(v jsontext.Value) messages.JSON {
	if bytes.ContainsAny(v, " \t\r\n") {
		v = v.Clone()
		_ = v.Compact() // what the decoder gave is valid
	}
	return messages.JSON(v)
}

// newError finds the line and the pointer by reading the document once more: errors are rare, values are not.
func newError(doc []byte, at int, err error) error {
	at = min(at, len(doc))
	d := jsontext.NewDecoder(bytes.NewBuffer(doc), jsontext.AllowInvalidUTF8(true))
	for int(d.InputOffset()) <= at {
		if _, err := d.ReadToken(); err != nil {
			break
		}
	}
	return &Error{Offset: at, Line: 1 + bytes.Count(doc[:at], []byte{'\n'}), Where: string(d.StackPointer()), Err: err}
}

// failure adds the place to an error of the decoder.
func (r *Reader) failure(err error) error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return err
	}
	if e := (*jsontext.SyntacticError)(nil); errors.As(err, &e) {
		return newError(r.doc, r.base+int(e.ByteOffset), e.Err)
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("cut short: want a value")
	}
	return newError(r.doc, r.base+int(r.d.InputOffset()), err)
}

// Errorf returns an error at the next value.
func (r *Reader) Errorf(format string, args ...any) error {
	return r.Place().Errorf(format, args...)
}

// Place returns where the next value begins, for errors that are found later.
func (r *Reader) Place() Member {
	done := min(int(r.d.InputOffset()), len(r.src))
	skipped := len(r.src) - done - len(bytes.TrimLeft(r.src[done:], " \t\r\n,:"))
	return Member{at: r.base + done + skipped, doc: r.doc}
}

// Kind returns the kind of the next value or closing bracket.
func (r *Reader) Kind() jsontext.Kind { return r.d.PeekKind() }

// Object reads an object and hands over the name of each member; the function reads the value.
func (r *Reader) Object(what string, member func(name string) error) error {
	return r.container(what, '{', '}', func() error {
		name, err := r.d.ReadToken()
		if err != nil {
			return r.failure(err)
		}
		return member(name.String())
	})
}

// Array reads an array; the function reads one element.
func (r *Reader) Array(what string, element func() error) error {
	return r.container(what, '[', ']', element)
}

func (r *Reader) container(what string, open, end jsontext.Kind, inside func() error) error {
	if kind := r.d.PeekKind(); kind != open {
		if kind == 0 {
			_, err := r.d.ReadToken()
			return r.failure(err)
		}
		return r.Errorf("want %s; found %s", what, kind)
	}
	if _, err := r.d.ReadToken(); err != nil {
		return r.failure(err)
	}
	for r.d.PeekKind() != end {
		if r.d.PeekKind() == 0 {
			break // the decoder tells why
		}
		if err := inside(); err != nil {
			return err
		}
	}
	if _, err := r.d.ReadToken(); err != nil {
		return r.failure(err)
	}
	return nil
}

// Value reads any value.
func (r *Reader) Value(name string) (Member, error) {
	v, err := r.d.ReadValue()
	if err != nil {
		return Member{}, r.failure(err)
	}
	end := int(r.d.InputOffset())
	return Member{
		Name: name, Value: r.src[end-len(v) : end],
		at: r.base + end - len(v), doc: r.doc,
	}, nil
}

// Text reads a string.
func (r *Reader) Text(what string) (string, error) {
	m, err := r.Value(what)
	if err != nil {
		return "", err
	}
	return m.WantText()
}

// Members reads an object as it is.
func (r *Reader) Members(what string) ([]Member, error) {
	var members []Member
	err := r.Object(what, func(name string) error {
		m, err := r.Value(name)
		members = append(members, m)
		return err
	})
	return members, err
}

// Each reads an array and hands over its elements, with their places from 0.
func (r *Reader) Each(what string, element func(i int, v Member) error) error {
	i := 0
	return r.Array(what, func() error {
		v, err := r.Value("")
		if err != nil {
			return err
		}
		i++
		return element(i-1, v)
	})
}

// Typed reads an object that a member "type" gives its meaning; the members do not include that one.
func (r *Reader) Typed(what string) (kind string, members []Member, err error) {
	place := r.Place()
	err = r.Object(what+", an object", func(name string) error {
		m, err := r.Value(name)
		switch {
		case err != nil:
		case name == "type":
			kind, err = m.WantText()
		default:
			members = append(members, m)
		}
		return err
	})
	if err == nil && kind == "" {
		err = place.Errorf("%s without a type", what)
	}
	return kind, members, err
}

// Whole reads the value that is all of the document.
func (r *Reader) Whole() (Member, error) {
	v, err := r.Value("")
	if err == nil {
		err = r.End()
	}
	return v, err
}

// End is an error when something follows.
func (r *Reader) End() error {
	switch _, err := r.d.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return r.failure(err)
	}
	return newError(r.doc, r.base+int(r.d.InputOffset()), errors.New("something follows the value"))
}

// Each hands over the elements of a value that is an array, with their places from 0.
func (m Member) Each(what string, element func(i int, v Member) error) error {
	return m.Read().Each(what, element)
}

// TextAt returns the string at a [Path], "" where there is none.
func TextAt(m Member, names ...string) string {
	v, _ := Path(m, names...)
	text, _ := v.Text()
	return text
}

// Path returns a value inside objects, by the names on the way. Values of another kind on the way, and the zero Member, mean
// that it is not there.
func Path(m Member, names ...string) (Member, bool) {
	for _, name := range names {
		if m.Kind() != '{' {
			return Member{}, false
		}
		members, err := m.Read().Members("an object")
		if err != nil {
			return Member{}, false
		}
		found := false
		for _, inner := range members {
			if inner.Name == name {
				m, found = inner, true
			}
		}
		if !found {
			return Member{}, false
		}
	}
	return m, true
}

// Of returns the error with a place in it that err wraps, or nil.
func Of(err error) *Error {
	var e *Error
	errors.As(err, &e)
	return e
}
