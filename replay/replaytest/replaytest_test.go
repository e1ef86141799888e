package replaytest_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/replaytest"
)

// The package under test has no flag of this name, so a suite may.
var updating = flag.Bool("update", false, "rewrite bundles")

// A committed bundle is composed to the same bytes by every build on every platform.
func TestCheck(t *testing.T) { replaytest.Check(t, "testdata/session.quire") }

// A spy is a test that may fail.
type spy struct {
	testing.TB
	said string
}

func (s *spy) Helper() {}

func (s *spy) Errorf(format string, args ...any) { s.said += fmt.Sprintf(format, args...) + "\n" }
func (s *spy) Logf(format string, args ...any)   {}
func (s *spy) Fatalf(format string, args ...any) { s.Errorf(format, args...); panic(s) }

// checked returns what a check of a bundle says.
func checked(t *testing.T, path string, compilers ...map[string]replay.Compiler) (said string) {
	s := &spy{TB: t}
	defer func() {
		if p := recover(); p != nil && p != s {
			panic(p)
		}
		said = s.said
	}()
	replaytest.Check(s, path, compilers...)
	return s.said
}

func bundle(t *testing.T, path string) {
	store := new(replay.Memory)
	rec := replay.NewRecorder(store, replay.Session{ID: "s"})
	c, err := composer.Compose([]composer.Section{{ID: "a", Content: "HELLO"}}, composer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	recipe := fmt.Appendf(nil, `{"input":"%s","kind":"shout","version":"1"}`, fingerprint.SumString("hello"))
	if _, err := rec.RecordCompilation(t.Context(), composer.Compilation{Composition: c, Kind: "shout", Recipe: recipe, Inputs: []string{"hello"}}, replay.Turn{Response: []byte("ok")}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := replay.Export(t.Context(), store, replay.Query{}, &b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A front end that changes fails the check, with the cause; -update takes the change over.
func TestCheckFails(t *testing.T) {
	defer func(was bool) { *updating = was }(*updating)
	*updating = false
	path := filepath.Join(t.TempDir(), "s.quire")
	bundle(t, path)
	shout := func(change func(string) string) map[string]replay.Compiler {
		return map[string]replay.Compiler{"shout": func(_ []byte, load func(fingerprint.Digest) (string, error)) (composer.Composition, error) {
			hello, err := load(fingerprint.SumString("hello"))
			if err != nil {
				return composer.Composition{}, err
			}
			return composer.Compose([]composer.Section{{ID: "a", Content: change(hello)}}, composer.Config{})
		}}
	}
	title := shout(func(s string) string { return strings.ToUpper(s[:1]) + s[1:] })
	if said := checked(t, path, shout(strings.ToUpper)); said != "" {
		t.Errorf("unchanged: %s", said)
	}
	if said := checked(t, path, title); !strings.Contains(said, `s@1: content_changed: section "a", from byte 1 of the text on: recorded "HELLO", now "Hello"`) {
		t.Errorf("changed: %q", said)
	}
	if said := checked(t, path); !strings.Contains(said, "kind_unknown") {
		t.Errorf("without the front end: %q", said)
	}

	*updating = true
	if said := checked(t, path, title); said != "" {
		t.Errorf("-update: %s", said)
	}
	*updating = false
	if said := checked(t, path, title); said != "" {
		t.Errorf("after -update: %s", said)
	}

	if said := checked(t, filepath.Join(t.TempDir(), "none.quire")); !strings.Contains(strings.ToLower(said), "no such file") {
		t.Errorf("no bundle: %q", said)
	}
	if err := os.WriteFile(path, []byte("something else"), 0o666); err != nil {
		t.Fatal(err)
	}
	if said := checked(t, path); !strings.Contains(said, "not a bundle") {
		t.Errorf("something else: %q", said)
	}
}

// A bundle that passes is written as it was: with the front ends of this module, redacted records, sessions that begin in
// the middle, and the file's own mode.
func TestUpdateKeeps(t *testing.T) {
	defer func(was bool) { *updating = was }(*updating)
	store := new(replay.Memory)
	prompt := messages.Prompt{Groups: messages.Groups{Current: []messages.Message{messages.TextMessage(messages.User, "Who are you?")}}}
	a, err := prompt.Assemble(messages.Options{})
	if err != nil {
		t.Fatal(err)
	}
	front := a.Compilation()
	mask := replay.Redactor{Name: "mask", Redact: func(_, content string) string { return strings.ReplaceAll(content, "Ann", "someone") }}
	sessions := map[string]*replay.Recorder{
		"front": replay.NewRecorder(store, replay.Session{ID: "front", Labels: map[string]string{"model": "m"}}),
		"mask":  replay.NewRecorder(store, replay.Session{ID: "mask", Redactor: mask}),
		"plain": replay.NewRecorder(store, replay.Session{ID: "plain"}),
	}
	for i := range int64(4) {
		turn := replay.Turn{Number: 10 * (i + 1), Time: time.Unix(i, 0), Usage: &replay.Usage{Input: i}, Response: fmt.Appendf(nil, "Hello, Ann, %d.", i)}
		c, err := composer.Compose([]composer.Section{{ID: "a", Content: fmt.Sprintf("Ann, %d", i)}}, composer.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sessions["front"].RecordCompilation(t.Context(), front, turn); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"mask", "plain"} {
			if _, err := sessions[name].Record(t.Context(), c, turn); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, q := range []replay.Query{{}, {From: 3}, {From: 2, To: 3}} {
		path := filepath.Join(t.TempDir(), "s.quire")
		var b bytes.Buffer
		if err := replay.Export(t.Context(), store, q, &b); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.WriteFile(path, b.Bytes(), 0o600), os.Chmod(path, 0o640)); err != nil {
			t.Fatal(err)
		}
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, *updating = range []bool{false, true, false} {
			if said := checked(t, path); said != "" {
				t.Errorf("%+v, update %v: %s", q, *updating, said)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, b.Bytes()) {
			t.Errorf("%+v: the bundle is another, %v", q, err)
		}
		after, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if after.Mode() != before.Mode() {
			t.Errorf("%+v: mode %v; was %v", q, after.Mode(), before.Mode())
		}
	}
}
