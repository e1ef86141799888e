package replay

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/quirehq/quire/fingerprint"
)

// A Memory is a [Store] that keeps everything in memory, for tests, for bundles that are looked at without being
// imported, and as the plainest statement of what a store does. It is one tenant. The zero value is empty and ready.
type Memory struct {
	mu      sync.RWMutex
	epoch   int64
	objects map[fingerprint.Digest]Object
	log     map[string][]Entry          // by session, in ascending order of Seq
	keys    map[fingerprint.Key][]Entry // the same by key, in any order
	turns   map[turnOf]bool             // of the same
}

type turnOf struct {
	session string
	turn    int64
}

// Append implements [Store].
func (m *Memory) Append(ctx context.Context, batch Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(batch.Objects)+len(batch.Entries) == 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if batch.Epoch != m.epoch {
		return ErrStale
	}
	last, taken := map[string]int64{}, map[turnOf]bool{} // by the batch so far
	for _, e := range batch.Entries {
		seq := last[e.Session]
		if entries := m.log[e.Session]; seq == 0 && len(entries) > 0 {
			seq = entries[len(entries)-1].Seq
		}
		turn := turnOf{e.Session, e.Turn}
		if e.Seq < 1 || seq > 0 && e.Seq != seq+1 || m.turns[turn] || taken[turn] {
			return fmt.Errorf("%w: %s, seq %d, turn %d", ErrConflict, e.Session, e.Seq, e.Turn)
		}
		last[e.Session], taken[turn] = e.Seq, true
	}
	if m.objects == nil {
		m.objects = map[fingerprint.Digest]Object{}
	}
	for _, o := range batch.Objects {
		if _, there := m.objects[o.Name]; !there {
			o.Data = bytes.Clone(o.Data)
			m.objects[o.Name] = o
		}
	}
	m.add(batch.Entries)
	return nil
}

// add adds entries to the log.
func (m *Memory) add(entries []Entry) {
	if m.log == nil {
		m.log, m.keys, m.turns = map[string][]Entry{}, map[fingerprint.Key][]Entry{}, map[turnOf]bool{}
	}
	for _, e := range entries {
		m.log[e.Session] = append(m.log[e.Session], e)
		m.keys[e.Key] = append(m.keys[e.Key], e)
		m.turns[turnOf{e.Session, e.Turn}] = true
	}
}

// Missing implements [Store].
func (m *Memory) Missing(ctx context.Context, names []fingerprint.Digest) ([]fingerprint.Digest, int64, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var missing []fingerprint.Digest
	for _, name := range names {
		if _, there := m.objects[name]; !there {
			missing = append(missing, name)
		}
	}
	return missing, m.epoch, ctx.Err()
}

// Objects implements [Store].
func (m *Memory) Objects(ctx context.Context, names []fingerprint.Digest) ([]Object, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var objects []Object
	for _, name := range names {
		if o, there := m.objects[name]; there {
			objects = append(objects, o)
		}
	}
	return objects, ctx.Err()
}

// Names implements [Store].
func (m *Memory) Names(ctx context.Context, from, to fingerprint.Digest) iter.Seq2[Stored, error] {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var found []Stored
	for name, o := range m.objects {
		if bytes.Compare(from[:], name[:]) <= 0 && bytes.Compare(name[:], to[:]) <= 0 {
			found = append(found, Stored{name, o.Form, o.Size, int64(len(o.Data))})
		}
	}
	slices.SortFunc(found, func(a, b Stored) int { return bytes.Compare(a.Name[:], b.Name[:]) })
	return all(ctx, found)
}

// Heads implements [Store].
func (m *Memory) Heads(ctx context.Context, session string) iter.Seq2[Head, error] {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return all(ctx, m.heads(session))
}

func (m *Memory) heads(session string) []Head {
	var heads []Head
	for name, entries := range m.log {
		if session == "" || session == name {
			last := entries[len(entries)-1]
			heads = append(heads, Head{name, entries[0].Seq, last.Seq, last.Record})
		}
	}
	slices.SortFunc(heads, func(a, b Head) int { return cmp.Compare(a.Session, b.Session) })
	return heads
}

// Entries implements [Store].
func (m *Memory) Entries(ctx context.Context, span Span) iter.Seq2[Entry, error] {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var found []Entry
	look := func(entries []Entry) {
		for _, e := range entries {
			if span.holds(e) {
				found = append(found, e)
			}
		}
	}
	switch {
	case !span.Key.IsZero():
		look(m.keys[span.Key])
	case span.Session != "":
		look(m.log[span.Session])
	default:
		for _, entries := range m.log {
			look(entries)
		}
	}
	slices.SortFunc(found, func(a, b Entry) int { return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Seq, b.Seq)) })
	return all(ctx, found)
}

func (s Span) holds(e Entry) bool {
	return (s.Session == "" || s.Session == e.Session) && s.From <= e.Seq && (s.To == 0 || e.Seq <= s.To) &&
		(s.Turn == 0 || s.Turn == e.Turn) && (s.Key.IsZero() || s.Key == e.Key) && (s.Output.IsZero() || s.Output == e.Output)
}

// Delete implements [Store].
func (m *Memory) Delete(ctx context.Context, d Deletion) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Equal(m.heads(""), d.Heads) {
		return ErrStale
	}
	m.epoch++
	log := m.log
	m.log = nil
	for session, entries := range log {
		m.add(slices.DeleteFunc(entries, func(e Entry) bool { return e.Seq <= d.Through[session] }))
	}
	for _, name := range d.Objects {
		delete(m.objects, name)
	}
	return nil
}

// Close implements [Store]; there is nothing to close.
func (m *Memory) Close() error { return nil }

// all yields what a slice holds, or the error of a context that has ended.
func all[T any](ctx context.Context, found []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range found {
			if err := ctx.Err(); err != nil {
				yield(*new(T), err)
				return
			}
			if !yield(v, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(*new(T), err)
		}
	}
}
