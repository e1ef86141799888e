package bench

import (
	"context"
	"fmt"
	"strings"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

// Replaying returns the jobs that record a session, and verify it, in a store in memory: so they cost what Quire does and
// not what a disk does, which BenchmarkReplay and BenchmarkPostgres show. Each turn has instructions of 8 KiB and the last
// forty messages. The floor of both hashes the text of every turn, on one processor as the job; that of recording also
// copies each new content into a map.
func Replaying() []Job {
	var jobs []Job
	for _, turns := range []int{10, 100, 1000, 5000} {
		jobs = append(jobs, replaying("record", turns))
	}
	for _, turns := range []int{10, 100, 1000, 5000} {
		jobs = append(jobs, replaying("verify", turns))
	}
	return jobs
}

func replaying(name string, turns int) Job {
	const begin, window, size = 8 << 10, 40, 300
	all := func() []composer.Composition {
		sections := []composer.Section{{ID: "system", Content: strings.Repeat("You are careful.", begin/16), Breakpoint: true}}
		compositions := make([]composer.Composition, turns)
		for turn := range turns {
			for _, who := range []string{"user", "assistant"} {
				text := fmt.Sprint(who, " ", turn, " ")
				sections = append(sections, composer.Section{ID: text, Content: text + strings.Repeat("x", size-len(text))})
			}
			recent := append(sections[:1:1], sections[max(1, len(sections)-window):]...)
			var err error
			compositions[turn], err = composer.Compose(recent, composer.Config{})
			check(err)
		}
		return compositions
	}
	return Job{Name: name, Size: fmt.Sprintf("turns=%d", turns), Count: turns, Bytes: int64(turns) * (begin + window*(size+2)),
		Prepare: func() (run, floor func()) {
			ctx := context.Background()
			compositions := all()
			record := func() replay.Store {
				store := &replay.Memory{}
				r := replay.NewRecorder(store, replay.Session{ID: "s"})
				for _, c := range compositions {
					_, err := r.Record(ctx, c, replay.Turn{})
					check(err)
				}
				return store
			}
			texts := make([]string, turns)
			for i, c := range compositions {
				texts[i] = c.Text()
			}
			if name == "record" {
				return func() { record() }, func() { insert(compositions, texts) }
			}
			store := record()
			run = func() {
				report, err := replay.Verify(ctx, store, replay.Query{}, replay.Options{Jobs: 1})
				check(err)
				if report.Verified != int64(turns) {
					panic(fmt.Sprintf("%d turns verified of %d", report.Verified, turns)) // unreachable: they were recorded just before
				}
			}
			return run, func() {
				for _, text := range texts {
					fingerprint.SumString(text)
				}
			}
		}}
}

// insert keeps the contents that were not there yet by their digests, and the digests of the texts.
func insert(compositions []composer.Composition, texts []string) {
	contents := map[fingerprint.Digest]string{}
	known := map[string]bool{} // a section's id: its content does not change
	turns := make([]fingerprint.Digest, len(texts))
	for i, c := range compositions {
		turns[i] = fingerprint.SumString(texts[i])
		for s := range c.Sections() {
			if !known[s.ID] {
				known[s.ID] = true
				contents[fingerprint.SumString(s.Content)] = strings.Clone(s.Content)
			}
		}
	}
}
