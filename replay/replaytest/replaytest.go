// Package replaytest lets a test suite fail when recorded prompts are no longer composed to the same bytes.
package replaytest

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

// updating is the flag -update of the test program, which rewrites bundles instead of checking them. Where the program
// has a flag of that name already, that one is used; a program that defines its own afterwards uses flag.Lookup.
var updating = func() *flag.Flag {
	if flag.Lookup("update") == nil {
		flag.Bool("update", false, "rewrite expected files instead of comparing with them")
	}
	return flag.Lookup("update")
}()

// Check compiles every record of a bundle again and fails the test with an explanation for each that differs. The
// compilers are those of front ends, by the kinds of their recipes; the composer's recipes need none.
//
// With -update it rewrites the bundle: every record is compiled by the compilers of today and recorded anew, in the same
// session and turn. What can no longer be read is an error then too.
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
	if updating.Value.String() == "true" {
		if err := update(t, store, path, opts.Compilers); err != nil {
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

// update records what a store holds as it is compiled today, and writes it.
func update(t testing.TB, old replay.Store, path string, compilers map[string]replay.Compiler) error {
	store := new(replay.Memory)
	reader := replay.NewReader(old)
	recorders := map[string]*replay.Recorder{}
	for rec, err := range reader.Records(t.Context(), replay.Query{}) {
		if err != nil {
			return err
		}
		turn := replay.Turn{Number: rec.Turn, Time: rec.Time, Labels: rec.Labels, Usage: rec.Usage}
		if !rec.Response.IsZero() {
			response, err := reader.Content(t.Context(), rec.Response)
			if err != nil {
				return err
			}
			turn.Response = []byte(response)
		}
		if recorders[rec.Session] == nil {
			recorders[rec.Session] = replay.NewRecorder(store, replay.Session{ID: rec.Session})
		}
		if err := again(t, reader, recorders[rec.Session], rec, turn, compilers[rec.Kind]); err != nil {
			return err
		}
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".replaytest-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // gone already when all went well
	if err := replay.Export(t.Context(), store, replay.Query{}, io.Writer(temporary)); err != nil {
		temporary.Close()
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}

// again compiles a record by today's compiler, and records it.
func again(t testing.TB, reader *replay.Reader, recorder *replay.Recorder, rec replay.Record, turn replay.Turn, compile replay.Compiler) error {
	src, err := reader.Content(t.Context(), fingerprint.Digest(rec.Recipe))
	if err != nil {
		return err
	}
	var inputs []string
	load := func(name fingerprint.Digest) (string, error) {
		content, err := reader.Content(t.Context(), name)
		if err == nil {
			inputs = append(inputs, content)
		}
		return content, err
	}
	if compile != nil {
		c, err := compile([]byte(src), load)
		if err != nil {
			return err
		}
		_, err = recorder.RecordCompilation(t.Context(), replay.Compilation{Composition: c, Kind: rec.Kind, Recipe: []byte(src), Inputs: inputs}, turn)
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
	_, err = recorder.Record(t.Context(), c, turn)
	return err
}
