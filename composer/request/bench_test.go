package request_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/composer/request/anthropic"
)

// long is an input with a history of n messages of 400 bytes and a tenth as many chunks.
func long(n int) (in request.Input, bytes int64) {
	in = full("{output_format}{skills}{cacheBreakpoint}{memory}{chunks}")
	text := strings.Repeat("lorem ipsum dolor sit amet, consetetur. ", 10)
	for i := range n {
		role := messages.User
		if i%2 == 1 {
			role = messages.Assistant
		}
		in.History = append(in.History, messages.TextMessage(role, text))
		bytes += int64(len(text))
	}
	for i := range n / 10 {
		in.Chunks = append(in.Chunks, request.Chunk{ID: fmt.Sprint("c", i), Text: text, Rank: int64(i % 7)})
		bytes += int64(len(text))
	}
	return in, bytes
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		for _, room := range []string{"all", "half"} {
			b.Run(fmt.Sprintf("messages=%d/fits=%s", n, room), func(b *testing.B) {
				in, bytes := long(n)
				cfg := request.Config{Model: request.Model{ContextTokens: 1 << 40}, Caching: true}
				if room == "half" {
					cfg.Model.ContextTokens = bytes / 8
				}
				a, err := request.New(cfg)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(bytes)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := a.Build(in); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkBody(b *testing.B) {
	in, bytes := long(1000)
	a, err := request.New(request.Config{Model: request.Model{ContextTokens: 1 << 40}, Caching: true, MarkConversation: true})
	if err != nil {
		b.Fatal(err)
	}
	res, err := a.Build(in)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(bytes)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := anthropic.Write(res.Request, anthropic.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// Allocations a message are bounded, however long the history is.
func TestAllocationsAMessage(t *testing.T) {
	a, err := request.New(request.Config{Model: request.Model{ContextTokens: 1 << 40}, Caching: true})
	if err != nil {
		t.Fatal(err)
	}
	in, _ := long(2000)
	got := testing.AllocsPerRun(5, func() {
		if _, err := a.Build(in); err != nil {
			t.Fatal(err)
		}
	})
	if most := 12.0; got/2200 > most {
		t.Errorf("%.1f allocations a message or chunk, at most %.0f wanted", got/2200, most)
	}
}
