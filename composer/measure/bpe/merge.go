package bpe

// A merger turns a piece into tokens: its bytes are the first parts; as long as two neighbours together are a token, the
// two whose token has the lowest rank, the leftmost of equal ones, become one part. It is memory to work in, to be used
// again; the zero value is ready.
type merger struct {
	few struct {
		keys, ids  [fewBytes]uint32
		next, prev [fewBytes]uint8
	}
	links  []link
	heap   []uint64
	tokens []uint32
}

// fewBytes is up to what length looking at all parts for each merge is faster than keeping them in order. It is a
// multiple of four, and positions fit a byte.
const fewBytes = 32

// merge returns the tokens of text[from:to], which is not empty. They are valid until the next call.
func (m *merger) merge(v *vocabulary, text string, from, to int) []uint32 {
	m.tokens = m.tokens[:0]
	if to-from <= fewBytes {
		m.scan(v, text, from, to)
		return m.tokens
	}
	// Positions are 32 bits wide; one word of 2 GiB is counted as two.
	const mostBytes = 1<<31 - 1
	for ; to-from > mostBytes; from += mostBytes {
		m.queue(v, text, from, from+mostBytes)
	}
	m.queue(v, text, from, to)
	return m.tokens
}

// scan merges by looking for the lowest rank among all parts each time.
//
// Parts have the position where they start as their index, and none moves. The search looks at one number for each
// position, which has the rank above and the position below, so that the least is the lowest rank and then the leftmost,
// and finding it takes no branch that depends on the text.
func (m *merger) scan(v *vocabulary, text string, from, to int) {
	n := to - from
	const noKey = none &^ (1<<fewBits - 1) // as a key, none
	keys, ids, next, prev := &m.few.keys, &m.few.ids, &m.few.next, &m.few.prev
	for i := range n {
		rank := none
		if i+1 < n {
			rank = v.pair[uint16(text[from+i])|uint16(text[from+i+1])<<8]
		}
		keys[i] = rank<<fewBits | uint32(i)
		ids[i] = v.single[text[from+i]]
		next[i], prev[i] = uint8(i+1), uint8(i-1)
	}
	searched := (n + 3) &^ 3
	for i := n; i < searched; i++ {
		keys[i] = noKey
	}
	for {
		// Four minima at a time do not wait for one another.
		b0, b1, b2, b3 := uint32(noKey), uint32(noKey), uint32(noKey), uint32(noKey)
		for k := keys[:searched]; len(k) >= 4; k = k[4:] {
			b0, b1, b2, b3 = min(b0, k[0]), min(b1, k[1]), min(b2, k[2]), min(b3, k[3])
		}
		best := min(b0, b1, b2, b3)
		if best >= noKey {
			break
		}
		i := int(best & (1<<fewBits - 1))
		ids[i] = best >> fewBits
		swallowed := int(next[i])
		keys[swallowed] = noKey
		end := int(next[swallowed])
		next[i] = uint8(end)
		keys[i] = noKey
		if end < n {
			prev[end] = uint8(i)
			keys[i] = v.find(text, from+i, from+int(next[end]))<<fewBits | uint32(i)
		}
		if i > 0 {
			p := int(prev[i])
			keys[p] = v.find(text, from+p, from+end)<<fewBits | uint32(p)
		}
	}
	for i := 0; i < n; i = int(next[i]) {
		m.tokens = append(m.tokens, ids[i])
	}
}

// A link is the part that starts at its index, in a list of parts. What a part has swallowed keeps rank none.
type link struct {
	prev, next int32
	id         uint32
	rank       uint32 // the token of this part and the next, or none
}

// queue merges by a heap of the ranks of all pairs, for n bytes in the order of n log n steps.
//
// An entry of the heap is a rank and a position, so that the least is the lowest rank and then the leftmost. An entry
// is out of date when the pair at its position has another rank by now; what is there now has its own entry.
func (m *merger) queue(v *vocabulary, text string, from, to int) {
	n := to - from
	l, h := m.links[:0], m.heap[:0]
	for i := range n {
		rank := none
		if i+1 < n {
			if rank = v.pair[uint16(text[from+i])|uint16(text[from+i+1])<<8]; rank != none {
				h = append(h, entry(rank, i))
			}
		}
		l = append(l, link{int32(i - 1), int32(i + 1), v.single[text[from+i]], rank})
	}
	for i := len(h) / arity; i >= 0 && len(h) > 0; i-- {
		down(h, i)
	}

	// update ranks the part at i together with the next one.
	update := func(i int32) {
		rank := none
		if next := int(l[i].next); next < n {
			rank = v.find(text, from+int(i), from+int(l[next].next))
		}
		l[i].rank = rank
		if rank != none {
			h = up(append(h, entry(rank, int(i))))
		}
	}
	for len(h) > 0 {
		rank, i := uint32(h[0]>>positionBits), int32(h[0]&(1<<positionBits-1))
		h[0] = h[len(h)-1]
		h = h[:len(h)-1]
		if len(h) > 1 {
			down(h, 0)
		}
		if l[i].rank != rank {
			continue
		}
		swallowed := l[i].next
		next := l[swallowed].next
		l[swallowed].rank = none
		l[i].id, l[i].next = rank, next
		if int(next) < n {
			l[next].prev = i
		}
		update(i)
		if prev := l[i].prev; prev >= 0 {
			update(prev)
		}
	}
	for i := 0; i < n; i = int(l[i].next) {
		m.tokens = append(m.tokens, l[i].id)
	}
	m.links, m.heap = l, h
}

// Bits of a position, below the rank, in the numbers that scan and queue compare.
const (
	fewBits      = 8
	positionBits = 32
)

func entry(rank uint32, position int) uint64 { return uint64(rank)<<positionBits | uint64(position) }

// arity is the number of children of an entry: with four, which lie side by side, a heap of a million entries is half as
// deep as with two, and it is the cache misses on the way down that take the time.
const arity = 4

func down(h []uint64, i int) {
	e := h[i]
	for {
		child := arity*i + 1
		if child >= len(h) {
			break
		}
		least := child
		for c := child + 1; c < min(child+arity, len(h)); c++ {
			if h[c] < h[least] {
				least = c
			}
		}
		if e <= h[least] {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = e
}

// up restores the order after an entry was appended.
func up(h []uint64) []uint64 {
	i := len(h) - 1
	e := h[i]
	for i > 0 {
		parent := (i - 1) / arity
		if h[parent] <= e {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
	return h
}
