package bpe

import (
	"compress/flate"
	"fmt"
	"io"
	"strings"

	"github.com/quirehq/quire/internal/wellformed"
)

// none is the rank of bytes that are no token: later than every token.
const none = ^uint32(0)

// A vocabulary is a set of byte strings, each with a number that is both its id and its rank: the lower, the earlier it
// is merged. It is read-only once built.
//
// Tokens of up to eight bytes, three quarters of all, are found by those bytes in one word; longer ones by a tag, and
// then the text of the token is compared. Both tables are open-addressed. A table of the pairs of ids that merge would
// have three times as many entries, which take longer to build and as many cache misses to find.
type vocabulary struct {
	text   string   // the tokens one after another
	starts []uint32 // where each starts, and the end of the last
	short  []shortSlot
	long   []longSlot
	sieve  [1 << (sieveBits - 6)]uint64 // a bit for each hash that a token of either table has
	single [1 << 8]uint32               // the id of each byte
	pair   [1 << 16]uint32              // the id of each two bytes, the first in the low byte, or none
	// Bits of a hash that do not index the table.
	shortShift, longShift uint
	longest               int // bytes of the longest token
}

// shortBytes is the most that a shortSlot holds.
const shortBytes = 8

// sieveBits makes the sieve small enough for a second-level cache, and full to a tenth: of the pairs that are looked up
// between merges most are no token, up to seven in eight in emoji, and the tables themselves are in no near cache.
const sieveBits = 21

// sift returns whether a token may have the hash.
func (v *vocabulary) sift(h uint64) bool {
	h >>= 64 - sieveBits
	return v.sieve[h>>6]>>(h&63)&1 != 0
}

func (v *vocabulary) mark(h uint64) {
	h >>= 64 - sieveBits
	v.sieve[h>>6] |= 1 << (h & 63)
}

// A shortSlot is free when its length is 0. Its key, in halves to need no padding, has the first byte lowest.
type shortSlot struct {
	low, high uint32
	entry     uint32 // length<<shortLength | id
}

const shortLength = 24

// A longSlot is free when its id is 0, which is the id of a single byte.
type longSlot struct{ tag, id uint32 }

// mustDecode reads the file of a vocabulary, which is part of the program:
//
//	3 bytes    number of tokens, lowest byte first
//	256 bytes  the tokens 0 to 255, each a single byte
//	the rest   deflated, for the tokens from 256 on, each the concatenation of two earlier ones: the low bytes of the
//	           ids of all first halves, their middle bytes, their high bytes, and the same of all second halves
func mustDecode(file string) *vocabulary {
	v, err := decode(file)
	if err != nil {
		panic("bpe: embedded vocabulary: " + err.Error()) // unreachable: the file is compiled in, and the tests decode it
	}
	return v
}

func decode(file string) (*vocabulary, error) {
	const counter, singles = 3, 256
	if len(file) < counter+singles {
		return nil, io.ErrUnexpectedEOF
	}
	tokens := int(file[0]) | int(file[1])<<8 | int(file[2])<<16
	merged := tokens - singles
	if merged < 0 {
		return nil, fmt.Errorf("%d tokens, want %d at least", tokens, singles)
	}
	columns := make([]byte, 6*merged)
	if _, err := io.ReadFull(flate.NewReader(strings.NewReader(file[counter+singles:])), columns); err != nil {
		return nil, err
	}
	column := func(i int) []byte { return columns[i*merged : (i+1)*merged] }
	l0, l1, l2, r0, r1, r2 := column(0), column(1), column(2), column(3), column(4), column(5)

	const meanBytes = 7 // of a token of either vocabulary, rounded up
	var text strings.Builder
	text.Grow(meanBytes * tokens)
	text.WriteString(file[counter : counter+singles])
	v := &vocabulary{starts: make([]uint32, 0, tokens+1)}
	for i := range singles + 1 {
		v.starts = append(v.starts, uint32(i))
	}
	shorts := singles
	for i := range merged {
		id := singles + i
		left := int(l0[i]) | int(l1[i])<<8 | int(l2[i])<<16
		right := int(r0[i]) | int(r1[i])<<8 | int(r2[i])<<16
		if left >= id || right >= id {
			return nil, fmt.Errorf("token %d is made of %d and %d, want earlier ones", id, left, right)
		}
		v.text = text.String() // what there is so far, not a copy
		text.WriteString(v.token(left))
		text.WriteString(v.token(right))
		n := text.Len() - len(v.text)
		v.starts = append(v.starts, uint32(text.Len()))
		v.longest = max(v.longest, n)
		if n <= shortBytes {
			shorts++
		}
	}
	v.text = text.String()
	v.index(shorts)
	return v, nil
}

