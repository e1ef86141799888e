package replay_test

import (
	"bytes"
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
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
	rec, err := replay.NewRecorder(store, replay.Session{ID: "s"}).RecordCompilation(t.Context(), c, replay.Turn{})
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

// A recipe of another version is told as such, whichever front end it is of.
func TestVerifyOfAnotherVersion(t *testing.T) {
	fragmentsOf := func() composer.Compilation {
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
		return c
	}
	messagesOf := func() composer.Compilation {
		p := messages.Prompt{Groups: messages.Groups{Current: []messages.Message{messages.TextMessage(messages.User, "Who are you?")}}}
		a, err := p.Assemble(messages.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return a.Compilation()
	}
	requestOf := func() composer.Compilation {
		assembler, err := request.New(request.Config{Model: request.Model{ContextTokens: 1000}})
		if err != nil {
			t.Fatal(err)
		}
		res, err := assembler.Build(request.Input{Question: messages.TextMessage(messages.User, "Who are you?")})
		if err != nil {
			t.Fatal(err)
		}
		return res.Compilation()
	}
	for _, c := range []composer.Compilation{fragmentsOf(), messagesOf(), requestOf()} {
		t.Run(c.Kind, func(t *testing.T) {
			store := new(replay.Memory)
			rec := replay.NewRecorder(store, replay.Session{ID: "s"})
			current := `"version":"` + composer.Version + `"`
			if n := bytes.Count(c.Recipe, []byte(current)); n == 0 {
				t.Fatalf("no version in %s", c.Recipe)
			}
			for _, version := range []string{current, `"version":"quire/0"`} {
				c.Recipe = bytes.ReplaceAll(c.Recipe, []byte(current), []byte(version))
				if _, err := rec.RecordCompilation(t.Context(), c, replay.Turn{}); err != nil {
					t.Fatal(err)
				}
			}
			report, all := verify(t, store, replay.Options{})
			if report.Verified != 1 || len(all) != 1 || all[0].Turn != 2 || all[0].Cause != replay.VersionChanged {
				t.Errorf("%s: %v", report, all)
			}
		})
	}
}
