package fuzz

import (
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
)

// How often an input is compiled again, one call after the other and at once. An order taken from a map of two is the
// same eight times once in 128 inputs.
const (
	again  = 7
	atOnce = 4
)

// CheckDeterministic checks that a compile function is a function: the same input gives the same text, the same recipe
// (every decision follows from it), or the same error. It is asked
//
//   - several times, and once more after another input;
//   - on several goroutines at once, where the race detector sees what they share;
//   - under clocks that say the first of January 2000 and a day in the year after, in the bubble of package
//     testing/synctest, when the test is a *testing.T: so a date is found as surely as a nanosecond. A compile function
//     that waits for goroutines which were started before the test cannot be asked so.
//
// The input must be as it was afterwards, in everything that can be reached from it.
//
// What differs between processes only (environment, locale, files, another release) is for [replaytest.Check], over
// recorded compositions.
//
// [replaytest.Check]: https://pkg.go.dev/github.com/quirehq/quire/replay/replaytest#Check
func CheckDeterministic[In any](t rapid.TB, inputs *rapid.Generator[In], compile func(In) (composer.Composition, error)) {
	t.Helper()
	_, bubble := t.(*testing.T)
	check(t, "compile refused every input", func(t *rapid.T, tr *trial) {
		in, other := inputs.Draw(t, "input"), inputs.Draw(t, "another input")
		ask := func() outcome[composer.Composition] {
			return run(func() (composer.Composition, error) { return compile(in) })
		}
		demand := func(want, got outcome[composer.Composition], when string) {
			t.Helper()
			if d := difference(want, got); d != "" {
				t.Fatalf("the same input was compiled twice, %s, and gave %s", when, d)
			}
		}

		before := snapshot(in)
		first := ask()
		if after := snapshot(in); after != before {
			t.Fatalf("compile changed its input; it was\n\t%s\nand is\n\t%s", before, after)
		}
		for range again {
			demand(first, ask(), "one call after the other")
		}
		run(func() (composer.Composition, error) { return compile(other) })
		demand(first, ask(), "before and after another input")

		var together [atOnce]outcome[composer.Composition]
		var wg sync.WaitGroup
		for i := range together {
			wg.Go(func() { together[i] = ask() })
		}
		wg.Wait()
		for _, got := range together {
			demand(first, got, "on several goroutines at once")
		}

		if bubble {
			var early, late outcome[composer.Composition]
			rapid.SyncTest(t, func(*rapid.T) {
				early = ask()
				time.Sleep(400*24*time.Hour + 13*time.Hour) // no time passes outside
				late = ask()
			})
			demand(early, late, "with 400 days between")
			demand(first, early, "now and with a clock that says 2000-01-01")
		}
		if first.err == nil {
			tr.held++
		} else {
			tr.refusal = first.err
		}
	})
}
