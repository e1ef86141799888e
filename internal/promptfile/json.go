package promptfile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/fingerprint"
)

// readJSON reads a source that is one JSON value; where it is none, the hint says what would be right. Keys that stand
// twice are left to the decoder, which knows lines.
func (s *source) readJSON(hint string) (node, error) {
	r := jsonReader{source: s, dec: jsontext.NewDecoder(strings.NewReader(s.text), jsontext.AllowDuplicateNames(true)), line: s.first, hint: hint}
	first, err := r.token()
	if err != nil {
		return node{}, err
	}
	n, err := r.value(first, 0)
	if err != nil {
		return node{}, err
	}
	if _, err := r.token(); !errors.Is(err, io.EOF) {
		if err != nil {
			return node{}, err
		}
		return node{}, s.fail(r.line, "something follows the JSON value", "want one "+s.noun+" in a JSON file")
	}
	return n, nil
}

type jsonReader struct {
	*source
	dec    *jsontext.Decoder
	offset int    // up to which lines were counted
	line   int    // at offset
	hint   string // what would be right where it is no JSON

	// Of the containers that are open, those of the innermost last: a node gets no more room than it needs.
	keys  []scalar
	items []node
}

// token reads a token and counts the line that it ends on, which is the one it stands on: no JSON token holds a line
// end. At the end of the source it returns io.EOF.
func (r *jsonReader) token() (jsontext.Token, error) {
	tok, err := r.dec.ReadToken()
	if err == nil {
		r.advance(int(r.dec.InputOffset()))
		return tok, nil
	}
	var syntax *jsontext.SyntacticError
	if errors.Is(err, io.ErrUnexpectedEOF) {
		r.advance(len(r.text))
		return tok, r.fail(r.line, "the JSON ends in the middle", "want its closing bracket")
	}
	if errors.As(err, &syntax) {
		r.advance(int(syntax.ByteOffset))
		if escape := loneSurrogate(r.text[r.offset:]); escape != "" {
			return tok, r.fail(r.line, fmt.Sprintf("not JSON: the lone surrogate %s at byte %d", escape, r.mark+r.offset),
				"want a pair of them, or the character itself")
		}
		return tok, r.fail(r.line, "not JSON: "+strings.TrimPrefix(syntax.Err.Error(), "jsontext: "),
			r.hint)
	}
	r.advance(int(r.dec.InputOffset()))
	return tok, err
}

// loneSurrogate returns the escape of a surrogate that text begins with, if it does. The decoder tells of it in words only.
func loneSurrogate(text string) string {
	if len(text) < 6 || text[:2] != `\u` {
		return ""
	}
	if v, err := strconv.ParseUint(text[2:6], 16, 16); err != nil || !utf16.IsSurrogate(rune(v)) {
		return ""
	}
	return text[:6]
}

func (r *jsonReader) advance(offset int) {
	if offset = min(offset, len(r.text)); offset > r.offset {
		r.line += strings.Count(r.text[r.offset:offset], "\n")
		r.offset = offset
	}
}

// value reads the value that begins with a token.
func (r *jsonReader) value(tok jsontext.Token, depth int) (node, error) {
	n := node{line: r.line}
	if err := r.count(r.line); err != nil {
		return node{}, err
	}
	end := jsontext.Kind(']')
	switch tok.Kind() {
	case '"':
		n.kind, n.text = text, tok.String()
		return n, nil
	case '{':
		n.kind, end = mapping, '}'
	case '[':
		n.kind = sequence
	default:
		n.text = tok.String()
		return n, nil
	}
	if depth == maxDepth {
		return node{}, r.tooDeep(r.line)
	}
	keys, items := len(r.keys), len(r.items)
	for {
		tok, err := r.token()
		if err != nil {
			return node{}, err
		}
		if tok.Kind() == end {
			n.keys, n.items = slices.Clone(r.keys[keys:]), slices.Clone(r.items[items:])
			r.keys, r.items = r.keys[:keys], r.items[:items]
			return n, nil
		}
		if n.kind == mapping {
			r.keys = append(r.keys, scalar{tok.String(), r.line})
			if tok, err = r.token(); err != nil {
				return node{}, err
			}
		}
		item, err := r.value(tok, depth+1)
		if err != nil {
			return node{}, err
		}
		r.items = append(r.items, item)
	}
}

// appendJSON writes a value as JSON. A number is written as it stands, so it has to be one in JSON too.
func (d *decoder) appendJSON(dst []byte, n *node) (_ []byte, err error) {
	switch {
	case n.kind == mapping:
		first := make(map[string]int, len(n.keys)) // the line of a key
		dst = append(dst, '{')
		for i, key := range n.keys {
			if line, twice := first[key.text]; twice {
				return nil, d.fail(key.line, d.prefix()+"the key "+quoted(key.text)+" stands twice", fmt.Sprintf("it is at line %d already", line))
			}
			first[key.text] = key.line
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(fingerprint.AppendJSONString(dst, key.text), ':')
			if dst, err = d.appendJSON(dst, &n.items[i]); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	case n.kind == sequence:
		dst = append(dst, '[')
		for i := range n.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = d.appendJSON(dst, &n.items[i]); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case n.isNull():
		return append(dst, "null"...), nil
	case n.isBool():
		if n.text != "true" && n.text != "false" {
			return nil, d.wrong(n, "want true or false")
		}
		return append(dst, n.text...), nil
	case n.isNumber():
		switch _, err := fingerprint.Canonical([]byte(n.text)); {
		case errors.Is(err, fingerprint.ErrInexactInteger), errors.Is(err, fingerprint.ErrNumberRange):
			return nil, d.wrong(n, "want one that a double holds exactly; in quotes it is a text")
		case err != nil:
			return nil, d.wrong(n, "want a number as JSON writes it; in quotes it is a text")
		}
		return append(dst, n.text...), nil
	}
	return fingerprint.AppendJSONString(dst, n.text), nil
}
