package messages_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments/template"
)

// TestCases holds the package against the published one: inputs with the right result, one a line, of
// testdata/cases.jsonl or of the file that QUIRE_CASES names. The policy is item, the published one. A member that is
// neither compared nor listed here is an error: no case passes of which a part was not read.
//
// What has no meaning here is not compared:
//   - middlewareLog and the log of hooks: nothing changes messages on their way;
//   - options (sessionId, cacheKey), metadata of the request: they are the host's and pass this package by;
//   - the estimators nan, string and notfn give what no Go function can; they stand for one that fails.
//
// A call without an id, and its result, get one; where none is wanted, the test takes it away.
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
		n++
		var c publishedCase
		err := strict(lines.Bytes(), &c)
		t.Run(cmp.Or(c.ID, fmt.Sprint("line ", n)), func(t *testing.T) {
			if err != nil {
				t.Fatal(err)
			}
			c.run(t)
		})
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

// ops says how a kind of case is run, which members its input has beside op (nil: what runs it looks at them), and which
// of them its result.
var ops = map[string]struct {
	run      func(*testing.T, publishedCase) error
	in, want []string
}{
	"template":      {runTemplate, []string{"template", "variables", "missing"}, []string{"rendered"}},
	"input":         {runInput, []string{"input", "context"}, []string{"messages"}},
	"prompt":        {runPrompt, []string{"request"}, []string{"messages"}},
	"assemble":      {runAssemble, []string{"options"}, assemblyMembers},
	"turns":         {runTurns, []string{"turns"}, []string{"turns"}},
	"budget":        {runBudget, nil, append([]string{"kept", "report", "context", "skills", "demoted"}, slices.Sorted(maps.Keys(groupsOf(nil)))...)},
	"resolveBudget": {runResolveBudget, []string{"budget"}, []string{"budget"}},
	"estimate":      {runEstimate, []string{"text"}, []string{"tokens", "bytes"}},
	"system":        {runSystem, []string{"base", "contributions"}, []string{"text"}},
}

var assemblyMembers = []string{"messages", "tools", "context", "metadata", "options", "log"}

// knows fails the test when an object has a member that is not among the names.
func knows(t *testing.T, what string, o object, names []string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(names, name) {
			t.Fatalf("%s: this test does not know what %q means", what, name)
		}
	}
}

func (c publishedCase) run(t *testing.T) {
	var name string
	decode(t, c.In["op"], &name)
	op, ok := ops[name]
	if !ok {
		t.Fatalf("unknown op %q", name)
	}
	if op.in != nil {
		knows(t, "in", c.In, append(op.in, "op"))
	}
	if len(c.Want) == 0 {
		t.Fatal("nothing is wanted")
	}
	if src, ok := c.Want["error"]; ok {
		knows(t, "want", c.Want, []string{"error"})
		wantError(t, src, op.run(t, c))
		return
	}
	knows(t, "want", c.Want, op.want)
	if err := op.run(t, c); err != nil {
		t.Error(err)
	}
}

// kinds says by which names the cases call our errors. What the published package has no name for is "other".
var kinds = []struct {
	name *regexp.Regexp
	is   func(error) bool
}{
	{regexp.MustCompile(`^context_budget$`), isOneOf(messages.ErrContextBudget)},
	{regexp.MustCompile(`^budget_without_cap$`), isOneOf(messages.ErrNoMaximum)},
	{regexp.MustCompile(`^budget_out_of_range$`), isOneOf(messages.ErrMaximum)},
	{regexp.MustCompile(`^bad_estimator$`), isOneOf(messages.ErrEstimator)},
	{regexp.MustCompile(`modality|unsupported`), isOneOf(messages.ErrUnsupportedModality)},
	{regexp.MustCompile(`variable|missing`), isOneOf(template.ErrUnknown)},
	{regexp.MustCompile(`^other$`), func(err error) bool {
		return !isOneOf(messages.ErrContextBudget, messages.ErrNoMaximum, messages.ErrMaximum, messages.ErrEstimator)(err)
	}},
}

func isOneOf(errs ...error) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(errs, func(target error) bool { return errors.Is(err, target) })
	}
}

func wantError(t *testing.T, src []byte, err error) {
	t.Helper()
	var want struct{ Kind string }
	if err := strict(src, &want); err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	if err == nil {
		t.Fatalf("no error, want one of kind %q", want.Kind)
	}
	for _, k := range kinds {
		if k.name.MatchString(want.Kind) && k.is(err) {
			return
		}
	}
	t.Errorf("error %v, want kind %q", err, want.Kind)
}

