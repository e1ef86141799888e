package bench

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"text/tabwriter"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/internal/edits"
	"github.com/quirehq/quire/tiers"
)

// A Talk is a session as its model calls saw it: each prompt is what there was to say in that call, before any budget.
type Talk struct {
	Name  string
	Calls []messages.Prompt
}

// An EvictionPolicy is a column of the trial.
type EvictionPolicy struct {
	Name    string
	Policy  messages.Policy
	Quantum int64 // of the budget: a half is 2, a quarter 4; 0 where there is none
}

// EvictionPolicies returns the policies of the trial, the published one first.
func EvictionPolicies() []EvictionPolicy {
	return []EvictionPolicy{
		{"item", messages.ByItem, 0},
		{"unit", messages.ByUnit, 0},
		{"quantised 1/8", messages.Quantised, 8},
		{"quantised 1/4", messages.Quantised, 4},
		{"quantised 1/2", messages.Quantised, 2},
	}
}

// An Eviction is what a policy did to sessions, whose calls were made one after the other under one budget, with a
// provider that remembers the prompt of the call before: what both prompts begin with is read from its cache, the rest
// is written to it.
type Eviction struct {
	Calls   int
	TooLong int   // calls whose instructions and current input alone exceed the budget; they are not made
	Cuts    int   // distinct places of the first message of the history that is in, in calls where one is not
	Tokens  int64 // of all prompts
	Read    int64 // of these, from the cache
	Bytes   int64 // of all prompts, in canonical JSON
	Shared  int64 // of these, the beginning that is that of the call before
}

// Add adds what happened to another session.
func (e *Eviction) Add(f Eviction) {
	e.Calls, e.TooLong, e.Cuts = e.Calls+f.Calls, e.TooLong+f.TooLong, e.Cuts+f.Cuts
	e.Tokens, e.Read = e.Tokens+f.Tokens, e.Read+f.Read
	e.Bytes, e.Shared = e.Bytes+f.Bytes, e.Shared+f.Shared
}

// Cost returns what the prompts cost, in hundredths of the price of a token that is neither read from a cache nor
// written to one: reading costs 0.1 of it, writing 1.25.
func (e Eviction) Cost() int64 { return 10*e.Read + 125*(e.Tokens-e.Read) }

// Evict plays a session under a budget of half of its largest prompt.
func Evict(talk Talk, policy EvictionPolicy) (Eviction, error) {
	var whole int64
	for _, p := range talk.Calls {
		a, err := p.Assemble(messages.Options{})
		if err != nil {
			return Eviction{}, fmt.Errorf("bench: %s: %w", talk.Name, err)
		}
		whole = max(whole, a.Report.KeptTokens)
	}
	budget := whole / 2
	o := messages.Options{Policy: policy.Policy, Budget: &messages.Budget{MaxInputTokens: tiers.Limit(budget)}}
	if policy.Quantum > 0 {
		o.Quantum = max(1, budget/policy.Quantum)
	}
	var e Eviction
	cuts := map[int]bool{}
	before := ""
	for _, p := range talk.Calls {
		a, err := p.Assemble(o)
		if errors.Is(err, messages.ErrContextBudget) {
			e.TooLong++
			continue
		}
		if err != nil {
			return Eviction{}, fmt.Errorf("bench: %s: %w", talk.Name, err)
		}
		if cut := firstOfHistory(a); cut > 0 {
			cuts[cut] = true
		}
		e.Calls++
		e.Tokens += a.Report.KeptTokens
		e.Bytes += a.Composition.Len()
		if e.Calls > 1 {
			shared := int64(edits.CommonPrefix(before, a.Composition.Text()))
			e.Shared += shared
			for _, d := range a.Composition.Decisions() {
				if d.Included && d.End <= shared {
					e.Read += d.Size
				}
			}
		}
		before = a.Composition.Text()
	}
	e.Cuts = len(cuts)
	return e, nil
}

