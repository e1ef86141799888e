package replay

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
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
	log     map[string][]Entry
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
	log := map[string][]Entry{} // the sessions that change
	for _, e := range batch.Entries {
		entries, begun := log[e.Session]
		if !begun {
			entries = slices.Clone(m.log[e.Session])
		}
		if n := len(entries); e.Seq < 1 || n > 0 && entries[n-1].Seq+1 != e.Seq || slices.ContainsFunc(entries, func(o Entry) bool { return o.Turn == e.Turn }) {
			return fmt.Errorf("%w: %s, seq %d, turn %d", ErrConflict, e.Session, e.Seq, e.Turn)
		}
		log[e.Session] = append(entries, e)
	}
	if m.objects == nil {
		m.objects, m.log = map[fingerprint.Digest]Object{}, map[string][]Entry{}
	}
	for _, o := range batch.Objects {
		if _, there := m.objects[o.Name]; !there {
			o.Data = bytes.Clone(o.Data)
			m.objects[o.Name] = o
		}
	}
	maps.Copy(m.log, log)
	return nil
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
	for _, entries := range m.log {
		for _, e := range entries {
			if span.holds(e) {
				found = append(found, e)
			}
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
	for _, h := range d.Heads {
		through := d.Through[h.Session]
		entries := slices.DeleteFunc(m.log[h.Session], func(e Entry) bool { return e.Seq <= through })
		if m.log[h.Session] = entries; len(entries) == 0 {
			delete(m.log, h.Session)
		}
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
