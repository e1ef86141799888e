package messages_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/tiers"
)

func TestBudgetCheck(t *testing.T) {
	for _, test := range []struct {
		name string
		b    messages.Budget
		want error
	}{
		{"no maximum", messages.Budget{}, messages.ErrNoMaximum},
		{"one token", messages.Budget{MaxInputTokens: tiers.Limit(1)}, nil},
		{"no token", messages.Budget{MaxInputTokens: tiers.Limit(0)}, messages.ErrMaximum},
		{"negative", messages.Budget{MaxInputTokens: tiers.Limit(-1)}, messages.ErrMaximum},
		{"most tokens", messages.Budget{MaxInputTokens: tiers.Limit(2_000_000)}, nil},
		{"too many tokens", messages.Budget{MaxInputTokens: tiers.Limit(2_000_001)}, messages.ErrMaximum},
		{"one byte", messages.Budget{MaxInputBytes: tiers.Limit(1)}, nil},
		{"most bytes", messages.Budget{MaxInputBytes: tiers.Limit(32 << 20)}, nil},
		{"too many bytes", messages.Budget{MaxInputBytes: tiers.Limit(32<<20 + 1)}, messages.ErrMaximum},
		{"one is wrong", messages.Budget{MaxInputTokens: tiers.Limit(1), MaxInputBytes: tiers.Limit(0)}, messages.ErrMaximum},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := test.b.Check(); !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
			_, err := messages.Prompt{}.Assemble(messages.Options{Budget: &test.b})
			if !errors.Is(err, test.want) {
				t.Errorf("assembled: error %v, want %v", err, test.want)
			}
		})
	}
}

func TestAssembleRefuses(t *testing.T) {
	bad := messages.TextMessage(messages.User, "a\xff")
	good := messages.TextMessage(messages.User, "a")
	image := messages.Message{Role: messages.User, Content: []messages.Block{messages.Text("a"), {Kind: messages.KindImage}}}
	failing := measure.New("failing", func(text string) int64 { return int64(-len(text)) })
	budget := func(n int64) *messages.Budget { return &messages.Budget{MaxInputTokens: tiers.Limit(n)} }
	in := func(g messages.Groups) messages.Prompt { return messages.Prompt{Groups: g} }
	for _, test := range []struct {
		name string
		p    messages.Prompt
		o    messages.Options
		is   error
		want string
	}{
		{"invalid UTF-8", in(messages.Groups{History: []messages.Message{good, bad}}), messages.Options{}, nil,
			"messages: history 2: block 1: text: invalid UTF-8 at byte 1"},
		{"unknown layout", messages.Prompt{}, messages.Options{Layout: 2}, nil, "messages: unknown layout 2"},
		{"unknown policy", messages.Prompt{}, messages.Options{Policy: 3}, nil, "messages: unknown policy 3"},
		{"negative quantum", messages.Prompt{}, messages.Options{Quantum: -1}, nil, "messages: quantum -1; want 1 or more"},
		{"negative fold", messages.Prompt{}, messages.Options{Fold: &messages.Fold{Cap: -1}}, nil, "messages: fold to -1 bytes"},
		{"negative recent", messages.Prompt{}, messages.Options{Fold: &messages.Fold{Recent: -1}}, nil, "messages: fold to 0 bytes behind -1 messages"},
		{"an estimator that has no size for a text", in(messages.Groups{Summaries: []messages.Message{good}}),
			messages.Options{Budget: &messages.Budget{MaxInputBytes: tiers.Limit(9), Estimator: &failing}}, messages.ErrEstimator,
			`messages: summaries 1: the estimator has no size for a text: "failing" counts -1`},
		{"core over budget", in(messages.Groups{Current: []messages.Message{messages.TextMessage(messages.User, strings.Repeat("a", 41))}}),
			messages.Options{Budget: budget(10)}, messages.ErrContextBudget,
			"messages: what is never evicted exceeds the budget by 1 tokens and 0 bytes"},
		{"an image", messages.Prompt{Groups: messages.Groups{History: []messages.Message{good, image}}, Model: messages.Model{Modalities: []messages.Kind{messages.KindAudio}}},
			messages.Options{}, messages.ErrUnsupportedModality,
			"messages: history 2: block 2: image: the model does not read this modality"},
		{"an image in a result", messages.Prompt{Groups: messages.Groups{ToolResults: []messages.Message{toolResult(messages.Block{Content: image.Content})}},
			Model: messages.Model{Modalities: []messages.Kind{}}}, messages.Options{}, messages.ErrUnsupportedModality,
			"messages: tool_results 1: block 1: image: the model does not read this modality"},
		{"an image first in a result", messages.Prompt{Groups: messages.Groups{ToolResults: []messages.Message{toolResult(messages.Block{Content: image.Content[1:]})}},
			Model: messages.Model{Modalities: []messages.Kind{}}}, messages.Options{}, messages.ErrUnsupportedModality,
			"messages: tool_results 1: block 1: image: the model does not read this modality"},
		{"several images, in the order of the cache-aware layout", messages.Prompt{Groups: messages.Groups{Attachments: []messages.Message{image}, Summaries: []messages.Message{image}},
			Model: messages.Model{Modalities: []messages.Kind{}}}, messages.Options{Layout: messages.Legacy}, messages.ErrUnsupportedModality,
			"messages: attachments 1: block 2: image: the model does not read this modality"},
		{"two texts for one segment", messages.Prompt{Tail: &messages.Tail{Segments: []messages.Segment{{ID: "a"}, {ID: "a"}}}}, messages.Options{},
			messages.ErrDuplicateSegment, `messages: tail 2: two texts for one tail segment in one turn: "a"`},
		{"a segment without an id", messages.Prompt{Tail: &messages.Tail{Segments: []messages.Segment{{Text: "a"}}}}, messages.Options{},
			nil, `messages: tail 1: a segment without an id`},
		{"a tool definition that is none", messages.Prompt{Tools: []messages.ToolSpec{{Name: "f", Definition: `{"a":1,"a":1}`}}, Model: messages.Model{Tools: true}},
			messages.Options{}, nil, `messages: tool_definitions 1: tool "f": `},
		{"context", messages.Prompt{Context: []messages.Context{{Content: bad.Content}}}, messages.Options{}, nil, "messages: context 1: block 1: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, err := test.p.Assemble(test.o)
			if err == nil || !strings.HasPrefix(err.Error(), test.want) || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if a.Messages != nil || len(a.Composition.Text()) > 0 {
				t.Error("something came with the error")
			}
		})
	}
}

