package replay

import (
	"slices"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
)

// A rolling hashes texts one after the other. What a text has in common with the one before it, at its beginning, is
// compared, and neither copied nor hashed again; so the texts of a session cost what they add. A piece that is the very
// string that stood there before, as contents in a cache are, is not even looked at.
//
// A text is given in pieces: begin, then add for each, then sum.
type rolling struct {
	text   []byte
	pieces []string
	at     int   // how many pieces were added
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

// composition returns the digest of a composition's text and its breakpoints.
func (r *rolling) composition(c composer.Composition) (fingerprint.Digest, []composer.Prefix) {
	marks := c.Marks()
	lengths := make([]int64, len(marks))
	for i := range marks {
		lengths[i] = marks[i].Bytes
	}
	r.begin()
	for piece := range c.Pieces() {
		r.add(piece)
	}
	sum := r.sum(lengths)
	for i := range marks {
		marks[i].Digest = r.cuts[i].sum
	}
	return sum, marks
}

func (r *rolling) begin() { r.at, r.shared, r.parted = 0, 0, false }

func (r *rolling) add(piece string) {
	if !r.parted && r.at < len(r.pieces) && r.pieces[r.at] == piece { // compares the addresses first
		r.at++
		r.shared += len(piece)
		return
	}
	r.pieces = append(r.pieces[:r.at], piece)
	r.at++
	if !r.parted {
		rest := r.text[r.shared:]
		n := commonPrefix(string(rest[:min(len(rest), len(piece))]), piece)
		r.shared += n
		r.parted = true
		r.text, piece = r.text[:r.shared], piece[n:]
	}
	if need := len(r.text) + len(piece); need > cap(r.text) {
		r.text = slices.Grow(r.text, need) // twice as much: texts of sessions grow on
	}
	r.text = append(r.text, piece...)
}

// sum returns the digest of the text, and leaves those of its prefixes of the given lengths, in ascending order, in
// r.cuts.
func (r *rolling) sum(lengths []int64) fingerprint.Digest {
	if !r.parted {
		r.pieces, r.text = r.pieces[:r.at], r.text[:r.shared]
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
		if r.end.n != r.common.n { // else it has seen the same: the whole text before is common
			r.end = r.common
		}
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
