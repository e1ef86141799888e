package messages_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments/template"
)

// TestCases holds the package against the published one: inputs with the right result, one a line, of
// testdata/cases.jsonl or of the file that QUIRE_CASES names. The policy is item, the published one.
//
// What has no meaning here is not compared:
//   - middlewareLog and the log of hooks: nothing changes messages on their way;
//   - options (sessionId, cacheKey), metadata of the request: they are the host's and pass this package by;
//   - the estimators nan, string and notfn give what no Go function can; they stand for one that fails.
//
// In one place the totals differ: a skill's body is charged on top of its line, so where the line is longer than the
// body (Skill k: (no description) and Skill k:\nb) what it is longer by stays charged. The test adds just that.
func TestCases(t *testing.T) {
	path := "testdata/cases.jsonl"
	if other := os.Getenv("QUIRE_CASES"); other != "" {
		path = other
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	n := 0
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var c publishedCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("line %d: %v", n+1, err)
		}
		n++
		t.Run(c.ID, c.run)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		t.Fatalf("%s has no cases", path)
	}
}

type object = map[string]json.RawMessage

type publishedCase struct {
	ID   string `json:"id"`
	In   object `json:"in"`
	Want object `json:"want"`
}

func (c publishedCase) run(t *testing.T) {
	var op string
	decode(t, c.In["op"], &op)
	ops := map[string]func(*testing.T, publishedCase) error{
		"template": runTemplate, "input": runInput, "prompt": runPrompt, "assemble": runAssemble, "turns": runTurns,
		"budget": runBudget, "resolveBudget": runResolveBudget, "estimate": runEstimate, "system": runSystem,
	}
	run, ok := ops[op]
	if !ok {
		t.Fatalf("unknown op %q", op)
	}
	err := run(t, c)
	if want, ok := c.Want["error"]; ok {
		var e struct{ Kind string }
		decode(t, want, &e)
		switch got := errorKind(err); {
		case err == nil:
			t.Errorf("no error, want one of kind %q", e.Kind)
		case slices.Contains(kinds, e.Kind) && got != e.Kind:
			t.Errorf("error %v is of kind %q, want %q", err, got, e.Kind)
		}
	} else if err != nil {
		t.Error(err)
	}
}

// kinds are the kinds of errors that are told apart here; where another is wanted, any error will do.
var kinds = []string{"context_budget", "budget_without_cap", "budget_out_of_range", "bad_estimator", "other"}

// errorKind names what the published package would call the error.
func errorKind(err error) string {
	switch {
	case err == nil:
		return "none"
	case errors.Is(err, messages.ErrContextBudget):
		return "context_budget"
	case errors.Is(err, messages.ErrNoMaximum):
		return "budget_without_cap"
	case errors.Is(err, messages.ErrMaximum):
		return "budget_out_of_range"
	case errors.Is(err, messages.ErrEstimator):
		return "bad_estimator"
	}
	return "other"
}

func decode(t *testing.T, src []byte, target any) {
	t.Helper()
	if src == nil {
		return
	}
	if err := json.Unmarshal(src, target); err != nil {
		t.Fatalf("%v in %.200s", err, src)
	}
}

// describe gives an object of the cases to the reader of descriptions, without the members that mean nothing here and
// with some of them renamed.
func describe(t *testing.T, o object, renamed ...string) (messages.Input, messages.Options, error) {
	t.Helper()
	d := object{"policy": json.RawMessage(`"item"`)}
	for name, v := range o {
		if !slices.Contains([]string{"op", "middlewareLog", "sessionId", "cacheKey", "metadata", "providerOptions"}, name) {
			d[name] = v
		}
	}
	for i := 0; i < len(renamed); i += 2 {
		if v, ok := d[renamed[i]]; ok {
			delete(d, renamed[i])
			d[renamed[i+1]] = v
		}
	}
	if v, ok := d["contextBudget"]; ok {
		var b object
		decode(t, v, &b)
		if e, ok := b["estimator"]; ok {
			delete(b, "estimator")
			b["tokenEstimator"] = e
			d["contextBudget"], _ = json.Marshal(b)
		}
	}
	src, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return messages.ParseDescription(src, nil,
		measure.New("len", measure.UTF16().Count),
		measure.New("zero", func(string) int64 { return 0 }),
		measure.New("neg", func(string) int64 { return -1 }),
		measure.New("nan", nil), measure.New("string", nil), measure.New("notfn", nil),
	)
}

