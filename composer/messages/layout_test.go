package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/tiers"
)

// full has something of everything; the texts name their groups.
func full() messages.Prompt {
	text := func(role messages.Role, texts ...string) []messages.Message {
		var out []messages.Message
		for _, t := range texts {
			out = append(out, messages.TextMessage(role, t))
		}
		return out
	}
	return messages.Prompt{
		Groups: messages.Groups{
			Instructions: text(messages.System, "I1", "I2"),
			Attachments:  text(messages.User, "A1", "A2"),
			Summaries:    text(messages.System, "S1"),
			History:      text(messages.User, "H1", "H2"),
			ToolResults:  []messages.Message{toolResult(messages.Block{Text: "R1"})},
			Current:      text(messages.User, "Q1"),
		},
		Context: []messages.Context{{Title: "C1"}, {Title: "C2"}},
		Skills:  []messages.Skill{{Name: "k1", Description: "d", Body: "b", Loaded: true}, {Name: "k2"}},
		Tools:   []messages.ToolSpec{{Name: "t1"}},
	}
}

// shape writes the texts of messages in order, the first line of each, a bar behind a breakpoint.
func shape(t *testing.T, a messages.Assembly) string {
	var out []string
	for i, m := range a.Messages {
		text, _, _ := strings.Cut(textOf(t, m), "\n")
		if a.Places[i].Breakpoint {
			text += " |"
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func TestLayouts(t *testing.T) {
	tail := func(p *messages.Prompt) {
		p.Tail = &messages.Tail{Segments: []messages.Segment{{ID: "own", Text: "X1"}}}
		p.Attachments[0].Segment = "resource:a"
	}
	for _, test := range []struct {
		name   string
		change func(*messages.Prompt)
		o      messages.Options
		want   string
	}{
		{"cache-aware", nil, messages.Options{},
			`I1; I2 |; C1:; C2:; Skill k1:; Skill k2: (no description); Available tools: |; A1; A2; S1; H1; H2; "R1"; Q1 |`},
		{"legacy", nil, messages.Options{Layout: messages.Legacy},
			`C1:; C2:; Skill k1:; Skill k2: (no description); Available tools:; I1; I2 |; S1; H1; H2; Q1 |; A1; A2; "R1"`},
		{"a tail", tail, messages.Options{},
			`I1; I2 |; C1:; C2:; Skill k1: d; Skill k2: (no description); Available tools: |; A2; S1; H1; H2; "R1"; Q1 |; A1; Skill k1:; X1`},
		{"a tail, legacy", tail, messages.Options{Layout: messages.Legacy},
			`C1:; C2:; Skill k1: d; Skill k2: (no description); Available tools:; I1; I2 |; S1; H1; H2; Q1 |; A2; "R1"; A1; Skill k1:; X1`},
		{"a tail whose order is known", func(p *messages.Prompt) {
			tail(p)
			p.Tail.Order = []string{"own", "gone", "skill:k1"}
		}, messages.Options{},
			`I1; I2 |; C1:; C2:; Skill k1: d; Skill k2: (no description); Available tools: |; A2; S1; H1; H2; "R1"; Q1 |; X1; Skill k1:; A1`},
		{"system messages that lead without attachments before them", func(p *messages.Prompt) {
			p.Attachments = nil
			p.History[0].Role = messages.System
		}, messages.Options{},
			`I1; I2 |; S1; H1; C1:; C2:; Skill k1:; Skill k2: (no description); Available tools: |; H2; "R1"; Q1 |`},
		{"a developer's message that leads", func(p *messages.Prompt) {
			p.Attachments = nil
			p.History[0].Role = messages.Developer
		}, messages.Options{},
			`I1; I2 |; S1; H1; C1:; C2:; Skill k1:; Skill k2: (no description); Available tools: |; H2; "R1"; Q1 |`},
		{"an instruction that is an example", func(p *messages.Prompt) { p.Instructions[1].Role = messages.User }, messages.Options{},
			`I1; I2 |; C1:; C2:; Skill k1:; Skill k2: (no description); Available tools: |; A1; A2; S1; H1; H2; "R1"; Q1 |`},
		{"one message", func(p *messages.Prompt) {
			*p = messages.Prompt{Groups: messages.Groups{Current: p.Current}}
		}, messages.Options{}, `Q1 |`},
		{"a segment where no tail is kept", func(p *messages.Prompt) {
			p.Attachments[0].Segment = "resource:a"
		}, messages.Options{},
			`I1; I2 |; C1:; C2:; Skill k1:; Skill k2: (no description); Available tools: |; A1; A2; S1; H1; H2; "R1"; Q1 |`},
		{"a model that takes definitions", func(p *messages.Prompt) { p.Model.Tools = true }, messages.Options{},
			`I1; I2 |; C1:; C2:; Skill k1:; Skill k2: (no description) |; A1; A2; S1; H1; H2; "R1"; Q1 |`},
		{"eager skills", nil, messages.Options{EagerSkills: true},
			`I1; I2 |; C1:; C2:; Skill k1:; Available tools: |; A1; A2; S1; H1; H2; "R1"; Q1 |`},
		{"a cache marker", func(p *messages.Prompt) { p.History[0].Content[0].Cache = "{}" }, messages.Options{},
			`I1; I2 |; C1:; C2:; Skill k1:; Skill k2: (no description); Available tools: |; A1; A2; S1; H1 |; H2; "R1"; Q1 |`},
		{"a cache marker on what is evicted moves to what is before it", func(p *messages.Prompt) {
			p.History[0].Content[0] = messages.Block{Kind: messages.KindText, Text: strings.Repeat("H", 100), Cache: "{}"}
		}, messages.Options{Notice: true, Policy: messages.ByItem, Budget: &messages.Budget{MaxInputBytes: tiers.Limit(130)}},
			`I1; I2 |; C1:; C2:; Skill k1:; Skill k2: (no description); Available tools: |; A1; A2; S1; (earlier messages were left out) |; H2; Q1 |`},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := full()
			if test.change != nil {
				test.change(&p)
			}
			a, err := p.Assemble(test.o)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, "messages", test.want, shape(t, a))
		})
	}
}

