package promptfile

import (
	"fmt"
	"slices"
	"strconv"
)

// A field is a key that a mapping of a prompt file may have. The reader and the schema are both made from fields, so
// they cannot disagree.
type field[T any] struct {
	key    string
	not    string // the key that may not stand beside it
	doc    string // for the schema of prompt files
	schema string // likewise: what a value has to be, as a JSON Schema without description
	read   func(d *decoder, n *node, into *T) error
}

// unless returns the field as one that may not stand beside another.
func (f field[T]) unless(key string) field[T] {
	f.not = key
	return f
}

// textField is a key that takes a text.
func textField[T any](key string, into func(*T) *string) field[T] {
	return field[T]{key: key, read: func(d *decoder, n *node, v *T) (err error) { *into(v), err = d.text(n); return err }}
}

// textsField is a key that takes a list of texts.
func textsField[T any](key string, into func(*T) *[]string) field[T] {
	return field[T]{key: key, read: func(d *decoder, n *node, v *T) (err error) { *into(v), err = d.texts(n); return err }}
}

// fileField is a key that takes the path of a file, whose content is the value.
func fileField[T any](key string, into func(*T) *string) field[T] {
	return field[T]{key: key, read: func(d *decoder, n *node, v *T) (err error) { *into(v), err = d.file(n); return err }}
}

// boolField is a key that takes true or false.
func boolField[T any](key string, into func(*T) *bool) field[T] {
	return field[T]{key: key, read: func(d *decoder, n *node, v *T) (err error) { *into(v), err = d.boolean(n); return err }}
}

// adapt makes fields of a part fields of the whole.
func adapt[T, Part any](fields []field[Part], part func(*T) *Part, without ...string) []field[T] {
	var out []field[T]
	for _, f := range fields {
		if !slices.Contains(without, f.key) {
			out = append(out, field[T]{f.key, f.not, f.doc, f.schema, func(d *decoder, n *node, into *T) error { return f.read(d, n, part(into)) }})
		}
	}
	return out
}

// decode fills in a value from a mapping. An unknown key, one that stands twice, and one that may not stand beside
// another are errors.
func decode[T any](d *decoder, n *node, fields []field[T], into *T) error {
	seen := make([]int, len(fields)) // the line of the key
	for i := range n.items {
		key := n.keys[i]
		f := indexOf(fields, key.text)
		switch {
		case f < 0:
			return d.fail(key.line, d.prefix()+"unknown key "+quoted(key.text), wantKey(key.text, fields))
		case seen[f] > 0:
			return d.fail(key.line, d.prefix()+"the key "+key.text+" stands twice", fmt.Sprintf("it is at line %d already", seen[f]))
		}
		seen[f] = key.line
		for g := range fields {
			if seen[g] > 0 && (fields[f].not == fields[g].key || fields[g].not == key.text) {
				return d.fail(key.line, d.prefix()+fields[g].key+" and "+key.text+" together", "want one of them")
			}
		}
		if err := d.within(key.text, func() error { return fields[f].read(d, &n.items[i], into) }); err != nil {
			return err
		}
	}
	return nil
}

// apply replaces values by those of settings.
func apply[T any](settings []Setting, fields []field[T], into *T) error {
	for _, set := range settings {
		d := decoder{source: &source{name: set.Origin}, outside: true}
		f := indexOf(fields, set.Key)
		if f < 0 {
			return d.fail(0, "unknown key "+quoted(set.Key), wantKey(set.Key, fields))
		}
		if err := fields[f].read(&d, &node{text: set.Value}, into); err != nil {
			return err
		}
	}
	return nil
}

func indexOf[T any](fields []field[T], key string) int {
	for i := range fields {
		if fields[i].key == key {
			return i
		}
	}
	return -1
}

func wantKey[T any](key string, fields []field[T]) string {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].key
	}
	if nearest := nearestTo(key, names); nearest != "" {
		return "did you mean " + nearest + "?"
	}
	return "want " + oneOf(names)
}

// list reads a list of mappings. The key of the first field is the one that each has to have, and messages call it by
// that. With done, which may be nil, an element is completed.
func list[T any](d *decoder, n *node, noun string, into *[]T, fields []field[T], done func(v *T, label string, line int) error) error {
	if n.kind != sequence {
		return d.wrong(n, "want a list of "+noun+"s")
	}
	if len(n.items) == 0 {
		return nil
	}
	outer := d.path
	d.path = make([]string, 0, 4) // the element's own name is enough
	defer func() { d.path = outer }()
	*into = make([]T, len(n.items))
	for i := range n.items {
		element, v, key := &n.items[i], &(*into)[i], fields[0].key
		name := ""
		for k := range element.keys {
			if element.keys[k].text == key {
				name = element.items[k].text
			}
		}
		label := noun + " " + quoted(name)
		if name == "" {
			label = noun + " " + strconv.Itoa(i+1)
		}
		if element.kind != mapping {
			return d.fail(element.line, label+" is "+element.String(), "want a mapping with "+key+" and more")
		}
		if err := d.within(label, func() error { return decode(d, element, fields, v) }); err != nil {
			return err
		}
		if name == "" {
			return d.fail(element.line, label+" has no "+key, "want the key "+key)
		}
		if done != nil {
			if err := done(v, label, element.line); err != nil {
				return err
			}
		}
	}
	return nil
}