func runTemplate(t *testing.T, c publishedCase) error {
	var text, missing, want string
	var values object
	decode(t, c.In["template"], &text)
	decode(t, c.In["variables"], &values)
	decode(t, c.In["missing"], &missing)
	decode(t, c.Want["rendered"], &want)
	vars := map[string]string{}
	for name, v := range values {
		var err error
		if vars[name], err = template.PrintJSON(v); err != nil {
			return err
		}
	}
	mode := template.Refuse
	if missing == "preserve" {
		mode = template.Preserve
	}
	got, err := template.RenderLoose(text, vars, mode)
	if err == nil && got != want {
		t.Errorf("rendered %q, want %q", got, want)
	}
	return err
}

func runInput(t *testing.T, c publishedCase) error {
	var context object
	decode(t, c.In["context"], &context)
	if context == nil {
		context = object{}
	}
	context["input"] = c.In["input"]
	in, o, err := describe(t, context)
	if err != nil {
		return err
	}
	p, err := messages.Build(in)
	if err != nil {
		return err
	}
	compareMessages(t, p.Messages(o.Layout), c.Want["messages"])
	return nil
}

func runPrompt(t *testing.T, c publishedCase) error {
	var request object
	decode(t, c.In["request"], &request)
	in, o, err := describe(t, request, "context", "contextBlocks", "messages", "history")
	if err != nil {
		return err
	}
	a, err := messages.Assemble(in, o)
	if err != nil {
		return err
	}
	compareMessages(t, a.Messages, c.Want["messages"])
	return nil
}

func runAssemble(t *testing.T, c publishedCase) error {
	var options object
	decode(t, c.In["options"], &options)
	in, o, err := describe(t, options)
	if err != nil {
		return err
	}
	_, err = compareAssembly(t, in, o, c.Want)
	return err
}

// compareAssembly assembles and compares messages, context, tools and report.
func compareAssembly(t *testing.T, in messages.Input, o messages.Options, want object) (messages.Assembly, error) {
	a, err := messages.Assemble(in, o)
	if err != nil {
		return a, err
	}
	compareMessages(t, a.Messages, want["messages"])
	if v, ok := want["context"]; ok {
		var blocks []struct{ ID, Title string }
		decode(t, v, &blocks)
		got := []string{}
		for _, place := range a.Places {
			if place.Group == messages.GroupContext {
				got = append(got, in.Context[place.Index].ID+"|"+in.Context[place.Index].Title)
			}
		}
		titles := []string{}
		for _, b := range blocks {
			titles = append(titles, b.ID+"|"+b.Title)
		}
		compare(t, "context", titles, got)
	}
	if v, ok := want["tools"]; ok {
		var names []string
		decode(t, v, &names)
		got := []string{}
		for _, tool := range in.Tools {
			got = append(got, tool.Name)
		}
		compare(t, "tools", names, got)
	}
	var metadata struct{ ContextBudgetReport object }
	decode(t, want["metadata"], &metadata)
	if metadata.ContextBudgetReport != nil {
		p, err := messages.Build(in)
		if err != nil {
			return a, err
		}
		compareReport(t, p, o, a, metadata.ContextBudgetReport)
	}
	return a, nil
}

