package bpe

import (
	"sync"

	"github.com/quirehq/quire/composer/measure"
	"github.com/zeebo/blake3"
)

const (
	// memoBytes is the length from which a text is worth remembering: hashing it takes a tenth of counting it.
	memoBytes = 512
	// memoTexts is how many counts one generation holds.
	memoTexts = 8192
)

// remembering returns the measure of an encoding with a memory of its own.
func remembering(name string) measure.Measure {
	encoding, _ := EncodingByName(name)
	m := &memo{}
	return measure.New(name, func(text string) int64 { return m.count(encoding, text) })
}

type digest = [32]byte

// A memo keeps the counts of the texts seen last, in two generations: when the young one is full, it becomes the old
// one, and the old one is forgotten. What is found in the old one is young again.
type memo struct {
	mu         sync.Mutex
	young, old map[digest]int64
}

func (m *memo) count(encoding Encoding, text string) int64 {
	if len(text) < memoBytes {
		return encoding.Count(text)
	}
	key := digestOf(text)
	if n, ok := m.lookup(key); ok {
		return n
	}
	n := encoding.Count(text)
	m.store(key, n)
	return n
}

func (m *memo) lookup(key digest) (int64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n, ok := m.young[key]; ok {
		return n, true
	}
	n, ok := m.old[key]
	if ok {
		m.keep(key, n)
	}
	return n, ok
}

func (m *memo) store(key digest, n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(key, n)
}

func (m *memo) keep(key digest, n int64) {
	if len(m.young) >= memoTexts {
		m.young, m.old = m.old, m.young
		clear(m.young)
	}
	if m.young == nil {
		m.young = make(map[digest]int64)
	}
	m.young[key] = n
}

// A digester is a hasher and room for its result, both of which would be allocated anew otherwise.
type digester struct {
	hasher *blake3.Hasher
	sum    []byte
}

var digesters = sync.Pool{New: func() any { return &digester{hasher: blake3.New()} }}

func digestOf(text string) digest {
	d := digesters.Get().(*digester)
	defer digesters.Put(d)
	d.hasher.Reset()
	d.hasher.WriteString(text)
	d.sum = d.hasher.Sum(d.sum[:0])
	return digest(d.sum)
}
