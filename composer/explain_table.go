package composer

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"text/tabwriter"
)

const barWidth = 20

// Table lays the explanation out as text for a terminal: a row a candidate, with its verdict, the limit it met, what
// was charged before it and a bar of its share of the budget (of the contents, without a budget); then the totals and
// the causes of an overflow. Ids with characters that a terminal would act on are quoted.
func (e Explanation) Table() string {
	var rows, b strings.Builder
	w := tabwriter.NewWriter(&rows, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SECTION\tTIER\tSIZE\tVERDICT\tLIMIT\tBEFORE\tSHARE")
	whole, limited := e.Budget.Value()
	if !limited {
		whole = e.Contents
	}
	for _, d := range e.Decisions {
		limit := "-"
		if n, limited := d.Limit.Value(); limited {
			limit = strconv.FormatInt(n, 10)
		}
		fmt.Fprintf(w, "%s\t%v\t%d\t%s\t%s\t%d\t%s\n", Printable(d.ID), d.Tier, d.Size, d.verdict(), limit, d.Before, d.bar(whole))
	}
	w.Flush() // to a strings.Builder: it cannot go wrong
	for row := range strings.Lines(rows.String()) {
		b.WriteString(strings.TrimRight(row, " \n") + "\n") // a row without a bar is padded up to it
	}
	fmt.Fprintf(&b, "\n%d of %d sections, %d %s", e.Included, len(e.Decisions), e.Contents, e.Measure)
	fmt.Fprintf(&b, " + %d of separators; budget %v, gate %v\n", e.Separators, e.Budget, e.Gate)
	if e.Overflow > 0 {
		fmt.Fprintf(&b, "overflow: %d\n", e.Overflow)
		for _, cause := range e.Causes {
			fmt.Fprintf(&b, "  %d: %s\n", cause.Amount, causeTexts[cause.Code])
		}
	}
	if e.OverflowBytes > 0 {
		fmt.Fprintf(&b, "overflow: %d bytes above max-bytes %v\n", e.OverflowBytes, e.MaxBytes)
	}
	return b.String()
}

var causeTexts = map[CauseCode]string{
	CoreTooLarge:        "core with its separators is larger than the budget",
	CoreLate:            "core was charged after other sections had been let in",
	SeparatorsUncharged: "separators, which the published gate does not charge",
	TailCoreTooLarge:    "the core of the tail is larger than tail-reserve",
}

func (d Decision) verdict() string {
	switch {
	case !d.Included:
		return "dropped: " + d.Reason.String()
	case d.Alternate > 0:
		return "in: alternate " + strconv.Itoa(d.Alternate)
	}
	return "in: " + d.Reason.String()
}

// bar draws size/whole with barWidth characters for the whole, cut at twice the width.
func (d Decision) bar(whole int64) string {
	if !d.Included || whole <= 0 || d.Size <= 0 {
		return ""
	}
	n := uint64(2 * barWidth)
	if hi, lo := bits.Mul64(uint64(d.Size), barWidth); hi < uint64(whole) {
		quo, _ := bits.Div64(hi, lo, uint64(whole))
		n = min(quo, n)
	}
	if n == 0 {
		return "."
	}
	return strings.Repeat("#", int(n))
}

// Printable returns the id as it is when a terminal can show it, else quoted as a Go string.
func Printable(id string) string {
	if quoted := strconv.Quote(id); quoted != `"`+id+`"` || strings.Contains(id, " ") {
		return quoted
	}
	return id
}
