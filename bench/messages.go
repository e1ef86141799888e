package bench

import (
	"fmt"
	"strings"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

// Conversing returns the jobs that assemble a session of tool calls and results under a budget that it exceeds by half,
// cut on the grid, and hash the input of the call. Their floor copies that input and hashes it.
func Conversing() []Job {
	var jobs []Job
	for count := 10; count <= 100_000; count *= 10 {
		jobs = append(jobs, conversing(count, 1<<10))
	}
	for _, size := range []int{100, 16 << 10} {
		jobs = append(jobs, conversing(1000, size))
	}
	return jobs
}

func conversing(count, size int) Job {
	return Job{
		Name:  "messages",
		Size:  fmt.Sprintf("messages=%d/size=%s", count, bytesName(size)),
		Count: count,
		Bytes: int64(count) * int64(size),
		Prepare: func() (run, floor func()) {
			p := messages.Prompt{Groups: messages.Groups{History: Conversation(count, size)}}
			o := messages.Options{Policy: messages.Quantised, Budget: &messages.Budget{
				MaxInputTokens: tiers.Limit(min(messages.MaxTokens, int64(count)*int64(size)/6))}}
			assemble := func() messages.Assembly {
				a, err := p.Assemble(o)
				check(err)
				return a
			}
			all, err := p.Assemble(messages.Options{})
			check(err)
			text := all.Composition.Text() // what is left out has to be looked at too
			return func() { assemble().Composition.Fingerprint() }, func() { fingerprint.SumString(strings.Clone(text)) }
		},
	}
}

// Conversation returns a session of so many messages, in turn an assistant's call and its result, each of about the
// given size in bytes.
func Conversation(count, size int) []messages.Message {
	const line = "the quick brown fox jumps over the lazy dog, and then\n"
	text := strings.Repeat(line, size/len(line)+1)[:size]
	history := make([]messages.Message, 0, count)
	for i := range count / 2 {
		id := fmt.Sprint("call_", i)
		history = append(history,
			messages.Message{Role: messages.Assistant, Content: []messages.Block{messages.Text(text),
				{Kind: messages.KindToolCall, ID: id, Name: "read", Value: `{"path":"main.go","line":1}`}}},
			messages.Message{Role: messages.Tool, Content: []messages.Block{{Kind: messages.KindToolResult, ID: id, Text: text}}})
	}
	return history
}
