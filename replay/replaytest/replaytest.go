// Package replaytest lets a test suite fail when recorded prompts are no longer composed to the same bytes.
//
// A test program that imports it takes the flag -update, which rewrites bundles instead of checking them. Tests that have a
// flag of that name already keep theirs, and it serves for both.
package replaytest

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"os"
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

// Check compiles every record of a bundle again and fails the test with an explanation for each that differs. The
// compilers are those of front ends, by the kinds of their recipes, as in [replay.Options]; the recipes of the composer and
// of this module's front ends need none.
//
// With -update it rewrites the bundle: every record is compiled by the compilers of today and recorded anew in its place.
// What can no longer be read is an error then too, and what is composed as before is written as before.
func Check(t testing.TB, path string, compilers ...map[string]replay.Compiler) {
	t.Helper()
	store := new(replay.Memory)
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("replaytest: %v", err)
	}
	if _, err := replay.Import(t.Context(), store, bytes.NewReader(src), replay.Limits{}); err != nil {
		t.Fatalf("replaytest: %s: %v", path, err)
	}
	var opts replay.Options
	for _, more := range compilers {
		opts.Compilers = more
	}
	if updating.given() {
		if err := update(t, store, path, opts); err != nil {
			t.Fatalf("replaytest: %s: %v", path, err)
		}
		return
	}
	opts.Each = func(o replay.Outcome) {
		if o.Divergence != nil {
			t.Errorf("%s: %v", path, o.Divergence)
			for _, change := range o.Divergence.Changes {
				t.Logf("  %v", change)
			}
		}
	}
	report, err := replay.Verify(t.Context(), store, replay.Query{}, opts)
	if err != nil {
		t.Fatalf("replaytest: %s: %v", path, err)
	}
	if report.Verified == 0 && report.OK() {
		t.Errorf("replaytest: %s: no record in it", path)
	}
}

// update records what a store holds as it is compiled today, each record in its place, and writes it. What is the same
// today gives the same bytes.
func update(t testing.TB, old *replay.Memory, path string, opts replay.Options) error {
	ctx := t.Context()
	reader := replay.NewReader(old)
	var records []replay.Record
	for rec, err := range reader.Records(ctx, replay.Query{}) {
		if err != nil {
			return err
		}
		records = append(records, rec)
	}
	// The records go, and what they refer to stays, for those that come instead.
	all := replay.Deletion{Through: map[string]int64{}}
	for head, err := range old.Heads(ctx, "") {
		if err != nil {
			return err
		}
		all.Heads = append(all.Heads, head)
		all.Through[head.Session] = head.Last
	}
	if err := old.Delete(ctx, all); err != nil {
		return err
	}
	store := continued{old, map[string]replay.Head{}}
	for _, rec := range records {
		if _, begun := store.before[rec.Session]; !begun {
			store.before[rec.Session] = replay.Head{Session: rec.Session, First: rec.Seq - 1, Last: rec.Seq - 1, Record: rec.Prev}
		}
		if err := again(ctx, reader, store, rec, opts.Compiler(rec.Kind)); err != nil {
			return fmt.Errorf("%s@%d: %w", rec.Session, rec.Turn, err)
		}
	}
	var bundle bytes.Buffer
	if err := replay.Export(ctx, old, replay.Query{}, &bundle); err != nil {
		return err
	}
	return os.WriteFile(path, bundle.Bytes(), 0o600) // a file that is there keeps its mode
}

// A continued is a store in which a session without entries goes on from the one that stood before its first. A bundle may
// begin in the middle of a session.
type continued struct {
	*replay.Memory
	before map[string]replay.Head
}

// Heads implements [replay.Store].
func (c continued) Heads(ctx context.Context, session string) iter.Seq2[replay.Head, error] {
	return func(yield func(replay.Head, error) bool) {
		for head, err := range c.Memory.Heads(ctx, session) {
			yield(head, err)
			return
		}
		yield(c.before[session], nil)
	}
}

// again compiles a record by today's compiler, and records it.
func again(ctx context.Context, reader *replay.Reader, store replay.Store, rec replay.Record, compile replay.Compiler) error {
	// The contents are redacted already; only the name is still to be said.
	session := replay.Session{ID: rec.Session, Redactor: replay.Redactor{Name: rec.Redactor}}
	turn := replay.Turn{Number: rec.Turn, Time: rec.Time, Labels: rec.Labels, Usage: rec.Usage}
	if !rec.Response.IsZero() {
		response, err := reader.Content(ctx, rec.Response)
		if err != nil {
			return err
		}
		turn.Response = []byte(response)
	}
	src, err := reader.Content(ctx, fingerprint.Digest(rec.Recipe))
	if err != nil {
		return err
	}
	load := func(name fingerprint.Digest) (string, error) { return reader.Content(ctx, name) }
	recorder := replay.NewRecorder(store, session)
	if rec.Kind != composer.KindComposer {
		if compile == nil {
			return fmt.Errorf("no compiler for recipes of kind %q", rec.Kind)
		}
		c, err := compile([]byte(src), load)
		if err != nil {
			return err
		}
		_, err = recorder.RecordCompilation(ctx, composer.Compilation{Composition: c, Kind: rec.Kind, Recipe: []byte(src)}, turn)
		return err
	}
	recipe, err := composer.ParseRecipe([]byte(src))
	if err != nil {
		return err
	}
	recipe.Version = composer.Version // what this is for
	c, err := recipe.Compose(load)
	if err != nil {
		return err
	}
	_, err = recorder.Record(ctx, c, turn)
	return err
}