// strict reads one JSON value and refuses members that it has no place for.
func strict(src []byte, into any) error {
	dec := json.NewDecoder(strings.NewReader(string(src)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return nil
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
// with some of them renamed. Its errors are those of a budget; what the reader does not understand fails the test.
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
	if v, ok := d["resources"]; ok { // what has no text is not to be had
		var resources map[string]*string
		decode(t, v, &resources)
		maps.DeleteFunc(resources, func(_ string, text *string) bool { return text == nil })
		d["resources"], _ = json.Marshal(resources)
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
	in, options, err := messages.ParseDescription(src, nil,
		measure.New("len", measure.UTF16().Count),
		measure.New("zero", func(string) int64 { return 0 }),
		measure.New("neg", func(string) int64 { return -1 }),
		measure.New("nan", nil), measure.New("string", nil), measure.New("notfn", nil),
	)
	if err != nil && !errors.Is(err, messages.ErrNoMaximum) && !errors.Is(err, messages.ErrMaximum) && !errors.Is(err, messages.ErrEstimator) {
		t.Fatal(err)
	}
	return in, options, err
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
	switch missing {
	case "preserve":
		mode = template.Preserve
	case "", "throw", "error":
	default:
		t.Fatalf("missing %q", missing)
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
	_, err = compareAssembly(t, options, in, o, c.Want)
	return err
}

// compareAssembly assembles and compares messages, context, tools and report. The object is what the input was read of.
func compareAssembly(t *testing.T, options object, in messages.Input, o messages.Options, want object) (messages.Assembly, error) {
	a, err := messages.Assemble(in, o)
	if err != nil || want["error"] != nil {
		return a, err
	}
	if want["messages"] == nil {
		t.Fatal("no messages are wanted")
	}
	compareMessages(t, a.Messages, want["messages"])
	if want["context"] != nil {
		blocks, got := given(t, options["contextBlocks"]), []json.RawMessage{}
		for _, place := range a.Places {
			if place.Group == messages.GroupContext {
				got = append(got, blocks[place.Index])
			}
		}
		compareJSON(t, "context", want["context"], got)
	}
	if want["tools"] != nil {
		var tools []json.RawMessage // names, or the definitions
		decode(t, want["tools"], &tools)
		got := given(t, options["tools"])
		for i := range min(len(got), len(tools)) {
			if tools[i][0] == '"' {
				got[i], _ = json.Marshal(in.Tools[i].Name)
			}
		}
		compareJSON(t, "tools", want["tools"], got)
	}
	var metadata struct{ ContextBudgetReport object }
	decode(t, want["metadata"], &metadata)
	if asked := o.Budget != nil && o.Budget.ReportOmissions; asked != (metadata.ContextBudgetReport != nil) {
		t.Fatalf("a report is asked for: %v; one is wanted: %v", asked, !asked)
	} else if asked {
		p, err := messages.Build(in)
		if err != nil {
			return a, err
		}
		compareReport(t, p, o, a, metadata.ContextBudgetReport)
	}
	return a, nil
}

// given returns the elements of a list, those of its lists among them.
func given(t *testing.T, src json.RawMessage) []json.RawMessage {
	t.Helper()
	var list []json.RawMessage
	decode(t, src, &list)
	out := []json.RawMessage{}
	for _, v := range list {
		if v[0] == '[' {
			out = append(out, given(t, v)...)
		} else {
			out = append(out, v)
		}
	}
	return out
}

func runTurns(t *testing.T, c publishedCase) error {
	var turns, want []object
	decode(t, c.In["turns"], &turns)
	decode(t, c.Want["turns"], &want)
	if c.Want["error"] != nil { // one of the turns is it that fails
		want = slices.Repeat([]object{{"error": c.Want["error"]}}, len(turns))
	}
	if len(want) != len(turns) {
		t.Fatalf("%d turns, %d wanted", len(turns), len(want))
	}
	order := []string{}
	for i, turn := range turns {
		in, o, err := describe(t, turn)
		if err != nil {
			return err
		}
		in.Tail = &messages.Tail{Order: order}
		knows(t, "want", want[i], append(assemblyMembers, "tail", "error"))
		a, err := compareAssembly(t, turn, in, o, want[i])
		if err != nil && c.Want["error"] == nil && want[i]["error"] != nil {
			wantError(t, want[i]["error"], err)
			continue
		}
		if err != nil {
			return err
		}
		order = a.Tail
		compareJSON(t, "tail", want[i]["tail"], order)
	}
	return nil
}

// groupsOf names the groups of messages of a prompt as the cases do.
func groupsOf(p *messages.Prompt) map[string]*[]messages.Message {
	if p == nil {
		p = &messages.Prompt{}
	}
	return map[string]*[]messages.Message{
		"instructions": &p.Instructions, "summaries": &p.Summaries, "history": &p.History, "input": &p.Current,
		"attachments": &p.Attachments, "toolResults": &p.ToolResults,
	}
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
	all := groupsOf(&p)
	knows(t, "groups", groups, slices.Collect(maps.Keys(all)))
	kept, ids := map[string]int{}, map[string][]string{"context": {}, "skills": {}, "demoted": {}}
	for name, target := range all {
		*target = parseMessages(t, groups[name])
		kept[name], ids[name] = 0, []string{}
	}
	a, err := p.Assemble(o)
	if err != nil || c.Want["error"] != nil {
		return err
	}
	var report object
	decode(t, c.Want["report"], &report)
	if o.Budget.ReportOmissions != (report != nil) {
		t.Fatalf("a report is asked for: %v; one is wanted: %v", o.Budget.ReportOmissions, report != nil)
	} else if report != nil {
		compareReport(t, p, o, a, report)
	}
	for _, place := range a.Places {
		switch place.Group {
		case messages.GroupContext:
			ids["context"] = append(ids["context"], cmp.Or(p.Context[place.Index].ID, p.Context[place.Index].Title))
		case messages.GroupSkills, messages.GroupSkillBodies:
			ids["skills"] = append(ids["skills"], listed(p, o)[place.Index].Name)
		}
		name := place.Group.String()
		if name == "tool_results" {
			name = "toolResults"
		}
		if target, ok := all[name]; ok {
			kept[name]++
			ids[name] = append(ids[name], (*target)[place.Index].ID)
		}
	}
	for _, omission := range a.Report.Omitted {
		if omission.Kind == messages.GroupSkillBodies {
			ids["demoted"] = append(ids["demoted"], omission.ID)
		}
	}
	if c.Want["kept"] == nil {
		t.Fatal("nothing is wanted to be kept")
	}
	compareJSON(t, "kept", c.Want["kept"], kept)
	for name, got := range ids {
		if name == "demoted" && report == nil {
			continue // they are read off the report
		}
		var want []string // null, as what has no id, reads as ""
		if decode(t, c.Want[name], &want); want != nil {
			compare(t, name, want, got)
		}
	}
	return nil
}

func runResolveBudget(t *testing.T, c publishedCase) error {
	_, o, err := describe(t, c.In, "budget", "contextBudget")
	if err != nil {
		return err
	}
	if o.Budget != nil && o.Budget.Estimator != nil && o.Budget.Estimator.Name() == "notfn" { // refused when it is asked
		_, err := messages.Assemble(messages.Input{System: []string{""}}, o)
		return err
	}
	if c.Want["error"] != nil {
		return nil
	}
	var got any // null: there is no budget
	if o.Budget != nil {
		b := map[string]any{}
		if _, ok := o.Budget.MaxInputTokens.Value(); ok {
			b["maxInputTokens"] = o.Budget.MaxInputTokens
		}
		if _, ok := o.Budget.MaxInputBytes.Value(); ok {
			b["maxInputBytes"] = o.Budget.MaxInputBytes
		}
		var want object
		decode(t, c.Want["budget"], &want)
		if _, ok := want["reportOmissions"]; ok || o.Budget.ReportOmissions {
			b["reportOmissions"] = o.Budget.ReportOmissions
		}
		got = b
	}
	compareJSON(t, "budget", c.Want["budget"], got)
	return nil
}

func runEstimate(t *testing.T, c publishedCase) error {
	var text string
	decode(t, c.In["text"], &text)
	if v, ok := c.Want["tokens"]; ok {
		compareJSON(t, "tokens", v, measure.QuarterTokens().Count(text))
	}
	if v, ok := c.Want["bytes"]; ok {
		compareJSON(t, "bytes", v, len(text))
	}
	return nil
}

func runSystem(t *testing.T, c publishedCase) error {
	var base []string
	switch v := c.In["base"]; {
	case len(v) > 0 && v[0] == '[':
		decode(t, v, &base)
	case len(v) > 0 && v[0] == '"':
		base = []string{""}
		decode(t, v, &base[0])
	}
	var layers []messages.Contribution
	if v := c.In["contributions"]; len(v) > 0 && v[0] == '[' { // false: none
		if err := strict(v, &layers); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range layers {
		if !slices.Contains([]messages.Mode{"", messages.Append, messages.Prepend, messages.Replace, messages.Disable}, l.Mode) {
			t.Fatalf("unknown mode %q", l.Mode)
		}
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

// compareMessages compares canonical forms, with ids and metadata beside them.
func compareMessages(t *testing.T, got []messages.Message, want []byte) {
	t.Helper()
	if want == nil { // an error is
		return
	}
	wanted := parseMessages(t, want)
	got = slices.Clone(got)
	for i := range min(len(got), len(wanted)) {
		got[i] = withoutMadeIDs(got[i], wanted[i])
	}
	compare(t, "messages", lines(t, wanted), lines(t, got))
}

// withoutMadeIDs returns a message without the ids that calls and results were given, where none are wanted.
func withoutMadeIDs(m, want messages.Message) messages.Message {
	m.Content = slices.Clone(m.Content)
	for i := range min(len(m.Content), len(want.Content)) {
		if b := &m.Content[i]; want.Content[i].ID == "" && strings.HasPrefix(b.ID, "call_") {
			b.ID = ""
		}
	}
	return m
}

func lines(t *testing.T, list []messages.Message) []string {
	t.Helper()
	out := []string{}
	for _, m := range list {
		line, err := m.AppendJSON([]byte(m.ID))
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
	if diff := gocmp.Diff(want, got); diff != "" {
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
