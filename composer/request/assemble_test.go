package request_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/fingerprint"
)

// chars counts what the tests count by eye.
func chars() *measure.Measure {
	m := measure.UTF16()
	return &m
}

func config(context int64) request.Config {
	return request.Config{Model: request.Model{Name: "m", ContextTokens: context, MediaTypes: []string{"image/PNG", "application/pdf"}},
		Estimator: chars(), Caching: true, LoadSkillTool: "load_skill"}
}

func build(t *testing.T, cfg request.Config, in request.Input) request.Result {
	t.Helper()
	a, err := request.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	res, err := a.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func ask(text string) messages.Message { return messages.TextMessage(messages.User, text) }

// full is an input that has something for every slot.
func full(template string) request.Input {
	return request.Input{
		Tenant: "acme", Template: request.ParseTemplate(template, nil),
		OutputFormat: "Markdown.", Addendum: "Be kind.",
		Skills: []request.Skill{{"sum", "adds", "Add up."}, {"cut", "cuts", "Cut off."}},
		Now:    time.Date(2026, 11, 30, 23, 30, 0, 0, time.UTC), Zone: time.FixedZone("Europe/Berlin", 3600), Locale: "de-DE",
		Instructions: "Do.", Context: "Page 3.", Facts: "Ada.", Notes: "Likes tea.",
		Chunks:   []request.Chunk{{"c1", "one", 3}, {"c2", "two", 1}, {"c3", "three", 2}},
		Question: ask("Why?"),
	}
}

func TestSlots(t *testing.T) {
	res := build(t, config(10000), full("{output_format}|{addendum}|{skills}|{cacheBreakpoint}|{today}|{locale}|{timezone}|{instructions}|{context}|{memory}|{chunks}|"))
	if diff := cmp.Diff("Markdown.|Be kind.|# sum\nAdd up.\n\n# cut\nCut off.|", res.Stable); diff != "" {
		t.Errorf("stable (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff("|2026-12-01|de-DE|Europe/Berlin|Do.|Page 3.|Ada.\n\nLikes tea.|[c1]\none\n\n[c2]\ntwo\n\n[c3]\nthree|", res.PerCall); diff != "" {
		t.Errorf("per call (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"c1", "c2", "c3"}, res.Chunks); diff != "" {
		t.Errorf("chunks (-want +got)\n%s", diff)
	}
	if res.Warnings != nil {
		t.Errorf("warnings %v", res.Warnings)
	}
	if res.StableDigest != fingerprint.SumString(res.Stable) {
		t.Error("the digest is not that of the stable block")
	}
}

func TestSkillsAreListedWhereTheModelCanLoadThem(t *testing.T) {
	in := full("{skills}")
	in.Tools = []request.Tool{{Name: "load_skill"}}
	if got := build(t, config(10000), in).PerCall; got != "- sum: adds\n- cut: cuts" {
		t.Errorf("listed: %q", got)
	}
	cfg := config(10000)
	cfg.LoadSkillTool = ""
	if got := build(t, cfg, in).PerCall; got != "# sum\nAdd up.\n\n# cut\nCut off." {
		t.Errorf("written out: %q", got)
	}
}

func TestMemory(t *testing.T) {
	for _, test := range []struct{ facts, notes, want string }{
		{"", "", "()"}, {"f", "", "(f)"}, {"", "n", "(n)"}, {"f", "n", "(f\n\nn)"},
	} {
		in := request.Input{Template: request.ParseTemplate("({memory})", nil), Facts: test.facts, Notes: test.notes, Question: ask("?")}
		if got := build(t, config(100), in).PerCall; got != test.want {
			t.Errorf("%q and %q: got %q, want %q", test.facts, test.notes, got, test.want)
		}
	}
}

// The template is split before anything is filled: no value moves the breakpoint or opens a slot.
func TestValuesAreNeverScanned(t *testing.T) {
	const injection = `{cacheBreakpoint}{memory}{chunks}{unknown}{`
	plain := full("S{output_format}{skills}{cacheBreakpoint}P{memory}{chunks}{today}{instructions}{context}{locale}")
	want := build(t, config(10000), plain)
	in := plain
	in.OutputFormat, in.Facts, in.Notes, in.Instructions, in.Context, in.Locale = injection, injection, injection, injection, injection, injection
	in.Skills = []request.Skill{{injection, injection, injection}}
	in.Chunks = []request.Chunk{{injection, injection, 0}}
	got := build(t, config(10000), in)
	if got.Stable != "S"+injection+"# "+injection+"\n"+injection {
		t.Errorf("stable block %q", got.Stable)
	}
	if perCall := "P" + injection + "\n\n" + injection + "[" + injection + "]\n" + injection + "2026-12-01" + injection + injection + injection; got.PerCall != perCall {
		t.Errorf("per-call block %q, want %q", got.PerCall, perCall)
	}
	if got.Warnings != nil || want.Warnings != nil {
		t.Errorf("warnings %v", got.Warnings)
	}
}

func TestTemplateWarnings(t *testing.T) {
	for _, test := range []struct {
		name, template string
		stable         []string
		noCaching      bool
		want           []string
		system         []string // blocks; the marked one with a *
	}{
		{"clean", "a{skills}{cacheBreakpoint}b", nil, false, nil, []string{"*aK", "b"}},
		{"unknown", "{skills}{x}{Memory}{x} {\"a\": {}}{cacheBreakpoint}b", nil, false, []string{"unknown_slot x", "unknown_slot Memory"}, []string{"*K{x}{Memory}{x} {\"a\": {}}", "b"}},
		{"unknown stable", "{skills}{cacheBreakpoint}b", []string{"skills", "tone"}, false, []string{"unknown_slot tone"}, []string{"*K", "b"}},
		{"per call before it", "a{skills}{locale}{memory}{locale}{cacheBreakpoint}b", nil, false,
			[]string{"per_call_slot_before_breakpoint locale", "per_call_slot_before_breakpoint memory"}, []string{"aKLFL", "b"}},
		{"declared otherwise", "a{skills}{locale}{cacheBreakpoint}b{addendum}", []string{"skills", "locale"}, false, nil, []string{"*aKL", "bA"}},
		{"nothing is stable", "a{skills}{cacheBreakpoint}", []string{}, false, []string{"per_call_slot_before_breakpoint skills"}, []string{"aK"}},
		{"no breakpoint", "a{skills}", nil, false, []string{"cache_breakpoint_missing"}, []string{"aK"}},
		{"no breakpoint, no caching", "a{skills}", nil, true, nil, []string{"aK"}},
		{"no caching", "a{skills}{cacheBreakpoint}b", nil, true, nil, []string{"aKb"}},
		{"breakpoint twice", "a{skills}{cacheBreakpoint}b{cacheBreakpoint}c", nil, false, nil, []string{"*aK", "bc"}},
		{"no skills", "a{cacheBreakpoint}b", nil, false, []string{"skills_slot_missing 1"}, []string{"*a", "b"}},
		{"nothing before it", "{cacheBreakpoint}b{skills}", nil, false, nil, []string{"bK"}},
		{"blank before it", " \n{cacheBreakpoint}b{skills}", nil, false, nil, []string{" \nbK"}},
		{"an empty slot before it", "{output_format}{cacheBreakpoint}b{skills}", nil, false, nil, []string{"bK"}},
		{"nothing behind it", "a{skills}{cacheBreakpoint}", nil, false, nil, []string{"*aK"}},
		{"nothing at all", "", nil, false, []string{"cache_breakpoint_missing", "skills_slot_missing 1"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := config(10000)
			cfg.Caching = !test.noCaching
			in := request.Input{Template: request.ParseTemplate(test.template, test.stable), Question: ask("?"), Tools: []request.Tool{{Name: "load_skill"}},
				Skills: []request.Skill{{"K", "", ""}}, Locale: "L", Facts: "F", Addendum: "A"}
			res := build(t, cfg, in)
			if diff := cmp.Diff(test.want, codes(res.Warnings)); diff != "" {
				t.Errorf("warnings (-want +got)\n%s", diff)
			}
			var system []string
			for i, b := range res.Request.System {
				text := strings.ReplaceAll(b.Text, "- K: ", "K")
				if slices.Contains(res.Request.Breakpoints, request.Breakpoint{At: request.Place{Part: request.System, Index: i}}) && !b.Volatile {
					text = "*" + text
				}
				system = append(system, text)
			}
			if diff := cmp.Diff(test.system, system); diff != "" {
				t.Errorf("system prompt (-want +got)\n%s", diff)
			}
		})
	}
}

// codes writes warnings in a line each.
func codes(warnings []request.Warning) []string {
	var lines []string
	for _, w := range warnings {
		line := string(w.Code)
		if w.Name != "" {
			line += " " + w.Name
		}
		if w.Count != 0 {
			line += fmt.Sprint(" ", w.Count)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestFiles(t *testing.T) {
	in := request.Input{Template: request.ParseTemplate("{cacheBreakpoint}", nil), Question: ask("What is it?"), Files: []request.File{
		{"a.png", "IMAGE/png; q=1", []byte{0xff, 0}}, {"b.jpg", "image/jpeg", []byte{1}}, {"c.pdf", "Application/PDF", []byte("%PDF")},
		{"d.png", "image/png", nil}, {"e", "", []byte{1}}, {"f", "png", []byte{1}},
	}}
	res := build(t, config(15), in) // "What is it?" and not a byte of the files
	if diff := cmp.Diff([]string{"file_dropped b.jpg", "file_dropped d.png", "file_dropped e", "file_dropped f"}, codes(res.Warnings)); diff != "" {
		t.Errorf("warnings (-want +got)\n%s", diff)
	}
	if res.EstimatedTokens != int64(len("What is it?")) {
		t.Errorf("%d tokens", res.EstimatedTokens)
	}
	got, err := res.Request.Messages[0].AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"content":[{"source":{"data":"/wA=","media_type":"image/png","type":"base64"},"type":"image"},` +
		`{"source":{"data":"JVBERg==","media_type":"application/pdf","type":"base64"},"title":"c.pdf","type":"document"},` +
		`{"text":"What is it?","type":"text"}],"role":"user"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("question (-want +got)\n%s", diff)
	}
	all := request.Config{Model: request.Model{ContextTokens: 100, MediaTypes: []string{"Image/*"}}}
	if res := build(t, all, in); len(res.Request.Messages[0].Content) != 3 {
		t.Errorf("image/*: %v", res.Request.Messages[0].Content)
	}
}

// session is a history of three units of 10 each, the last a call with its two results.
func session() []messages.Message {
	call := messages.Message{Role: messages.Assistant, Content: []messages.Block{
		{Kind: messages.KindToolCall, Name: "f", Value: `{}`}, {Kind: messages.KindToolCall, Name: "f", Value: `{}`}}}
	result := func(text string) messages.Message {
		return messages.Message{Role: messages.Tool, Content: []messages.Block{{Kind: messages.KindToolResult, Name: "f", Text: text}}}
	}
	return []messages.Message{messages.TextMessage(messages.Assistant, "abcdefghij"), ask("0123456789"),
		call, result(""), result("x")} // 5 + 2 + 3: "{}\n{}", `""`, `"x"`
}

// What goes first, with the context one below, at and one above what is needed to keep it.
// Providers refuse a blank text, also beside a file.
func TestBlankTextOfAQuestion(t *testing.T) {
	in := request.Input{Template: request.ParseTemplate("", nil), Question: ask(""), Files: []request.File{{"c.pdf", "application/pdf", []byte("%PDF")}}}
	res := build(t, config(15), in)
	if content := res.Request.Messages[0].Content; len(content) != 1 || content[0].Kind != messages.KindDocument {
		t.Errorf("the question has %v", content)
	}
}

func TestTrimOrder(t *testing.T) {
	in := full("{skills}{cacheBreakpoint}{memory}{chunks}")
	in.Skills = []request.Skill{{"s", "", "b"}}
	in.History = session()
	// system: "# s\nb" 5, "Ada.\n\nLikes tea." 16, chunks 8 "[c1]\none", 2+8 "[c2]\ntwo", 2+10 "[c3]\nthree"; question 4
	const core = 5 + 16 + 4
	const c1, c3, c2 = 8, 12, 10 // by rank
	for _, test := range []struct {
		context int64
		turns   int // messages of history
		chunks  []string
		warn    []string
	}{
		{core + c1 + c3 + c2 + 31, 5, []string{"c1", "c2", "c3"}, nil},
		{core + c1 + c3 + c2 + 30, 5, []string{"c1", "c2", "c3"}, nil},
		{core + c1 + c3 + c2 + 29, 4, []string{"c1", "c2", "c3"}, []string{"turns_trimmed 1"}},
		{core + c1 + c3 + c2 + 20, 4, []string{"c1", "c2", "c3"}, []string{"turns_trimmed 1"}},
		{core + c1 + c3 + c2 + 19, 3, []string{"c1", "c2", "c3"}, []string{"turns_trimmed 2"}},
		{core + c1 + c3 + c2 + 10, 3, []string{"c1", "c2", "c3"}, []string{"turns_trimmed 2"}},
		{core + c1 + c3 + c2 + 9, 0, []string{"c1", "c2", "c3"}, []string{"turns_trimmed 3"}},
		{core + c1 + c3 + c2, 0, []string{"c1", "c2", "c3"}, []string{"turns_trimmed 3"}},
		{core + c1 + c3 + c2 - 1, 0, []string{"c1", "c3"}, []string{"turns_trimmed 3", "kb_chunks_trimmed 1"}},
		{core + c1 + c3, 0, []string{"c1", "c3"}, []string{"turns_trimmed 3", "kb_chunks_trimmed 1"}},
		{core + c1 + c3 - 1, 0, []string{"c1"}, []string{"turns_trimmed 3", "kb_chunks_trimmed 2"}},
		{core + c1, 0, []string{"c1"}, []string{"turns_trimmed 3", "kb_chunks_trimmed 2"}},
		{core + c1 - 1, 0, []string{}, []string{"turns_trimmed 3", "kb_chunks_trimmed 3"}},
		{core, 0, []string{}, []string{"turns_trimmed 3", "kb_chunks_trimmed 3"}},
		{core - 1, 0, []string{}, []string{"turns_trimmed 3", "kb_chunks_trimmed 3", "context_overflow 1"}},
	} {
		for _, reserve := range []int64{0, 7} {
			cfg := config(test.context + reserve)
			cfg.Reserve = reserve
			res := build(t, cfg, in)
			name := fmt.Sprintf("context %d", test.context)
			if got := len(res.Request.Messages) - 1; got != test.turns {
				t.Errorf("%s: %d messages of history, want %d", name, got, test.turns)
			}
			if diff := cmp.Diff(test.chunks, res.Chunks); diff != "" {
				t.Errorf("%s: chunks (-want +got)\n%s", name, diff)
			}
			if diff := cmp.Diff(test.warn, codes(res.Warnings)); diff != "" {
				t.Errorf("%s: warnings (-want +got)\n%s", name, diff)
			}
			if !strings.HasPrefix(res.PerCall, "Ada.\n\nLikes tea.") || res.Stable != "# s\nb" {
				t.Errorf("%s: skills, facts and notes are not whole: %q%q", name, res.Stable, res.PerCall)
			}
			if got := res.Request.Messages[len(res.Request.Messages)-1]; got.Content[0].Text != "Why?" {
				t.Errorf("%s: the question is %v", name, got)
			}
			want := max(0, test.context-(5+4+c1+c3+c2))
			if res.HistoryBudget != want {
				t.Errorf("%s: history budget %d, want %d", name, res.HistoryBudget, want)
			}
		}
	}
}

func TestChunksOfOneRankGoLaterFirst(t *testing.T) {
	in := request.Input{Template: request.ParseTemplate("{chunks}", nil), Question: ask("?"),
		Chunks: []request.Chunk{{"a", "x", 0}, {"b", "x", 0}, {"c", "x", 1}, {"d", "x", 0}}}
	for _, test := range []struct {
		context int64
		want    string
	}{
		{100, "[a]\nx\n\n[b]\nx\n\n[c]\nx\n\n[d]\nx"}, {5*4 + 6, "[a]\nx\n\n[b]\nx\n\n[c]\nx"}, {5*2 + 2 + 1, "[a]\nx\n\n[c]\nx"}, {6, "[c]\nx"}, {5, ""},
	} {
		if got := build(t, config(test.context), in).PerCall; got != test.want {
			t.Errorf("context %d: %q, want %q", test.context, got, test.want)
		}
	}
}

// A unit of history that the question belongs to is as protected as the question.
func TestQuestionThatAnswersACall(t *testing.T) {
	history := session()
	in := request.Input{Template: request.ParseTemplate("", nil), History: history[:4], Question: history[4]}
	cfg := config(10)
	cfg.Strict = true
	res := build(t, cfg, in)
	if len(res.Request.Messages) != 3 || !slices.Contains(codes(res.Warnings), "turns_trimmed 2") {
		t.Errorf("%d messages, %v", len(res.Request.Messages), res.Warnings)
	}
	ids := map[string]int{}
	for _, m := range res.Request.Messages {
		for _, b := range m.Content {
			ids[b.ID]++
		}
	}
	if len(ids) != 2 || ids[""] != 0 {
		t.Errorf("ids of calls and results: %v", ids)
	}
}

// Every warning there is, once, in the order template, files, turns, chunks, overflow.
func TestEveryWarningOnceInOrder(t *testing.T) {
	broken := full("{x}{locale}{cacheBreakpoint}{chunks}{memory}")
	broken.Files = []request.File{{"f", "text/html", []byte{1}}}
	broken.History = session()
	got := codes(build(t, config(20), broken).Warnings)
	want := []string{"unknown_slot x", "per_call_slot_before_breakpoint locale", "skills_slot_missing 2", "file_dropped f",
		"turns_trimmed 3", "kb_chunks_trimmed 3", "context_overflow 8"} // {x} 3, de-DE 5, memory 16, question 4
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	missing := broken
	missing.Template = request.ParseTemplate("{x}{chunks}{memory}", nil)
	got = codes(build(t, config(20), missing).Warnings)
	want = []string{"unknown_slot x", "cache_breakpoint_missing", "skills_slot_missing 2", "file_dropped f",
		"turns_trimmed 3", "kb_chunks_trimmed 3", "context_overflow 3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestStrict(t *testing.T) {
	cfg := config(20)
	cfg.Reserve, cfg.Strict = 3, true
	a, err := request.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	in := request.Input{Template: request.ParseTemplate("0123456789", nil), Question: ask("01234567")}
	_, err = a.Build(in)
	if over := (*request.BudgetError)(nil); !errors.Is(err, request.ErrContextBudget) || !errors.As(err, &over) || over.Tokens != 1 {
		t.Errorf("error %v", err)
	}
	in.Question = ask("0123456")
	if _, err = a.Build(in); err != nil {
		t.Errorf("equality: %v", err)
	}
}

func TestTenants(t *testing.T) {
	in := full("{output_format}{cacheBreakpoint}{memory}{skills}")
	other := in
	other.Tenant = "shared"
	cfg := config(1000)
	apart, apart2 := build(t, cfg, in), build(t, cfg, other)
	cfg.Shared = true
	together, together2 := build(t, cfg, in), build(t, cfg, other)
	keys := map[fingerprint.Key]bool{apart.CacheKey: true, apart2.CacheKey: true, together.CacheKey: true, together2.CacheKey: true}
	if len(keys) != 3 || together.CacheKey != together2.CacheKey {
		t.Errorf("keys %v", keys)
	}
	for _, res := range []request.Result{apart2, together, together2} {
		if res.Stable != apart.Stable || res.StableDigest != apart.StableDigest {
			t.Error("the tenant is in the text")
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	nameless, padded := measure.New("", func(string) int64 { return 0 }), measure.New("padded", func(string) int64 { return 1 })
	for _, test := range []struct {
		change func(*request.Config)
		want   string
	}{
		{func(c *request.Config) { c.Model.ContextTokens = 0 }, "a context of 0 tokens; want 1 or more"},
		{func(c *request.Config) { c.Reserve = -1 }, "a reserve of -1 tokens; want 0 or more"},
		{func(c *request.Config) { c.Reserve = 100 }, "a reserve of 100 tokens in a context of 100; want less"},
		{func(c *request.Config) { c.TTL = 7 }, "unknown lifetime 7"},
		{func(c *request.Config) { c.Estimator = &nameless }, "an estimator without a name"},
		{func(c *request.Config) { c.Estimator = &padded }, `the estimator "padded" counts 1 for the empty text; want 0`},
		{func(c *request.Config) { c.Model.MediaTypes = []string{"png"} }, `media type "png"; want TYPE/SUBTYPE or TYPE/*`},
	} {
		cfg := config(100)
		test.change(&cfg)
		_, err := request.New(cfg)
		if err == nil || err.Error() != "request: configuration: "+test.want || !errors.Is(err, request.ErrConfig) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
	cfg := config(100)
	cfg.Reserve = 99
	if _, err := request.New(cfg); err != nil {
		t.Error(err)
	}
}

func TestBadInput(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*request.Input)
		want   string
	}{
		{"no question", func(in *request.Input) { in.Question = messages.Message{} }, "request: question: no question: want a text, a file or another block"},
		{"blank question", func(in *request.Input) { in.Question = ask(" \n") }, "request: question: no question: want a text, a file or another block"},
		{"a fact", func(in *request.Input) { in.Facts = "a\xff" }, `request: section "memory/facts": content: invalid UTF-8 at byte 1`},
		{"a template", func(in *request.Input) { in.Template = request.ParseTemplate("\xff", nil) }, `request: section "template/0": content: invalid UTF-8 at byte 0`},
		{"a tool", func(in *request.Input) { in.Tools = []request.Tool{{Name: "t", Schema: "{"}} }, `request: tool 1 ("t"): schema: want a JSON object: `},
		{"a schema with something behind", func(in *request.Input) { in.Tools = []request.Tool{{Name: "t", Schema: `{},"type":"bash"`}} }, `request: tool 1 ("t"): schema: something follows the JSON object at byte 2`},
		{"a schema that is no object", func(in *request.Input) { in.Tools = []request.Tool{{Name: "t", Schema: `true`}} }, `request: tool 1 ("t"): schema: want a JSON object; found true`},
		{"a message", func(in *request.Input) {
			in.History = []messages.Message{ask("a"), {Role: messages.Assistant, Content: []messages.Block{{Kind: messages.KindToolCall, Value: "{"}}}}
		}, "request: history message 2: messages: block 1: arguments: "},
		{"a question", func(in *request.Input) { in.Question = ask("\xff") }, "request: question: messages: block 1: text: invalid UTF-8 at byte 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, err := request.New(config(1000))
			if err != nil {
				t.Fatal(err)
			}
			in := full("{memory}{skills}{cacheBreakpoint}")
			test.change(&in)
			if res, err := a.Build(in); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("error %v, want %q; result %v", err, test.want, res.Chunks)
			} else if want := strings.Contains(test.want, "invalid UTF-8"); errors.Is(err, fingerprint.ErrInvalidUTF8) != want {
				t.Errorf("error %v: is it about UTF-8? Want %t", err, want)
			}
		})
	}
}
