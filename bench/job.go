package bench

import "fmt"

// A Job is a task at one size.
type Job struct {
	Name  string // of the task: "compose"
	Size  string // "sections=100/size=1KiB"
	Count int    // the number that grows from one job of a name to the next; growth is told per tenfold of it
	Bytes int64  // of the text that is made

	// Prepare makes the input, and returns what does the job with it and what does the least that must be done for the
	// same bytes. An input lives no longer than its measurement: the garbage collector would go through all of them.
	Prepare func() (run, floor func())
}

// String returns the name of the job as a benchmark, "compose/sections=100/size=1KiB".
func (j Job) String() string { return j.Name + "/" + j.Size }

// bytesName writes a power of two as people do: 100 B, 1KiB, 4KiB, 1MiB.
func bytesName(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%dMiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%dKiB", n>>10)
	}
	return fmt.Sprintf("%dB", n)
}
