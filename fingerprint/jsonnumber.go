package fingerprint

import (
	"bytes"
	"fmt"
	"strconv"
)

// appendNumber appends the canonical form of a JSON number: the shortest digits that read back as the
// nearest double, laid out as ECMAScript does. The doubles are only read and printed, both correctly
// rounded; nothing is computed with them, so no platform can differ.
func appendNumber(dst, literal []byte) ([]byte, error) {
	if isShortInteger(literal) {
		return append(dst, literal...), nil
	}
	var buf [64]byte
	d := parseDecimal(buf[:0], literal)
	if d.isZero() {
		return append(dst, '0'), nil
	}
	f, err := d.float()
	if err != nil {
		return dst, fmt.Errorf("%w: %s", ErrNumberRange, excerpt(string(literal), 40))
	}
	if f == 0 {
		return append(dst, '0'), nil
	}
	if d.negative {
		dst = append(dst, '-')
	}
	start := len(dst)
	dst = appendDouble(dst, f)
	// Up to 15 digits survive any double and need no comparison.
	if d.isInteger() && len(d.digits) > 15 {
		var buf [64]byte
		if got := parseDecimal(buf[:0], dst[start:]); got.exponent != d.exponent || !bytes.Equal(got.digits, d.digits) {
			return dst, fmt.Errorf("%w: %s would become %s; write it as a string", ErrInexactInteger, excerpt(string(literal), 40), dst[start:])
		}
	}
	return dst, nil
}

// appendDouble prints a positive double as ECMAScript does: with an exponent below 1e-6 and from 1e21 on.
func appendDouble(dst []byte, f float64) []byte {
	if f >= 1e-6 && f < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// strconv gives an exponent two digits at least; ECMAScript does not. Only one below zero has fewer here.
	if n := len(dst); dst[n-2] == '0' && dst[n-3] == '-' {
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst
}

// isShortInteger reports whether the literal is an integer that is its own canonical form for sure:
// at most 15 digits, and not -0.
func isShortInteger(literal []byte) bool {
	digits := bytes.TrimPrefix(literal, []byte{'-'})
	if len(digits) > 15 || len(digits) < len(literal) && digits[0] == '0' {
		return false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// A decimal is the exact value of a JSON number: 0.digits × 10^exponent, the digits without zeros at
// either end. Zero has no digits.
type decimal struct {
	negative bool
	digits   []byte
	exponent int64
}

// parseDecimal reads a literal that is known to be a JSON number, with buf for its digits.
func parseDecimal(buf, literal []byte) decimal {
	// No literal that fits in memory is long enough to make up for such an exponent.
	const exponentLimit = 1 << 50
	d := decimal{digits: buf}
	inFraction := false
	for i, c := range literal {
		switch {
		case c == '-':
			d.negative = true
		case c == '.':
			inFraction = true
		case c == 'e' || c == 'E':
			var exponent int64
			for _, c := range literal[i+1:] {
				if '0' <= c && c <= '9' && exponent < exponentLimit {
					exponent = exponent*10 + int64(c-'0')
				}
			}
			if literal[i+1] == '-' {
				exponent = -exponent
			}
			d.exponent += exponent
			d.digits = bytes.TrimRight(d.digits, "0")
			return d
		case c == '0' && len(d.digits) == 0:
			if inFraction {
				d.exponent--
			}
		default:
			d.digits = append(d.digits, c)
			if !inFraction {
				d.exponent++
			}
		}
	}
	d.digits = bytes.TrimRight(d.digits, "0")
	return d
}

func (d decimal) isZero() bool    { return len(d.digits) == 0 }
func (d decimal) isInteger() bool { return d.exponent >= int64(len(d.digits)) }

// float returns the double nearest to the absolute value of d, or an error when that is beyond all doubles.
//
// The literal is spelled anew because strconv stops reading an exponent at 10,000: it takes
// 0.000…1e20001 with 20,000 zeros, which is 1, for 0.
func (d decimal) float() (float64, error) {
	switch {
	case d.exponent > 400:
		return 0, strconv.ErrRange
	case d.exponent < -400:
		return 0, nil
	}
	var buf [64]byte
	text := append(append(buf[:0], '.'), d.digits...)
	text = strconv.AppendInt(append(text, 'e'), d.exponent, 10)
	return strconv.ParseFloat(string(text), 64)
}
