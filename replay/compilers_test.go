package replay_test

import (
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/replay"
)

// What a front end of this module compiled is compiled again by it, without being told.
func TestVerifyFragments(t *testing.T) {
	store := new(replay.Memory)
	r, err := fragments.New(fragments.Options{Persona: "You help the staff of Acme."})
	if err != nil {
		t.Fatal(err)
	}
	a, err := r.Assemble(fragments.AssembleContext{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Compile(composer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := replay.NewRecorder(store, replay.Session{ID: "s"}).RecordCompilation(t.Context(),
		replay.Compilation{Composition: c.Composition, Kind: c.Kind, Recipe: c.Recipe, Inputs: c.Inputs}, replay.Turn{})
	if err != nil {
		t.Fatal(err)
	}
	if rec.Kind != fragments.KindFragments {
		t.Errorf("kind %q", rec.Kind)
	}
	if report, all := verify(t, store, replay.Options{}); report.Verified != 1 || !report.OK() {
		t.Errorf("%s: %v", report, all)
	}
	// A compiler that is given takes the place of this module's.
	other := func([]byte, func(fingerprint.Digest) (string, error)) (composer.Composition, error) {
		return composer.Compose([]composer.Section{{ID: "a", Content: "another"}}, composer.Config{})
	}
	report, all := verify(t, store, replay.Options{Compilers: map[string]replay.Compiler{fragments.KindFragments: other}})
	if report.Diverged != 1 {
		t.Errorf("%s: %v", report, all)
	}
}
