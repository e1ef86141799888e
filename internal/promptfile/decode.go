package promptfile

import (
	"fmt"
	"math"
	"slices"
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

func (d *decoder) prefix() string {
	if len(d.path) == 0 {
		return ""
	}
	return strings.Join(d.path, ": ") + ": "
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

// texts reads a list of texts.
func (d *decoder) texts(n *node) ([]string, error) {
	if n.kind != sequence {
		return nil, d.wrong(n, "want a list of texts")
	}
	texts := make([]string, len(n.items))
	for i := range n.items {
		var err error
		if texts[i], err = d.text(&n.items[i]); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// choose reads one of the names.
func choose[T any](d *decoder, n *node, names []string, parse func(string) (T, error), into *T) error {
	if n.kind != plain && n.kind != text {
		return d.wrong(n, "want "+oneOf(names))
	}
	if !slices.Contains(names, n.text) {
		want := "want " + oneOf(names)
		if nearest := nearestTo(n.text, names); nearest != "" {
			want += "; did you mean " + nearest + "?"
		}
		return d.wrong(n, want)
	}
	value, err := parse(n.text)
	if err != nil {
		return d.wrong(n, err.Error())
	}
	*into = value
	return nil
}

func oneOf(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// namesOf lists the names of an enumeration whose values count from 0.
func namesOf[T interface {
	~uint8
	fmt.Stringer
}](parse func(string) (T, error)) []string {
	var names []string
	for v := T(0); ; v++ {
		name := v.String()
		if _, err := parse(name); err != nil {
			return names
		}
		names = append(names, name)
	}
}

func enum(names []string) string { return `{"enum":["` + strings.Join(names, `","`) + `"]}` }