// What goes at once is a group of the composition, named by where it begins; what goes alone is in none.
func TestWhatGoesAtOnceIsAGroup(t *testing.T) {
	p := messages.Prompt{Groups: messages.Groups{History: talk("u u u u u u u u u u u u cX rX u"), ToolResults: talk("rY")}}
	for policy, want := range map[messages.Policy]string{messages.ByUnit: "unit/12", messages.Quantised: "cell/12", messages.ByItem: ""} {
		a, err := p.Assemble(messages.Options{Policy: policy, Quantum: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range a.Composition.Recipe().Sections {
			want := want
			if i != 12 && i != 13 {
				want = ""
			}
			if id := fmt.Sprint("history/", i); i < len(p.History) && s.ID != id {
				t.Errorf("%v: the id is %s, want %s", policy, s.ID, id)
			}
			if s.Group != want {
				t.Errorf("%v: %s is in group %q, want %q", policy, s.ID, s.Group, want)
			}
		}
	}
}

// A result whose call stands in the current input is as safe as that.
func TestResultOfACurrentCallStays(t *testing.T) {
	p := messages.Prompt{Groups: messages.Groups{
		History:     []messages.Message{messages.TextMessage(messages.User, "aaaa")},
		Current:     talk("cX"),
		ToolResults: []messages.Message{toolResult(messages.Block{ID: "X", Text: "bb"}), toolResult(messages.Block{ID: "Y", Text: "cc"})},
	}}
	a, err := p.Assemble(messages.Options{Layout: messages.Legacy, Budget: &messages.Budget{MaxInputBytes: tiers.Limit(4)}})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "messages", `; "bb"`, strings.ReplaceAll(shape(t, a), " |", ""))
}

// A call and its result go together, among the current results too, and though they are the first to go of all.
func TestTheFirstUnitGoesAsOne(t *testing.T) {
	calls := talk("cX rX")
	calls[0].Content[0].Text, calls[1].Content[0].Text = "aaaa", "bb"
	current := []messages.Message{messages.TextMessage(messages.User, "cc")}
	for _, groups := range []messages.Groups{{History: calls, Current: current}, {ToolResults: calls, Current: current}} {
		for _, policy := range []messages.Policy{messages.ByUnit, messages.Quantised} {
			for bytes, want := range map[int64]string{10: `aaaa; "bb"; cc`, 9: "cc"} {
				a, err := messages.Prompt{Groups: groups}.Assemble(messages.Options{Policy: policy, Quantum: 1,
					Budget: &messages.Budget{MaxInputBytes: tiers.Limit(bytes)}})
				if err != nil {
					t.Fatal(err)
				}
				compare(t, fmt.Sprint(policy, ", ", bytes, " bytes"), want, strings.ReplaceAll(shape(t, a), " |", ""))
			}
		}
	}
}

// The notice is offered as soon as the oldest of the history has to go, also when that is the first thing of all to go.
func TestNoticeOfTheOldestAlone(t *testing.T) {
	history := []messages.Message{messages.TextMessage(messages.User, "aaaa"), messages.TextMessage(messages.User, "bbbb")}
	for _, test := range []struct {
		history []messages.Message
		bytes   int64 // or tokens of a byte
		cut     bool
	}{{history, 8, false}, {history, 7, true}, {history, 3, true}, {history[:1], 4, false}, {history[:1], 3, true}, {nil, 1, false}} {
		p := messages.Prompt{Groups: messages.Groups{History: test.history}}
		for _, policy := range []messages.Policy{messages.ByUnit, messages.ByItem} {
			perByte := measure.Bytes()
			for _, budget := range []messages.Budget{
				{MaxInputBytes: tiers.Limit(test.bytes)},
				{MaxInputTokens: tiers.Limit(test.bytes), Estimator: &perByte},
			} {
				a, err := p.Assemble(messages.Options{Notice: true, Policy: policy, Budget: &budget})
				if err != nil {
					t.Fatal(err)
				}
				offered := len(a.Composition.Decisions()) > len(test.history)
				if in := len(a.Messages); a.Report.Truncated != test.cut || a.Report.OmittedCount+in != len(test.history) && in > 0 {
					t.Errorf("%d messages, %+v, %v: %d are in, %d omitted", len(test.history), budget, policy, in, a.Report.OmittedCount)
				}
				if offered != test.cut {
					t.Errorf("%d messages, %+v, %v: notice offered: %v", len(test.history), budget, policy, offered)
				}
			}
		}
	}
}

// A call of the history that is answered in the current input is never cut; what is before it is.
func TestNoticeBesideACurrentCall(t *testing.T) {
	p := messages.Prompt{Groups: messages.Groups{
		History: append([]messages.Message{messages.TextMessage(messages.User, "aaaa")}, talk("cX")...),
		Current: []messages.Message{toolResult(messages.Block{ID: "X", Text: "bb"})},
	}}
	for bytes, want := range map[int64][]string{8: {}, 7: {"notice/0", "history/0"}} {
		a, err := p.Assemble(messages.Options{Notice: true, Budget: &messages.Budget{MaxInputBytes: tiers.Limit(bytes)}})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, fmt.Sprint("dropped for ", bytes, " bytes"), want, a.Composition.Dropped())
	}
}

