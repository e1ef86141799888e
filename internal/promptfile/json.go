package promptfile

import (
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// readJSON reads a source that is one JSON value. Keys that stand twice are left to the decoder, which knows lines.
func (s *source) readJSON() (node, error) {
	r := jsonReader{source: s, dec: jsontext.NewDecoder(strings.NewReader(s.text), jsontext.AllowDuplicateNames(true)), line: 1}
	n, err := r.value(0)
	if err != nil {
		return node{}, err
	}
	if _, err := r.token(); !errors.Is(err, io.EOF) {
		if err != nil {
			return node{}, err
		}
		return node{}, s.fail(r.line, "something follows the JSON value", "want one prompt in a JSON file")
	}
	return n, nil
}

type jsonReader struct {
	*source
	dec    *jsontext.Decoder
	offset int // up to which lines were counted
	line   int // at offset
}

// token reads a token and counts the line that it ends on, which is the one it stands on: no JSON token holds a line
// end. At the end of the source it returns io.EOF.
func (r *jsonReader) token() (jsontext.Token, error) {
	tok, err := r.dec.ReadToken()
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		r.advance(int(syntax.ByteOffset))
		return tok, r.fail(r.line, "not JSON: "+strings.TrimPrefix(syntax.Err.Error(), "jsontext: "),
			"a file that begins with { is read as JSON")
	}
	if err == io.ErrUnexpectedEOF {
		r.advance(len(r.text))
		return tok, r.fail(r.line, "the JSON ends in the middle", "want its closing bracket")
	}
	r.advance(int(r.dec.InputOffset()))
	return tok, err
}

func (r *jsonReader) advance(offset int) {
	if offset = min(offset, len(r.text)); offset > r.offset {
		r.line += strings.Count(r.text[r.offset:offset], "\n")
		r.offset = offset
	}
}

func (r *jsonReader) value(depth int) (node, error) {
	tok, err := r.token()
	if err != nil {
		return node{}, err
	}
	n := node{line: r.line}
	switch tok.Kind() {
	case '"':
		n.kind, n.text = text, tok.String()
		return n, nil
	case '{':
		n.kind = mapping
	case '[':
		n.kind = sequence
	default:
		n.text = tok.String()
		return n, nil
	}
	if depth == maxDepth {
		return node{}, r.tooDeep(r.line)
	}
	for r.dec.PeekKind() != '}' && r.dec.PeekKind() != ']' {
		if n.kind == mapping {
			key, err := r.token()
			if err != nil {
				return node{}, err
			}
			n.keys = append(n.keys, scalar{key.String(), r.line})
		}
		item, err := r.value(depth + 1)
		if err != nil {
			return node{}, err
		}
		n.items = append(n.items, item)
	}
	_, err = r.token()
	return n, err
}
