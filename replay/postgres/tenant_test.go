package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

// Two tenants record the same compositions under the same names. All that either can ask is answered as if the other were
// not there, also when names of his objects and records are known.
func TestTenantsApart(t *testing.T) {
	schema := newSchema(t)
	a, b := openTenant(t, server(t), schema, "a"), openTenant(t, server(t), schema, "b")
	alone := openTenant(t, server(t), newSchema(t), "b")
	recordTurns := func(store replay.Store, turns int) (last replay.Record) {
		rec := replay.NewRecorder(store, replay.Session{ID: "s"})
		for turn := range turns {
			var err error
			if last, err = rec.Record(t.Context(), compose(t, "s", turn), replay.Turn{}); err != nil {
				t.Fatal(err)
			}
		}
		return last
	}
	asks := func(store replay.Store, known replay.Record) (answers []any) {
		ctx := t.Context()
		say := func(answer ...any) { answers = append(answers, answer...) }
		names := []fingerprint.Digest{known.Digest(), known.Decisions, fingerprint.Digest(known.Recipe)}
		missing, epoch, err := store.Missing(ctx, names)
		say(missing, epoch, err)
		objects, err := store.Objects(ctx, names)
		say(objects, err)
		for _, session := range []string{"", "s"} {
			for h, err := range store.Heads(ctx, session) {
				say(h, err)
			}
		}
		for s, err := range store.Names(ctx, fingerprint.Digest{}, last) {
			say(s, err)
		}
		for _, span := range []replay.Span{{}, {Session: "s"}, {Turn: 1}, {Key: known.Recipe}, {Output: known.Output}, {From: 1, To: 9}} {
			for e, err := range store.Entries(ctx, span) {
				say(e, err)
			}
		}
		reader := replay.NewReader(store)
		_, err = reader.Content(ctx, known.Digest())
		say(errors.Is(err, replay.ErrNotFound))
		_, err = reader.Find(ctx, known.Digest().String()[:replay.MinPrefix])
		say(errors.Is(err, replay.ErrNotFound))
		check, err := replay.Check(ctx, store, replay.CheckOptions{})
		say(check, err)
		report, err := replay.Verify(ctx, store, replay.Query{}, replay.Options{})
		say(report, err)
		stale := batch("s", 9)
		stale.Epoch = 77
		say(errors.Is(store.Append(ctx, stale), replay.ErrStale), errors.Is(store.Append(ctx, batch("s", 0)), replay.ErrConflict))
		return answers
	}
	known := recordTurns(a, 5)
	step := func(name string, do func(store replay.Store)) {
		do(b)
		do(alone)
		if diff := cmp.Diff(asks(alone, known), asks(b, known)); diff != "" {
			t.Errorf("%s: with a neighbour, another answer (-alone +beside another):\n%s", name, diff)
		}
	}
	step("nothing stored", func(replay.Store) {})
	step("some of the same", func(store replay.Store) { recordTurns(store, 2) })
	step("cleaned", func(store replay.Store) {
		if err := store.Delete(context.Background(), replay.Deletion{Heads: heads(t, store), Through: map[string]int64{"s": 1}}); err != nil {
			t.Error(err)
		}
	})
	step("removed", func(store replay.Store) {
		var d replay.Deletion
		d.Heads, d.Through = heads(t, store), map[string]int64{"s": 9}
		for s, err := range store.Names(t.Context(), fingerprint.Digest{}, last) {
			if err != nil {
				t.Error(err)
			}
			d.Objects = append(d.Objects, s.Name)
		}
		if err := store.Delete(t.Context(), d); err != nil {
			t.Error(err)
		}
	})
	if report, err := replay.Verify(t.Context(), a, replay.Query{}, replay.Options{}); err != nil || report.Verified != 5 || !report.OK() {
		t.Errorf("a's records after all of that: %v, %v", report, err)
	}
}

var last = func() (d fingerprint.Digest) {
	for i := range d {
		d[i] = 0xff
	}
	return d
}()
