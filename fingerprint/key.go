package fingerprint

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/zeebo/blake3"
)

// A Key names what decided some bytes: a recipe, a request, an entry of a cache. It is 32 bytes of
// BLAKE3 and prints as 64 lower-case hex digits, as a [Digest] does, but the two types do not mix: a
// store that is asked for an output by the key of its recipe is a mistake that should not compile.
//
// Where the thing that decides is itself a text that others can hash (a recipe in canonical JSON),
// its key is the digest of that text, said aloud: Key(Sum(text)).
//
// The zero Key names nothing; [Key.IsZero] tells.
type Key [32]byte

// CacheKeyContext is the BLAKE3 context string of [CacheKey]. It is part of the format and never
// changes under this name.
const CacheKeyContext = "quire cache key v1"

// Frame returns the key of a list of parts. Parts are told apart: ("ab", "c"), ("a", "bc"), ("abc"),
// ("abc", "") and ("", "abc") all differ, and so do no part at all and one empty part.
//
// The key is the plain BLAKE3 hash of the frames of all parts, in order, with nothing before, between
// or after them. The frame of a part is its length in bytes, as an unsigned 64-bit little-endian
// integer, followed by its bytes. So Frame("ab", "c") is what this prints:
//
//	printf '\2\0\0\0\0\0\0\0ab\1\0\0\0\0\0\0\0c' | b3sum
//
// Strings and byte slices of the same bytes give the same key. Without a part the type cannot be
// inferred: write Frame[string]().
func Frame[T ~string | ~[]byte](parts ...T) Key {
	if framesAreSmall(parts) {
		buf := make([]byte, 0, smallFrame)
		return blake3.Sum256(appendFrames(buf, parts))
	}
	h := blake3.New()
	writeFrames(h, parts)
	return keyOf(h)
}

// CacheKey returns a key for an entry of a caller's own cache: everything the cached value depends
// on goes in as a part, and whatever must never share entries (a tenant, an environment, a format
// version) is the namespace. No two namespaces share a key, whatever the parts are, and none of these
// keys is ever a [Digest] or a [Frame] key.
//
// The key is 32 bytes of BLAKE3's derive-key mode with the context string [CacheKeyContext]; the key
// material is the frame of the namespace followed by the frames of the parts, framed as [Frame] does.
//
// A parameter that is absent and one that is empty are different facts, and a list of parts can say
// both: leave the part out, or pass "". A list whose parts are optional must also name them, or the
// parts that follow take the place of one left out; canonical JSON of one object (see [Canonical]) is
// the simplest such list. Without a part the type cannot be inferred: write CacheKey[string]("tenant").
func CacheKey[T ~string | ~[]byte](namespace string, parts ...T) Key {
	h := *cacheKeyHasher()
	writeFrames(&h, []string{namespace})
	writeFrames(&h, parts)
	return keyOf(&h)
}

// cacheKeyHasher is the hasher every cache key starts from a copy of: making one anew hashes the
// context string and allocates 11 KB each time.
var cacheKeyHasher = sync.OnceValue(func() *blake3.Hasher { return blake3.NewDeriveKey(CacheKeyContext) })

// smallFrame is the length up to which frames are gathered on the stack and hashed in one call: one
// BLAKE3 chunk, which needs no tree and no hasher of 11 KB.
const smallFrame = 1024

func framesAreSmall[T ~string | ~[]byte](parts []T) bool {
	room := smallFrame
	for _, p := range parts {
		room -= 8
		if len(p) > room {
			return false
		}
		room -= len(p)
	}
	return true
}

func appendFrames[T ~string | ~[]byte](dst []byte, parts []T) []byte {
	for _, p := range parts {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(len(p)))
		dst = append(dst, p...)
	}
	return dst
}

func writeFrames[T ~string | ~[]byte](h *blake3.Hasher, parts []T) {
	var buf [smallFrame]byte
	for _, p := range parts {
		n := 8 + copy(buf[8:], p)
		binary.LittleEndian.PutUint64(buf[:], uint64(len(p)))
		h.Write(buf[:n])
		for rest := p[n-8:]; len(rest) > 0; {
			n := copy(buf[:], rest)
			h.Write(buf[:n])
			rest = rest[n:]
		}
	}
}

func keyOf(h *blake3.Hasher) (k Key) {
	h.Sum(k[:0])
	return k
}

// ParseKey reads the form that [Key.String] writes: exactly 64 lower-case hex digits. Anything else
// is an error that says what is wrong and where.
func ParseKey(s string) (Key, error) {
	k, err := parseHex(s)
	if err != nil {
		return Key{}, fmt.Errorf("fingerprint: key: %w", err)
	}
	return k, nil
}

// String returns the 64 lower-case hex digits of k.
func (k Key) String() string { return formatHex(k) }

// IsZero reports whether k is the zero Key, which names nothing.
func (k Key) IsZero() bool { return k == Key{} }

// AppendText appends the 64 hex digits of k to dst; the error is always nil.
// It implements [encoding.TextAppender].
func (k Key) AppendText(dst []byte) ([]byte, error) { return hex.AppendEncode(dst, k[:]), nil }

// MarshalText returns the 64 hex digits of k; the error is always nil.
func (k Key) MarshalText() ([]byte, error) { return k.AppendText(nil) }

// UnmarshalText reads what [Key.MarshalText] writes, as strictly as [ParseKey]. When it returns an
// error, k is unchanged.
func (k *Key) UnmarshalText(text []byte) error {
	v, err := ParseKey(string(text))
	if err == nil {
		*k = v
	}
	return err
}
