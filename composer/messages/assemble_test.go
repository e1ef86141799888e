package messages_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

// price says again what every candidate costs.
func price(t *rapid.T, p messages.Prompt, o messages.Options) slowPrompt {
	s := slowPrompt{p, map[place]int64{}, map[place]int64{}}
	set := func(group messages.Group, i int, text string) {
		s.tokens[place{group, i}] = measure.QuarterTokens().Count(text)
		s.bytes[place{group, i}] = int64(len(text))
	}
	all := func(group messages.Group, list []messages.Message) {
		for i, m := range list {
			set(group, i, textOf(t, m))
		}
	}
	all(messages.GroupInstructions, p.Instructions)
	all(messages.GroupAttachments, p.Attachments)
	all(messages.GroupSummaries, p.Summaries)
	all(messages.GroupHistory, p.History)
	all(messages.GroupToolResults, p.ToolResults)
	all(messages.GroupCurrent, p.Current)
	for i, c := range p.Context {
		title := c.Title
		if title == "" {
			title = "Context"
		}
		set(messages.GroupContext, i, title+":\n"+c.Content[0].Text)
	}
	for i, skill := range p.Skills {
		line, body := place{messages.GroupSkills, i}, place{messages.GroupSkillBodies, i}
		description := strings.TrimSpace(skill.Description)
		if description == "" {
			description = "(no description)"
		}
		set(messages.GroupSkills, i, "Skill "+skill.Name+": "+description)
		if skill.Body != "" && skill.Loaded {
			set(messages.GroupSkillBodies, i, "Skill "+skill.Name+":\n"+skill.Body)
			if p.Tail == nil || o.Policy == messages.ByItem {
				s.tokens[body] = max(0, s.tokens[body]-s.tokens[line])
				s.bytes[body] = max(0, s.bytes[body]-s.bytes[line])
			}
		}
	}
	if len(p.Tools) > 0 {
		text := "Available tools:"
		for i, tool := range p.Tools {
			text += "\n- " + tool.Name
			if p.Model.Tools {
				set(messages.GroupToolDefinitions, i, `{"type":"object"}`)
			}
		}
		if !p.Model.Tools {
			set(messages.GroupTools, 0, text)
		}
	}
	if p.Tail != nil {
		for i, segment := range p.Tail.Segments {
			set(messages.GroupTail, i, segment.Text)
		}
	}
	return s
}

func textOf(t rapid.TB, m messages.Message) string {
	text, err := m.Text()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (s slowPrompt) totals() (tokens, bytes int64) {
	for p := range s.tokens {
		tokens += s.tokens[p]
		bytes += s.bytes[p]
	}
	return tokens, bytes
}

func drawOptions(t *rapid.T) messages.Options {
	return messages.Options{
		Layout:  rapid.SampledFrom([]messages.Layout{messages.CacheAware, messages.Legacy}).Draw(t, "layout"),
		Policy:  rapid.SampledFrom([]messages.Policy{messages.ByItem, messages.ByUnit, messages.Quantised}).Draw(t, "policy"),
		Quantum: int64(rapid.IntRange(1, 40).Draw(t, "quantum")),
		Budget:  &messages.Budget{ReportOmissions: true},
	}
}

// drawBudget draws maxima around what there is.
func drawBudget(t *rapid.T, s slowPrompt, o *messages.Options) (tokens, bytes int64) {
	allTokens, allBytes := s.totals()
	which := rapid.IntRange(0, 3).Draw(t, "which maxima")
	if which < 3 {
		tokens = rapid.Int64Range(1, allTokens+2).Draw(t, "tokens")
		o.Budget.MaxInputTokens = tiers.Limit(tokens)
	}
	if which >= 2 {
		bytes = rapid.Int64Range(1, allBytes+2).Draw(t, "bytes")
		o.Budget.MaxInputBytes = tiers.Limit(bytes)
	}
	return tokens, bytes
}

// placed reads the places of the candidates that are in out of the composition.
func placed(a messages.Assembly) map[place]bool {
	groups := map[string]messages.Group{}
	for g := messages.GroupInstructions; g <= messages.GroupNotice; g++ {
		groups[g.String()] = g
	}
	in := map[place]bool{}
	for _, id := range a.Composition.Included() {
		group, index, _ := strings.Cut(id, "/")
		i, _ := strconv.Atoi(index)
		in[place{groups[group], i}] = true
	}
	return in
}

// Whatever the policy and the layout, what the composer's gate admits is what letting go of one thing after the other
// leaves; when that never fits, the error says by how much.
func TestAssembleEqualsEvictingOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, o := drawPrompt(t), drawOptions(t)
		s := price(t, p, o)
		tokens, bytes := drawBudget(t, s, &o)
		counted := s.tokens
		if tokens == 0 {
			counted = s.bytes
		}
		want, fits := s.evict(s.order(o.Layout, o.Policy, o.Quantum, counted), tokens, bytes)
		a, err := p.Assemble(o)
		if !fits {
			var over *messages.BudgetError
			if !errors.As(err, &over) || !errors.Is(err, messages.ErrContextBudget) {
				t.Fatalf("error %v, want a BudgetError", err)
			}
			var size, length int64
			for place := range want {
				size, length = size+s.tokens[place], length+s.bytes[place]
			}
			amount := messages.BudgetError{Tokens: max(0, size-tokens), Bytes: max(0, length-bytes)}
			if tokens == 0 {
				amount.Tokens = 0
			}
			if bytes == 0 {
				amount.Bytes = 0
			}
			if *over != amount {
				t.Fatalf("over by %+v, want %+v", *over, amount)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, placed(a), cmp.AllowUnexported(place{})); diff != "" {
			t.Fatalf("kept (-want +got):\n%s", diff)
		}
		gone := len(s.tokens) - len(want)
		if a.Report.OmittedCount != gone || a.Report.Truncated != (gone > 0) || len(a.Report.Omitted) != gone {
			t.Fatalf("the report says %d omitted, lists %d; want %d", a.Report.OmittedCount, len(a.Report.Omitted), gone)
		}
	})
}

