package main

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/quirehq/quire/composer"
)

// The bounds of a sweep: more than anyone reads, and little enough to hold.
const (
	maxSweep      = 1000      // budgets
	maxSweepCells = 1_000_000 // budgets times sections
)

// parseSweep reads FROM:TO:STEP and returns the budgets FROM, FROM+STEP and so on up to TO.
func parseSweep(text string) ([]int64, error) {
	wrong := func(want string) error { return fmt.Errorf("--sweep: %q; want %s", text, want) }
	parts := strings.Split(text, ":")
	var numbers [3]int64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 63)
		if len(parts) != 3 || err != nil {
			return nil, wrong("FROM:TO:STEP in non-negative integers, such as 1000:5000:500")
		}
		numbers[i] = int64(n)
	}
	from, to, step := numbers[0], numbers[1], numbers[2]
	switch {
	case from > to:
		return nil, wrong("FROM at most TO")
	case step == 0:
		return nil, wrong("a STEP of at least 1")
	case (to-from)/step >= maxSweep:
		return nil, wrong(fmt.Sprintf("at most %d budgets: a larger STEP", maxSweep))
	}
	var budgets []int64
	for b := from; ; b += step {
		budgets = append(budgets, b)
		if b > to-step || b > math.MaxInt64-step {
			return budgets, nil
		}
	}
}

// A sweepTable holds what a sweep found: a column for each budget.
type sweepTable struct {
	budgets []int64
	columns []sweepColumn
}

type sweepColumn struct {
	forms    []int32 // of each section: -1 out, 0 in, k in as its k-th alternate
	included int
	size     int64
	overflow int64
}

const notIn = -1

func (t *sweepTable) add(c composer.Composition) {
	decisions := c.Decisions()
	column := sweepColumn{forms: make([]int32, len(decisions)), size: c.TotalChars(), overflow: c.Overflow()}
	for i, d := range decisions {
		column.forms[i] = notIn
		if d.Included {
			column.forms[i] = int32(d.Alternate)
			column.included++
		}
	}
	t.columns = append(t.columns, column)
}

// appendText appends the table: a row for each section, then the totals.
func (t *sweepTable) appendText(dst []byte, sections []composer.Section) []byte {
	b := bytes.NewBuffer(dst)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.TabIndent)
	row := func(label string, cell func(i int) string) {
		fmt.Fprint(w, label)
		for i := range t.budgets {
			fmt.Fprint(w, "\t", cell(i))
		}
		fmt.Fprintln(w)
	}
	integer := func(n int64) string { return strconv.FormatInt(n, 10) }
	row("BUDGET", func(i int) string { return integer(t.budgets[i]) })
	for s := range sections {
		row(composer.Printable(sections[s].ID), func(i int) string {
			switch k := t.columns[i].forms[s]; k {
			case notIn:
				return "-"
			case 0:
				return "in"
			default:
				return "alt " + integer(int64(k))
			}
		})
	}
	row("SECTIONS", func(i int) string { return integer(int64(t.columns[i].included)) })
	row("SIZE", func(i int) string { return integer(t.columns[i].size) })
	row("OVERFLOW", func(i int) string { return integer(t.columns[i].overflow) })
	w.Flush() // to a buffer: it cannot go wrong
	return b.Bytes()
}

// A sweepJSON is the line that -o json prints for one budget.
type sweepJSON struct {
	Budget     int64          `json:"budget"`
	Included   []string       `json:"included"`
	Alternates map[string]int `json:"alternates"` // by id: which alternate is in instead of the content
	TotalChars int64          `json:"totalChars"`
	Overflow   int64          `json:"overflow"`
}

func (t *sweepTable) appendJSON(dst []byte, sections []composer.Section) ([]byte, error) {
	for i, budget := range t.budgets {
		line := sweepJSON{Budget: budget, Alternates: map[string]int{}, TotalChars: t.columns[i].size, Overflow: t.columns[i].overflow}
		for s, k := range t.columns[i].forms {
			if k == notIn {
				continue
			}
			line.Included = append(line.Included, sections[s].ID)
			if k > 0 {
				line.Alternates[sections[s].ID] = int(k)
			}
		}
		var err error
		if dst, err = appendLine(dst, line); err != nil {
			return dst, err
		}
	}
	return dst, nil
}
