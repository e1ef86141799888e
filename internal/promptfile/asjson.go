package promptfile

import (
	"errors"
	"fmt"

	"github.com/quirehq/quire/fingerprint"
)

// JSON reads a source of one document, in either notation, and returns it as JSON: for files that are described by JSON
// schemas of their own. It may hold at most [MaxSource] bytes. Numbers keep their digits. The noun is what messages call
// that which the source describes. Every error is an [Error].
func JSON(src []byte, name, noun string) ([]byte, error) {
	s := newSource(src, name, noun, Options{})
	if len(src) > MaxSource {
		return nil, s.fail(0, "the file has more than 64 MiB", "keep long texts in files of their own")
	}
	roots, err := s.documents(false)
	if err != nil {
		return nil, err
	}
	if len(roots) > 1 {
		return nil, s.fail(roots[1].line, "a second document", "want one")
	}
	d := decoder{source: s}
	return d.appendJSON(nil, &roots[0])
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
