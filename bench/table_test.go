package bench_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/bench"
	"github.com/quirehq/quire/composer"
)

func TestTableIsReadable(t *testing.T) {
	row := func(name, size string, count int, took time.Duration, ratio float64) bench.Result {
		return bench.Result{Job: bench.Job{Name: name, Size: size, Count: count, Bytes: int64(count) * 1000}, Time: took, Ratio: ratio, Allocs: 7, Alloc: 135_120}
	}
	got := "\n" + bench.Table([]bench.Result{
		row("compose", "sections=100/size=1KiB", 100, 120*time.Microsecond, 1.234),
		row("small", "sections=10", 10, time.Millisecond, 2),
		row("small", "sections=1000", 1000, 121*time.Millisecond, 2),
	})
	want := `
      job                    size   time  MB/s  ratio to floor  allocs  KB allocated  growth per 10x
  compose  sections=100/size=1KiB  120µs   833            1.23       7           135                
    small             sections=10    1ms    10            2.00       7           135                
    small           sections=1000  121ms     8            2.00       7           135            11.0
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The floor must be the floor of the same job: the same bytes, in another way.
func TestJobsDoWhatTheySay(t *testing.T) {
	for _, job := range jobs() {
		if job.Count > 10_000 {
			continue
		}
		run, floor := job.Prepare()
		run()
		floor()
	}
	sections := bench.Sections("日本語", 120, 128)
	c, err := composer.Compose(sections, composer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(120*130 - 2); c.Len() != want {
		t.Errorf("%d bytes, want %d", c.Len(), want)
	}
	for _, s := range sections {
		if len(s.Content) != 128 {
			t.Errorf("section %s has %d bytes", s.ID, len(s.Content))
		}
	}
}
