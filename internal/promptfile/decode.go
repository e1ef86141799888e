package promptfile

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/quirehq/quire/tiers"
)

// A decoder turns nodes into values. Its path is what messages call the place, outermost first.
type decoder struct {
	*source
	files   files
	outside bool // the value stands outside a prompt file, so that quotes were not there to use
	path    []string
}

// within decodes what stands under a named place.
func (d *decoder) within(label string, f func() error) error {
	outer := d.path
	d.path = append(d.path, label)
	err := f()
	d.path = outer
	return err
}

// wrong refuses a value.
func (d *decoder) wrong(n *node, want string) error {
	return d.fail(n.line, d.prefix()+n.String(), want)
}

// decode fills in a value from a mapping. An unknown key, and one that stands twice, are errors.
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
		if err := d.within(key.text, func() error { return fields[f].read(d, &n.items[i], into) }); err != nil {
			return err
		}
	}
	return nil
}

// decodeOne fills in the value of one key.
func decodeOne[T any](d *decoder, key string, n *node, fields []field[T], into *T) error {
	f := indexOf(fields, key)
	if f < 0 {
		return d.fail(0, "unknown key "+quoted(key), wantKey(key, fields))
	}
	return fields[f].read(d, n, into)
}

func indexOf[T any](fields []field[T], key string) int {
	for i := range fields {
		if fields[i].key == key {
			return i
		}
	}
	return -1
}

func (d *decoder) prefix() string {
	if len(d.path) == 0 {
		return ""
	}
	return strings.Join(d.path, ": ") + ": "
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

// text reads a text.
func (d *decoder) text(n *node) (string, error) {
	switch {
	case n.kind == text, d.outside:
		return n.text, nil
	case n.kind == mapping || n.kind == sequence:
		return "", d.wrong(n, "want a text")
	case n.isNull():
		return "", d.wrong(n, `want a text; "" is the empty one`)
	case n.isNumber() || n.isBool():
		return "", d.wrong(n, "want a text; write it in quotes")
	}
	return n.text, nil
}

// boolean reads a truth value.
func (d *decoder) boolean(n *node) (bool, error) {
	if n.kind == plain && (n.text == "true" || n.text == "false") {
		return n.text == "true", nil
	}
	return false, d.wrong(n, "want true or false")
}

// integer reads a decimal integer.
func (d *decoder) integer(n *node, least, most int64) (int64, error) {
	if n.kind == plain && isDecimal(n.text) {
		if v, err := strconv.ParseInt(n.text, 10, 64); err == nil && least <= v && v <= most {
			return v, nil
		}
	}
	want := fmt.Sprintf("want a decimal integer from %d to %d", least, most)
	if least == 0 && most == math.MaxInt64 {
		want = "want a non-negative decimal integer, such as 2000"
	}
	return 0, d.wrong(n, want)
}

// isDecimal reports whether s is an integer as JSON writes it.
func isDecimal(s string) bool {
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	return s != "" && digits(s) == len(s) && (s[0] != '0' || len(s) == 1)
}

// budget reads a limit, or null for none.
func (d *decoder) budget(n *node) (tiers.Budget, error) {
	if n.isNull() && !(d.outside && n.text == "") { // an empty flag is a variable that was not set
		return tiers.Budget{}, nil
	}
	limit, err := d.integer(n, 0, math.MaxInt64)
	if err != nil {
		return tiers.Budget{}, err
	}
	return tiers.Limit(limit), nil
}

// fraction reads a decimal from 0 to 1, from its text.
func (d *decoder) fraction(n *node) (tiers.Fraction, error) {
	if n.isNumber() {
		if f, err := tiers.ParseFraction(n.text); err == nil {
			return f, nil
		}
	}
	return tiers.Fraction{}, d.wrong(n, "want a decimal from 0 to 1 with at most 18 digits after the point, such as 0.95")
}
