package replay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/internal/samples"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/sqlite"
	"github.com/quirehq/quire/tiers"
)

// realSessions returns recorded conversations as the sections of each of their turns, one section for every message: series of
// request bodies as they are, and of the transcripts every prefix that a model was asked to go on from.
func realSessions(t testing.TB) map[string][][]composer.Section {
	t.Helper()
	data := samples.Folder(t)
	sessions := map[string][][]composer.Section{}
	add := func(session string, messages []jsontext.Value) {
		var sections []composer.Section
		for i, m := range messages {
			tier := tiers.Active
			if i == 0 {
				tier = tiers.Core
			}
			sections = append(sections, composer.Section{ID: fmt.Sprintf("messages/%d", i), Content: string(m), Tier: tier, Breakpoint: i == 0})
		}
		sessions[session] = append(sessions[session], sections)
	}
	each := func(pattern string, f func(name string, src []byte)) {
		names, err := filepath.Glob(filepath.Join(data, pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		slices.Sort(names)
		for _, name := range names {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f(filepath.Base(name), src)
		}
	}
	read := func(name string, src []byte, v any) {
		if err := json.Unmarshal(src, v, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	each("requests/from-cassettes/*.jsonl", func(name string, src []byte) {
		for line := range strings.Lines(string(src)) {
			var r struct {
				Body struct{ Messages, Input jsontext.Value }
			}
			read(name, []byte(line), &r)
			for _, list := range []jsontext.Value{r.Body.Messages, r.Body.Input} {
				var messages []jsontext.Value
				if json.Unmarshal(list, &messages) == nil && len(messages) > 0 {
					add(name, messages)
				}
			}
		}
	})
	each("requests/openhands-sdk/llm-logs*.json", func(name string, src []byte) {
		var r struct{ Messages []jsontext.Value }
		read(name, src, &r)
		add("openhands-sdk", r.Messages)
	})
	transcript := func(name string, messages []jsontext.Value) {
		for i, m := range messages {
			var who struct{ Role string }
			read(name, m, &who)
			if who.Role == "assistant" && i > 0 {
				add(name, messages[:i])
			}
		}
	}
	each("sessions/tau-bench/*.json", func(name string, src []byte) {
		var r struct{ Traj []jsontext.Value }
		read(name, src, &r)
		transcript(name, r.Traj)
	})
	each("sessions/swe-agent/*.traj", func(name string, src []byte) {
		var r struct{ History []jsontext.Value }
		read(name, src, &r)
		transcript(name, r.History)
	})
	return sessions
}

// config limits a session to three quarters of its last turn, so that there is something to decide.
func config(turns [][]composer.Section) composer.Config {
	var size int64
	for _, s := range turns[len(turns)-1] {
		size += int64(len(s.Content))
	}
	return composer.Config{Gate: tiers.Reserved, Budget: tiers.Limit(size * 3 / 4)}
}

func TestRealSessions(t *testing.T) {
	sessions := realSessions(t)
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var turns, bytes int64
	for name, all := range sessions { // sessions do not depend on each other's order
		rec := replay.NewRecorder(store, replay.Session{ID: name})
		for _, sections := range all {
			c := mustCompose(t, sections, config(all))
			mustRecord(t, rec, c, replay.Turn{})
			turns, bytes = turns+1, bytes+c.Len()
		}
	}
	report, err := replay.Verify(t.Context(), store, replay.Query{}, replay.Options{Each: func(o replay.Outcome) {
		if o.Divergence != nil {
			t.Error(o.Divergence)
		}
	}})
	if err != nil || report.Verified != turns || report.Bytes != bytes {
		t.Fatalf("%v, %v; want %d turns of %d bytes", report, err, turns, bytes)
	}
	stats, err := replay.Measure(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d sessions: %v; %d bytes of text, %d stored", len(sessions), report, stats.TextBytes, stats.StoredBytes)

	// One change at a time, to the last turn of every session: it is told what, where, and from which byte on.
	reader := replay.NewReader(store)
	for name, all := range sessions { // in any order
		sections, cfg := all[len(all)-1], config(all)
		was := mustCompose(t, sections, cfg)
		for _, change := range changes(was, sections, cfg) {
			d, err := reader.Compare(t.Context(), name, int64(len(all)), change.now(t))
			if err != nil {
				t.Fatal(err)
			}
			at, where := firstDifference(was, change.now(t))
			if change.section != "" {
				where = change.section
			}
			if d == nil || d.Cause != change.cause || d.Section != where || d.At != at || change.at >= 0 && d.At != change.at || d.Session != name || d.Turn != int64(len(all)) {
				t.Errorf("%s, %s: %v\nwant %s, section %q, byte %d", name, change.what, d, change.cause, where, at)
			}
		}
	}
}

// firstDifference finds, byte by byte, where two texts part, and whose byte that is: of the section that is there now,
// or, behind the end of the text, of the one that was.
func firstDifference(was, now composer.Composition) (at int64, section string) {
	a, b := was.Text(), now.Text()
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n == len(a) && n == len(b) {
		return -1, ""
	}
	for _, c := range []composer.Composition{now, was} {
		for _, d := range c.Decisions() {
			if d.Included && int64(n) < d.End {
				return int64(n), d.ID
			}
		}
	}
	return int64(n), ""
}

type edit struct {
	what     string
	sections []composer.Section
	cfg      composer.Config
	cause    replay.Cause
	section  string // "": where the texts part
	at       int64  // -1: where the texts part
}

func (e edit) now(t *testing.T) composer.Composition { return mustCompose(t, e.sections, e.cfg) }

// changes returns edits of a composition with what they must be told as.
func changes(was composer.Composition, sections []composer.Section, cfg composer.Config) []edit {
	var edits []edit
	with := func(f func([]composer.Section) []composer.Section) []composer.Section {
		return f(slices.Clone(sections))
	}
	for i, d := range was.Decisions() {
		if !d.Included || d.Start == d.End {
			continue
		}
		at := len(sections[i].Content) / 2
		for at < len(sections[i].Content) && sections[i].Content[at] >= 0x80 {
			at++
		}
		if at == len(sections[i].Content) {
			continue
		}
		edits = append(edits, edit{"a byte", with(func(s []composer.Section) []composer.Section {
			b := []byte(s[i].Content)
			b[at] ^= 1
			s[i].Content = string(b)
			return s
		}), cfg, "content_changed", d.ID, d.Start + int64(at)})
	}
	gate, budget := cfg, cfg
	gate.Gate = tiers.PrefixStable
	budget.Budget = tiers.Limit(1)
	edits = append(edits,
		edit{"the gate", sections, gate, "gate_changed", "", -1},
		edit{"the budget", sections, budget, "budget_changed", "", -1})
	included := was.Included()
	if len(included) > 1 {
		// The first two that are in change places: one of them has moved.
		i := slices.IndexFunc(sections, func(s composer.Section) bool { return s.ID == included[0] })
		j := slices.IndexFunc(sections, func(s composer.Section) bool { return s.ID == included[1] })
		if j == i+1 {
			edits = append(edits, edit{"the order", with(func(s []composer.Section) []composer.Section {
				s[i], s[j] = s[j], s[i]
				return s
			}), cfg, "reordered", included[1], -1})
		}
		edits = append(edits, edit{"a section less", with(func(s []composer.Section) []composer.Section {
			return slices.Delete(s, i, i+1)
		}), cfg, "section_removed", included[0], -1})
	}
	edits = append(edits, edit{"a section more", with(func(s []composer.Section) []composer.Section {
		return slices.Insert(s, 0, composer.Section{ID: "new", Content: "\x00"})
	}), cfg, "section_added", "new", 0})
	return edits
}

func TestMutateRealSessions(t *testing.T) {
	sessions := realSessions(t)
	store := new(replay.Memory)
	for name, all := range sessions { // in any order
		if testing.Short() && len(all) > 5 {
			all = all[:5]
		}
		rec := replay.NewRecorder(store, replay.Session{ID: name})
		for _, sections := range all {
			mustRecord(t, rec, mustCompose(t, sections, config(all)), replay.Turn{})
		}
	}
	report, err := replay.Mutate(t.Context(), store, replay.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range report.Survivors {
		t.Errorf("%+v", s)
	}
	t.Logf("%d mutants of %d records", report.Mutants, report.Records)
}
