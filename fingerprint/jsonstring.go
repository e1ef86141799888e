package fingerprint

import (
	"math/bits"

	"github.com/quirehq/quire/internal/wellformed"
)

// AppendJSONString appends s to dst as a JSON string, in the one form RFC 8785 gives it: the quote,
// the backslash and the control characters below U+0020 are escaped, by \b \t \n \f \r where JSON has
// such a short form and by \u00xx in lower-case digits otherwise; everything else, "/", "<", U+007F and
// U+2028 included, stands for itself.
//
// s should be valid UTF-8. Bytes that are not are copied as they are, never replaced: two different
// strings never give the same bytes, and [Canonical] refuses the result.
func AppendJSONString(dst []byte, s string) []byte { return appendString(dst, s) }

func appendString[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	for {
		n := plain(s)
		dst = append(dst, s[:n]...)
		if n == len(s) {
			return append(dst, '"')
		}
		dst = appendEscape(dst, s[n])
		s = s[n+1:]
	}
}

func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// plain returns how many bytes at the start of s stand for themselves.
func plain[T string | []byte](s T) int {
	i := 0
	for ; len(s)-i >= 8; i += 8 {
		if escaped := escapedIn(wellformed.Word(s[i:])); escaped != 0 {
			return i + bits.TrailingZeros64(escaped)/8
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// escapedIn looks at eight bytes at once. The lowest bit that is set is the top one of the first byte that is escaped;
// none is when no byte is. Bits above the lowest mean nothing.
//
// Where a byte x is below n, and n at most 0x80, x-n borrows and sets the top bit, which x itself has not. The borrow
// may make the next bytes look like that too, but none before. With its second bit flipped, a byte is below 0x21 when it
// is a control character or the quote; xored with the backslash, it is below 1 when it is that.
func escapedIn(word uint64) uint64 {
	const each, top = 0x0101010101010101, 0x8080808080808080
	return (((word ^ each*2) - each*0x21) | ((word ^ each*'\\') - each)) &^ word & top
}
