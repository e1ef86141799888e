package cachelab_test

import (
	"testing"

	"github.com/quirehq/quire/composer/cachelab"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
)

// A measure that was chosen counts, also the one that is the zero value elsewhere.
func TestReaderMeasure(t *testing.T) {
	call := sessions.Call{Messages: []messages.Message{messages.TextMessage(messages.User, "Eight ch")}}
	for _, test := range []struct {
		chosen measure.Measure
		name   string
		tokens int64
	}{
		{measure.Measure{}, "chars/4", 2},
		{measure.QuarterTokens(), "chars/4", 2},
		{measure.UTF16(), "utf16", 8},
	} {
		r := cachelab.Reader{Measure: test.chosen}
		q, err := r.Call(call)
		if err != nil || q.Measure != test.name || q.Tokens() != test.tokens {
			t.Errorf("%s: %d tokens by %s, %v; want %d", test.name, q.Tokens(), q.Measure, err, test.tokens)
		}
	}
}
