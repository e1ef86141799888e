package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/internal/samples"
	"github.com/quirehq/quire/replay"
)

// TestSessionsAreVerified records every call of every session, whole and under half of its size, and verifies them all.
func TestSessionsAreVerified(t *testing.T) {
	files, err := filepath.Glob("../../composer/messages/sessions/testdata/files/*")
	if err != nil || len(files) == 0 {
		t.Fatal("no files: ", err)
	}
	if os.Getenv("QUIRE_DATA") != "" {
		for path := range samples.Files(t, "sessions", "requests") {
			files = append(files, path)
		}
	}
	ctx := context.Background()
	var store replay.Memory
	var recorded int64
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := sessions.Read(path, f, sessions.Options{SkipBad: true})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		whole := replay.NewRecorder(&store, replay.Session{ID: path})
		half := replay.NewRecorder(&store, replay.Session{ID: path + " half"})
		for i, call := range s.Calls {
			if i%(1+len(s.Calls)/40) != 0 {
				continue // enough of the long ones
			}
			a, err := call.Prompt().Assemble(messages.Options{})
			if err != nil {
				t.Fatalf("%s:%d: %v", path, call.Line, err)
			}
			if _, err := whole.RecordCompilation(ctx, a.Compilation(), replay.Turn{}); err != nil {
				t.Fatalf("%s:%d: %v", path, call.Line, err)
			}
			recorded++
			if a.Report.KeptTokens < 2 {
				continue
			}
			f := messagesFlags{budget: a.Report.KeptTokens / 2}
			cmd := messagesCommand(nil)
			if err := cmd.Flags().Set("budget", "1"); err != nil {
				t.Fatal(err)
			}
			o, err := f.options(cmd, messages.Options{Policy: messages.Quantised})
			if err != nil {
				t.Fatal(err)
			}
			if a, err = call.Prompt().Assemble(o); err != nil {
				continue // what is never left out is more than half
			}
			if _, err := half.RecordCompilation(ctx, a.Compilation(), replay.Turn{}); err != nil {
				t.Fatalf("%s:%d: %v", path, call.Line, err)
			}
			recorded++
		}
	}
	report, err := replay.Verify(ctx, &store, replay.Query{}, replay.Options{Each: func(o replay.Outcome) {
		if o.Divergence != nil {
			t.Error(o.Divergence)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if report.Verified != recorded || !report.OK() {
		t.Errorf("%s; want %d verified", report, recorded)
	}
	t.Log(report)
}

// TestWithoutABudgetTheBodyIsTheSame checks that a request that is read, assembled whole and written again says what it
// said. Only calls without an id differ: they get one.
func TestWithoutABudgetTheBodyIsTheSame(t *testing.T) {
	files := []string{"../../composer/messages/sessions/testdata/files/requests.jsonl"}
	if root := os.Getenv("QUIRE_DATA"); root != "" {
		more, err := filepath.Glob(filepath.Join(root, "requests", "*", "*.json*"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := sessions.Read(path, f, sessions.Options{})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range s.Calls {
			if call.API == sessions.Gemini {
				continue // has no ids
			}
			want, err := call.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := call.Prompt().Assemble(messages.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := call.With(a.Messages).AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			if string(want) != string(got) {
				t.Errorf("%s:%d:\nwant %.2000s\ngot  %.2000s", path, call.Line, want, got)
			}
		}
	}
}
