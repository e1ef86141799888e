package bench_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/quirehq/quire/bench"
	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/internal/samples"
)

// longest is how many of the sessions of the data are played.
const longest = 8

// The trial on the longest sessions of the folder that QUIRE_DATA names; with -v it prints a table a session, and one of
// all.
func TestEvictionOfRecordedSessions(t *testing.T) {
	talks := recorded(t, "sessions")
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
	for path, src := range samples.Files(t, folder) {
		session, err := sessions.Read(path, bytes.NewReader(src), sessions.Options{SkipBad: true})
		if err != nil {
			t.Logf("%s is not played: %v", filepath.Base(path), err)
			continue
		}
		talk := bench.Talk{Name: filepath.Base(path)}
		for _, call := range session.Calls {
			talk.Calls = append(talk.Calls, call.Prompt())
		}
		talks = append(talks, talk)
	}
	slices.SortStableFunc(talks, func(a, b bench.Talk) int { return len(b.Calls) - len(a.Calls) })
	return talks
}
