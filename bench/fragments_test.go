package bench_test

import (
	"testing"

	"github.com/quirehq/quire/bench"
)

// Assembling allocates a handful of slices and maps and the text, whatever the number of sections; tools bring one
// growth each time their list doubles.
func TestAssemblingAllocates(t *testing.T) {
	for _, job := range bench.Assembling() {
		if job.Count > 10_000 {
			break
		}
		run, _ := job.Prepare()
		if n := testing.AllocsPerRun(10, run); n > 60 {
			t.Errorf("%v: %v allocations, want at most 60", job, n)
		}
	}
}
