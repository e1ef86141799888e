package measure

import "github.com/quirehq/quire/internal/wellformed"

// lows has the lowest bit of each of eight bytes.
const lows = 0x0101010101010101

func countUTF16(text string) int64 { return countChars(text, lows) }

func countRunes(text string) int64 { return countChars(text, 0) }

func countBytes(text string) int64 { return int64(len(text)) }

// one and quarter are the sizes of what was counted.

func one(n int64) int64 { return n }

func quarter(n int64) int64 { return n/4 + (n%4+3)/4 }

// countChars counts the bytes that start a code point, and those that start one of four bytes once more when astral is
// lows rather than 0. In valid UTF-8 this is the number of code points, or of UTF-16 code units: only what needs four
// bytes needs a surrogate pair.
//
// It looks at 32 bytes at a time, since a range loop, which decodes, takes 5 (emoji) to 30 (ASCII) times as long. The
// order of bytes within a word does not matter to a count, so the code is the same on big-endian machines.
func countChars(text string, astral uint64) int64 {
	const block = 32
	var n int64
	i := 0
	for ; i+block <= len(text); i += block {
		b := text[i : i+block]
		w0, w1, w2, w3 := wellformed.Word(b[0:8]), wellformed.Word(b[8:16]), wellformed.Word(b[16:24]), wellformed.Word(b[24:32])
		if (w0|w1|w2|w3)&(lows<<7) == 0 {
			n += block
			continue
		}
		// Each byte of the sum is at most 8, so the 8 of them add up to at most 64 in the top byte of the product.
		sum := starts(w0, astral) + starts(w1, astral) + starts(w2, astral) + starts(w3, astral)
		n += int64(sum * lows >> 56)
	}
	for ; i+8 <= len(text); i += 8 {
		n += int64(starts(wellformed.Word(text[i:i+8]), astral) * lows >> 56)
	}
	for ; i < len(text); i++ {
		n += int64(starts(uint64(text[i]), astral&0x01) & 0x03)
	}
	return n
}

// starts returns, for each byte of w, 0 when it continues a code point (10xxxxxx), else 1, and one more when the bit of
// astral is set and the byte starts a code point of four bytes (1111xxxx).
func starts(w, astral uint64) uint64 {
	four := w & (w&(lows*0x7f) + lows*0x10) // the highest bit of a byte, where it is 1111xxxx: the sum carries into it
	return (^w>>7|w>>6)&lows + four>>7&astral
}
