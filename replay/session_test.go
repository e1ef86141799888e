package replay_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/tiers"
)

// words makes text that compresses like prose, of about n bytes.
func words(rng *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		word := rng.IntN(3000)
		for range 2 + word%4 {
			b.WriteByte("etaoinshrdlucmfw"[word%16])
			b.WriteByte("aeiouy"[word%6])
			word = word*7 + 3
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// growing returns the sections of a session's turns: from 20 KB to 220 KB in 200 turns, a question and an answer each.
func growing(turns int) [][]composer.Section {
	rng := rand.New(rand.NewPCG(1, 2))
	sections := []composer.Section{
		{ID: "system", Content: words(rng, 8_000)},
		{ID: "tools", Content: words(rng, 12_000), Breakpoint: true},
	}
	var all [][]composer.Section
	for turn := range turns {
		sections = append(sections,
			composer.Section{ID: fmt.Sprint("user-", turn), Content: words(rng, 200+rng.IntN(200))},
			composer.Section{ID: fmt.Sprint("assistant-", turn), Content: words(rng, 400+rng.IntN(600)), Breakpoint: turn%20 == 19})
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
