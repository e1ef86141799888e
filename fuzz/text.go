package fuzz

import (
	"strings"

	"pgregory.net/rapid"
)

// pieces is what texts are made of: all that text can be mistaken about. Measures count them differently, locales fold
// them differently, normalisation joins them, and a cut in the wrong place tears them apart.
var pieces = []string{
	"a", "rules ", "Answer in one sentence.", "lorem ipsum ", "é", "e\u0301", "漢字", "😀", "👩‍👩‍👧", "🇩🇪🇫🇷", "\n", "\r\n", "\r", "\x00",
	"\t", "\"", "\\", "\ufeff", "\u2028", "\ufffd", "\U0010ffff", "İıſK", "{{name}}", "{name}", "</section>",
}

// wrong is what no valid UTF-8 holds: a lone continuation, a cut sequence, an overlong form, a surrogate, a number
// beyond the last character, and bytes that never occur.
var wrong = []string{"\x80", "\xc3", "\xe6\xbc", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "\xfe"}

// Texts draws valid UTF-8 of at most n pieces, each of them a word, or one of the characters that programs get wrong.
func Texts(n int) *rapid.Generator[string] {
	some := rapid.SliceOfN(rapid.SampledFrom(pieces), 0, n)
	return rapid.Map(some, func(s []string) string { return strings.Join(s, "") })
}

// HostileTexts draws what is not valid UTF-8: a text of [Texts] with one wrong sequence somewhere in it.
func HostileTexts(n int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return Texts(n).Draw(t, "before") + rapid.SampledFrom(wrong).Draw(t, "wrong") + Texts(n).Draw(t, "after")
	})
}