func runTurns(t *testing.T, c publishedCase) error {
	var turns, want []object
	decode(t, c.In["turns"], &turns)
	decode(t, c.Want["turns"], &want)
	order := []string{}
	for i, turn := range turns {
		in, o, err := describe(t, turn)
		if err != nil {
			return err
		}
		in.Tail = &messages.Tail{Order: order}
		a, err := compareAssembly(t, in, o, want[i])
		if err != nil {
			return err
		}
		order = a.Tail
		var tail []string
		decode(t, want[i]["tail"], &tail)
		compare(t, "tail", tail, order)
	}
	return nil
}

func runBudget(t *testing.T, c publishedCase) error {
	rest := object{}
	for name, v := range c.In {
		if name != "groups" {
			rest[name] = v
		}
	}
	in, o, err := describe(t, rest, "budget", "contextBudget", "context", "contextBlocks", "layout", "inputLayout")
	if err != nil {
		return err
	}
	p, err := messages.Build(in)
	if err != nil {
		return err
	}
	var groups object
	decode(t, c.In["groups"], &groups)
	for name, target := range map[string]*[]messages.Message{
		"instructions": &p.Instructions, "summaries": &p.Summaries, "history": &p.History, "input": &p.Current,
		"attachments": &p.Attachments, "toolResults": &p.ToolResults,
	} {
		*target = parseMessages(t, groups[name])
	}
	a, err := p.Assemble(o)
	if err != nil {
		return err
	}
	var report object
	decode(t, c.Want["report"], &report)
	if report != nil {
		compareReport(t, p, o, a, report)
	}
	kept := map[string]int{"instructions": 0, "summaries": 0, "history": 0, "input": 0, "attachments": 0, "toolResults": 0}
	history, context, skills, demoted := []string{}, []string{}, []string{}, []string{}
	for _, place := range a.Places {
		switch place.Group {
		case messages.GroupHistory:
			history = append(history, p.History[place.Index].ID)
		case messages.GroupContext:
			id := p.Context[place.Index].ID
			if id == "" {
				id = p.Context[place.Index].Title
			}
			context = append(context, id)
		case messages.GroupSkills, messages.GroupSkillBodies:
			skills = append(skills, listed(p, o)[place.Index].Name)
		}
		name := place.Group.String()
		if name == "tool_results" {
			name = "toolResults"
		}
		if _, ok := kept[name]; ok {
			kept[name]++
		}
	}
	for _, omission := range a.Report.Omitted {
		if omission.Kind == messages.GroupSkillBodies {
			demoted = append(demoted, omission.ID)
		}
	}
	compareJSON(t, "kept", c.Want["kept"], kept)
	compareJSON(t, "history", c.Want["history"], history)
	compareJSON(t, "context", c.Want["context"], context)
	compareJSON(t, "skills", c.Want["skills"], skills)
	compareJSON(t, "demoted", c.Want["demoted"], demoted)
	return nil
}

func runResolveBudget(t *testing.T, c publishedCase) error {
	_, o, err := describe(t, c.In, "budget", "contextBudget")
	if err != nil {
		return err
	}
	var want struct {
		Budget struct{ MaxInputTokens, MaxInputBytes *int64 }
	}
	src, _ := json.Marshal(c.Want)
	decode(t, src, &want)
	if n := want.Budget.MaxInputTokens; n != nil {
		got, _ := o.Budget.MaxInputTokens.Value()
		compare(t, "maxInputTokens", *n, got)
	}
	if n := want.Budget.MaxInputBytes; n != nil {
		got, _ := o.Budget.MaxInputBytes.Value()
		compare(t, "maxInputBytes", *n, got)
	}
	return nil
}

func runEstimate(t *testing.T, c publishedCase) error {
	var text string
	decode(t, c.In["text"], &text)
	if v, ok := c.Want["tokens"]; ok {
		compareJSON(t, "tokens", v, messages.EstimateTokens(text))
	}
	if v, ok := c.Want["bytes"]; ok {
		compareJSON(t, "bytes", v, len(text))
	}
	return nil
}