// firstOfHistory returns the place of the first message of the history that is in; where none is, one after them all.
func firstOfHistory(a messages.Assembly) int {
	first, all := -1, 0
	for _, d := range a.Composition.Decisions() {
		if strings.HasPrefix(d.ID, messages.GroupHistory.String()+"/") {
			if d.Included && first < 0 {
				first = all
			}
			all++
		}
	}
	if first < 0 {
		return all
	}
	return first
}

// EvictionTable lays out what the policies did to the same sessions, a row each. The first row is what the others are
// compared with.
func EvictionTable(policies []EvictionPolicy, results []Eviction) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "policy\tcalls\tcuts\tprefix kept\tof bytes\tcost a token\tcontext\ttotal cost\t")
	for i, e := range results {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t\n", policies[i].Name, e.Calls, e.Cuts, e.Shared,
			percent(e.Shared, e.Bytes), thousandths(e.Cost(), 100*e.Tokens),
			percent(e.Tokens, results[0].Tokens), percent(e.Cost(), results[0].Cost()))
	}
	w.Flush() // to a strings.Builder: it cannot go wrong
	return b.String()
}

// percent returns a/b in percent, rounded.
func percent(a, b int64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%d%%", (200*a+b)/(2*b))
}

// thousandths returns a/b with three decimals, rounded.
func thousandths(a, b int64) string {
	if b == 0 {
		return "-"
	}
	n := (2000*a + b) / (2 * b)
	return fmt.Sprintf("%d.%03d", n/1000, n%1000)
}

// GeneratedTalks returns sessions of coding agents as their logs have them, drawn from seeds: instructions of a few KB,
// a request of the user every dozen calls or so, and calls of one to three tools at once, whose results are mostly short
// and sometimes very long.
func GeneratedTalks(n int) []Talk {
	talks := make([]Talk, n)
	for seed := range talks {
		talks[seed] = generatedTalk(uint64(seed))
	}
	return talks
}

func generatedTalk(seed uint64) Talk {
	r := rand.New(rand.NewPCG(seed, 5))
	text := func(least, most int) string { // of a length between the two
		return fmt.Sprintf("%08x ", r.Uint32()) + strings.Repeat("lorem ipsum ", (least+r.IntN(most-least))/12)
	}
	output := func() string { // one in ten is a file or a long log
		if r.IntN(10) == 0 {
			return text(5000, 40_000)
		}
		return text(20, 1000)
	}
	talk := Talk{Name: fmt.Sprint("generated ", seed)}
	instructions := []messages.Message{messages.TextMessage(messages.System, text(2000, 8000))}
	var history []messages.Message
	for call := range 20 + r.IntN(60) {
		begin := len(history)
		if call == 0 || r.IntN(12) == 0 {
			history = append(history, messages.TextMessage(messages.User, text(40, 2000)))
		} else {
			begin = currentInput(history)
		}
		talk.Calls = append(talk.Calls, messages.Prompt{Groups: messages.Groups{
			Instructions: instructions, History: history[:begin:begin], Current: history[begin:]}})
		m := messages.Message{Role: messages.Assistant, Content: []messages.Block{messages.Text(text(20, 400))}}
		var results []messages.Message
		for range 1 + max(0, r.IntN(8)-5) {
			id := fmt.Sprintf("call_%d_%d", call, len(results))
			m.Content = append(m.Content, messages.Block{Kind: messages.KindToolCall, ID: id, Name: "run",
				Value: messages.JSON(`{"command":"` + text(10, 300) + `"}`)})
			results = append(results, messages.Message{Role: messages.Tool, Content: []messages.Block{
				{Kind: messages.KindToolResult, ID: id, Text: output()}}})
		}
		history = append(append(history, m), results...)
	}
	return talk
}

// currentInput returns where the results of the last call begin.
func currentInput(history []messages.Message) int {
	i := len(history)
	for i > 0 && history[i-1].Role == messages.Tool {
		i--
	}
	return i
}
