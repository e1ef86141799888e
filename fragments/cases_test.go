package fragments_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/fragments/template"
)

// A specCase is a line of testdata/cases.jsonl: what the published registry does with an input.
type specCase struct {
	ID string
	In struct {
		Op string

		// render
		Sections      []caseSection
		Vars          map[string]string
		UndefinedVars []string

		// assemble
		Config struct {
			Persona                string
			ToolOrder              []string
			IncludeHarnessIdentity *bool
		}
		Layers    []caseLayer
		Scope     string
		Waterfall []struct{ Pre, Post []map[string]json.RawMessage }
		Render    *bool
	}
	Want caseWant
}

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

// A caseTool is written as a name or as a schema.
type caseTool struct {
	Name, Description string
	Parameters        json.RawMessage
}

func (c *caseTool) UnmarshalJSON(src []byte) error {
	if err := json.Unmarshal(src, &c.Name); err == nil {
		return nil
	}
	type plain caseTool
	return json.Unmarshal(src, (*plain)(c))
}

type caseWant struct {
	Sections  []caseSection
	Tools     []caseTool
	Variables map[string]*string
	Prompt    *string
	Error     *caseError
}

type caseError struct{ Kind, Stage, Section, Reference string }

// kinds says by which names the cases call our errors.
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
	{fragments.ErrReservedTool, regexp.MustCompile(`reserved`)},
	{fragments.ErrDuplicateTool, regexp.MustCompile(`^duplicate_tool`)},
	{fragments.ErrOwnerFinal, regexp.MustCompile(`final|shadow`)},
	{fragments.ErrName, regexp.MustCompile(`^(bad|invalid|illegal|malformed|unreferenceable)_.*(name|variable)|variable_name$`)},
	{errOrder, regexp.MustCompile(`order`)},
	{errThrown, regexp.MustCompile(`waterfall|listener|transform|thrown?$`)},
}

var (
	errOrder  = errors.New("an order is an int, so this one cannot be registered")
	errThrown = errors.New("thrown by a transform")
)

// The published registry differs from Quire in four ways, see quireWants: what a case wants is changed to Quire's rule,
// and the test's log says so.
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
		err := json.Unmarshal(lines.Bytes(), &c)
		t.Run(cmp.Or(c.ID, fmt.Sprint("line ", ran)), func(t *testing.T) {
			if err != nil {
				t.Fatal(err)
			}
			switch c.In.Op {
			case "render":
				runRender(t, &c)
			case "assemble":
				c.quireWants(t)
				runAssemble(t, &c)
			default:
				t.Fatalf("unknown op %q", c.In.Op)
			}
		})
	}
	if err := lines.Err(); err != nil || ran == 0 {
		t.Fatalf("%d cases, %v", ran, err)
	}
}

func runRender(t *testing.T, c *specCase) {
	a := fragments.Assembly{Variables: map[string]template.Value{}}
	for _, s := range c.In.Sections {
		a.Sections = append(a.Sections, fragments.AssembledSection{Name: s.Name, Text: s.Text})
	}
	for name, value := range c.In.Vars {
		a.Variables[name] = template.Value{Text: value}
	}
	for _, name := range c.In.UndefinedVars {
		a.Variables[name] = template.Value{Missing: true}
	}
	checkRender(t, a, c.Want)
}

// checkRender renders, and composes without a budget, which must give the same.
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
	if want.Prompt == nil {
		return
	}
	if diff := gocmp.Diff(*want.Prompt, got); diff != "" {
		t.Errorf("prompt (-want +got)\n%s", diff)
	}
	if composed := composed(t, a); composed != got {
		t.Errorf("composed without a budget: %q; want %q", composed, got)
	}
}

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

func runAssemble(t *testing.T, c *specCase) {
	fails := func(stage string, err error) bool {
		t.Helper()
		if err == nil {
			return false
		}
		if c.Want.Error == nil {
			t.Fatalf("stage %s: %v", stage, err)
		}
		c.Want.Error.check(t, stage, err)
		return true
	}
	withoutIdentity := c.In.Config.IncludeHarnessIdentity != nil && !*c.In.Config.IncludeHarnessIdentity
	r, err := fragments.New(fragments.Options{
		Identity:   "You are an AI agent powered by DeepSeek Harness.",
		NoIdentity: withoutIdentity,
		Persona:    c.In.Config.Persona,
		ToolOrder:  c.In.Config.ToolOrder,
	})
	if fails("load", err) {
		return
	}
	scopes := c.scopes()
	for i, l := range c.In.Layers {
		if fails("register", l.register(r.As(fmt.Sprint("layer ", i)), scopes[l.Scope])) {
			return
		}
	}
	if err := c.registerWaterfall(t, r); err != nil {
		t.Fatal(err)
	}
	a, err := r.Assemble(fragments.AssembleContext{Scope: scopes[c.In.Scope]})
	if fails("assemble", err) {
		return
	}
	c.Want.checkAssembly(t, a)
	if c.In.Render == nil || *c.In.Render || c.Want.Prompt != nil || c.Want.Error != nil {
		checkRender(t, a, c.Want)
	}
}

