package promptfile

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// JSON reads a source of one document, in either notation, and returns it as JSON: for files that are described by JSON
// schemas of their own. It may hold at most [MaxSource] bytes. Numbers keep their digits. Every error is an [Error].
func JSON(src []byte, name string) ([]byte, error) {
	s := &source{name: name, text: string(src), first: 1}
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
	return s.appendJSON(nil, &roots[0])
}

func (s *source) appendJSON(dst []byte, n *node) (_ []byte, err error) {
	switch {
	case n.kind == mapping:
		seen := make(map[string]bool, len(n.keys))
		dst = append(dst, '{')
		for i, key := range n.keys {
			if seen[key.text] {
				return nil, s.fail(key.line, fmt.Sprintf("the key %s stands twice", quoted(key.text)), "want it once")
			}
			seen[key.text] = true
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = jsontext.AppendQuote(dst, key.text); err != nil {
				return nil, s.fail(key.line, err.Error(), "want a key in UTF-8")
			}
			dst = append(dst, ':')
			if dst, err = s.appendJSON(dst, &n.items[i]); err != nil {
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
			if dst, err = s.appendJSON(dst, &n.items[i]); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case n.isNull():
		return append(dst, "null"...), nil
	case n.isBool():
		if n.text[0]|0x20 == 't' {
			return append(dst, "true"...), nil
		}
		return append(dst, "false"...), nil
	case n.isNumber():
		if v := jsontext.Value(n.text); !v.IsValid() {
			return nil, s.fail(n.line, "the number "+shown(n.text), "want it as JSON spells it, or a text in quotes")
		}
		return append(dst, n.text...), nil
	}
	if dst, err = jsontext.AppendQuote(dst, n.text); err != nil {
		return nil, s.fail(n.line, err.Error(), "want a text in UTF-8")
	}
	return dst, nil
}