// The texts of the messages, and of the tool definitions, fit both maxima. (In the published policy a body in the tail
// is charged as if it took the place of its line.)
func TestAssembleFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, o := drawPrompt(t), drawOptions(t)
		o.Notice = rapid.Bool().Draw(t, "notice")
		if rapid.Bool().Draw(t, "fold") {
			o.Fold = &messages.Fold{Cap: rapid.IntRange(0, 20).Draw(t, "cap"), Recent: rapid.IntRange(0, 3).Draw(t, "recent")}
		}
		if o.Policy == messages.ByItem {
			p.Tail = nil
		}
		tokens, bytes := drawBudget(t, price(t, p, o), &o)
		a, err := p.Assemble(o)
		if err != nil {
			return
		}
		var size, length int64
		add := func(text string) {
			size += measure.QuarterTokens().Count(text)
			length += int64(len(text))
		}
		for _, m := range a.Messages {
			add(textOf(t, m))
		}
		if p.Model.Tools {
			for range p.Tools {
				add(`{"type":"object"}`)
			}
		}
		if tokens > 0 && size > tokens || bytes > 0 && length > bytes {
			t.Fatalf("%d tokens and %d bytes; the maxima are %d and %d", size, length, tokens, bytes)
		}
		if a.Report.KeptTokens < size || a.Report.KeptBytes < length {
			t.Fatalf("the report says %d tokens and %d bytes are in; there are %d and %d",
				a.Report.KeptTokens, a.Report.KeptBytes, size, length)
		}
	})
}

// Instructions and current input are whole and in order, and a unit is in or out as a whole.
func TestAssembleKeepsWhatBelongsTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, o := drawPrompt(t), drawOptions(t)
		s := price(t, p, o)
		drawBudget(t, s, &o)
		a, err := p.Assemble(o)
		if err != nil {
			return
		}
		got := map[messages.Group][]string{}
		for i, m := range a.Messages {
			got[a.Places[i].Group] = append(got[a.Places[i].Group], textOf(t, m))
		}
		for group, list := range map[messages.Group][]messages.Message{
			messages.GroupInstructions: p.Instructions, messages.GroupCurrent: p.Current,
		} {
			var want []string
			for _, m := range list {
				want = append(want, textOf(t, m))
			}
			if diff := cmp.Diff(want, got[group]); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", group, diff)
			}
		}
		if o.Policy == messages.ByItem {
			return
		}
		in := placed(a)
		for _, u := range slowUnits(s.turns(o.Layout)) {
			for _, member := range u {
				if in[member] != in[u[0]] {
					t.Fatalf("of the unit %v, %v is in: %v, but %v is in: %v", u, u[0], in[u[0]], member, in[member])
				}
			}
		}
	})
}