// What goes before all of the history makes room for it: then nothing of the history is cut.
func TestNoNoticeOfAResult(t *testing.T) {
	p := messages.Prompt{Groups: messages.Groups{
		History:     []messages.Message{messages.TextMessage(messages.User, "aaaa")},
		ToolResults: []messages.Message{toolResult(messages.Block{ID: "X", Text: "bb"})},
	}}
	a, err := p.Assemble(messages.Options{Notice: true, Budget: &messages.Budget{MaxInputBytes: tiers.Limit(4)}})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "included", []string{"history/0"}, a.Composition.Included())
	compare(t, "dropped", []string{"tool_results/0"}, a.Composition.Dropped())
}

// Bytes of the tail move only where a text is new or another.
func TestTailKeepsItsOrder(t *testing.T) {
	turn := func(order []string, segments ...messages.Segment) messages.Assembly {
		a, err := messages.Prompt{Tail: &messages.Tail{Order: order, Segments: segments}}.Assemble(messages.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	first := turn(nil, messages.Segment{ID: "b", Text: "B"}, messages.Segment{ID: "a", Text: "A"})
	second := turn(first.Tail, messages.Segment{ID: "c", Text: "C"}, messages.Segment{ID: "a", Text: "A2"}, messages.Segment{ID: "b", Text: "B"})
	third := turn(second.Tail, messages.Segment{ID: "c", Text: "C"})
	compare(t, "first", "B; A", shape(t, first))
	compare(t, "second", "B; A2; C", shape(t, second))
	compare(t, "third", "C", shape(t, third))
	compare(t, "order", []string{"b", "a", "c"}, third.Tail)
}

// What is evicted before it was ever in the tail has no place there yet.
func TestTailForgetsWhatWasNeverThere(t *testing.T) {
	p := messages.Prompt{Tail: &messages.Tail{Order: []string{"known"}, Segments: []messages.Segment{
		{ID: "known", Text: "aaaa"}, {ID: "in", Text: "bbbb"}, {ID: "out", Text: "cccc"}}}}
	a, err := p.Assemble(messages.Options{Budget: &messages.Budget{MaxInputBytes: tiers.Limit(8)}})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "order", []string{"known", "in"}, a.Tail)
	a, err = p.Assemble(messages.Options{Budget: &messages.Budget{MaxInputBytes: tiers.Limit(3)}})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "order", []string{"known"}, a.Tail)
}

