package fingerprint

import (
	"encoding/hex"
	"fmt"
	"unsafe"

	"github.com/zeebo/blake3"
)

// A Digest names bytes: it is their plain, unkeyed BLAKE3 hash, 32 bytes long. It prints as 64
// lower-case hex digits, which is what b3sum prints for a file of the same bytes.
//
// The zero Digest names nothing (no input is known that hashes to it); [Digest.IsZero] tells.
// The digest of no bytes at all is Sum(nil), which is not zero.
type Digest [32]byte

// Sum returns the digest of b. It allocates nothing.
func Sum(b []byte) Digest {
	return blake3.Sum256(b)
}

// SumString returns the digest of the bytes of s. It neither copies s nor allocates.
func SumString(s string) Digest {
	// The hash reads its input and neither writes to it nor keeps it, so the bytes of an immutable
	// string may be lent to it.
	return blake3.Sum256(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// ParseDigest reads the form that [Digest.String] writes: exactly 64 lower-case hex digits. Anything
// else is an error that says what is wrong and where.
func ParseDigest(s string) (Digest, error) {
	d, err := parseHex(s)
	if err != nil {
		return Digest{}, fmt.Errorf("fingerprint: digest: %w", err)
	}
	return d, nil
}

// String returns the 64 lower-case hex digits of d.
func (d Digest) String() string { return formatHex(d) }

// IsZero reports whether d is the zero Digest, which names nothing.
func (d Digest) IsZero() bool { return d == Digest{} }

// AppendText appends the 64 hex digits of d to dst; the error is always nil.
// It implements [encoding.TextAppender].
func (d Digest) AppendText(dst []byte) ([]byte, error) { return hex.AppendEncode(dst, d[:]), nil }

// MarshalText returns the 64 hex digits of d; the error is always nil.
func (d Digest) MarshalText() ([]byte, error) { return d.AppendText(nil) }

// UnmarshalText reads what [Digest.MarshalText] writes, as strictly as [ParseDigest]. When it
// returns an error, d is unchanged.
func (d *Digest) UnmarshalText(text []byte) error {
	v, err := ParseDigest(string(text))
	if err == nil {
		*d = v
	}
	return err
}

// formatHex is what a Digest and a Key print as.
func formatHex(v [32]byte) string {
	var text [64]byte
	hex.Encode(text[:], v[:])
	return string(text[:])
}

// parseHex reads what formatHex writes. encoding/hex takes capitals too: with two spellings of one
// name, names could no longer be compared as text.
func parseHex(s string) (v [32]byte, err error) {
	if len(s) != 64 {
		return v, fmt.Errorf("%d bytes, want 64 lower-case hex digits", len(s))
	}
	for i := range len(s) {
		var nibble byte
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			nibble = c - '0'
		case 'a' <= c && c <= 'f':
			nibble = c - 'a' + 10
		default:
			return [32]byte{}, fmt.Errorf("byte %d is %q, want 64 lower-case hex digits", i, s[i:i+1])
		}
		v[i/2] = v[i/2]<<4 | nibble
	}
	return v, nil
}