// size returns the number of tokens.
func (v *vocabulary) size() int { return len(v.starts) - 1 }

// token returns the bytes of a token.
func (v *vocabulary) token(id int) string { return v.text[v.starts[id]:v.starts[id+1]] }

func (v *vocabulary) index(shorts int) {
	tokens := v.size()
	v.short, v.shortShift = table[shortSlot](shorts)
	v.long, v.longShift = table[longSlot](tokens - shorts)
	for i := range v.pair {
		v.pair[i] = none
	}
	text := v.text
	for id := range tokens {
		from, to := int(v.starts[id]), int(v.starts[id+1])
		switch n := to - from; {
		case n == 1:
			v.single[text[from]] = uint32(id)
		case n == 2:
			v.pair[uint16(text[from])|uint16(text[from+1])<<8] = uint32(id)
		}
		if n := to - from; n <= shortBytes {
			key := load(text, from, to)
			h := shortHash(key, n)
			v.mark(h)
			i := h >> v.shortShift
			for v.short[i].entry != 0 {
				i = (i + 1) & uint64(len(v.short)-1)
			}
			v.short[i] = shortSlot{uint32(key), uint32(key >> 32), uint32(n)<<shortLength | uint32(id)}
			continue
		}
		h := longHash(text, from, to)
		v.mark(h)
		i := h >> v.longShift
		for v.long[i].id != 0 {
			i = (i + 1) & uint64(len(v.long)-1)
		}
		v.long[i] = longSlot{uint32(h), uint32(id)}
	}
}

// table returns the smallest table of a power of two that n entries fill to three quarters at most, and 64 less its
// exponent. Emptier ones were not faster after the sieve.
func table[slot any](n int) ([]slot, uint) {
	bits := uint(1)
	for 3<<bits < 4*n {
		bits++
	}
	return make([]slot, 1<<bits), 64 - bits
}

// find returns the id of text[from:to], which is not empty, or none.
func (v *vocabulary) find(text string, from, to int) uint32 {
	n := to - from
	if n <= shortBytes {
		key := load(text, from, to)
		h := shortHash(key, n)
		if !v.sift(h) {
			return none
		}
		low, high := uint32(key), uint32(key>>32)
		for i := h >> v.shortShift; ; i++ {
			s := &v.short[i&uint64(len(v.short)-1)]
			if s.low == low && s.high == high && s.entry>>shortLength == uint32(n) {
				return s.entry & (1<<shortLength - 1)
			}
			if s.entry == 0 {
				return none
			}
		}
	}
	if n > v.longest {
		return none
	}
	h := longHash(text, from, to)
	if !v.sift(h) {
		return none
	}
	for i := h >> v.longShift; ; i++ {
		s := v.long[i&uint64(len(v.long)-1)]
		if s.id == 0 {
			return none
		}
		if s.tag == uint32(h) && v.token(int(s.id)) == text[from:to] {
			return s.id
		}
	}
}

// Odd numbers without pattern: the golden ratio's fraction, and a prime of xxHash.
const (
	mix1 = 0x9e3779b97f4a7c15
	mix2 = 0xc2b2ae3d27d4eb4f
)

// shortHash is as good in its high bits, the only ones used, as the product: each depends on all lower bits of the key.
func shortHash(key uint64, n int) uint64 { return (key ^ uint64(n)) * mix1 }

// longHash mixes the first and the last eight bytes and the length: all there is of most tokens.
func longHash(text string, from, to int) uint64 {
	h := (load(text, from, from+8) ^ uint64(to-from)) * mix1
	h = (h ^ h>>32 ^ load(text, to-8, to)) * mix2
	return h ^ h>>29
}

// load returns the one to eight bytes of text[from:to] as a number, the first byte lowest, on every machine.
func load(text string, from, to int) uint64 {
	if from+8 <= len(text) {
		return wellformed.Word(text[from:from+8]) & (^uint64(0) >> (64 - 8*uint(to-from)))
	}
	var w uint64
	for i := to - 1; i >= from; i-- {
		w = w<<8 | uint64(text[i])
	}
	return w
}
