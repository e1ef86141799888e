package replay

import (
	"iter"
	"slices"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/edits"
)

// A rolling hashes texts one after the other. What a text has in common with the one before it, at its beginning, is
// compared, and not hashed again; so the texts of a session cost what they add. A piece that is the very string that stood
// there before, as contents in a cache are, is not even looked at.
//
// A text is given in pieces: begin, then add for each, then sum. After the first piece that differs nothing is compared.
type rolling struct {
	pieces []string
	ends   []int // of the pieces in the text
	at     int   // how many pieces were the same so far
	shared int   // how many bytes the text has in common with the one before, at its beginning
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
	if !r.parted {
		if r.at < len(r.pieces) {
			before := r.pieces[r.at]
			if before == piece { // compares the addresses first
				r.at++
				r.shared += len(piece)
				return
			}
			r.shared += edits.CommonPrefix(before, piece)
		}
		r.forget()
	}
	r.pieces, r.ends = append(r.pieces, piece), append(r.ends, r.length()+len(piece))
}

// forget drops the pieces that are not the same.
func (r *rolling) forget() {
	r.parted = true
	r.pieces, r.ends = r.pieces[:r.at], r.ends[:r.at]
}

func (r *rolling) length() int {
	if len(r.ends) == 0 {
		return 0
	}
	return r.ends[len(r.ends)-1]
}

// from yields the text from byte n on, in parts.
func (r *rolling) from(n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		i, _ := slices.BinarySearch(r.ends, n+1)
		for ; i < len(r.pieces); i++ {
			part := r.pieces[i]
			part = part[max(0, len(part)-(r.ends[i]-n)):]
			if !yield(part) {
				return
			}
		}
	}
}

// text returns the text, in the memory of the one before.
func (r *rolling) text(before []byte) []byte {
	text := before[:r.shared]
	for part := range r.from(r.shared) {
		text = append(text, part...)
	}
	return text
}

// advance lets a hasher see the text up to a place.
func (r *rolling) advance(s *state, to int) {
	for part := range r.from(s.n) {
		part = part[:min(len(part), to-s.n)]
		s.hash.WriteString(part)
		if s.n += len(part); s.n == to {
			return
		}
	}
}

// sum returns the digest of the text, and leaves those of its prefixes of the given lengths, in ascending order, in
// r.cuts.
func (r *rolling) sum(lengths []int64) fingerprint.Digest {
	if !r.parted {
		r.forget()
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
		r.advance(&r.common, r.shared)
		if r.end.n != r.common.n { // else it has seen the same: the whole text before is common
			r.end = r.common
		}
		at = &r.end
	}
	for _, length := range lengths[known:] {
		if at == &r.common && int(length) > r.shared {
			part()
		}
		r.advance(at, int(length))
		r.cuts = append(r.cuts, cutSum{length, at.hash.Digest()})
	}
	if at == &r.common {
		part()
	}
	r.advance(&r.end, r.length())
	return r.end.hash.Digest()
}
