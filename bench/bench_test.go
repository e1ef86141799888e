package bench_test

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/bench"
)

var (
	table = flag.String("table", "", "print the table of the jobs whose names have this prefix, \"all\" for all of them")
	pairs = flag.Int("pairs", 201, "how many pairs of samples a row of the table takes, or fewer of what takes long")
)

// jobs returns all jobs there are. A new kind of job is added here.
func jobs() []bench.Job {
	return slices.Concat(bench.Stages(), bench.Composing(), bench.Evicting(), bench.Compiling(), bench.Assembling(),
		bench.Conversing(), bench.Requesting(), bench.Replaying())
}

// TestTable is no test: it prints what scripts/bench shows.
func TestTable(t *testing.T) {
	if *table == "" {
		t.Skip("scripts/bench prints the table")
	}
	var results []bench.Result
	for _, job := range jobs() {
		if *table == "all" || strings.HasPrefix(job.String(), *table) {
			results = append(results, bench.Measure(job, *pairs))
		}
	}
	if len(results) > 0 {
		t.Log("\n" + bench.Table(results))
	}
	if *table == "all" || *table == "startup" {
		took, ratio := startup(t, *pairs)
		t.Logf("\nstartup: quire compile of a small file takes %v of processor time, %.2f times what an empty program takes", took, ratio)
	}
}

func BenchmarkJobs(b *testing.B) {
	for _, job := range jobs() {
		b.Run(job.String(), func(b *testing.B) {
			run, _ := job.Prepare()
			loop(b, job.Bytes, run)
		})
		b.Run("floor-of-"+job.String(), func(b *testing.B) {
			_, floor := job.Prepare()
			loop(b, job.Bytes, floor)
		})
	}
}

func loop(b *testing.B, size int64, f func()) {
	b.ReportAllocs()
	b.SetBytes(size)
	for b.Loop() {
		f()
	}
}
