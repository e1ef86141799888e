package openai_test

import (
	"bytes"
	"strings"
	"testing"

	format "github.com/quirehq/quire/composer/messages/openai"
	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/composer/request/openai"
	"github.com/quirehq/quire/internal/samples"
)

// The calls of real sessions and request logs, of whatever format, keep the rules once they are written for these APIs. What
// has no form in them is refused and counted.
func TestRealCalls(t *testing.T) {
	calls, refused := 0, map[string]int{}
	for path, src := range samples.Files(t, "sessions", "requests") {
		session, err := sessions.Read(path, bytes.NewReader(src), sessions.Options{SkipBad: true})
		if err != nil {
			continue // no session; package sessions has its own tests
		}
		for i, c := range session.Calls {
			if i%7 > 0 && i < len(session.Calls)-1 { // a call repeats all before it
				continue
			}
			for api := format.Chat; api <= format.Responses; api++ {
				b, err := openai.Write(asked(c), openai.Options{API: api, Mode: openai.Implicit, MinTokens: 1024})
				if err != nil {
					refused[reason(err)]++
					continue
				}
				calls++
				check(t, b, 3)
			}
		}
	}
	t.Logf("%d bodies written; refused: %v", calls, refused)
	if calls == 0 {
		t.Error("no body was written")
	}
}

// asked is the request that a call was, with breakpoints where an assembler puts them. Tools are in their provider's
// spelling and left out.
func asked(c sessions.Call) request.Request {
	q := request.Request{Model: "m", Messages: c.Messages}
	for _, b := range c.System.Content {
		q.System = append(q.System, request.SystemBlock{Text: b.Text})
		q.Breakpoints = []request.Breakpoint{{At: request.Place{Part: request.System}}}
	}
	for i := max(0, len(q.Messages)-2); i < len(q.Messages); i++ {
		q.Breakpoints = append(q.Breakpoints, request.Breakpoint{At: request.Place{Part: request.Messages, Index: i}})
	}
	return q
}

// reason is an error without its place.
func reason(err error) string {
	parts := strings.Split(err.Error(), ": ")
	return parts[len(parts)-1]
}
