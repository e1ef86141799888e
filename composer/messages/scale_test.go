package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/tiers"
)

// session returns n messages of calls and results, each text of about the given size.
func session(n, size int) []messages.Message {
	history := make([]messages.Message, 0, n)
	for i := range n / 2 {
		id := fmt.Sprint("call_", i)
		text := fmt.Sprint(i, " ", strings.Repeat("the quick brown fox ", size/20))
		history = append(history,
			messages.Message{Role: messages.Assistant, Content: []messages.Block{messages.Text(text[:len(text)/2]),
				{Kind: messages.KindToolCall, ID: id, Name: "read", Value: `{"path":"main.go","line":1}`}}},
			messages.Message{Role: messages.Tool, Content: []messages.Block{{Kind: messages.KindToolResult, ID: id, Text: text}}})
	}
	return history
}

func TestLongSession(t *testing.T) {
	const n = 100_000
	history := session(n, 60)
	for _, policy := range []messages.Policy{messages.ByUnit, messages.ByItem, messages.Quantised} {
		p := messages.Prompt{Groups: messages.Groups{History: history}}
		a, err := p.Assemble(messages.Options{Policy: policy, Budget: &messages.Budget{MaxInputTokens: tiers.Limit(1_000_000)}})
		if err != nil {
			t.Fatal(err)
		}
		kept := len(a.Messages)
		if kept == 0 || kept == n || kept+a.Report.OmittedCount != n {
			t.Errorf("%v: %d kept, %d omitted", policy, kept, a.Report.OmittedCount)
		}
		if last := a.Places[kept-1]; last.Index != n-1 {
			t.Errorf("%v: the last is message %d", policy, last.Index)
		}
	}
}

func TestHugeResult(t *testing.T) {
	for name, piece := range map[string]string{"ascii": "all work and no play\r\n", "cjk": "日本語", "families": "👨‍👩‍👧‍👦", "nul": "\x00"} { // in any order
		t.Run(name, func(t *testing.T) {
			huge := strings.Repeat(piece, 10<<20/len(piece))
			p := messages.Prompt{Groups: messages.Groups{History: []messages.Message{toolResult(messages.Block{Text: huge})}}}
			a, err := p.Assemble(messages.Options{})
			if err != nil {
				t.Fatal(err)
			}
			back, err := messages.ParseMessage([]byte(a.Composition.Text()))
			if err != nil || back.Content[0].Text != huge {
				t.Fatalf("it came back with %d bytes: %v", len(back.Content[0].Text), err)
			}
			a, err = p.Assemble(messages.Options{Fold: &messages.Fold{Cap: 1000}})
			if err != nil {
				t.Fatal(err)
			}
			if kept := len(a.Messages[0].Content[0].Text) - len(messages.FoldNotice); kept > 1000 || kept < 1000-len(piece) {
				t.Errorf("folded to %d bytes", kept)
			}
		})
	}
}

// Nothing is allocated more often than once a message, and twice as many messages take twice as many allocations.
func TestAllocations(t *testing.T) {
	count := func(n int) float64 {
		p := messages.Prompt{Groups: messages.Groups{History: session(n, 100)}}
		return testing.AllocsPerRun(3, func() {
			if _, err := p.Assemble(messages.Options{Policy: messages.Quantised, Budget: &messages.Budget{MaxInputTokens: tiers.Limit(2_000_000)}}); err != nil {
				t.Fatal(err)
			}
		})
	}
	small, large := count(1000), count(10_000)
	if large > 12*small || large > 6*10_000 {
		t.Errorf("%v allocations for 1,000 messages, %v for 10,000", small, large)
	}
	t.Logf("%v allocations for 1,000 messages, %v for 10,000", small, large)
}
