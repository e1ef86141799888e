package fragments_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/fragments/template"
)

// A specCase is a line of testdata/cases.jsonl: what the published registry does with an input. What it is made of is
// declared below, and a member that is not is an error: no case passes of which a part was not read.
type specCase struct {
	ID       string
	In, Want json.RawMessage
}

type renderCase struct {
	Op            string
	Sections      []caseSection
	Vars          map[string]string
	UndefinedVars []string
}

type assembleCase struct {
	Op     string
	Config struct {
		Persona                string
		ToolOrder              []string
		IncludeHarnessIdentity *bool
	}
	Layers    []caseLayer
	Scope     string
	Waterfall []struct {
		Scope     string
		Pre, Post []object
	}
	Render *bool
}

type object = map[string]json.RawMessage

type caseSection struct {
	Name       string
	Order      json.RawMessage // an integer, or something that is none
	Text       string
	OwnerFinal bool
}

type caseLayer struct {
	Scope, Parent string
	Sections      []caseSection
	Tools         []struct {
		Schemas                     []caseTool
		KnownNames, OwnerFinalNames []string
	}
	Vars [][2]*string
}

// A caseTool is written as a name or as a schema. What a schema has beside name and description stands for the
// parameters, whatever it is called.
type caseTool struct {
	Name, Description string
	parameters        json.RawMessage
}

func (c *caseTool) UnmarshalJSON(src []byte) error {
	if err := json.Unmarshal(src, &c.Name); err == nil {
		return nil
	}
	type plain caseTool
	var rest object
	if err := errors.Join(json.Unmarshal(src, (*plain)(c)), json.Unmarshal(src, &rest)); err != nil {
		return err
	}
	delete(rest, "name")
	delete(rest, "description")
	if len(rest) > 0 {
		c.parameters, _ = json.Marshal(rest)
	}
	return nil
}

type caseWant struct {
	Sections  []caseSection
	Tools     []caseTool
	Variables map[string]*string
	Prompt    *string
	Error     *caseError
}

type caseError struct{ Kind, Stage, Section, Reference string }

// strict reads one JSON value and refuses members that it has no place for.
func strict(src []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return nil
}

// TestCases holds the package against the published registry: testdata/cases.jsonl, or the file that QUIRE_CASES names.
// Where Quire has another rule, see published_test.go, the test's log says so and Quire's rule is what is asserted.
func TestCases(t *testing.T) {
	name := os.Getenv("QUIRE_CASES")
	if name == "" {
		name = "testdata/cases.jsonl"
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	ran := 0
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		ran++
		var c specCase
		err := strict(lines.Bytes(), &c)
		t.Run(cmp.Or(c.ID, fmt.Sprint("line ", ran)), func(t *testing.T) {
			if err != nil {
				t.Fatal(err)
			}
			c.run(t)
		})
	}
	if err := lines.Err(); err != nil || ran == 0 {
		t.Fatalf("%d cases, %v", ran, err)
	}
}

func (c *specCase) run(t *testing.T) {
	var op struct{ Op string }
	var want caseWant
	read(t, c.In, &op)
	readAll(t, c.Want, &want)
	switch op.Op {
	case "render":
		var in renderCase
		readAll(t, c.In, &in)
		if want.Prompt == nil && want.Error == nil || want.Sections != nil || want.Tools != nil || want.Variables != nil {
			t.Fatal("want of a render: a prompt or an error, and no more")
		}
		checkRender(t, in.assembly(), want)
	case "assemble":
		var in assembleCase
		readAll(t, c.In, &in)
		if want.Sections == nil && want.Error == nil {
			t.Fatal("want of an assemble: sections or an error")
		}
		in.run(t, in.quireWants(t, want))
	default:
		t.Fatalf("unknown op %q", op.Op)
	}
}

func read(t *testing.T, src json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(src, into); err != nil {
		t.Fatalf("%s: %v", src, err)
	}
}

func readAll(t *testing.T, src json.RawMessage, into any) {
	t.Helper()
	if err := strict(src, into); err != nil {
		t.Fatalf("%s: %v", src, err)
	}
}

func (in *renderCase) assembly() fragments.Assembly {
	a := fragments.Assembly{Variables: map[string]template.Value{}}
	for _, s := range in.Sections {
		a.Sections = append(a.Sections, fragments.AssembledSection{Name: s.Name, Text: s.Text})
	}
	for name, value := range in.Vars {
		a.Variables[name] = template.Value{Text: value}
	}
	for _, name := range in.UndefinedVars {
		a.Variables[name] = template.Value{Missing: true}
	}
	return a
}