// scopes gives every scope that the case names its place in the tree.
func (c *specCase) scopes() map[string]fragments.Scope {
	parents := map[string]string{}
	for _, l := range c.In.Layers {
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
	place(c.In.Scope)
	return scopes
}

// fromContext makes the text function that "@ctx:" stands for: the rest of the text and the name of the scope.
func fromContext(text string) (func(fragments.AssembleContext) (string, error), bool) {
	prefix, dynamic := strings.CutPrefix(text, "@ctx:")
	return func(ctx fragments.AssembleContext) (string, error) { return prefix + ctx.Scope.Name(), nil }, dynamic
}

func (l *caseLayer) register(r *fragments.Registry, scope fragments.Scope) error {
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
		if _, err := r.Tools(scope, fmt.Sprint("provider ", i), provider); err != nil {
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
	if tool.Parameters != nil {
		made.Schema, err = fragments.ParseSchema(tool.Parameters)
	}
	return made, err
}

// registerWaterfall turns listeners, each around the next, into transforms: what one does before it calls the next in
// order, what it does after in reverse.
func (c *specCase) registerWaterfall(t *testing.T, r *fragments.Registry) error {
	for i, listener := range c.In.Waterfall {
		for _, half := range []struct {
			order int
			edits []map[string]json.RawMessage
		}{{i, listener.Pre}, {2*len(c.In.Waterfall) - i, listener.Post}} {
			_, err := r.Transform(fragments.Scope{}, half.order, fmt.Sprint("listener ", half.order), func(_ fragments.AssembleContext, a *fragments.Assembly) error {
				for _, edit := range half.edits {
					if err := applyEdit(t, edit, a); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// applyEdit does what an edit's name says: a verb and what it is done to.
func applyEdit(t *testing.T, edit map[string]json.RawMessage, a *fragments.Assembly) error {
	at := -1
	for key, src := range edit {
		if key == "at" {
			read(t, src, &at)
		}
	}
	for key, src := range edit {
		if key == "at" {
			continue
		}
		end := strings.IndexFunc(key, unicode.IsUpper)
		if end < 0 {
			end = len(key)
		}
		switch verb, noun := key[:end], key[end:]; {
		case verb == "throw" || verb == "fail":
			return errThrown
		case strings.HasPrefix(noun, "Var"):
			editVariable(t, verb, src, a)
		case strings.HasPrefix(noun, "Tool"), noun == "Description", noun == "Schema", noun == "Parameters":
			return editTool(t, verb, noun, src, at, a)
		case strings.HasPrefix(noun, "Section"), noun == "Text":
			editSection(t, verb, src, at, a)
		default:
			t.Fatalf("unknown edit %s", key)
		}
	}
	return nil
}

func read(t *testing.T, src json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(src, into); err != nil {
		t.Fatalf("%s: %v", src, err)
	}
}

func editVariable(t *testing.T, verb string, src json.RawMessage, a *fragments.Assembly) {
	var name string
	var pair [2]*string
	switch verb {
	case "set", "add":
		read(t, src, &pair)
		if pair[1] == nil {
			a.Variables[*pair[0]] = template.Value{Missing: true}
		} else {
			a.Variables[*pair[0]] = template.Value{Text: *pair[1]}
		}
	case "drop", "remove", "delete":
		read(t, src, &name)
		delete(a.Variables, name)
	default:
		t.Fatalf("unknown edit %s of a variable", verb)
	}
}

func editSection(t *testing.T, verb string, src json.RawMessage, at int, a *fragments.Assembly) {
	var section caseSection
	if err := json.Unmarshal(src, &section.Name); err != nil && verb != "reverse" {
		read(t, src, &section)
	}
	is := func(s fragments.AssembledSection) bool { return s.Name == section.Name }
	if at < 0 {
		at = len(a.Sections)
	}
	switch verb {
	case "drop", "remove", "delete":
		a.Sections = slices.DeleteFunc(a.Sections, is)
	case "add", "insert":
		a.Sections = slices.Insert(a.Sections, at, fragments.AssembledSection{Name: section.Name, Text: section.Text})
	case "set":
		for i := range a.Sections {
			if is(a.Sections[i]) {
				a.Sections[i].Text = section.Text
			}
		}
	case "move":
		if i := slices.IndexFunc(a.Sections, is); i >= 0 {
			s := a.Sections[i]
			a.Sections = slices.Delete(a.Sections, i, i+1)
			a.Sections = slices.Insert(a.Sections, min(at, len(a.Sections)), s)
		}
	case "reverse":
		slices.Reverse(a.Sections)
	default:
		t.Fatalf("unknown edit %s of a section", verb)
	}
}

func editTool(t *testing.T, verb, noun string, src json.RawMessage, at int, a *fragments.Assembly) error {
	var tool caseTool
	if verb != "reverse" {
		read(t, src, &tool)
	}
	made, err := tool.tool()
	if err != nil {
		return err
	}
	is := func(t fragments.Tool) bool { return t.Name == tool.Name }
	if at < 0 {
		at = len(a.Tools)
	}
	switch verb {
	case "drop", "remove", "delete":
		a.Tools = slices.DeleteFunc(a.Tools, is)
	case "add", "insert":
		a.Tools = slices.Insert(a.Tools, at, made)
	case "set":
		for i := range a.Tools {
			switch {
			case !is(a.Tools[i]):
			case noun == "Description":
				a.Tools[i].Description = made.Description
			case noun == "Schema" || noun == "Parameters":
				a.Tools[i].Schema = made.Schema
			default:
				a.Tools[i] = made
			}
		}
	case "reverse":
		slices.Reverse(a.Tools)
	default:
		t.Fatalf("unknown edit %s of a tool", verb)
	}
	return nil
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
			if want.Tools[i].Parameters == nil {
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

// quireWants changes what a case wants where the published registry does otherwise.
func (c *specCase) quireWants(t *testing.T) {
	if e := c.Want.Error; e != nil && (e.Stage == "load" || e.Stage == "register") {
		return
	}
	c.wantTiesByName(t)
	c.wantToolsByBytes(t)
	c.wantNoDuplicates(t)
}

// Published: equal orders stand in the order of registration. Quire: by name.
func (c *specCase) wantTiesByName(t *testing.T) {
	orders := map[string]string{"harness:identity": "-100", "deployment:persona": "0"}
	chain := []string{c.In.Scope}
	for _, l := range slices.Backward(c.In.Layers) {
		if l.Scope == chain[0] && l.Parent != "" {
			chain = slices.Insert(chain, 0, l.Parent)
		}
	}
	if c.In.Scope != "" {
		chain = slices.Insert(chain, 0, "")
	}
	for _, scope := range chain {
		for _, l := range c.In.Layers {
			for _, s := range l.Sections {
				if l.Scope == scope {
					orders[s.Name] = string(s.Order)
				}
			}
		}
	}
	byOrder := map[string][]int{}
	for i, s := range c.Want.Sections {
		if order, registered := orders[s.Name]; registered {
			byOrder[order] = append(byOrder[order], i)
		}
	}
	sections := slices.Clone(c.Want.Sections)
	same := func(a, b caseSection) bool { return a.Name == b.Name }
	for _, places := range byOrder {
		names := []caseSection{}
		for _, i := range places {
			names = append(names, c.Want.Sections[i])
		}
		slices.SortStableFunc(names, func(a, b caseSection) int { return strings.Compare(a.Name, b.Name) })
		for k, i := range places {
			sections[i] = names[k]
		}
	}
	if slices.EqualFunc(sections, c.Want.Sections, same) {
		return
	}
	t.Log("Quire differs: equal orders stand by name, not by registration")
	c.Want.Sections = sections
	if c.Want.Prompt == nil {
		return
	}
	var texts []string
	for _, s := range sections {
		text := s.Text
		for name, value := range c.Want.Variables {
			if value != nil {
				text = strings.ReplaceAll(text, "{{"+name+"}}", *value)
			}
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	prompt := strings.Join(texts, "\n\n")
	c.Want.Prompt = &prompt
}

// Published: tools stand in the order of UTF-16 units. Quire: of bytes. A transform may have moved them since.
func (c *specCase) wantToolsByBytes(t *testing.T) {
	var places []int
	var byUnits []caseTool
	for i, tool := range c.Want.Tools {
		if !slices.Contains(c.In.Config.ToolOrder, tool.Name) {
			places, byUnits = append(places, i), append(byUnits, tool)
		}
	}
	units := func(a, b caseTool) int {
		return slices.Compare(utf16.Encode([]rune(a.Name)), utf16.Encode([]rune(b.Name)))
	}
	if !slices.IsSortedFunc(byUnits, units) {
		return
	}
	byBytes := slices.Clone(byUnits)
	slices.SortStableFunc(byBytes, func(a, b caseTool) int { return strings.Compare(a.Name, b.Name) })
	for k, i := range places {
		if c.Want.Tools[i].Name != byBytes[k].Name {
			t.Log("Quire differs: tools stand in the order of bytes, not of UTF-16 units")
			c.Want.Tools[i] = byBytes[k]
		}
	}
}

// Published: a name may come twice. Quire: neither two tools nor, after the transforms, two sections have one name.
func (c *specCase) wantNoDuplicates(t *testing.T) {
	refuse := func(kind, why string) {
		t.Log("Quire differs: " + why)
		c.Want = caseWant{Error: &caseError{Kind: kind, Stage: "assemble"}}
	}
	names := map[string]bool{}
	for _, tool := range c.Want.Tools {
		if tool.Name == fragments.UnlistedTools {
			refuse("reserved_tool", "no transform adds a tool of the reserved name")
			return
		}
		if names[tool.Name] {
			refuse("duplicate_tool", "two tools of one name are an error")
			return
		}
		names[tool.Name] = true
	}
	clear(names)
	for _, s := range c.Want.Sections {
		if names[s.Name] {
			refuse("duplicate_name", "two sections of one name after the transforms are an error")
			return
		}
		names[s.Name] = true
	}
}
