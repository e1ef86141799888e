package replay

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/tiers"
)

// The decisions of a composition are an object of their own: a JSON array with one string for every run of candidates, in
// candidate order, about which the same was decided. The string is the reason ("core", "fits", "over-budget" …), preceded
// by their number and a blank when they are several ("12 core"), and followed by a blank and the number of the alternate
// when one was chosen ("fits 2"). With the recipe and the contents it gives the text, whatever the compiler of today
// would decide.

var errDecisions = errors.New("not a list of decisions")

// A verdict is a decision as it is recorded.
type verdict struct {
	reason    tiers.Reason
	alternate int
}

// appendDecisions appends the decisions of a composition.
func appendDecisions(dst []byte, c composer.Composition) []byte {
	dst = append(dst, '[')
	var last verdict
	count := 0
	end := func() {
		if count == 0 {
			return
		}
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		if count > 1 {
			dst = append(strconv.AppendInt(dst, int64(count), 10), ' ')
		}
		dst = append(dst, last.reason.String()...)
		if last.alternate > 0 {
			dst = strconv.AppendInt(append(dst, ' '), int64(last.alternate), 10)
		}
		dst = append(dst, '"')
	}
	for v := range c.Verdicts() {
		if this := (verdict{v.Reason, v.Alternate}); this != last || count == 0 {
			end()
			last, count = this, 0
		}
		count++
	}
	end()
	return append(dst, ']')
}

// A run is several candidates that follow each other, about which the same was decided.
type run struct {
	verdict
	count int // at least 1
}

func parseDecisions(src string) ([]run, error) {
	inner, ok := strings.CutPrefix(src, "[")
	inner, ok2 := strings.CutSuffix(inner, "]")
	if !ok || !ok2 {
		return nil, errDecisions
	}
	var runs []run
	for more := inner != ""; more; {
		var word string
		word, inner, more = strings.Cut(inner, ",")
		word, ok := strings.CutPrefix(word, `"`)
		word, ok2 := strings.CutSuffix(word, `"`)
		if !ok || !ok2 {
			return nil, fmt.Errorf("%w: string %d", errDecisions, len(runs)+1)
		}
		r, err := parseRun(word)
		if err != nil {
			return nil, fmt.Errorf("%w: string %d: %w", errDecisions, len(runs)+1, err)
		}
		runs = append(runs, r)
	}
	return runs, nil
}

func parseRun(word string) (r run, err error) {
	r.count = 1
	number, rest, _ := strings.Cut(word, " ")
	if n, err := strconv.Atoi(number); err == nil {
		r.count, word = n, rest
	}
	reason, number, condensed := strings.Cut(word, " ")
	if r.reason, err = tiers.ParseReason(reason); err == nil && condensed {
		r.alternate, err = strconv.Atoi(number)
	}
	switch {
	case err != nil:
		return run{}, err
	case r.count < 1:
		return run{}, fmt.Errorf("%d candidates; want 1 or more", r.count)
	case condensed && r.alternate < 1:
		return run{}, fmt.Errorf("alternate %d; want 1 or more", r.alternate)
	}
	return r, nil
}