// checkRender renders, and composes without a budget, which must give the same where every section has its own name.
func checkRender(t *testing.T, a fragments.Assembly, want caseWant) {
	t.Helper()
	got, err := a.Render()
	if want.Error != nil {
		want.Error.check(t, "render", err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if want.Prompt != nil {
		if diff := gocmp.Diff(*want.Prompt, got); diff != "" {
			t.Errorf("prompt (-want +got)\n%s", diff)
		}
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(sectionNames(a))))
	if len(distinct) < len(a.Sections) {
		return
	}
	if composed := composed(t, a); composed != got {
		t.Errorf("composed without a budget: %q; want %q", composed, got)
	}
}

func (in *assembleCase) run(t *testing.T, want caseWant) {
	a, err := in.assemble(t)
	if failed := (*stageError)(nil); errors.As(err, &failed) {
		if want.Error == nil {
			t.Fatal(err)
		}
		want.Error.check(t, failed.stage, failed.err)
		return
	}
	want.checkAssembly(t, a)
	if in.Render == nil || *in.Render || want.Prompt != nil || want.Error != nil {
		checkRender(t, a, want)
	}
}

// A stageError says how far a case came.
type stageError struct {
	stage string
	err   error
}

func (e *stageError) Error() string { return fmt.Sprintf("stage %s: %v", e.stage, e.err) }

// assemble does all that comes before rendering. Its error is a stageError.
func (in *assembleCase) assemble(t *testing.T) (fragments.Assembly, error) {
	var none fragments.Assembly
	r, err := fragments.New(fragments.Options{
		Identity:   "You are an AI agent powered by DeepSeek Harness.",
		NoIdentity: in.withoutIdentity(),
		Persona:    in.Config.Persona,
		ToolOrder:  in.Config.ToolOrder,
	})
	if err != nil {
		return none, &stageError{"load", err}
	}
	scopes := in.scopes()
	for i, l := range in.Layers {
		if err := l.register(r, i, scopes[l.Scope]); err != nil {
			return none, &stageError{"register", err}
		}
	}
	if err := in.registerWaterfall(t, r); err != nil {
		t.Fatal(err)
	}
	a, err := r.Assemble(fragments.AssembleContext{Scope: scopes[in.Scope]})
	if err != nil {
		return none, &stageError{"assemble", err}
	}
	return a, nil
}

func (in *assembleCase) withoutIdentity() bool {
	return in.Config.IncludeHarnessIdentity != nil && !*in.Config.IncludeHarnessIdentity
}

// scopes gives every scope that the case names its place in the tree.
func (in *assembleCase) scopes() map[string]fragments.Scope {
	parents := map[string]string{}
	for _, l := range in.Layers {
		if parents[l.Scope] == "" {
			parents[l.Scope] = l.Parent
		}
	}
	scopes := map[string]fragments.Scope{"": {}}
	var place func(name string) fragments.Scope
	place = func(name string) fragments.Scope {
		if _, placed := scopes[name]; !placed {
			scopes[name] = place(parents[name]).Child(name)
		}
		return scopes[name]
	}
	for name, parent := range parents {
		place(parent)
		place(name)
	}
	for _, listener := range in.Waterfall {
		place(listener.Scope)
	}
	place(in.Scope)
	return scopes
}

// fromContext makes the text function that "@ctx:" stands for: the rest of the text and the name of the scope.
func fromContext(text string) (func(fragments.AssembleContext) (string, error), bool) {
	prefix, dynamic := strings.CutPrefix(text, "@ctx:")
	return func(ctx fragments.AssembleContext) (string, error) { return prefix + ctx.Scope.Name(), nil }, dynamic
}

func (l *caseLayer) register(r *fragments.Registry, number int, scope fragments.Scope) error {
	r = r.As(fmt.Sprint("layer ", number))
	for _, s := range l.Sections {
		section := fragments.Section{Name: s.Name, Text: s.Text, OwnerFinal: s.OwnerFinal}
		if s.Order != nil {
			order, err := strconv.Atoi(string(s.Order))
			if err != nil {
				return fmt.Errorf("%w: %s", errOrder, s.Order)
			}
			section.Order = order
		}
		if fn, dynamic := fromContext(s.Text); dynamic {
			section.Text, section.TextFunc = "", fn
		}
		if _, err := r.Section(scope, section); err != nil {
			return err
		}
	}
	for i, p := range l.Tools {
		result := fragments.ToolResult{KnownNames: p.KnownNames, OwnerFinalNames: p.OwnerFinalNames}
		for _, tool := range p.Schemas {
			made, err := tool.tool()
			if err != nil {
				return err
			}
			result.Tools = append(result.Tools, made)
		}
		provider := func(fragments.AssembleContext) (fragments.ToolResult, error) { return result, nil }
		if _, err := r.Tools(scope, fmt.Sprintf("provider %d of layer %d", i, number), provider); err != nil {
			return err
		}
	}
	for _, v := range l.Vars {
		provider := func(ctx fragments.AssembleContext) (string, bool, error) {
			if v[1] == nil {
				return "", false, nil
			}
			if fn, dynamic := fromContext(*v[1]); dynamic {
				value, err := fn(ctx)
				return value, true, err
			}
			return *v[1], true, nil
		}
		if _, err := r.Variable(scope, *v[0], provider); err != nil {
			return err
		}
	}
	return nil
}

func (tool caseTool) tool() (fragments.Tool, error) {
	made := fragments.Tool{Name: tool.Name, Description: tool.Description}
	var err error
	if tool.parameters != nil {
		made.Schema, err = fragments.ParseSchema(tool.parameters)
	}
	return made, err
}

func (want *caseWant) checkAssembly(t *testing.T, a fragments.Assembly) {
	t.Helper()
	if want.Sections != nil {
		got := []caseSection{}
		for _, s := range a.Sections {
			got = append(got, caseSection{Name: s.Name, Text: s.Text})
		}
		if diff := gocmp.Diff(want.Sections, got); diff != "" {
			t.Errorf("sections (-want +got)\n%s", diff)
		}
	}
	if want.Tools != nil {
		wantTools := make([]fragments.Tool, len(want.Tools))
		for i, tool := range want.Tools {
			made, err := tool.tool()
			if err != nil {
				t.Fatal(err)
			}
			wantTools[i] = made
		}
		got := slices.Clone(a.Tools)
		for i := range min(len(got), len(want.Tools)) {
			if want.Tools[i].Description == "" { // a name alone
				got[i].Description = ""
			}
			if want.Tools[i].parameters == nil {
				got[i].Schema = fragments.Schema{}
			}
		}
		if diff := gocmp.Diff(wantTools, append([]fragments.Tool{}, got...)); diff != "" {
			t.Errorf("tools (-want +got)\n%s", diff)
		}
	}
	if want.Variables != nil {
		got := map[string]*string{}
		for name, value := range a.Variables {
			if !value.Missing {
				got[name] = &value.Text
			}
		}
		for name, value := range want.Variables {
			if v, has := a.Variables[name]; value == nil && has && v.Missing {
				got[name] = nil
			}
		}
		if diff := gocmp.Diff(want.Variables, got); diff != "" {
			t.Errorf("variables (-want +got)\n%s", diff)
		}
	}
}

// kindNames says by which names the cases call our errors.
var kindNames = []struct {
	err  error
	name *regexp.Regexp
}{
	{template.ErrMalformed, regexp.MustCompile(`^malformed_reference$`)},
	{template.ErrUnknown, regexp.MustCompile(`^unknown_variable$`)},
	{template.ErrNoValue, regexp.MustCompile(`^no_value$`)},
	{fragments.ErrDuplicateName, regexp.MustCompile(`^duplicate_(name|section|variable)$`)},
	{fragments.ErrToolOrderRest, regexp.MustCompile(`^tool_order_.*rest`)},
	{fragments.ErrToolOrderDuplicate, regexp.MustCompile(`^tool_order_dup`)},
	{fragments.ErrUnregisteredTool, regexp.MustCompile(`^unregistered_tool$`)},
	{fragments.ErrReservedTool, regexp.MustCompile(`reserved|^other$`)},
	{fragments.ErrDuplicateTool, regexp.MustCompile(`^duplicate_tool`)},
	{fragments.ErrOwnerFinal, regexp.MustCompile(`final|shadow|^other$`)},
	{fragments.ErrName, regexp.MustCompile(`^(bad|invalid|illegal|malformed|unreferenceable)_(.*_)?(name|variable)$|variable_name$|^other$`)},
	{errOrder, regexp.MustCompile(`order$|^other$`)},
	{errThrown, regexp.MustCompile(`waterfall|listener|transform|thrown?$|^other$`)},
}

var (
	errOrder  = errors.New("an order is an int, so this one cannot be registered")
	errThrown = errors.New("thrown by a transform")
)

func (want *caseError) check(t *testing.T, stage string, err error) {
	t.Helper()
	if err == nil {
		t.Fatalf("stage %s: no error; want %+v", stage, *want)
	}
	if want.Stage != "" && want.Stage != stage {
		t.Errorf("stage %s: %v; want %+v", stage, err, *want)
	}
	if !slices.ContainsFunc(want.kinds(), func(kind error) bool { return errors.Is(err, kind) }) {
		t.Errorf("%v; want kind %s", err, want.Kind)
	}
	var at *fragments.Error
	if want.Section != "" && (!errors.As(err, &at) || at.Name != want.Section) {
		t.Errorf("%v; want section %q", err, want.Section)
	}
	var ref *template.ReferenceError
	if want.Reference != "" && (!errors.As(err, &ref) || !want.refersTo(ref)) {
		t.Errorf("%v; want reference %q", err, want.Reference)
	}
}

// refersTo takes a malformed reference with its braces or without, and either of the two cut short.
func (want *caseError) refersTo(ref *template.ReferenceError) bool {
	if !errors.Is(ref, template.ErrMalformed) {
		return ref.Reference == strings.Trim(want.Reference, "{}")
	}
	one, other := strings.Trim(want.Reference, "{}…"), strings.Trim(ref.Reference, "{}…")
	return strings.HasPrefix(one, other) || strings.HasPrefix(other, one)
}

func (want *caseError) kinds() (kinds []error) {
	for _, k := range kindNames {
		if k.name.MatchString(want.Kind) {
			kinds = append(kinds, k.err)
		}
	}
	return kinds
}