func TestFoldToNothing(t *testing.T) {
	p := messages.Prompt{Groups: messages.Groups{History: []messages.Message{toolResult(messages.Block{Text: strings.Repeat("a", 100)})}}}
	a, err := p.Assemble(messages.Options{Fold: &messages.Fold{}})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "result", messages.FoldNotice, a.Messages[0].Content[0].Text)
}

// All media pass a model that does not declare what it reads.
func TestModalitiesNotDeclared(t *testing.T) {
	p := messages.Prompt{Groups: messages.Groups{Current: []messages.Message{{Role: messages.User, Content: []messages.Block{
		{Kind: messages.KindImage}, {Kind: messages.KindAudio}, {Kind: messages.KindFile}, {Kind: messages.KindDocument}, {Kind: "new"}}}}}}
	if _, err := p.Assemble(messages.Options{}); err != nil {
		t.Error(err)
	}
	p.Model.Modalities = []messages.Kind{messages.KindImage, messages.KindAudio, messages.KindFile, messages.KindDocument}
	if _, err := p.Assemble(messages.Options{}); err != nil {
		t.Error(err)
	}
}

// An estimator that charges something for nothing charges nothing for the separators, which there are not.
func TestEstimatorOfEmptyText(t *testing.T) {
	perMessage := measure.New("units+4", func(text string) int64 { return int64(len(text)) + 4 })
	p := messages.Prompt{Groups: messages.Groups{Current: []messages.Message{
		messages.TextMessage(messages.User, "a"), messages.TextMessage(messages.User, "b")}}}
	a, err := p.Assemble(messages.Options{Budget: &messages.Budget{MaxInputTokens: tiers.Limit(10), Estimator: &perMessage}})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "kept tokens", int64(10), a.Report.KeptTokens)
	c, err := messages.CompileRecipe(a.Compilation().Recipe, store(a.Compilation()))
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "key", a.Composition.Recipe().Key(), c.Recipe().Key())
}

