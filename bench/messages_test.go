package bench_test

import (
	"testing"

	"github.com/quirehq/quire/bench"
)

// Assembling a session allocates a few times a message at most (the canonical form of a call's arguments, a name of its
// unit), and ten times as often for ten times as many messages.
func TestConversingAllocates(t *testing.T) {
	var before float64
	for _, job := range bench.Conversing() {
		if job.Count > 10_000 {
			break
		}
		run, _ := job.Prepare()
		n := testing.AllocsPerRun(3, run)
		if n > 3*float64(job.Count)+200 {
			t.Errorf("%v: %v allocations", job, n)
		}
		if before > 0 && n > 12*before {
			t.Errorf("%v: %v allocations, %v for a tenth", job, n, before)
		}
		before = n
	}
}
