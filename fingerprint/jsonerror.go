package fingerprint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Why [Canonical] refuses a document. Every error it returns is a [*JSONError] that wraps exactly one
// of these, and says where.
var (
	// ErrSyntax: the input is not one JSON text (RFC 8259): empty, cut short, followed by something
	// else, preceded by a byte order mark, or ungrammatical.
	ErrSyntax = errors.New("not JSON")
	// ErrInvalidUTF8: a byte that belongs to no UTF-8 character.
	ErrInvalidUTF8 = errors.New("invalid UTF-8")
	// ErrLoneSurrogate: an escape from \ud800 to \udfff that is not half of a pair. It denotes no
	// character, and most decoders replace it silently.
	ErrLoneSurrogate = errors.New("lone surrogate escape")
	// ErrDuplicateKey: two members of one object have the same key once escapes are undone.
	ErrDuplicateKey = errors.New("duplicate key")
	// ErrNumberRange: a number too large for a double.
	ErrNumberRange = errors.New("number too large for a double")
	// ErrInexactInteger: an integer that the canonical form cannot say, because no double prints as it.
	ErrInexactInteger = errors.New("integer that a double cannot hold exactly")
	// ErrDepth: arrays and objects nested more than [MaxDepth] deep.
	ErrDepth = errors.New("nested too deep")
)

// A JSONError says where a document is at fault. The position is that of the first byte at fault: the
// bad byte, the backslash of the bad escape, the start of the number, the opening quote of the second
// of two equal keys, the bracket that opens one level too many.
type JSONError struct {
	Offset  int64  // bytes before the fault
	Line    int    // from 1; lines end with \n
	Column  int    // from 1, in characters; a byte that is not UTF-8 counts as one
	Pointer string // the value at fault, or the one around it, as an RFC 6901 JSON pointer; "" is the whole document
	Err     error  // wraps one of the sentinels of this package
}

// Error gives line, column, byte offset, pointer and reason. Pointers of more than 100 bytes are cut.
func (e *JSONError) Error() string {
	at := ""
	if e.Pointer != "" {
		at = fmt.Sprintf(", in %q", excerpt(e.Pointer, 100))
	}
	return fmt.Sprintf("fingerprint: json: line %d, column %d (byte %d)%s: %v", e.Line, e.Column, e.Offset, at, e.Err)
}

// Unwrap returns the reason without the place.
func (e *JSONError) Unwrap() error { return e.Err }

func newJSONError(src []byte, offset int64, pointer jsontext.Pointer, err error) *JSONError {
	before := src[:offset]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return &JSONError{
		Offset:  offset,
		Line:    bytes.Count(before, []byte{'\n'}) + 1,
		Column:  utf8.RuneCount(line) + 1,
		Pointer: string(pointer),
		Err:     err,
	}
}

// syntaxError turns an error of the decoder into one of ours. The decoder tells the kinds apart in
// words only, so the kind is read from the bytes it points at.
func syntaxError(src []byte, err error) *JSONError {
	var se *jsontext.SyntacticError
	switch {
	case errors.As(err, &se):
	case errors.Is(err, io.EOF):
		return newJSONError(src, int64(len(src)), "", fmt.Errorf("%w: no value", ErrSyntax))
	default:
		return newJSONError(src, int64(len(src)), "", fmt.Errorf("%w: %v", ErrSyntax, err))
	}
	at := src[min(se.ByteOffset, int64(len(src))):]
	fault := func(err error) *JSONError { return newJSONError(src, int64(len(src)-len(at)), se.JSONPointer, err) }
	switch {
	case errors.Is(se.Err, jsontext.ErrDuplicateName):
		return fault(fmt.Errorf("%w %q", ErrDuplicateKey, excerpt(se.JSONPointer.LastToken(), 40)))
	case errors.Is(se.Err, io.ErrUnexpectedEOF):
		return newJSONError(src, int64(len(src)), se.JSONPointer, fmt.Errorf("%w: cut short", ErrSyntax))
	case startsInvalid(at):
		return fault(fmt.Errorf("%w: byte 0x%02x", ErrInvalidUTF8, at[0]))
	case startsSurrogate(at):
		return fault(fmt.Errorf("%w %s", ErrLoneSurrogate, at[:6]))
	case len(at) == len(src) && bytes.HasPrefix(at, []byte("\ufeff")):
		return fault(fmt.Errorf("%w: starts with a byte order mark", ErrSyntax))
	}
	return fault(fmt.Errorf("%w: %v", ErrSyntax, se.Err))
}

func startsInvalid(b []byte) bool {
	r, size := utf8.DecodeRune(b)
	return r == utf8.RuneError && size == 1
}

// startsSurrogate is about an escape that the decoder refused: it would not refuse one below \ud800.
func startsSurrogate(b []byte) bool {
	isHex := func(c byte) bool {
		return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	}
	return len(b) >= 6 && b[0] == '\\' && b[1] == 'u' &&
		(b[2] == 'd' || b[2] == 'D') && isHex(b[3]) && isHex(b[4]) && isHex(b[5])
}

// excerpt bounds how much of a document gets into an error.
func excerpt(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}