func TestReportListsFewAndCountsAll(t *testing.T) {
	var p messages.Prompt
	for i := range 300 {
		m := messages.TextMessage(messages.User, "secret")
		m.ID = fmt.Sprint("h", i)
		p.History = append(p.History, m)
	}
	for i := range 70 {
		p.Skills = append(p.Skills, messages.Skill{Name: fmt.Sprint("k", i)})
	}
	a, err := p.Assemble(messages.Options{Budget: &messages.Budget{MaxInputTokens: tiers.Limit(1), ReportOmissions: true}})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "listed", messages.MaxOmissions, len(a.Report.Omitted))
	compare(t, "counted", 300+messages.MaxSkills, a.Report.OmittedCount)
	compare(t, "unlisted skills", 6, a.Report.UnlistedSkills)
	compare(t, "last", messages.Omission{Kind: messages.GroupHistory, ID: "h255", Tokens: 2, Bytes: 6}, a.Report.Omitted[255])
	a, err = p.Assemble(messages.Options{Budget: &messages.Budget{MaxInputTokens: tiers.Limit(1)}})
	if err != nil {
		t.Fatal(err)
	}
	if a.Report.Omitted != nil || a.Report.OmittedCount != 300+messages.MaxSkills {
		t.Errorf("not asked for: %d listed, %d counted", len(a.Report.Omitted), a.Report.OmittedCount)
	}
}

// What was evicted at once is listed in the order in which it stood, though what stood before it went later.
func TestReportListsUnitsInTheirOrder(t *testing.T) {
	var words []string
	var p messages.Prompt
	for i := range 30 {
		words = append(words, fmt.Sprintf("c%d+cx%d r%d rx%d", i, i, i, i))
		p.Context = append(p.Context, messages.Context{Title: fmt.Sprint("context ", i), Priority: i * 7 % 30})
		p.Summaries = append(p.Summaries, messages.TextMessage(messages.System, "s"))
	}
	p.History = talk(strings.Join(words, " "))
	var want, got []string
	for i := range p.History {
		p.History[i].ID = fmt.Sprint("message ", i)
		want = append(want, p.History[i].ID)
	}
	a, err := p.Assemble(messages.Options{Budget: &messages.Budget{MaxInputBytes: tiers.Limit(1), ReportOmissions: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range a.Report.Omitted {
		if o.Kind == messages.GroupHistory {
			got = append(got, o.ID)
		}
	}
	compare(t, "omitted", want, got)
}

// A current tool result whose call stands in the history goes with that call, not with the tool results; one whose call
// is answered in the current input stays with it.
func TestCurrentResultsJoinTheirCalls(t *testing.T) {
	all := talk("cA rA cB u cC")
	for i := range all {
		all[i].Content[0].Extra = []messages.Member{{Name: "pad", Value: "1"}}
		if all[i].Content[0].Kind == messages.KindToolCall {
			all[i].Content[0].Text = "aaaa"
		}
	}
	result := func(id string) messages.Message { return toolResult(messages.Block{ID: id, Text: "bb"}) }
	p := messages.Prompt{Groups: messages.Groups{
		History:     all,
		ToolResults: []messages.Message{result("B"), result("unknown")},
		Current:     []messages.Message{result("C")},
	}}
	kept := func(bytes int64) string {
		a, err := p.Assemble(messages.Options{Budget: &messages.Budget{MaxInputBytes: tiers.Limit(bytes)}})
		if err != nil {
			return err.Error()
		}
		var out []string
		for _, place := range a.Places {
			out = append(out, place.Section)
		}
		return strings.Join(out, " ")
	}
	compare(t, "all", "history/0 history/1 history/2 history/3 history/4 tool_results/0 tool_results/1 input/0", kept(27))
	compare(t, "without the unknown", "history/0 history/1 history/2 history/3 history/4 tool_results/0 input/0", kept(26))
	compare(t, "without A", "history/2 history/3 history/4 tool_results/0 input/0", kept(22))
	compare(t, "without B", "history/3 history/4 input/0", kept(16))
	compare(t, "without the text", "history/4 input/0", kept(8))
	compare(t, "less", "messages: what is never evicted exceeds the budget by 0 tokens and 1 bytes", kept(7))
}
