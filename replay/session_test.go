package replay_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/internal/samples"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/tiers"
)

// growing returns the sections of a session's turns: from 20 KB to 220 KB in 200 turns, a question and an answer each.
func growing(turns int) [][]composer.Section {
	rng := rand.New(rand.NewPCG(1, 2))
	sections := []composer.Section{
		{ID: "system", Content: samples.Prose(rng, 8_000)},
		{ID: "tools", Content: samples.Prose(rng, 12_000), Breakpoint: true},
	}
	var all [][]composer.Section
	for turn := range turns {
		sections = append(sections,
			composer.Section{ID: fmt.Sprint("user-", turn), Content: samples.Prose(rng, 200+rng.IntN(200))},
			composer.Section{ID: fmt.Sprint("assistant-", turn), Content: samples.Prose(rng, 400+rng.IntN(600)), Breakpoint: turn%20 == 19})
		all = append(all, append([]composer.Section{}, sections...))
	}
	return all
}

func mustCompose(t testing.TB, sections []composer.Section, cfg composer.Config) composer.Composition {
	t.Helper()
	c, err := composer.Compose(sections, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustRecord(t testing.TB, rec *replay.Recorder, c composer.Composition, turn replay.Turn) replay.Record {
	t.Helper()
	r, err := rec.Record(t.Context(), c, turn)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// recordGrowing records a growing session.
func recordGrowing(t testing.TB, store replay.Store, session string, turns int) {
	t.Helper()
	rec := replay.NewRecorder(store, replay.Session{ID: session, Labels: map[string]string{"model": "m"}})
	for i, sections := range growing(turns) {
		c := mustCompose(t, sections, composer.Config{Budget: tiers.Limit(1 << 30), Gate: tiers.Reserved})
		mustRecord(t, rec, c, replay.Turn{Time: noon.Add(time.Duration(i) * time.Minute), Response: []byte(fmt.Sprint("answer ", i))})
	}
}
