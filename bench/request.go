package bench

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/composer/request/anthropic"
	"github.com/quirehq/quire/fingerprint"
)

// Requesting returns the jobs that assemble a request of a template, a history and a tenth as many chunks, under a
// context that half of them fit, and write the provider's body with its cache markers. Their floor copies the body and
// hashes it.
func Requesting() []Job {
	var jobs []Job
	for count := 10; count <= 10_000; count *= 10 {
		jobs = append(jobs, requesting(count, 400))
	}
	return jobs
}

func requesting(count, size int) Job {
	return Job{Name: "request", Size: fmt.Sprintf("messages=%d/size=%s", count, bytesName(size)), Count: count, Bytes: int64(count * size),
		Prepare: func() (run, floor func()) {
			text := strings.Repeat("lorem ipsum dolor sit amet, consetetur. ", size/40)
			in := request.Input{
				Tenant:   "acme",
				Template: request.ParseTemplate("{output_format}{cacheBreakpoint}{memory}{chunks}", nil), OutputFormat: "Markdown.",
				Facts:    "Ada.",
				Question: messages.TextMessage(messages.User, "Why?"),
			}
			for i := range count {
				role := messages.User
				if i%2 == 1 {
					role = messages.Assistant
				}
				in.History = append(in.History, messages.TextMessage(role, text))
			}
			for i := range count / 10 {
				in.Chunks = append(in.Chunks, request.Chunk{ID: fmt.Sprint("c", i), Text: text, Rank: int64(i % 7)})
			}
			a, err := request.New(request.Config{Model: request.Model{ContextTokens: int64(count*size)/8 + 100}, Caching: true, MarkConversation: true})
			check(err)
			write := func() []byte {
				res, err := a.Build(in)
				check(err)
				body, err := anthropic.Write(res.Request, anthropic.Options{})
				check(err)
				return body.JSON
			}
			body := write()
			return func() { write() }, func() { fingerprint.Sum(bytes.Clone(body)) }
		}}
}
