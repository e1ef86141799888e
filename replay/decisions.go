package replay

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/tiers"
)

// The decisions of a composition are an object of their own: a JSON array with one string for every candidate, in
// candidate order. The string is the reason ("core", "fits", "over-budget" …), followed by a blank and the number of
// the alternate when one was chosen ("fits 2"). With the recipe and the contents it gives the text, whatever the
// compiler of today would decide.

var errDecisions = errors.New("not a list of decisions")

// appendDecisions appends the decisions of a composition.
func appendDecisions(dst []byte, c composer.Composition) []byte {
	dst = append(dst, '[')
	first := true
	for v := range c.Verdicts() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(dst, '"'), v.Reason.String()...)
		if v.Alternate > 0 {
			dst = strconv.AppendInt(append(dst, ' '), int64(v.Alternate), 10)
		}
		dst = append(dst, '"')
	}
	return append(dst, ']')
}

// A verdict is a decision as it was recorded.
type verdict struct {
	reason    tiers.Reason
	alternate int
}

func parseDecisions(src string) ([]verdict, error) {
	inner, ok := strings.CutPrefix(src, "[")
	inner, ok2 := strings.CutSuffix(inner, "]")
	if !ok || !ok2 {
		return nil, errDecisions
	}
	var verdicts []verdict
	for more := inner != ""; more; {
		var word string
		word, inner, more = strings.Cut(inner, ",")
		word, ok := strings.CutPrefix(word, `"`)
		word, ok2 := strings.CutSuffix(word, `"`)
		if !ok || !ok2 {
			return nil, fmt.Errorf("%w: decision %d", errDecisions, len(verdicts)+1)
		}
		reason, number, condensed := strings.Cut(word, " ")
		var v verdict
		var err error
		if v.reason, err = tiers.ParseReason(reason); err == nil && condensed {
			v.alternate, err = strconv.Atoi(number)
			if err == nil && v.alternate < 1 {
				err = fmt.Errorf("alternate %d", v.alternate)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%w: decision %d: %w", errDecisions, len(verdicts)+1, err)
		}
		verdicts = append(verdicts, v)
	}
	return verdicts, nil
}
