package replay

import (
	"context"
	"errors"
	"time"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/edits"
)

// A Cleaned says what [Clean] removed, or would remove.
type Cleaned struct {
	Records, Objects int64
	Bytes            int64 // that the objects took in the store
}

// Clean removes the records older than a time, and the objects that no record needs. Of a session, records go from the
// first on, up to the first that is not older: what is left of it has no gaps. A record without a time stays. The zero
// time removes no record. With dryRun it only counts.
//
// What others record meanwhile is safe: when a session has moved on, Clean looks again before it removes anything. In a
// store that is damaged nothing is removed, for what the damaged part refers to is not known.
func Clean(ctx context.Context, store Store, before time.Time, dryRun bool) (Cleaned, error) {
	for {
		cleaned, deletion, err := plan(ctx, store, before)
		if err != nil || dryRun || cleaned == (Cleaned{}) {
			return cleaned, err
		}
		if err = store.Delete(ctx, deletion); !errors.Is(err, ErrStale) {
			return cleaned, err
		}
	}
}

func plan(ctx context.Context, store Store, before time.Time) (cleaned Cleaned, d Deletion, err error) {
	r := NewReader(store)
	d.Through = map[string]int64{}
	for head, err := range store.Heads(ctx, "") {
		if err != nil {
			return cleaned, d, err
		}
		d.Heads = append(d.Heads, head)
	}
	needed := marker{reader: r, live: map[fingerprint.Digest]struct{}{}}
	for _, head := range d.Heads {
		dropping := true
		for e, err := range store.Entries(ctx, Span{Session: head.Session, From: head.First, To: head.Last}) {
			var rec Record
			if err == nil {
				rec, err = r.Record(ctx, e)
			}
			if err != nil {
				return cleaned, d, err
			}
			if dropping = dropping && !rec.Time.IsZero() && rec.Time.Before(before); dropping {
				d.Through[head.Session] = e.Seq
				cleaned.Records++
			} else if err := needed.record(ctx, e.Record, rec); err != nil {
				return cleaned, d, err
			}
		}
	}
	for s, err := range store.Names(ctx, fingerprint.Digest{}, lastDigest()) {
		if err != nil {
			return cleaned, d, err
		}
		if _, live := needed.live[s.Name]; !live {
			d.Objects = append(d.Objects, s.Name)
			cleaned.Objects++
			cleaned.Bytes += s.Bytes
		}
	}
	return cleaned, d, nil
}

func lastDigest() (d fingerprint.Digest) {
	for i := range d {
		d[i] = 0xff
	}
	return d
}

// A marker finds out which objects records need, pieces included.
type marker struct {
	reader *Reader
	live   map[fingerprint.Digest]struct{}
	recipe string // the one before
}

// record marks what a record needs. Something that is referred to and not there is damage.
func (m *marker) record(ctx context.Context, name fingerprint.Digest, rec Record) error {
	for _, need := range []fingerprint.Digest{name, rec.Decisions, rec.Response} {
		if err := m.mark(ctx, need, true); err != nil {
			return err
		}
	}
	for _, recipe := range []fingerprint.Digest{fingerprint.Digest(rec.Recipe), rec.Lowered} {
		if _, done := m.live[recipe]; done || recipe.IsZero() {
			continue
		}
		if err := m.mark(ctx, recipe, true); err != nil {
			return err
		}
		src, err := m.reader.Content(ctx, recipe)
		if err != nil {
			return err
		}
		same := edits.CommonPrefix(m.recipe, src)
		m.recipe = src
		// What looks like a digest and is none may not be there.
		for need := range digestsIn(behind(src, same)) {
			if err := m.mark(ctx, need, false); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *marker) mark(ctx context.Context, name fingerprint.Digest, must bool) error {
	if _, done := m.live[name]; done || name.IsZero() {
		return nil
	}
	objects, err := m.reader.store.Objects(ctx, []fingerprint.Digest{name})
	if err != nil {
		return err
	}
	if len(objects) == 0 {
		if must {
			return &CorruptError{Name: name, Err: ErrGone}
		}
		return nil
	}
	m.live[name] = struct{}{}
	if objects[0].Form != Pieces {
		return nil
	}
	parts, err := pieces(objects[0])
	if err != nil {
		return corrupt(name, "list of pieces", err)
	}
	for _, part := range parts {
		m.live[part] = struct{}{}
	}
	return nil
}
