package bpe

import "unicode/utf8"

// A class is one bit, so that a set of classes is tested by one mask. Every code point has exactly one class.
//
// The tables are frozen in this package: Go's own move with each release (Unicode 15.0 up to Go 1.26), and a toolchain
// upgrade must not change a count. Unicode 16.0.0 is what the oracle, npm's tiktoken 1.0.22, is built with.
type class = uint8

const (
	upper   class = 1 << iota // Lu, Lt
	lower                     // Ll
	letter                    // Lm, Lo: letters that stand for either case
	mark                      // Mn, Mc, Me
	number                    // Nd, Nl, No
	space                     // White_Space but the next class
	newline                   // U+000A, U+000D
	other                     // everything else: punctuation, symbols, controls, U+FEFF, unassigned
)

const (
	letters = upper | lower | letter // \p{L}
	white   = space | newline        // \s
	punct   = other | mark           // [^\s\p{L}\p{N}]
	prefix  = punct | space          // [^\r\n\p{L}\p{N}]
)

// classAt returns the class of the code point that starts at text[at], and its width in bytes. A byte that is not part
// of valid UTF-8 is a code point of class other, one byte wide.
func classAt(text string, at int) (c class, width int) {
	if b := text[at]; b < utf8.RuneSelf {
		return classData[b], 1
	}
	return wideClassAt(text, at)
}

func wideClassAt(text string, at int) (c class, width int) {
	// Most text outside ASCII is in code points of two and three bytes; decoding those here is twice as fast.
	if at+3 <= len(text) {
		b0, b1, b2 := text[at], text[at+1], text[at+2]
		switch {
		case 0xe1 <= b0 && b0 <= 0xec && b1&0xc0 == 0x80 && b2&0xc0 == 0x80:
			return classOf(rune(b0&0x0f)<<12 | rune(b1&0x3f)<<6 | rune(b2&0x3f)), 3
		case 0xc2 <= b0 && b0 <= 0xdf && b1&0xc0 == 0x80:
			return classOf(rune(b0&0x1f)<<6 | rune(b1&0x3f)), 2
		}
	}
	r, width := utf8.DecodeRuneInString(text[at:])
	return classOf(r), width
}

func classOf(r rune) class { return classData[int(classBlock[r>>8])<<8|int(r&0xff)] }

// skip returns where the run of code points of the classes in set, which starts at text[at], ends.
func skip(text string, at int, set class) int {
	for at < len(text) {
		c, width := classAt(text, at)
		if c&set == 0 {
			break
		}
		at += width
	}
	return at
}
