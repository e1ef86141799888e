package bench_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/samples"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/sqlite"
)

var records = flag.Int("records", 10_000, "how many records the memory of a verification is measured with at most")

// A shape is a recorded session: a long beginning, then two messages more every turn.
type shape struct {
	name            string
	turns           int
	begin, messages int // bytes
}

func shapes() []shape {
	return []shape{
		{"from=20KB/to=220KB/message=500B", 200, 20_000, 500},
		{"from=50KB/to=500KB/message=4KB", 56, 50_000, 4_000},
		{"from=200KB/to=1MB/message=8KB", 50, 200_000, 8_000},
	}
}

func (s shape) compositions(t testing.TB) (all []composer.Composition) {
	rng := rand.New(rand.NewPCG(1, 2))
	sections := []composer.Section{{ID: "system", Content: samples.Prose(rng, s.begin), Breakpoint: true}}
	for turn := range s.turns {
		for _, who := range []string{"user", "assistant"} {
			sections = append(sections, composer.Section{ID: fmt.Sprint(who, " ", turn), Content: samples.Prose(rng, s.messages)})
		}
		c, err := composer.Compose(sections, composer.Config{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func openStore(t testing.TB) (*sqlite.Store, string) {
	path := filepath.Join(t.TempDir(), "store.db")
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store, path
}

// BenchmarkReplay records and verifies sessions, and hashes the same texts on as many processors.
func BenchmarkReplay(b *testing.B) {
	for _, s := range shapes() {
		b.Run(s.name, func(b *testing.B) {
			all := s.compositions(b)
			var bytes int64
			texts := make([]string, len(all))
			for i, c := range all {
				bytes, texts[i] = bytes+c.Len(), c.Text()
			}
			recorded, path := openStore(b)
			recordAll(b, recorded, "s", all)
			b.Run("record", func(b *testing.B) {
				store, _ := openStore(b)
				b.ReportAllocs()
				b.SetBytes(bytes)
				for i := 0; b.Loop(); i++ {
					recordAll(b, store, fmt.Sprint(i), all)
				}
			})
			b.Run("verify", func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(bytes)
				for b.Loop() {
					report, err := replay.Verify(b.Context(), recorded, replay.Query{}, replay.Options{})
					if err != nil || report.Verified != int64(len(all)) {
						b.Fatal(report, err)
					}
				}
				if err := recorded.Close(); err != nil {
					b.Fatal(err)
				}
				if info, err := os.Stat(path); err == nil {
					b.ReportMetric(float64(info.Size()), "stored-B")
				}
				b.ReportMetric(float64(bytes), "texts-B")
				recorded, _ = sqlite.Open(b.Context(), path, sqlite.Options{})
			})
			recorded.Close()
			b.Run("hash", func(b *testing.B) {
				b.SetBytes(bytes)
				for b.Loop() {
					var group sync.WaitGroup
					for job := range runtime.GOMAXPROCS(0) {
						group.Go(func() {
							for i := job; i < len(texts); i += runtime.GOMAXPROCS(0) {
								fingerprint.SumString(texts[i])
							}
						})
					}
					group.Wait()
				}
			})
		})
	}
}

func recordAll(t testing.TB, store replay.Store, session string, all []composer.Composition) (list []replay.Record) {
	rec := replay.NewRecorder(store, replay.Session{ID: session})
	for _, c := range all {
		r, err := rec.Record(t.Context(), c, replay.Turn{})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// The memory of a verification does not grow with the number of records: -records 100000 -v shows it for as many.
func TestReplayMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("records many thousand turns")
	}
	const few = 1000
	first := peak(t, few)
	last := peak(t, *records)
	t.Logf("%d records: %d KiB live at most; %d records: %d KiB", few, first>>10, *records, last>>10)
	if last > first+4<<20 {
		t.Errorf("%d bytes live with %d records, %d with %d", last, *records, first, few)
	}
}

// peak verifies many records and returns how much was live at most, beyond what was there before.
func peak(t *testing.T, n int) uint64 {
	store, _ := openStore(t)
	const turns = 50
	once := recordAll(t, store, "once", shape{turns: turns, begin: 5_000, messages: 300}.compositions(t))
	var batch replay.Batch
	for i := turns; i < n; i += turns {
		var prev fingerprint.Digest
		for _, r := range once { // the same turns as another session
			r.Session, r.Prev = fmt.Sprintf("session %d", i), prev
			src := r.AppendJSON(nil)
			entry := r.Entry()
			prev = entry.Record
			batch.Objects = append(batch.Objects, replay.Object{Name: entry.Record, Size: int64(len(src)), Data: src})
			batch.Entries = append(batch.Entries, entry)
		}
		if len(batch.Entries) > 4000 || i+turns >= n {
			if err := store.Append(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
			batch = replay.Batch{}
		}
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before, most, seen := m.HeapAlloc, uint64(0), 0
	report, err := replay.Verify(t.Context(), store, replay.Query{}, replay.Options{Each: func(replay.Outcome) {
		if seen++; seen%(n/20) == 0 {
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc-min(before, m.HeapAlloc))
		}
	}})
	if err != nil || report.Verified != int64(max(n, turns)) {
		t.Fatal(report, err)
	}
	return most
}
