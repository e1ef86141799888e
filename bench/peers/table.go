package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// Table lays results out by size, Quire first in each. The growth is from the size above, per ten times as many
// sections: 10 is linear.
func Table(results []Result) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "sections\tpeer\tkept\tagainst quire\tgrowth per 10x\tfirst run ms\tms\ttimes quire")
	smaller := map[string]Result{}
	var quire Result
	for _, r := range results {
		if r.Count != quire.Count {
			quire = r
		}
		growth := "-"
		if s, ok := smaller[r.Peer]; ok {
			growth = fmt.Sprintf("%.1f", r.Growth(s))
		}
		smaller[r.Peer] = r
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%.1f\n", r.Count, r.Peer, Ranges(r.Kept), Difference(quire.Kept, r.Kept),
			growth, milliseconds(r.First), milliseconds(r.Time()), r.Ratio())
	}
	w.Flush() // to a strings.Builder: it cannot go wrong
	return b.String()
}

// Verdict names the fastest rival at each size, and how many times Quire's time its is, warm and in its first run.
func Verdict(results []Result) string {
	var b strings.Builder
	for from := 0; from < len(results); {
		to := from + 1
		for to < len(results) && results[to].Count == results[from].Count {
			to++
		}
		var fastest, first *Result
		for i := from; i < to; i++ {
			r := &results[i]
			if r.Rival && (fastest == nil || r.Ratio() < fastest.Ratio()) {
				fastest = r
			}
			if r.Rival && (first == nil || r.First < first.First) {
				first = r
			}
		}
		if fastest != nil {
			fmt.Fprintf(&b, "%d sections: fastest %s, %.1f times quire; in its first run %s, %.1f times\n", results[from].Count,
				fastest.Peer, fastest.Ratio(), first.Peer, float64(first.First)/float64(results[from].First))
		}
		from = to
	}
	return b.String()
}

// milliseconds writes three digits that count.
func milliseconds(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms >= 100:
		return fmt.Sprintf("%.0f", ms)
	case ms >= 10:
		return fmt.Sprintf("%.1f", ms)
	case ms >= 1:
		return fmt.Sprintf("%.2f", ms)
	}
	return fmt.Sprintf("%.3f", ms)
}
