package template

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/internal/utf16order"
)

// ErrJSON is what [PrintJSON] refuses: a text that is not one JSON value.
var ErrJSON = errors.New("not a JSON value that can be printed")

// PrintJSON returns the text that stands for a JSON value in a prompt: of a string its characters, of anything else what
// JavaScript's JSON.stringify writes for an object whose keys were put in sorted order.
//
//   - There is no white space. A number is printed as ECMAScript prints the double nearest to it: 1.0 is 1, -0 is 0,
//     1e21 is 1e+21, 12345678901234567890 is 12345678901234567000.
//   - In strings only the quote, the backslash and control characters below U+0020 are escaped; <, U+007F and U+2028
//     stand for themselves.
//   - The keys of an object are sorted at every depth by their UTF-16 code units, but keys that are array indices (0 to
//     4294967294 in plain decimal) come first, by number: that is where JavaScript keeps them.
//
// It is an error, which wraps [ErrJSON] and tells the byte, when src is anything but one JSON value in valid UTF-8, has
// a lone surrogate, two equal keys in one object, or a number beyond a double or of more than 1000 bytes.
func PrintJSON(src []byte) (string, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(src))
	v, err := readValue(dec)
	if err == nil {
		if _, extra := dec.ReadToken(); extra != io.EOF {
			err = errors.New("more than one value")
		}
	}
	if err != nil {
		offset := dec.InputOffset()
		if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) {
			offset, err = syntax.ByteOffset, syntax.Err
		}
		return "", fmt.Errorf("template: %w: byte %d: %w", ErrJSON, offset, err)
	}
	if v.kind == '"' {
		return v.text, nil
	}
	return string(v.append(nil)), nil
}

// A value is a JSON value in memory, so that each byte is printed once however deep it stands.
type value struct {
	kind  jsontext.Kind
	text  string   // of a string its characters, of another scalar its canonical form
	items []member // of an array or object
}

type member struct {
	key   string
	value value
}

func readValue(dec *jsontext.Decoder) (value, error) {
	token, err := dec.ReadToken()
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return value{}, err
	}
	v := value{kind: token.Kind()}
	switch v.kind {
	case '0':
		v.text, err = printNumber(token.String())
		return v, err
	case '{', '[':
		for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
			var m member
			if v.kind == '{' {
				key, err := dec.ReadToken()
				if err != nil {
					return value{}, err
				}
				m.key = key.String()
			}
			if m.value, err = readValue(dec); err != nil {
				return value{}, err
			}
			v.items = append(v.items, m)
		}
		if v.kind == '{' {
			slices.SortFunc(v.items, func(a, b member) int { return compareKeys(a.key, b.key) })
		}
		_, err = dec.ReadToken()
		return v, err
	}
	v.text = token.String()
	return v, nil
}

func (v value) append(dst []byte) []byte {
	switch v.kind {
	case '"':
		return appendQuoted(dst, v.text)
	case '{', '[':
		dst = append(dst, byte(v.kind))
		for i, m := range v.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			if v.kind == '{' {
				dst = append(appendQuoted(dst, m.key), ':')
			}
			dst = m.value.append(dst)
		}
		return append(dst, byte(v.kind)+2) // "{" and "}", "[" and "]" are two apart
	}
	return append(dst, v.text...)
}

func appendQuoted(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the decoder found it valid
	return dst
}

// printNumber only reads and prints the double, both correctly rounded; nothing is computed with it.
func printNumber(literal string) (string, error) {
	// strconv stops reading an exponent at 10,000, which is wrong only after that many digits.
	if len(literal) > 1000 {
		return "", errors.New("number of more than 1000 bytes")
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return "", fmt.Errorf("number %s is beyond the range of a double", excerpt(literal))
	}
	if f == 0 {
		return "0", nil
	}
	number := jsontext.Value(literal)
	if err := number.Canonicalize(); err != nil { // RFC 8785 prints numbers as JavaScript does
		return "", err
	}
	return string(number), nil
}

// compareKeys is the order in which JavaScript walks an object whose keys were inserted sorted.
func compareKeys(a, b string) int {
	i, aIsIndex := arrayIndex(a)
	j, bIsIndex := arrayIndex(b)
	switch {
	case aIsIndex && bIsIndex:
		return cmp.Compare(i, j)
	case aIsIndex:
		return -1
	case bIsIndex:
		return 1
	}
	return utf16order.Compare(a, b)
}

// arrayIndex returns the number that a key is, when JavaScript takes it for an array index.
func arrayIndex(key string) (int64, bool) {
	n, err := strconv.ParseUint(key, 10, 32)
	if err != nil || n == 1<<32-1 || strconv.FormatUint(n, 10) != key {
		return 0, false
	}
	return int64(n), true
}