// Equal prompts give equal bytes, and the recipe makes the same composition again, decisions and all.
func TestCompileEqualsAssemble(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, o := drawPrompt(t), drawOptions(t)
		o.Notice = rapid.Bool().Draw(t, "notice")
		if rapid.Bool().Draw(t, "fold") {
			o.Fold = &messages.Fold{Cap: 5}
		}
		drawBudget(t, price(t, p, o), &o)
		a, err := p.Assemble(o)
		if err != nil {
			return
		}
		compiled := a.Compilation()
		again, err := p.Assemble(o)
		if err != nil || again.Composition.Text() != a.Composition.Text() || string(again.Compilation().Recipe) != string(compiled.Recipe) {
			t.Fatalf("assembled twice: %v", err)
		}
		c, err := messages.CompileRecipe(compiled.Recipe, store(compiled))
		if err != nil {
			t.Fatal(err)
		}
		if c.Fingerprint() != a.Composition.Fingerprint() {
			t.Fatalf("compiled:\n%s\nassembled:\n%s", c.Text(), a.Composition.Text())
		}
		if diff := cmp.Diff(a.Composition.Recipe(), c.Recipe(), cmp.Comparer(func(a, b tiers.Cost) bool { return a == b }),
			cmp.Comparer(func(a, b tiers.Budget) bool { return a == b }),
			cmp.Comparer(func(a, b tiers.Fraction) bool { return a == b })); diff != "" {
			t.Fatalf("composer's recipe (-assembled +compiled):\n%s", diff)
		}
		if canonical, err := fingerprint.Canonical(compiled.Recipe); err != nil || string(canonical) != string(compiled.Recipe) {
			t.Fatalf("the recipe is not in canonical form: %v", err)
		}
	})
}

// store keeps the inputs of a compilation.
func store(c composer.Compilation) func(fingerprint.Digest) (string, error) {
	contents := map[fingerprint.Digest]string{}
	for _, content := range c.Inputs {
		contents[fingerprint.SumString(content)] = content
	}
	return func(d fingerprint.Digest) (string, error) {
		content, ok := contents[d]
		if !ok {
			return "", fmt.Errorf("no content %s", d)
		}
		return content, nil
	}
}

// While a session grows and all else stays as it is, the cut of the quantised policy never moves back, and there are few
// cuts. No message here answers calls of several turns: that would make one unit of two that the cut fell between.
func TestQuantisedCutMovesSeldom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var session []messages.Message
		for _, m := range drawTurns(t, "session", 20) {
			if m.Content[0].Kind != messages.KindToolResult {
				session = append(session, m)
				continue
			}
			for _, b := range m.Content {
				session = append(session, messages.Message{Role: messages.Tool, Content: []messages.Block{b}})
			}
		}
		budget := int64(rapid.IntRange(4, 200).Draw(t, "budget"))
		quantum := rapid.Int64Range(1, budget).Draw(t, "quantum")
		var total int64
		last, cuts := 0, map[int]bool{}
		for n := 0; n <= len(session); n++ {
			p := messages.Prompt{Groups: messages.Groups{History: session[:n]}}
			if n > 0 {
				total += measure.QuarterTokens().Count(textOf(t, session[n-1]))
			}
			a, err := p.Assemble(messages.Options{Policy: messages.Quantised, Quantum: quantum,
				Budget: &messages.Budget{MaxInputTokens: tiers.Limit(budget)}})
			if err != nil {
				t.Fatal(err)
			}
			in := placed(a)
			cut := n // the first message that is in, or would be
			for i := n - 1; i >= 0; i-- {
				if in[place{messages.GroupHistory, i}] {
					cut = i
				}
			}
			if cut < last {
				t.Fatalf("with %d messages the cut is at %d; it was at %d", n, cut, last)
			}
			if cut == n {
				cut = -1 // nothing is in: one and the same cut, wherever the end is
			} else {
				last = cut
			}
			cuts[cut] = true
		}
		if most := total/quantum + 2; int64(len(cuts)) > most {
			t.Fatalf("%d cuts on %d tokens with a quantum of %d; want at most %d", len(cuts), total, quantum, most)
		}
	})
}

// The notice is there exactly when a message of the history is not, unless it would be what does not fit.
func TestNoticeSaysTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, o := drawPrompt(t), drawOptions(t)
		s := price(t, p, o)
		drawBudget(t, s, &o)
		without, err := p.Assemble(o)
		if err != nil {
			return
		}
		o.Notice = true
		with, err := p.Assemble(o)
		if err != nil {
			t.Fatalf("the notice made it fail: %v", err)
		}
		cut := func(a messages.Assembly) bool {
			in := placed(a)
			for i := range p.History {
				if !in[place{messages.GroupHistory, i}] {
					return true
				}
			}
			return false
		}
		said := slices.ContainsFunc(with.Places, func(p messages.Place) bool { return p.Group == messages.GroupNotice })
		if said && !cut(without) {
			t.Fatal("there is a notice, but without it nothing of the history was cut")
		}
		offered := slices.ContainsFunc(with.Composition.Decisions(), func(d composer.Decision) bool { return d.ID == "notice/0" })
		if offered != cut(without) {
			t.Fatalf("notice offered: %v; history cut: %v", offered, cut(without))
		}
	})
}
