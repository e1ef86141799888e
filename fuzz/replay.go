package fuzz

import (
	"context"
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/replay"
)

// CheckReplay checks that recorded compositions can be proved: a session of a few inputs is recorded in memory and
// verified, every text is read back, and each input, compiled again afterwards, gives what was recorded.
func CheckReplay[In any](t rapid.TB, inputs *rapid.Generator[In], compile func(In) (composer.Composition, error)) {
	t.Helper()
	CheckReplayCompilation(t, inputs, nil, func(in In) (composer.Compilation, error) {
		c, err := compile(in)
		return composer.Compilation{Composition: c}, err
	})
}

// CheckReplayCompilation is [CheckReplay] for front ends: what is recorded is a compilation, with the front end's own
// recipe, from which one of the compilers (by the kind of the recipe) must make the composition again. A compilation
// without a recipe is recorded as the composer's.
func CheckReplayCompilation[In any](t rapid.TB, inputs *rapid.Generator[In], compilers map[string]replay.Compiler,
	compile func(In) (composer.Compilation, error),
) {
	t.Helper()
	const session = "fuzz"
	check(t, "compile refused every input", func(t *rapid.T, tr *trial) {
		ctx, store := context.Background(), new(replay.Memory)
		recorder, reader := replay.NewRecorder(store, replay.Session{ID: session}), replay.NewReader(store)

		drawn := rapid.SliceOfN(inputs, 1, 4).Draw(t, "inputs")
		turns := map[int]replay.Record{}
		for i, in := range drawn {
			c, ok := compiled(t, tr, func() (composer.Compilation, error) { return compile(in) })
			if !ok {
				continue
			}
			rec, err := recorder.RecordCompilation(ctx, c, replay.Turn{Number: int64(i + 1)})
			if err != nil {
				t.Fatalf("turn %d cannot be recorded: %v", i+1, err)
			}
			turns[i] = rec
			if text, err := reader.Text(ctx, rec); err != nil || text != c.Composition.Text() {
				t.Fatalf("turn %d was recorded with another text: %q, %v; want %q", i+1, text, err, c.Composition.Text())
			}
		}
		if len(turns) == 0 {
			return
		}
		tr.held++

		var found strings.Builder
		report, err := replay.Verify(ctx, store, replay.Query{}, replay.Options{Jobs: 1, Compilers: compilers, Each: func(o replay.Outcome) {
			if o.Divergence != nil {
				fmt.Fprintf(&found, "\n\t%v", o.Divergence)
			}
		}})
		if err != nil || !report.OK() || report.Verified != int64(len(turns)) {
			t.Fatalf("what was recorded is not what its recipe gives: %v, %v%s", report, err, found.String())
		}
		for i, in := range drawn {
			rec, recorded := turns[i]
			if !recorded {
				continue
			}
			c, ok := compiled(t, tr, func() (composer.Compilation, error) { return compile(in) })
			if !ok {
				t.Fatalf("turn %d was recorded, and is refused now%s", i+1, tr.lastRefusal())
			}
			divergence, err := reader.Compare(ctx, session, rec.Turn, c.Composition)
			if err != nil {
				t.Fatalf("turn %d: %v", i+1, err)
			}
			if divergence != nil {
				t.Fatalf("turn %d, compiled again, is not what was recorded: %v", i+1, divergence)
			}
			if again, err := recorder.RecordCompilation(ctx, c, replay.Turn{Number: rec.Turn}); err != nil || again.Seq != rec.Seq {
				t.Fatalf("turn %d, recorded again, is not the record that is there: %v", i+1, err)
			}
		}
	})
}
