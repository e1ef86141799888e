package replay

import "github.com/quirehq/quire/fingerprint"

// A rolling hashes texts one after the other. What a text has in common with the one before it, at its beginning, is
// compared, and neither copied nor hashed again; so the texts of a session cost what they add.
//
// A text is given in pieces: begin, then add for each, then sum.
type rolling struct {
	text   []byte
	shared int   // how many bytes text has in common with the one before, at its beginning
	parted bool  // the texts have parted at shared; what is added now is new
	common state // a place in what the last texts had in common
	end    state // the end of the last text
	cuts   []cutSum
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

func (r *rolling) begin() { r.shared, r.parted = 0, false }

func (r *rolling) add(piece string) {
	if !r.parted {
		rest := r.text[r.shared:]
		if len(piece) <= len(rest) && string(rest[:len(piece)]) == piece {
			r.shared += len(piece)
			return
		}
		n := commonPrefix(string(rest[:min(len(rest), len(piece))]), piece)
		r.shared += n
		r.parted = true
		r.text, piece = r.text[:r.shared], piece[n:]
	}
	r.text = append(r.text, piece...)
}

// sum returns the digest of the text, and leaves those of its prefixes of the given lengths, in ascending order, in
// r.cuts.
func (r *rolling) sum(lengths []int64) fingerprint.Digest {
	if !r.parted {
		r.text = r.text[:r.shared]
	}
	known := 0 // prefixes that lie in the common part, and were asked for the last time too
	for known < len(r.cuts) && known < len(lengths) && r.cuts[known].n == lengths[known] && lengths[known] <= int64(r.shared) {
		known++
	}
	r.cuts = r.cuts[:known]
	limit := r.shared // the first byte that must be hashed again
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
	part := func() { // from here on the text is new
		r.common.advance(r.text, r.shared)
		r.end = r.common
		at = &r.end
	}
	for _, length := range lengths[known:] {
		if at == &r.common && int(length) > r.shared {
			part()
		}
		at.advance(r.text, int(length))
		r.cuts = append(r.cuts, cutSum{length, at.hash.Digest()})
	}
	if at == &r.common {
		part()
	}
	r.end.advance(r.text, len(r.text))
	return r.end.hash.Digest()
}
