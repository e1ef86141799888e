package sessions_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/tiers"
)

// sessionFiles are the files of testdata, and the real ones where there are some.
func sessionFiles(t *testing.T) []string {
	files := ownFiles(t)
	if os.Getenv("QUIRE_DATA") != "" {
		files = append(append(files, dataFiles(t, "sessions")...), dataFiles(t, "requests")...)
	}
	return files
}

// largest returns the call with the most text, assembled whole.
func largest(t *testing.T, s sessions.Session) (call sessions.Call, whole messages.Assembly) {
	t.Helper()
	most := -1
	for _, c := range s.Calls {
		size := 0
		for i := range c.Messages {
			for k := range c.Messages[i].Content {
				b := &c.Messages[i].Content[k]
				size += len(b.Text) + len(b.Value)
			}
		}
		if size > most {
			most, call = size, c
		}
	}
	whole, err := call.Prompt().Assemble(messages.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return call, whole
}

// TestBudgets holds every session's largest request against budgets of a quarter, a half and three quarters of it, under
// every policy and layout.
func TestBudgets(t *testing.T) {
	for _, path := range sessionFiles(t) {
		s, err := readFile(t, path, sessions.Options{SkipBad: true})
		if err != nil {
			t.Fatal(err)
		}
		call, whole := largest(t, s)
		if whole.Report.KeptTokens < 8 {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			for _, share := range []int64{25, 50, 75} {
				for _, policy := range []messages.Policy{messages.ByItem, messages.ByUnit, messages.Quantised} {
					for _, layout := range []messages.Layout{messages.CacheAware, messages.Legacy} {
						budget := max(1, whole.Report.KeptTokens*share/100)
						t.Run(fmt.Sprintf("%d/%s/%s", share, policy, layout), func(t *testing.T) {
							checkBudget(t, call, whole, budget, policy, layout)
						})
					}
				}
			}
		})
	}
}

func checkBudget(t *testing.T, call sessions.Call, whole messages.Assembly, budget int64, policy messages.Policy, layout messages.Layout) {
	o := messages.Options{Layout: layout, Policy: policy, Budget: &messages.Budget{MaxInputTokens: tiers.Limit(budget)}}
	a, err := call.Prompt().Assemble(o)
	var over *messages.BudgetError
	if errors.As(err, &over) {
		if over.Tokens <= 0 {
			t.Fatalf("refused without an amount: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := call.Prompt().Assemble(o)
	if err != nil {
		t.Fatal(err)
	}
	if a.Composition.Text() != again.Composition.Text() {
		t.Error("other bytes the second time")
	}

	var tokens int64
	for _, tool := range call.Tools {
		definition, err := wire.Canonical(tool.Definition) // as a section holds it, whatever the escapes in the file
		if err != nil {
			t.Fatal(err)
		}
		tokens += measure.QuarterTokens().Count(string(definition))
	}
	groups := map[messages.Group]int{}
	for i, m := range a.Messages {
		text, err := m.Text()
		if err != nil {
			t.Fatal(err)
		}
		tokens += measure.QuarterTokens().Count(text)
		groups[a.Places[i].Group]++
	}
	if tokens > budget {
		t.Errorf("%d tokens in a budget of %d", tokens, budget)
	}
	prompt := call.Prompt()
	if got, want := groups[messages.GroupInstructions], len(prompt.Instructions); got != want {
		t.Errorf("%d of %d instructions", got, want)
	}
	if got, want := groups[messages.GroupCurrent], len(prompt.Current); got != want {
		t.Errorf("%d of %d messages of the current input", got, want)
	}
	if policy == messages.ByItem {
		return
	}
	before, after := pairs(whole.Messages), pairs(a.Messages)
	for id, p := range before {
		if kept := after[id]; p.calls == p.results && kept.calls != kept.results {
			t.Errorf("call %q: %d calls and %d results are left", id, kept.calls, kept.results)
		}
	}
}

type pair struct{ calls, results int }

// pairs counts calls and results by id. Those without one got one when the prompt was assembled.
func pairs(list []messages.Message) map[string]pair {
	out := map[string]pair{}
	for _, m := range list {
		for _, b := range m.Content {
			p := out[b.ID]
			switch b.Kind {
			case messages.KindToolCall:
				p.calls++
			case messages.KindToolResult:
				p.results++
			}
			out[b.ID] = p
		}
	}
	delete(out, "")
	return out
}
