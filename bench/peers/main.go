// Command peers compares Quire with the public packages that fit prompts into a budget, and with the loop that people
// write themselves: what each keeps of the same sections, how its time grows, and how many times Quire's it is.
//
//	peers [-sizes 100,1000,5000] [-rounds 51] FOLDER
//
// FOLDER has the JavaScript files beside this one and the packages that they import; bench/peers/run makes it. Samples
// of a peer and of Quire are taken in turn, one right after the other, so a ratio is good on a machine that others use
// too. A time is the median of the samples, a ratio the median of the ratios.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	sizes := flag.String("sizes", "100,1000,5000", "numbers of sections, separated by commas")
	rounds := flag.Int("rounds", 51, "samples of each peer; fewer of what takes long")
	flag.Parse()
	if *rounds < 1 {
		*rounds = 1
	}
	if err := run(*sizes, *rounds, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(sizes string, rounds int, folders []string) error {
	if len(folders) != 1 {
		return fmt.Errorf("%d folders, want one that has peers.mjs and the packages it imports", len(folders))
	}
	var results []Result
	for _, text := range strings.Split(sizes, ",") {
		size, err := strconv.Atoi(text)
		if err != nil || size < 2 {
			return fmt.Errorf("size %q: want a whole number of at least 2", text)
		}
		fmt.Fprintf(os.Stderr, "%d sections\n", size)
		more, err := compare(NewInput(size), rounds, folders[0])
		if err != nil {
			return fmt.Errorf("%d sections: %w", size, err)
		}
		results = append(results, more...)
	}
	fmt.Print(Table(results), "\n", Verdict(results))
	return nil
}

// patience is how long a peer is run at one size, its first run not counted.
const patience = 5 * time.Second

// compare measures all peers on one input.
func compare(in Input, rounds int, folder string) ([]Result, error) {
	node, err := StartNode(folder, in)
	if err != nil {
		return nil, err
	}
	defer node.Stop()
	quire := ours(in)
	peers := slices.Concat(quire, node.Peers(), theirs(in))

	results := make([]Result, len(peers))
	counts := make([]int, len(peers)) // runs in a sample; 0: the first run is the only one
	samples := make([]int, len(peers))
	for i, p := range peers {
		took, prompt, err := p.First()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		results[i] = Result{Peer: p.Name, Rival: p.Rival, Count: len(in.Sections), First: took, Kept: Kept(prompt)}
		samples[i] = max(1, min(rounds, int(patience/max(took, 1))))
		if took < patience {
			if counts[i], err = warm(p); err != nil {
				return nil, fmt.Errorf("%s: %w", p.Name, err)
			}
		}
	}
	for round := range rounds {
		for i, p := range peers {
			if round >= samples[i] {
				continue
			}
			least, err := quire[0].Sample(counts[0])
			if err != nil {
				return nil, err
			}
			took := results[i].First
			if counts[i] > 0 {
				if took, err = p.Sample(counts[i]); err != nil {
					return nil, fmt.Errorf("%s: %w", p.Name, err)
				}
			}
			results[i].times = append(results[i].times, took)
			results[i].ratios = append(results[i].ratios, float64(took)/float64(least))
		}
	}
	return results, nil
}

// warm runs a peer until its code is as fast as it gets, and returns how many runs make a sample: so short a one that
// most are not interrupted.
func warm(p Peer) (int, error) {
	const (
		warmth = 400 * time.Millisecond
		target = time.Millisecond
	)
	took, err := p.Sample(1)
	if err != nil {
		return 0, err
	}
	if took, err = p.Sample(runs(warmth, took)); err != nil {
		return 0, err
	}
	return runs(target, took), nil
}

// runs returns how many runs of the given time fill a period, at least one.
func runs(period, took time.Duration) int {
	return max(1, min(20_000, int(period/max(took, 1))))
}

// A Result is what was found about one peer at one size.
type Result struct {
	Peer  string
	Rival bool
	Count int           // of sections
	First time.Duration // of the first run in its process
	Kept  []int         // the numbers of the sections in the prompt, in its order

	times  []time.Duration
	ratios []float64 // to Quire's time just before
}

// Time returns the time of one run.
func (r Result) Time() time.Duration { return median(r.times) }

// Ratio returns how many times Quire's it is.
func (r Result) Ratio() float64 { return median(r.ratios) }

// Growth returns how many times longer r takes than the smaller s, per tenfold of the sections.
func (r Result) Growth(s Result) float64 {
	tenfolds := math.Log10(float64(r.Count) / float64(s.Count))
	return math.Pow(float64(r.Time())/float64(s.Time()), 1/tenfolds)
}

func median[T cmp.Ordered](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
