package bench

import (
	"math"
	"runtime"
	"slices"
	"time"
)

// A Result is what [Measure] found.
type Result struct {
	Job
	Time   time.Duration // of one run: the median of the samples
	Ratio  float64       // to the floor: the median over pairs of samples taken one after the other
	Allocs uint64        // of one run
	Alloc  uint64        // bytes of one run
}

// Measure runs the job and its floor in turn, in so many pairs of short samples, or in fewer of a job that takes long.
func Measure(job Job, pairs int) Result {
	const patience, fewest = 3 * time.Second, 5
	run, floor := job.Prepare()
	runs, floors := calibrate(run), calibrate(floor)
	var times []time.Duration
	var ratios []float64
	for begin := time.Now(); len(times) < pairs && (len(times) < fewest || time.Since(begin) < patience); {
		least := sample(floor, floors)
		took := sample(run, runs)
		times = append(times, took)
		ratios = append(ratios, float64(took)/float64(max(least, 1)))
	}
	result := Result{Job: job, Time: median(times), Ratio: median(ratios)}
	result.Allocs, result.Alloc = allocations(run)
	return result
}

// calibrate returns how many runs take about a millisecond, and warms up.
func calibrate(f func()) int {
	const target = time.Millisecond
	for n := 1; ; n *= 2 {
		if took := sample(f, n) * time.Duration(n); took >= target || n >= 1<<20 {
			return n
		}
	}
}

// sample returns the time of one run, from n in a row.
func sample(f func(), n int) time.Duration {
	begin := time.Now()
	for range n {
		f()
	}
	return time.Since(begin) / time.Duration(n)
}

func allocations(f func()) (count, size uint64) {
	var before, after runtime.MemStats
	const n = 3
	runtime.ReadMemStats(&before)
	for range n {
		f()
	}
	runtime.ReadMemStats(&after)
	return (after.Mallocs - before.Mallocs) / n, (after.TotalAlloc - before.TotalAlloc) / n
}

func median[T int64 | float64 | time.Duration](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}

// Growth returns how many times longer b takes than a, per tenfold of their counts; 1 when the counts are equal.
func Growth(a, b Result) float64 {
	tenfolds := math.Log10(float64(b.Count) / float64(a.Count))
	if tenfolds == 0 {
		return 1
	}
	return math.Pow(float64(b.Time)/float64(a.Time), 1/tenfolds)
}
