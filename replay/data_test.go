package replay_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/internal/samples"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/sqlite"
	"github.com/quirehq/quire/tiers"
)

// realSessions returns the recorded conversations of any format as the sections of their calls, at most so many of the
// last, one section for every message.
func realSessions(t testing.TB, most int) map[string][][]composer.Section {
	t.Helper()
	all := map[string][][]composer.Section{}
	for path, src := range samples.Files(t, "sessions", "requests") {
		session, err := sessions.Read(path, bytes.NewReader(src), sessions.Options{SkipBad: true})
		if err != nil {
			continue // package sessions has its own tests
		}
		name := filepath.Base(path)
		for _, call := range session.Calls[max(0, len(session.Calls)-most):] {
			var sections []composer.Section
			for i, m := range call.Messages {
				content, err := m.AppendJSON(nil)
				if err != nil {
					t.Fatalf("%s:%d: %v", path, call.Line, err)
				}
				tier := tiers.Active
				if i == 0 {
					tier = tiers.Core
				}
				sections = append(sections, composer.Section{ID: fmt.Sprintf("messages/%d", i), Content: string(content), Tier: tier, Breakpoint: i == 0})
			}
			all[name] = append(all[name], sections)
		}
	}
	return all
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
	conversations := realSessions(t, 60)
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var turns, size int64
	for name, all := range conversations { // sessions do not depend on each other's order
		rec := replay.NewRecorder(store, replay.Session{ID: name})
		for _, sections := range all {
			c := mustCompose(t, sections, config(all))
			mustRecord(t, rec, c, replay.Turn{})
			turns, size = turns+1, size+c.Len()
		}
	}
	report, err := replay.Verify(t.Context(), store, replay.Query{}, replay.Options{Each: func(o replay.Outcome) {
		if o.Divergence != nil {
			t.Error(o.Divergence)
		}
	}})
	if err != nil || report.Verified != turns || report.Bytes != size {
		t.Fatalf("%v, %v; want %d turns of %d bytes", report, err, turns, size)
	}
	stats, err := replay.Measure(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d sessions: %v; %d bytes of text, %d stored", len(conversations), report, stats.TextBytes, stats.StoredBytes)

	// One change at a time, to the last turn of every session: it is told what, where, and from which byte on.
	reader := replay.NewReader(store)
	for name, all := range conversations { // in any order
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
	if testing.Short() {
		t.Skip("tries thousands of changes")
	}
	conversations := realSessions(t, 1)
	store := new(replay.Memory)
	for name, all := range conversations { // in any order
		if len(all[0]) > 60 {
			continue // a change for every message, and all of them compiled for each
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
