package messages_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/internal/samples"
	"github.com/quirehq/quire/tiers"
)

// What is promised holds for every session and request under the folder that QUIRE_DATA names, at budgets of 25, 50 and
// 75 % of its largest call, under each policy and layout: it fits, calls and results stay together, instructions and
// current input are whole, twice is the same, and the recipe makes it again.
func TestRecordedSessions(t *testing.T) {
	played := 0
	for path, src := range samples.Files(t, "sessions", "requests") {
		session, err := sessions.Read(path, bytes.NewReader(src), sessions.Options{SkipBad: true})
		if err != nil {
			t.Logf("%s is not played: %v", filepath.Base(path), err)
			continue
		}
		if len(session.Calls) > 0 {
			played++
			t.Run(filepath.Base(path), func(t *testing.T) { playRecorded(t, session) })
		}
	}
	if played == 0 {
		t.Error("there was no session to play")
	}
}

// playRecorded plays at most a dozen calls of a session, spread over it, the largest among them.
func playRecorded(t *testing.T, session sessions.Session) {
	const most = 12
	var largest int64
	at := 0
	for i, call := range session.Calls {
		a, err := call.Prompt().Assemble(messages.Options{})
		if err != nil {
			t.Fatalf("call %d: %v", i+1, err)
		}
		if a.Report.KeptTokens > largest {
			largest, at = a.Report.KeptTokens, i
		}
	}
	tooLong := 0
	for i, call := range session.Calls {
		if i != at && i%(1+len(session.Calls)/most) != 0 {
			continue
		}
		for _, percent := range []int64{25, 50, 75} {
			budget := min(max(1, largest*percent/100), messages.MaxTokens)
			for _, layout := range []messages.Layout{messages.CacheAware, messages.Legacy} {
				for _, policy := range []messages.Policy{messages.ByItem, messages.ByUnit, messages.Quantised} {
					if !fitsRecorded(t, call.Prompt(), budget, layout, policy) {
						tooLong++
					}
				}
			}
		}
	}
	t.Logf("%d calls of %s; %d budgets were less than what is never evicted", len(session.Calls), session.Format, tooLong)
}

// fitsRecorded checks one assembly; it returns false when core alone exceeds the budget, which has to be true.
func fitsRecorded(t *testing.T, p messages.Prompt, budget int64, layout messages.Layout, policy messages.Policy) bool {
	o := messages.Options{Layout: layout, Policy: policy, Budget: &messages.Budget{MaxInputTokens: tiers.Limit(budget)}}
	s := slowPrompt{Prompt: p}
	var core int64
	count := func(m messages.Message) int64 { return measure.QuarterTokens().Count(textOf(t, m)) }
	a, err := p.Assemble(o)
	if errors.Is(err, messages.ErrContextBudget) {
		for _, u := range append(slowUnits(s.turns(layout)), instructionsOf(p)) {
			if policy == messages.ByItem {
				break
			}
			for _, member := range u {
				if member.group == messages.GroupInstructions || reachesCurrent(u) {
					core += count(messageAt(p, member))
				}
			}
		}
		if policy == messages.ByItem {
			for _, m := range append(append([]messages.Message(nil), p.Instructions...), p.Current...) {
				core += count(m)
			}
		}
		if len(p.Tools) == 0 && core <= budget {
			t.Errorf("%v, %v: refused, though core has %d tokens of %d", layout, policy, core, budget)
		}
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	in := placed(a)
	var size int64
	for _, m := range a.Messages {
		size += count(m)
	}
	if size > budget || a.Report.KeptTokens > budget {
		t.Errorf("%v, %v: %d tokens of %d", layout, policy, size, budget)
	}
	for i := range p.Instructions {
		if !in[place{messages.GroupInstructions, i}] {
			t.Errorf("%v, %v: instruction %d is not in", layout, policy, i)
		}
	}
	for i := range p.Current {
		if !in[place{messages.GroupCurrent, i}] {
			t.Errorf("%v, %v: message %d of the current input is not in", layout, policy, i)
		}
	}
	if policy != messages.ByItem {
		for _, u := range slowUnits(s.turns(layout)) {
			for _, member := range u {
				if in[member] != in[u[0]] {
					t.Errorf("%v, %v: of a unit, %v is in: %v, and %v is in: %v", layout, policy, u[0], in[u[0]], member, in[member])
				}
			}
		}
	}
	again, err := p.Assemble(o)
	if err != nil || again.Composition.Fingerprint() != a.Composition.Fingerprint() {
		t.Errorf("%v, %v: not the same twice: %v", layout, policy, err)
	}
	c, err := messages.CompileRecipe(a.Compilation().Recipe, store(a.Compilation()))
	if err != nil || c.Fingerprint() != a.Composition.Fingerprint() {
		t.Errorf("%v, %v: compiled to something else: %v", layout, policy, err)
	}
	return true
}

func instructionsOf(p messages.Prompt) bundle {
	var b bundle
	for i := range p.Instructions {
		b = append(b, place{messages.GroupInstructions, i})
	}
	return b
}

func reachesCurrent(u bundle) bool {
	for _, member := range u {
		if member.group == messages.GroupCurrent {
			return true
		}
	}
	return false
}

func messageAt(p messages.Prompt, at place) messages.Message {
	switch at.group {
	case messages.GroupInstructions:
		return p.Instructions[at.index]
	case messages.GroupHistory:
		return p.History[at.index]
	case messages.GroupToolResults:
		return p.ToolResults[at.index]
	}
	return p.Current[at.index]
}
