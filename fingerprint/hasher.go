package fingerprint

import "github.com/zeebo/blake3"

// A Hasher computes a [Digest] of bytes that come in pieces. How they were cut makes no difference.
//
// The zero Hasher has seen no bytes and is ready to use. It is a value of about 11 KB: a copy
// (k := h) goes on independently of the original, so bytes that share a prefix are hashed once up to
// the end of that prefix. It is not safe for concurrent use.
type Hasher struct {
	state blake3.Hasher
	begun bool // the zero blake3.Hasher is no valid state
}

func (h *Hasher) begin() {
	if !h.begun {
		h.state = *blake3.New()
		h.begun = true
	}
}

// Write adds the bytes of p. It never fails.
func (h *Hasher) Write(p []byte) (int, error) {
	h.begin()
	return h.state.Write(p)
}

// WriteString adds the bytes of s, without copying them first. It never fails.
func (h *Hasher) WriteString(s string) (int, error) {
	h.begin()
	return h.state.WriteString(s)
}

// Digest returns the digest of all bytes written since the start or the last Reset. More may be
// written afterwards, as if it had not been called.
func (h *Hasher) Digest() (d Digest) {
	h.begin()
	h.state.Sum(d[:0])
	return d
}

// Reset forgets all bytes written.
func (h *Hasher) Reset() { h.state.Reset() }
