package fingerprint

// AppendJSONString appends s to dst as a JSON string, in the one form RFC 8785 gives it: the quote,
// the backslash and the control characters below U+0020 are escaped, by \b \t \n \f \r where JSON has
// such a short form and by \u00xx in lower-case digits otherwise; everything else, "/", "<", U+007F and
// U+2028 included, stands for itself.
//
// s should be valid UTF-8. Bytes that are not are copied as they are, never replaced: two different
// strings never give the same bytes, and [Canonical] refuses the result.
func AppendJSONString(dst []byte, s string) []byte { return appendString(dst, s) }

func appendString[T string | []byte](dst []byte, s T) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	plain := 0 // start of the bytes that stand for themselves
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[plain:i]...)
		plain = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	dst = append(dst, s[plain:]...)
	return append(dst, '"')
}
