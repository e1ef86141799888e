package replay

import "github.com/quirehq/quire/fingerprint"

// A rolling hashes texts one after the other. What a text has in common with the one before it, at its beginning, is
// compared and not hashed again; so the texts of a session cost what they add.
type rolling struct {
	text   []byte
	common state // where the last two texts parted, or before
	end    state // the end of text
	cuts   []cutSum
	shared int // how many bytes the last two texts began with in common
	spare  []byte
}

// A state is a hasher that has seen the first n bytes.
type state struct {
	n    int
	hash fingerprint.Hasher
}

func (s *state) advance(text []byte, to int) {
	s.hash.Write(text[s.n:to])
	s.n = to
}

// A cutSum is the digest of a prefix.
type cutSum struct {
	n   int64
	sum fingerprint.Digest
}

// buffer returns room for the next text. What it held before is still the last text until sum is called.
func (r *rolling) buffer() []byte { return r.spare[:0] }

// sum returns the digest of a text, which was appended to buffer, and leaves the digests of its prefixes of the given
// lengths, in ascending order, in r.cuts.
func (r *rolling) sum(text []byte, lengths []int64) fingerprint.Digest {
	n := commonPrefix(r.text, text)
	r.shared = n
	known := 0 // cuts that the texts have in common
	for known < len(r.cuts) && known < len(lengths) && r.cuts[known].n == lengths[known] && lengths[known] <= int64(n) {
		known++
	}
	r.cuts = r.cuts[:known]
	limit := n // the first byte that must be hashed again
	if known < len(lengths) {
		limit = min(limit, int(lengths[known]))
	}
	switch {
	case r.end.n <= limit:
		r.common = r.end
	case r.common.n > limit:
		r.common = state{}
	}
	at := &r.common
	for _, length := range lengths[known:] {
		if at == &r.common && int(length) > n {
			r.common.advance(text, n)
			r.end = r.common
			at = &r.end
		}
		at.advance(text, int(length))
		r.cuts = append(r.cuts, cutSum{length, at.hash.Digest()})
	}
	if at == &r.common {
		r.common.advance(text, n)
		r.end = r.common
	}
	r.end.advance(text, len(text))
	r.text, r.spare = text, r.text
	return r.end.hash.Digest()
}