func runSystem(t *testing.T, c publishedCase) error {
	var base []string
	if v := c.In["base"]; len(v) > 0 && v[0] == '"' {
		base = []string{""}
		decode(t, v, &base[0])
	} else {
		decode(t, v, &base)
	}
	var layers []messages.Contribution
	if v := c.In["contributions"]; len(v) > 0 && v[0] == '[' { // false: none
		decode(t, v, &layers)
	}
	compareJSON(t, "text", c.Want["text"], messages.ComposeSystem(base, layers))
	return nil
}

func parseMessages(t *testing.T, src []byte) []messages.Message {
	t.Helper()
	var list []json.RawMessage
	decode(t, src, &list)
	out := []messages.Message{}
	for _, v := range list {
		m, err := messages.ParseMessage(v)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

// compareMessages compares canonical forms, metadata beside them.
func compareMessages(t *testing.T, got []messages.Message, want []byte) {
	t.Helper()
	if want == nil {
		return
	}
	compare(t, "messages", lines(t, parseMessages(t, want)), lines(t, got))
}

func lines(t *testing.T, list []messages.Message) []string {
	t.Helper()
	out := []string{}
	for _, m := range list {
		line, err := m.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if m.Metadata != "" {
			metadata, err := fingerprint.Canonical([]byte(m.Metadata))
			if err != nil {
				t.Fatal(err)
			}
			line = append(append(line, ' '), metadata...)
		}
		out = append(out, string(line))
	}
	return out
}

func listed(p messages.Prompt, o messages.Options) []messages.Skill {
	if !o.EagerSkills {
		return p.Skills
	}
	return slices.DeleteFunc(slices.Clone(p.Skills), func(s messages.Skill) bool { return s.Body == "" })
}

// compareReport compares all that is published of a report.
func compareReport(t *testing.T, p messages.Prompt, o messages.Options, a messages.Assembly, want object) {
	t.Helper()
	tokens, bytes := lineExcess(t, p, o, a)
	got := map[string]any{
		"omitted":    a.Report.Omitted,
		"keptTokens": a.Report.KeptTokens - tokens,
		"keptBytes":  a.Report.KeptBytes - bytes,
		"truncated":  a.Report.Truncated,
	}
	if _, ok := a.Report.MaxInputTokens.Value(); ok {
		got["maxInputTokens"] = a.Report.MaxInputTokens
	}
	if _, ok := a.Report.MaxInputBytes.Value(); ok {
		got["maxInputBytes"] = a.Report.MaxInputBytes
	}
	src, _ := json.Marshal(want)
	compareJSON(t, "report", src, got)
}

// lineExcess returns what the lines of skills whose bodies are in are longer than these bodies.
func lineExcess(t *testing.T, p messages.Prompt, o messages.Options, a messages.Assembly) (tokens, bytes int64) {
	t.Helper()
	estimator := measure.QuarterTokens()
	if o.Budget.Estimator != nil {
		estimator = *o.Budget.Estimator
	}
	for i, place := range a.Places {
		if place.Group != messages.GroupSkillBodies || p.Tail != nil {
			continue
		}
		body, err := a.Messages[i].Text()
		if err != nil {
			t.Fatal(err)
		}
		s := listed(p, o)[place.Index]
		line := "Skill " + s.Name + ": (no description)"
		if d := strings.TrimSpace(s.Description); d != "" {
			line = "Skill " + s.Name + ": " + d
		}
		tokens += max(0, estimator.Count(line)-estimator.Count(body))
		bytes += max(0, int64(len(line)-len(body)))
	}
	return tokens, bytes
}

func compare(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// compareJSON compares as JSON values.
func compareJSON(t *testing.T, what string, want []byte, got any) {
	t.Helper()
	if want == nil {
		return
	}
	src, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var w, g any
	decode(t, want, &w)
	decode(t, src, &g)
	compare(t, what, w, g)
}
