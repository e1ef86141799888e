package wire

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
)

// A Writer appends compact JSON. The first error stays, and what is written after it counts for nothing.
type Writer struct {
	Buf []byte
	Err error

	start int // what stands before is not ours
}

// Append returns a writer that appends to dst.
func Append(dst []byte) *Writer { return &Writer{Buf: dst, start: len(dst)} }

// Result returns what was written, or dst as it was.
func (w *Writer) Result() ([]byte, error) {
	if w.Err != nil {
		return w.Buf[:w.start], w.Err
	}
	return w.Buf, nil
}

// Open begins an object or array.
func (w *Writer) Open(bracket byte) {
	w.separate()
	w.Buf = append(w.Buf, bracket)
}

// Close ends an object or array.
func (w *Writer) Close(bracket byte) { w.Buf = append(w.Buf, bracket) }

// separate writes the comma, where one is due.
func (w *Writer) separate() {
	if n := len(w.Buf); n > w.start {
		switch w.Buf[n-1] {
		case '{', '[', ':':
		default:
			w.Buf = append(w.Buf, ',')
		}
	}
}

// Name writes the name of a member.
func (w *Writer) Name(name string) {
	w.separate()
	w.Buf = fingerprint.AppendJSONString(w.Buf, name)
	w.Buf = append(w.Buf, ':')
}

// String writes a string.
func (w *Writer) String(s string) {
	w.separate()
	w.Buf = fingerprint.AppendJSONString(w.Buf, s)
}

// Text writes a member that is a string.
func (w *Writer) Text(name, s string) {
	w.Name(name)
	w.String(s)
}

// Value writes a value as it is spelled, without the white space between tokens. What is not JSON is an error.
func (w *Writer) Value(v messages.JSON) {
	w.separate()
	start := len(w.Buf)
	w.Buf = append(w.Buf, v...)
	value := jsontext.Value(w.Buf[start:])
	if !value.IsValid() {
		w.Fail(fmt.Errorf("%q is not JSON", cut(string(v))))
		return
	}
	if strings.ContainsAny(string(v), " \t\r\n") {
		_ = value.Compact() // valid
		w.Buf = append(w.Buf[:start], value...)
	}
}

// Member writes a member.
func (w *Writer) Member(m messages.Member) {
	w.Name(m.Name)
	w.Value(m.Value)
}

// Fail keeps the first error.
func (w *Writer) Fail(err error) {
	if w.Err == nil {
		w.Err = err
	}
}

func cut(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// Canonical returns the canonical form of a value: members sorted at every depth, no white space, one spelling of every
// string and fraction. Integers keep their digits: an id beyond 2^53 is a fact, and no double holds it.
func Canonical(v messages.JSON) (messages.JSON, error) {
	if v == "" {
		return "", nil
	}
	value := jsontext.Value(v)
	if err := value.Canonicalize(jsontext.CanonicalizeRawInts(false)); err != nil {
		return "", fmt.Errorf("%q: %w", cut(string(v)), err)
	}
	return messages.JSON(value), nil
}

// CanonicalMembers returns the members in order of their names, their values in canonical form.
func CanonicalMembers(members []messages.Member) ([]messages.Member, error) {
	if len(members) == 0 {
		return nil, nil
	}
	out := make([]messages.Member, len(members))
	for i, m := range members {
		v, err := Canonical(m.Value)
		if err != nil {
			return nil, fmt.Errorf("member %q: %w", m.Name, err)
		}
		out[i] = messages.Member{Name: m.Name, Value: v}
	}
	sortMembers(out)
	return out, nil
}

// Quote returns the JSON string that denotes s.
func Quote(s string) messages.JSON { return messages.JSON(fingerprint.AppendJSONString(nil, s)) }

// Unquote returns the string that v denotes, if it is one.
func Unquote(v messages.JSON) (string, bool) {
	if v == "" || v[0] != '"' {
		return "", false
	}
	s, err := jsontext.AppendUnquote(nil, v)
	return string(s), err == nil
}

// Plain returns the string that v denotes, or any other value as it is spelled.
func Plain(v messages.JSON) string {
	if s, ok := Unquote(v); ok {
		return s
	}
	return string(v)
}
