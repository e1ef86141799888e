// Package wellformed says whether a text is ASCII, or UTF-8, and where it stops being that: what package unicode/utf8 says,
// sooner. Texts are looked at as often as they enter the module, and they are long.
package wellformed

import "unicode/utf8"

// highs has the highest bit of each of eight bytes: that of a byte is set when it is no ASCII character.
const highs = 0x8080808080808080

// ASCII reports whether every byte of text is below 0x80. It looks at 64 of them at a time.
func ASCII(text string) bool {
	const block = 64
	i := 0
	for ; i+block <= len(text); i += block {
		b := text[i : i+block]
		w := Word(b[0:8]) | Word(b[8:16]) | Word(b[16:24]) | Word(b[24:32]) | Word(b[32:40]) | Word(b[40:48]) | Word(b[48:56]) | Word(b[56:64])
		if w&highs != 0 {
			return false
		}
	}
	for ; i+8 <= len(text); i += 8 {
		if Word(text[i:i+8])&highs != 0 {
			return false
		}
	}
	for ; i < len(text); i++ {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// UTF8 reports whether text is valid UTF-8, as utf8.ValidString does. That one takes 2.5 (Chinese) to 5 (Cyrillic, accents)
// times as long where there is little ASCII to pass over: it branches on every character. Here a byte is one look into a
// table and one shift, whatever the text.
func UTF8(text string) bool {
	if ASCII(text) {
		return true
	}
	const block = 32
	s := uint64(start)
	i := 0
	for ; i+block <= len(text); i += block {
		b := text[i : i+block]
		// The state comes second, since a processor cannot guess whether a character ends with the block.
		if (Word(b[0:8])|Word(b[8:16])|Word(b[16:24])|Word(b[24:32]))&highs == 0 && s&63 == start {
			continue
		}
		for k := 0; k < block; k += 8 {
			s = steps[b[k]] >> (s & 63)
			s = steps[b[k+1]] >> (s & 63)
			s = steps[b[k+2]] >> (s & 63)
			s = steps[b[k+3]] >> (s & 63)
			s = steps[b[k+4]] >> (s & 63)
			s = steps[b[k+5]] >> (s & 63)
			s = steps[b[k+6]] >> (s & 63)
			s = steps[b[k+7]] >> (s & 63)
		}
	}
	for ; i < len(text); i++ {
		s = steps[text[i]] >> (s & 63)
	}
	return s&63 == start
}

// Invalid returns the offset of the first byte that is no part of valid UTF-8, or -1 where there is none.
func Invalid(text string) int {
	if UTF8(text) {
		return -1
	}
	at := 0
	for r, size := utf8.DecodeRuneInString(text); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRuneInString(text[at:]) {
		at += size
	}
	return at
}

// The states of [UTF8] say what has to come next. A word of [steps] belongs to a byte. It has six bits for each state,
// from the bit whose number is the state: the state after that byte. So a shift by a state brings the next one to the
// lowest six bits. Zeros are for a byte that must not come, and for all that come after one.
const (
	_       = 6 * iota // nothing can make it valid
	start              // a code point
	more1              // a byte from 80 to BF
	more2              // two of them
	more3              // three
	afterE0            // two, but not what fits in fewer bytes
	afterED            // two, but not a surrogate
	afterF0            // three, but not what fits in fewer bytes
	afterF4            // three, but nothing above U+10FFFF
)

// steps is Table 3-7 of the Unicode Standard, Well-Formed UTF-8 Byte Sequences.
var steps = func() (words [256]uint64) {
	for _, row := range []struct {
		state       int
		first, last int
		next        uint64
	}{
		{start, 0x00, 0x7f, start},
		{start, 0xc2, 0xdf, more1},
		{start, 0xe0, 0xe0, afterE0}, {afterE0, 0xa0, 0xbf, more1},
		{start, 0xe1, 0xec, more2},
		{start, 0xed, 0xed, afterED}, {afterED, 0x80, 0x9f, more1},
		{start, 0xee, 0xef, more2},
		{start, 0xf0, 0xf0, afterF0}, {afterF0, 0x90, 0xbf, more2},
		{start, 0xf1, 0xf3, more3},
		{start, 0xf4, 0xf4, afterF4}, {afterF4, 0x80, 0x8f, more2},
		{more3, 0x80, 0xbf, more2}, {more2, 0x80, 0xbf, more1}, {more1, 0x80, 0xbf, start},
	} {
		for b := row.first; b <= row.last; b++ {
			words[b] |= row.next << row.state
		}
	}
	return words
}()

// Word reads eight bytes, the first one lowest; compilers make it one load.
func Word[T string | []byte](s T) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
