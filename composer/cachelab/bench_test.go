package cachelab_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer/cachelab"
)

// session returns the turns of a conversation that grows by two messages of 400 bytes a turn.
func session(b *testing.B, n int) []cachelab.Turn {
	b.Helper()
	var texts []string
	var r cachelab.Reader
	var turns []cachelab.Turn
	for i := range n {
		texts = append(texts, strings.Repeat(fmt.Sprintf("word%d ", i), 50), strings.Repeat("answer ", 57))
		q, err := r.Call(callOf(texts[:len(texts)-1]))
		if err != nil {
			b.Fatal(err)
		}
		turns = append(turns, cachelab.Turn{Request: q, At: int64(i) * 10})
	}
	return turns
}

func bytesOf(turns []cachelab.Turn) (n int64) {
	for _, t := range turns {
		for _, p := range t.Request.Pieces {
			n += int64(len(p.Text))
		}
	}
	return n
}

func BenchmarkSimulate(b *testing.B) {
	for _, name := range []string{"anthropic-opus-5", "openai-gpt-5", "deepseek-v4-flash"} {
		for _, n := range []int{10, 100} {
			b.Run(fmt.Sprintf("profile=%s/turns=%d", name, n), func(b *testing.B) {
				p := profile(b, name)
				turns := session(b, n)
				for i := range turns {
					turns[i].Request = p.Mark(turns[i].Request)
				}
				b.SetBytes(bytesOf(turns))
				b.ReportAllocs()
				for b.Loop() {
					cachelab.Simulate(turns, p)
				}
			})
		}
	}
}

func BenchmarkExplain(b *testing.B) {
	p := profile(b, "anthropic-opus-5")
	turns := session(b, 200)
	last := turns[len(turns)-2:]
	b.SetBytes(bytesOf(last))
	b.ReportAllocs()
	for b.Loop() {
		cachelab.Explain(last[0].Request, last[1].Request, p)
	}
}

func BenchmarkLint(b *testing.B) {
	p := profile(b, "anthropic-opus-5")
	k := agent()
	k.system[0] = strings.Repeat(manual, 4)
	q := []cachelab.Request{request(b, k.anthropic())}
	b.SetBytes(int64(len(k.system[0])))
	b.ReportAllocs()
	for b.Loop() {
		cachelab.Lint(q, p)
	}
}
