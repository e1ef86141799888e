package template

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Missing says what [RenderLoose] does with a variable that it was not given.
type Missing uint8

// The two ways.
const (
	Refuse   Missing = 0 // it is an error
	Preserve Missing = 1 // the reference stays as it stands
)

// RenderLoose replaces every {{name}}, with or without white space inside the braces, by the value of that name. A name
// is made of A-Z, a-z, 0-9 and _. Whatever else the text has in braces stays: {{{a}}} is a brace, the value, a brace.
// White space is what JavaScript's \s is.
//
// Values are text. [PrintJSON] makes the text of a JSON value. A missing one is a [*ReferenceError] of [ErrUnknown], or
// stays with [Preserve].
func RenderLoose(text string, vars map[string]string, missing Missing) (string, error) {
	if missing > Preserve {
		return "", fmt.Errorf("template: unknown way %d to treat what is missing; want Refuse or Preserve", missing)
	}
	var b strings.Builder
	done := 0 // what is copied so far
	for at := 0; ; {
		open := strings.Index(text[at:], "{{")
		if open < 0 {
			break
		}
		open += at
		name, end := looseReference(text, open)
		if end < 0 {
			at = open + 1
			continue
		}
		at = end
		value, known := vars[name]
		switch {
		case known:
			b.WriteString(text[done:open])
			b.WriteString(value)
			done = end
		case missing == Refuse:
			return "", fmt.Errorf("template: %w", &ReferenceError{
				ErrUnknown, name, open, 1 + strings.Count(text[:open], "\n"), slices.Sorted(maps.Keys(vars))})
		}
	}
	b.WriteString(text[done:])
	return b.String(), nil
}

// looseReference returns the name of the reference that begins at open, and where it ends; -1 when there is none.
func looseReference(text string, open int) (name string, end int) {
	start := skipSpace(text, open+2)
	end = start
	for end < len(text) && looseNameByte(text[end]) {
		end++
	}
	name = text[start:end]
	if end = skipSpace(text, end); name == "" || !strings.HasPrefix(text[end:], "}}") {
		return "", -1
	}
	return name, end + 2
}

func looseNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// skipSpace returns the first offset from at on that is no white space. Package unicode is not asked: its tables move
// with Go releases.
func skipSpace(text string, at int) int {
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == ' ' || '\t' <= r && r <= '\r':
		case r == '\u00a0' || r == '\u1680' || '\u2000' <= r && r <= '\u200a' || r == '\u2028' || r == '\u2029':
		case r == '\u202f' || r == '\u205f' || r == '\u3000' || r == '\ufeff':
		default:
			return at
		}
		at += size
	}
	return at
}
