// Package measure decides what a text costs.
//
// There is one concept, the [Measure]: a name and a counting function. The name goes into every recipe, so the
// contract is that of a name: same text, same name, same number, on every machine and in every release.
//
// Built in are sizes that need no table: UTF-16 code units (what JavaScript calls length), UTF-8 bytes, code points,
// and quarter tokens. Real tokenizers are in the package bpe below this one and are linked only where it is imported.
//
// A count is defined for valid UTF-8 only. The composer validates before it measures; on other bytes the built-in
// counts are some number that is not negative, the same each time, and mean nothing.
package measure

import (
	"strings"

	"github.com/quirehq/quire/internal/wellformed"
)

// A Measure prices a text. The zero value is [UTF16].
//
// Measures are values, safe to copy and for concurrent use as far as the counting function is.
type Measure struct {
	name  string
	count func(text string) int64 // the size, or what scale makes it of
	scale func(n int64) int64     // nil: the size is what count says. Else counts add up, and an ASCII character counts 1
}

// New returns a caller's own measure. The function must be pure: its result may depend on the text alone, and two
// measures of one name must count alike, for the name is all that a recipe keeps. A negative count says that the text has
// no size under this measure; the composer refuses such a text, and it refuses an empty name. A nil count fails for every
// text, and so does the name of a built-in measure, which is taken.
func New(name string, count func(text string) int64) Measure {
	if _, taken := ByName(name); taken || count == nil {
		count = func(string) int64 { return -1 }
	}
	return Measure{name: name, count: count}
}

// Named returns a measure that has a name alone, any name. It is for compositions whose costs are all known, such as
// those that are made again of a recipe. The empty text has size 0; for every other one it fails.
func Named(name string) Measure {
	return Measure{name: name, count: func(text string) int64 { return -int64(min(len(text), 1)) }}
}

// IsZero reports whether the measure is the zero value, which nobody chose.
func (m Measure) IsZero() bool { return m.count == nil }

// Name returns the name that recipes and configurations use; "utf16" for the zero value.
func (m Measure) Name() string {
	if m.count == nil {
		return nameUTF16
	}
	return m.name
}

// Count returns the size of text, which must be valid UTF-8. The built-in measures never return a negative number and
// never allocate.
func (m Measure) Count(text string) int64 {
	if m.count == nil {
		return countUTF16(text)
	}
	if m.scale == nil {
		return m.count(text)
	}
	return m.scale(m.count(text))
}

// CountJoined returns the size of texts with the separator between them, as one text. The built-in measures do not make
// that text.
func (m Measure) CountJoined(texts []string, separator string) int64 {
	if m.count == nil {
		m = UTF16()
	}
	if m.scale == nil {
		return m.count(strings.Join(texts, separator))
	}
	n := int64(max(len(texts)-1, 0)) * m.count(separator)
	for _, text := range texts {
		n += m.count(text)
	}
	return m.scale(n)
}

// CountValid returns the size of text, and whether it is valid UTF-8; only then the size means something. It is what
// validating and then counting gives, but where the built-in measures meet ASCII text, one look does both.
func (m Measure) CountValid(text string) (size int64, valid bool) {
	if m.count == nil {
		m = UTF16()
	}
	if m.scale != nil && wellformed.ASCII(text) {
		return m.scale(int64(len(text))), true
	}
	if !wellformed.UTF8(text) {
		return 0, false
	}
	return m.Count(text), true
}

const (
	nameUTF16         = "utf16"
	nameBytes         = "bytes"
	nameRunes         = "runes"
	nameQuarterTokens = "chars/4"
)

// UTF16 counts UTF-16 code units: one for a code point up to U+FFFF, two above. It is the default, named "utf16".
func UTF16() Measure { return Measure{nameUTF16, countUTF16, one} }

// Bytes counts bytes of UTF-8. It is named "bytes".
func Bytes() Measure { return Measure{nameBytes, countBytes, one} }

// Runes counts Unicode code points. It is named "runes".
func Runes() Measure { return Measure{nameRunes, countRunes, one} }

// QuarterTokens estimates tokens as a quarter of the UTF-16 code units, rounded up. It is named "chars/4".
func QuarterTokens() Measure { return Measure{nameQuarterTokens, countUTF16, quarter} }

// ByName returns the measure of this package that has the name, and whether there is one. Names are case-sensitive;
// the empty name is none of them.
func ByName(name string) (Measure, bool) {
	switch name {
	case nameUTF16:
		return UTF16(), true
	case nameBytes:
		return Bytes(), true
	case nameRunes:
		return Runes(), true
	case nameQuarterTokens:
		return QuarterTokens(), true
	}
	return Measure{}, false
}

// Names returns the names that [ByName] knows: utf16, bytes, runes, chars/4, in this order. The slice is the caller's.
func Names() []string {
	return []string{nameUTF16, nameBytes, nameRunes, nameQuarterTokens}
}
