package promptfile

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Description is a file whose keys another package knows: one mapping, in either notation, as JSON.
type Description struct {
	Name string // of the source, as it was given to [ReadDescription]
	JSON []byte

	src []byte
}

// ReadDescription reads a description, of at most [MaxSource] bytes and of one document. JSON stays as it is written, and
// of YAML the numbers do. Every error is an [Error].
func ReadDescription(src []byte, name string) (*Description, error) {
	doc := &Description{Name: name, JSON: src, src: src}
	if v := jsontext.Value(src); len(src) <= MaxSource && v.Kind() == '{' && v.IsValid() {
		return doc, nil
	}
	d, root, err := doc.read()
	if err == nil {
		doc.JSON, err = d.appendJSON(nil, root)
	}
	return doc, err
}

func (doc *Description) read() (*decoder, *node, error) {
	s := newSource(doc.src, doc.Name, form{"description", "keys such as input and history"}, 0)
	root, err := s.document(false)
	return &decoder{source: s}, root, err
}

// Locate turns an error of package messages about the description into an [Error]. Such errors know no lines, but the
// members of a description do not depend on each other: the line is that of the first one, or of the first element of a
// list, that is wrong by itself.
func (doc *Description) Locate(err error, wrong func(src []byte) bool) error {
	located := &Error{File: doc.Name, What: strings.TrimPrefix(err.Error(), "messages: "), Err: err}
	d, root, unread := doc.read()
	if unread != nil {
		return located
	}
	isWrong := func(key scalar, value node) bool {
		src, err := d.appendJSON(nil, &node{kind: mapping, keys: []scalar{key}, items: []node{value}})
		return err == nil && wrong(src)
	}
	for i, value := range root.items {
		if !isWrong(root.keys[i], value) {
			continue
		}
		located.Line = root.keys[i].line
		for k := range value.items {
			if value.kind == sequence && isWrong(root.keys[i], node{kind: sequence, items: value.items[k : k+1]}) {
				located.Line = value.items[k].line
				break
			}
		}
		break
	}
	return located
}
