// Package utf16order compares texts in the order of their UTF-16 code units, by which RFC 8785 and JavaScript sort names.
package utf16order

// Compare compares two texts of valid UTF-8 as the sequences of UTF-16 code units that they stand for: below 0 where a
// comes first, 0 where they are equal, above 0 where b does.
//
// The order of the bytes is the order of the code points, and that of UTF-16 is the same but for one case: characters
// from U+10000 on (first byte 0xf0 to 0xf4) are written with surrogates, which come before U+E000 to U+FFFF (first byte
// 0xee or 0xef).
func Compare[T string | []byte](a, b T) int {
	n := min(len(a), len(b))
	for i := range n {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xee && y >= 0xee && (x >= 0xf0) != (y >= 0xf0) {
			x, y = y, x
		}
		return int(x) - int(y)
	}
	return len(a) - len(b)
}
