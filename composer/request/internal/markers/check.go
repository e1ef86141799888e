package markers

import (
	"fmt"

	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/internal/canonical"
)

// Check returns an error when a breakpoint is at a place that the request does not have, or a tool's schema could not stand
// in a definition. The error has no prefix: that is the provider's.
func Check(q *request.Request) error {
	for _, b := range q.Breakpoints {
		if err := checkBreakpoint(q, b); err != nil {
			return fmt.Errorf("breakpoint at %v: %w", b.At, err)
		}
	}
	for i := range q.Tools {
		t := &q.Tools[i]
		if t.Definition != "" || t.Schema == "" {
			continue
		}
		if err := canonical.CheckObject(string(t.Schema)); err != nil {
			return fmt.Errorf("tool %d (%q): schema: %w", i+1, t.Name, err)
		}
	}
	return nil
}

func checkBreakpoint(q *request.Request, b request.Breakpoint) error {
	if b.TTL > request.OneHour {
		return fmt.Errorf("unknown lifetime %d", b.TTL)
	}
	have := 0
	switch b.At.Part {
	case request.Tools:
		have = len(q.Tools)
	case request.System:
		have = len(q.System)
	case request.Messages:
		have = len(q.Messages)
	}
	if b.At.Index < 0 || b.At.Index >= have {
		return fmt.Errorf("there are %d", have)
	}
	return nil
}