func TestNames(t *testing.T) {
	for _, l := range []messages.Layout{messages.CacheAware, messages.Legacy} {
		if got, err := messages.ParseLayout(l.String()); err != nil || got != l {
			t.Errorf("layout %v: %v, %v", l, got, err)
		}
	}
	for _, p := range []messages.Policy{messages.ByUnit, messages.ByItem, messages.Quantised} {
		if got, err := messages.ParsePolicy(p.String()); err != nil || got != p {
			t.Errorf("policy %v: %v, %v", p, got, err)
		}
	}
	for got, want := range map[string]string{
		messages.Layout(2).String(): "2", messages.Policy(3).String(): "3", messages.Group(13).String(): "13",
		messages.GroupNotice.String(): "notice", messages.Quantised.String(): "quantised", messages.Legacy.String(): "legacy",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if text, err := messages.GroupNotice.MarshalText(); string(text) != "notice" || err != nil {
		t.Errorf("the last group is written as %s, %v", text, err)
	}
	if text, err := messages.Group(13).MarshalText(); err == nil {
		t.Errorf("a group that is none is written as %s", text)
	}
	if _, err := messages.ParseLayout("x"); err == nil {
		t.Error("there is a layout x")
	}
	if _, err := messages.ParsePolicy("quantized"); err == nil {
		t.Error("there is a policy quantized")
	}
}

func TestParseDescriptionRefuses(t *testing.T) {
	for _, test := range []struct {
		name, src, want string
		is              error
	}{
		{"syntax", `{"input":`, "messages: description: ", nil},
		{"unknown member", `{"inputs":"a"}`, "inputs", nil},
		{"unknown member inside", `{"skills":[{"nmae":"a"}]}`, "nmae", nil},
		{"layout", `{"inputLayout":"new"}`, `messages: description: unknown layout "new"`, nil},
		{"policy", `{"policy":"lru"}`, `messages: description: unknown policy "lru"`, nil},
		{"disclosure", `{"skillsDisclosure":"lazy"}`, `skillsDisclosure "lazy"; want progressive or eager`, nil},
		{"no maximum", `{"contextBudget":{}}`, "messages: description: budget: no maximum is set", messages.ErrNoMaximum},
		{"null is not set", `{"contextBudget":{"maxInputTokens":null}}`, "messages: description: budget: no maximum is set", messages.ErrNoMaximum},
		{"a fraction", `{"contextBudget":{"maxInputTokens":1.5}}`, "maxInputTokens: maximum out of range: 1.5; want a decimal integer, such as 8000", messages.ErrMaximum},
		{"estimator", `{"contextBudget":{"maxInputTokens":1,"tokenEstimator":"mine"}}`, `there is no measure "mine"`, messages.ErrEstimator},
		{"message", `{"history":[{"role":"user"},{"role":7}]}`, "messages: description: history 2: byte ", nil},
		{"tool", `{"tools":[{"name":"a"},{"name":7}]}`, "messages: description: tools 2: byte ", nil},
		{"summary", `{"summaries":["a",7]}`, "messages: description: summaries 2: ", nil},
		{"member of a summary", `{"summaries":[{"text":"a"}]}`, `"text"`, nil},
		{"message of the input", `{"input":[{"role":"user"},{"role":7}]}`, "messages: description: input 2: byte ", nil},
		{"lone surrogate", `{"input":"\ud83d"}`, "surrogate", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := messages.ParseDescription([]byte(test.src), nil)
			if err == nil || !strings.Contains(err.Error(), test.want) || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestParseDescription(t *testing.T) {
	in, o, err := messages.ParseDescription([]byte(`{
		"systemInstructions": ["s"], "developerInstructions": "d", "instructions": [{"text": "i", "label": "L"}],
		"summaries": ["sum", {"title": "for the host", "content": "as it is", "metadata": {"m": 1}}],
		"history": [{"role": "user", "content": "h", "id": "h1"}],
		"attachments": [{"name": "a", "text": ""}, {"uri": "r://1", "name": "one"}, {"content": [{"type": "image", "url": "u"}]}],
		"resourceUris": ["r://2"], "resources": {"r://1": "R1"},
		"toolResults": [{"toolCallId": "c", "name": "f", "value": {"b": 1}}],
		"contextBlocks": [{"title": "C", "content": "c"}, [{"id": "x", "content": [{"type": "text", "text": "y"}], "priority": -2}]],
		"skills": [{"name": "k", "description": "d", "instructions": "b"}, {"name": "l"}], "loaded": ["k"],
		"tools": [{"name": "t", "description": "T"}, {"input_schema": {"type": "object", "name": "not this"}, "name": "u"}],
		"tail": {"order": ["own"], "segments": [{"id": "own", "text": "o"}]},
		"model": {"provider": "p", "context": 200000, "capabilities": {"tools": true, "input": ["image"], "reasoning": true}},
		"inputLayout": "legacy", "policy": "quantised", "quantum": 7, "omissionNotice": true,
		"foldToolResults": {"cap": 100, "recent": 3},
		"contextBudget": {"maxInputTokens": 500, "maxInputBytes": 4000, "reportOmissions": true, "tokenEstimator": "runes"},
		"input": {"role": "user", "content": "q"}
	}`), func(uri string) (string, error) { return "loaded " + uri, nil })
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "layout", messages.Legacy, o.Layout)
	compare(t, "policy", messages.Quantised, o.Policy)
	compare(t, "quantum", int64(7), o.Quantum)
	compare(t, "fold", &messages.Fold{Cap: 100, Recent: 3}, o.Fold)
	compare(t, "notice", true, o.Notice)
	compare(t, "estimator", "runes", o.Budget.Estimator.Name())
	compare(t, "model", messages.Model{Tools: true, Modalities: []messages.Kind{messages.KindImage}}, in.Model)
	compare(t, "tools", []messages.ToolSpec{{Name: "t", Description: "T"},
		{Name: "u", Definition: `{"input_schema": {"type": "object", "name": "not this"}, "name": "u"}`}}, in.Tools)
	compare(t, "id", "h1", in.History[0].ID)
	a, err := messages.Assemble(in, o)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range a.Messages {
		texts = append(texts, textOf(t, m))
	}
	compare(t, "texts", []string{"C:\nc", "Context:\ny", "Skill k: d", "Skill l: (no description)",
		"System instruction:\ns", "Developer instruction:\nd", "L:\ni", "Summary:\nsum", "as it is", "h", "q",
		"Attachment a:\n", "", `{"b":1}`, "o", "Resource one:\nR1", "Resource r://2:\nloaded r://2", "Skill k:\nb"}, texts)
	compare(t, "tail", []string{"own", "resource:r://1", "resource:r://2", "skill:k"}, a.Tail)
}
