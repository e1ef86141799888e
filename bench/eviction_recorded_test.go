package bench_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/quirehq/quire/bench"
	"github.com/quirehq/quire/composer/messages/sessions"
)

// longest is how many of the sessions of the data are played.
const longest = 8

// The trial on the longest sessions of the folder that QUIRE_DATA names; with -v it prints a table a session, and one of
// all.
func TestEvictionOfRecordedSessions(t *testing.T) {
	folder := os.Getenv("QUIRE_DATA")
	if folder == "" {
		t.Skip("QUIRE_DATA names no folder of recorded sessions")
	}
	talks := recorded(t, filepath.Join(folder, "sessions"))
	for _, talk := range talks[:min(longest, len(talks))] {
		results := play(t, []bench.Talk{talk})
		t.Logf("%s: %d calls\n%s", talk.Name, len(talk.Calls), bench.EvictionTable(bench.EvictionPolicies(), results))
	}
	t.Log("all\n" + bench.EvictionTable(bench.EvictionPolicies(), play(t, talks[:min(longest, len(talks))])))
}

// recorded reads all sessions under a folder, those with the most calls first.
func recorded(t *testing.T, folder string) []bench.Talk {
	t.Helper()
	var talks []bench.Talk
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		session, err := sessions.Read(path, bytes.NewReader(src), sessions.Options{SkipBad: true})
		if err != nil {
			t.Logf("%s is not played: %v", filepath.Base(path), err)
			return nil
		}
		talk := bench.Talk{Name: filepath.Base(path)}
		for _, call := range session.Calls {
			talk.Calls = append(talk.Calls, call.Prompt())
		}
		talks = append(talks, talk)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(talks, func(a, b bench.Talk) int { return len(b.Calls) - len(a.Calls) })
	return talks
}
