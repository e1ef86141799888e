package bench

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Table lays results out, a row each. The growth in a row is from the row above, where that is the same task at another
// count: 10.0 is linear.
func Table(results []Result) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "job\tsize\ttime\tMB/s\tratio to floor\tallocs\tKB allocated\tgrowth per 10x\t")
	for i, r := range results {
		growth := ""
		if i > 0 && results[i-1].Name == r.Name && results[i-1].Count != r.Count {
			growth = fmt.Sprintf("%.1f", Growth(results[i-1], r))
		}
		fmt.Fprintf(w, "%s\t%s\t%v\t%.0f\t%.2f\t%d\t%d\t%s\t\n", r.Name, r.Size, r.Time,
			float64(r.Bytes)/float64(r.Time)*1e3, r.Ratio, r.Allocs, r.Alloc/1000, growth)
	}
	w.Flush() // to a strings.Builder: it cannot go wrong
	return b.String()
}
