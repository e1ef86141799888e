package sqlite_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/samples"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/sqlite"
)

// session returns the compositions of a session that grows from 20 KB to 220 KB in 200 turns.
func session(t testing.TB) []composer.Composition {
	rng := rand.New(rand.NewPCG(1, 2))
	sections := []composer.Section{{ID: "system", Content: samples.Prose(rng, 8_000)}, {ID: "tools", Content: samples.Prose(rng, 12_000), Breakpoint: true}}
	var all []composer.Composition
	for turn := range 200 {
		sections = append(sections,
			composer.Section{ID: fmt.Sprint("user ", turn), Content: samples.Prose(rng, 200+rng.IntN(200))},
			composer.Section{ID: fmt.Sprint("assistant ", turn), Content: samples.Prose(rng, 400+rng.IntN(600)), Breakpoint: turn%20 == 19})
		c, err := composer.Compose(sections, composer.Config{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func record(t testing.TB, store replay.Store, id string, compositions []composer.Composition) {
	t.Helper()
	rec := replay.NewRecorder(store, replay.Session{ID: id})
	for _, c := range compositions {
		if _, err := rec.Record(t.Context(), c, replay.Turn{}); err != nil {
			t.Fatal(err)
		}
	}
}

// Verify is to keep up with hashing: at least 60 % as fast on the same number of processors.
func BenchmarkVerify(b *testing.B) {
	all := session(b)
	store := open(b, filepath.Join(b.TempDir(), "store.db"))
	record(b, store, "s", all)
	var bytes int64
	for _, c := range all {
		bytes += c.Len()
	}
	b.Run("verify", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(bytes)
		for b.Loop() {
			report, err := replay.Verify(b.Context(), store, replay.Query{}, replay.Options{Jobs: 2})
			if err != nil || report.Verified != 200 {
				b.Fatal(report, err)
			}
		}
	})
	b.Run("hash", func(b *testing.B) {
		texts := make([]string, len(all))
		for i, c := range all {
			texts[i] = c.Text()
		}
		b.SetBytes(bytes)
		for b.Loop() {
			var group sync.WaitGroup
			for job := range 2 {
				group.Go(func() {
					for i := job; i < len(texts); i += 2 {
						fingerprint.SumString(texts[i])
					}
				})
			}
			group.Wait()
		}
	})
}

// A turn is to cost at most three times what the driver takes to store the same bytes, durably, and nothing else.
func BenchmarkRecord(b *testing.B) {
	all := session(b)
	b.Run("record", func(b *testing.B) {
		store := open(b, filepath.Join(b.TempDir(), "store.db"))
		b.ReportAllocs()
		i := 0
		var rec *replay.Recorder
		for b.Loop() {
			if i%len(all) == 0 {
				rec = replay.NewRecorder(store, replay.Session{ID: fmt.Sprint("session ", i)})
			}
			if _, err := rec.Record(b.Context(), all[i%len(all)], replay.Turn{}); err != nil {
				b.Fatal(err)
			}
			i++
		}
	})
	for _, what := range []string{"whole text", "new bytes"} {
		b.Run("bare insert/"+what, func(b *testing.B) {
			conn, err := sqlite3.Open(filepath.Join(b.TempDir(), "bare.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			if err := conn.Exec(`PRAGMA journal_mode = wal; PRAGMA synchronous = full; CREATE TABLE blobs (name BLOB PRIMARY KEY, data BLOB) STRICT`); err != nil {
				b.Fatal(err)
			}
			insert, _, err := conn.Prepare(`INSERT OR IGNORE INTO blobs VALUES (?, ?)`)
			if err != nil {
				b.Fatal(err)
			}
			defer insert.Close()
			i := 0
			for b.Loop() {
				text := all[i%len(all)].Text()
				if what == "new bytes" {
					text = text[len(text)-1100:]
				}
				name := fmt.Sprint(i)
				if err := errors.Join(insert.BindBlob(1, []byte(name)), insert.BindBlob(2, []byte(text)), insert.Exec()); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}
