package template

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Value is what a variable stands for in one rendering. The zero value is the empty text, which is a value.
type Value struct {
	Text    string
	Missing bool // the variable is known but has no value this time; Text is not looked at
}

// What a strict template refuses. A [ReferenceError] says where.
var (
	ErrMalformed = errors.New("malformed reference")
	ErrUnknown   = errors.New("unknown variable")
	ErrNoValue   = errors.New("variable without a value")
)

// A ReferenceError is an error about one reference of a text.
type ReferenceError struct {
	Err       error    // ErrMalformed, ErrUnknown or ErrNoValue
	Reference string   // what stands between the braces; of a group that is not complete, its beginning, braces included
	Offset    int      // of its "{{" in the text, in bytes
	Line      int      // of its "{{" in the text, from 1; lines end with a line feed
	Known     []string // the names of all variables, sorted
}

// Error names the place, the reference and what would be right.
func (e *ReferenceError) Error() string {
	known := "there are no variables"
	if len(e.Known) > 0 {
		known = "known are " + strings.Join(e.Known, ", ")
	}
	switch {
	case !errors.Is(e.Err, ErrMalformed):
		return fmt.Sprintf("line %d, byte %d: %v: {{%s}}; %s", e.Line, e.Offset, e.Err, e.Reference, known)
	case strings.HasPrefix(e.Reference, "{{"):
		return fmt.Sprintf(`line %d, byte %d: %v at %q: "{{" opens no group, and a "}}" follows; want {{name}}; %s`,
			e.Line, e.Offset, e.Err, e.Reference, known)
	}
	return fmt.Sprintf("line %d, byte %d: %v {{%s}}; want a name of a-z, 0-9 and _ that begins with a letter, without spaces; %s",
		e.Line, e.Offset, e.Err, excerpt(e.Reference), known)
}

// Unwrap returns the condition.
func (e *ReferenceError) Unwrap() error { return e.Err }

// ValidName reports whether a variable can be referred to: [a-z][a-z0-9_]*.
func ValidName(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '_') {
			return false
		}
	}
	return name != ""
}

// A Template is a text that was parsed. The zero value is the empty text.
type Template struct{ pieces []piece }

// A piece is a run of prose, or a reference.
type piece struct {
	text      string // prose as it stands; of a reference, what is between the braces
	offset    int
	reference bool
	malformed bool // a reference that cannot be filled; it is the last piece, for nobody gets beyond it
}

// Parse reads a strict template. It scans from the left for "{{":
//
//   - "{{", characters other than braces, "}}" are a complete group, and what is inside must be a name ([ValidName]);
//   - "{{" that opens no complete group is an error when a "}}" stands anywhere after it, as in {{{name}}};
//   - "{{" with no "}}" after it is prose, and so is a "}}" that closes nothing.
//
// What is wrong is told by [Template.Append] and not here: the first reference that cannot be filled is the one to
// report, and which that is depends on the variables too.
func Parse(text string) Template {
	var t Template
	for p := range pieces(text) {
		t.pieces = append(t.pieces, p)
	}
	return t
}

// References yields the well-formed references in order, each as often as it stands there.
func (t Template) References() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, p := range t.pieces {
			if p.reference && !p.malformed && !yield(p.text) {
				return
			}
		}
	}
}

// Append appends the text with every reference replaced. The first reference that cannot be is a [*ReferenceError]; dst
// is then returned as it was.
func (t Template) Append(dst []byte, vars map[string]Value) ([]byte, error) {
	return fill(dst, slices.Values(t.pieces), vars)
}

// Append appends what [Render] returns, without keeping the template. It allocates nothing where dst has room.
func Append(dst []byte, text string, vars map[string]Value) ([]byte, error) {
	return fill(dst, pieces(text), vars)
}

// Render returns the text with every reference replaced; a text without references is returned as it is.
func Render(text string, vars map[string]Value) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	out, err := Append(make([]byte, 0, len(text)+len(text)/4), text, vars)
	if err != nil {
		return "", err
	}
	return string(out), nil
}

func fill(dst []byte, pieces iter.Seq[piece], vars map[string]Value) ([]byte, error) {
	start := len(dst)
	for p := range pieces {
		if !p.reference {
			dst = append(dst, p.text...)
			continue
		}
		value, known := vars[p.text]
		var err error
		switch {
		case p.malformed:
			err = ErrMalformed
		case !known:
			err = ErrUnknown
		case value.Missing:
			err = ErrNoValue
		default:
			dst = append(dst, value.Text...)
			continue
		}
		line := 1
		for before := range pieces {
			if before.offset == p.offset {
				break
			}
			line += strings.Count(before.text, "\n")
		}
		return dst[:start], fmt.Errorf("template: %w", &ReferenceError{err, p.text, p.offset, line, slices.Sorted(maps.Keys(vars))})
	}
	return dst, nil
}

// pieces is the scanner. It takes linear time: a "{{" either opens a group, which is consumed, or ends the scan.
func pieces(text string) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		offset := 0
		for {
			open := strings.Index(text[offset:], "{{")
			if open < 0 {
				break
			}
			open += offset
			inside := text[open+2:]
			brace := strings.IndexAny(inside, "{}")
			complete := brace >= 0 && strings.HasPrefix(inside[brace:], "}}")
			if !complete && !strings.Contains(inside, "}}") {
				break
			}
			if open > offset && !yield(piece{text: text[offset:open], offset: offset}) {
				return
			}
			if !complete {
				yield(piece{text: excerpt(text[open:]), offset: open, reference: true, malformed: true})
				return
			}
			name := inside[:brace]
			if bad := !ValidName(name); !yield(piece{name, open, true, bad}) || bad {
				return
			}
			offset = open + 2 + brace + 2
		}
		if offset < len(text) {
			yield(piece{text: text[offset:], offset: offset})
		}
	}
}

// excerpt returns the beginning of a text that may be long.
func excerpt(text string) string {
	const limit = 40
	if len(text) <= limit {
		return text
	}
	end := limit
	for end > limit-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
