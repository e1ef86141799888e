package fragments_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/fragments/template"
)

var global fragments.Scope

func TestDuplicateNamesNameBothOwners(t *testing.T) {
	r := must(fragments.New(fragments.Options{}))
	provider := fragments.StaticValue("x")
	transform := func(fragments.AssembleContext, *fragments.Assembly) error { return nil }
	register := map[string]func(r *fragments.Registry, scope fragments.Scope) error{
		"section": func(r *fragments.Registry, s fragments.Scope) error {
			_, err := r.Section(s, fragments.Section{Name: "x"})
			return err
		},
		"variable": func(r *fragments.Registry, s fragments.Scope) error {
			_, err := r.Variable(s, "x", provider)
			return err
		},
		"tools": func(r *fragments.Registry, s fragments.Scope) error {
			_, err := r.Tools(s, "x", fragments.StaticTools())
			return err
		},
		"transform": func(r *fragments.Registry, s fragments.Scope) error {
			_, err := r.Transform(s, 7, "x", transform)
			return err
		},
	}
	for kind, register := range register {
		t.Run(kind, func(t *testing.T) {
			for _, scope := range []fragments.Scope{global, global.Child("a")} {
				if err := register(r.As("first"), scope); err != nil {
					t.Fatalf("scope %v: %v", scope, err)
				}
				err := register(r.As("second"), scope)
				want := fmt.Sprintf(`fragments: %s "x" of "second" in scope %v: duplicate name: "first" has it already`, kind, scope)
				if !errors.Is(err, fragments.ErrDuplicateName) || err.Error() != want {
					t.Errorf("error %v\nwant  %s", err, want)
				}
			}
		})
	}
}

func TestRegistrationRefuses(t *testing.T) {
	r := must(fragments.New(fragments.Options{}))
	tests := []struct {
		name string
		c    fragments.Contribution
		is   error
		says string
	}{
		{"empty name", fragments.AddSection(fragments.Section{}), fragments.ErrName, "it is empty"},
		{"name not UTF-8", fragments.AddSection(fragments.Section{Name: "a\xff"}), composer.ErrInvalidUTF8, "name: invalid UTF-8 at byte 1"},
		{"text not UTF-8", fragments.Append("a", "ab\xff"), composer.ErrInvalidUTF8, "text: invalid UTF-8 at byte 2"},
		{"alternate not UTF-8", fragments.AddSection(fragments.Section{Name: "a", Alternates: []string{"", "\xff"}}), composer.ErrInvalidUTF8, "alternate 2"},
		{"two texts", fragments.AddSection(fragments.Section{Name: "a", Text: "b", TextFunc: func(fragments.AssembleContext) (string, error) { return "", nil }}), fragments.ErrIncomplete, "want one"},
		{"variable name", fragments.AddVariable("Model", fragments.StaticValue("")), fragments.ErrName, "begins with a letter"},
		{"nil variable", fragments.AddVariable("model", nil), fragments.ErrIncomplete, "incomplete: variable without a function"},
		{"nil tools", fragments.AddTools("t", nil), fragments.ErrIncomplete, "incomplete: tools without a function"},
		{"nil transform", fragments.AddTransform(0, "t", nil), fragments.ErrIncomplete, "incomplete: transform without a function"},
		{"nil gate", fragments.Gated(nil, fragments.Append("a", "")), fragments.ErrIncomplete, "a gate without a function"},
		{"unknown core template", fragments.ReplaceCore("core.export-rule-template", "x"), fragments.ErrUnknownCore, `the nearest is "core.export-rules-template"`},
		{"unknown mode", fragments.Contribute(3, fragments.Section{Name: "a"}), nil, "unknown mode 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := r.Contribute(global, fragments.Append("kept free", ""), tt.c)
			if err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want %v with %q", err, tt.is, tt.says)
			}
			remove, err := r.Section(global, fragments.Section{Name: "kept free"})
			if err != nil {
				t.Fatalf("something was left of it: %v", err)
			}
			remove()
		})
	}
}

func TestToolOrderIsCheckedWhenTheRegistryIsMade(t *testing.T) {
	const rest = fragments.UnlistedTools
	tests := []struct {
		name  string
		order []string
		is    []error
		says  string
	}{
		{"no order", nil, nil, ""},
		{"rest only", []string{rest}, nil, ""},
		{"empty", []string{}, []error{fragments.ErrToolOrderRest}, "it has 0"},
		{"no rest", []string{"a"}, []error{fragments.ErrToolOrderRest}, "it has 0"},
		{"two rests", []string{rest, "a", rest}, []error{fragments.ErrToolOrderRest, fragments.ErrToolOrderDuplicate}, "it has 2"},
		{"a name twice", []string{"a", rest, "b", "a"}, []error{fragments.ErrToolOrderDuplicate}, `"a" stands at 1 and at 4`},
		{"all that is wrong", []string{"a", "a"}, []error{fragments.ErrToolOrderRest, fragments.ErrToolOrderDuplicate}, `"a" stands at 1 and at 2`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := fragments.New(fragments.Options{ToolOrder: tt.order})
			if (err == nil) != (tt.is == nil) || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("error %v, want %q", err, tt.says)
			}
			for _, is := range tt.is {
				if !errors.Is(err, is) {
					t.Errorf("error %v is not %v", err, is)
				}
			}
		})
	}
}

func TestAssembleRefuses(t *testing.T) {
	broken := errors.New("broken")
	tool := func(names ...string) fragments.ToolProvider {
		tools := []fragments.Tool{}
		for _, name := range names {
			tools = append(tools, fragments.Tool{Name: name})
		}
		return fragments.StaticTools(tools...)
	}
	edit := func(fn func(a *fragments.Assembly)) fragments.Contribution {
		return fragments.AddTransform(0, "edit", func(_ fragments.AssembleContext, a *fragments.Assembly) error { fn(a); return nil })
	}
	tests := []struct {
		name  string
		order []string
		add   []fragments.Contribution
		is    error
		says  string
	}{
		{"variable", nil, []fragments.Contribution{fragments.AddVariable("v", func(fragments.AssembleContext) (string, bool, error) { return "", false, broken })},
			broken, `variable "v" of "host" in scope global: broken`},
		{"variable not UTF-8", nil, []fragments.Contribution{fragments.AddVariable("v", fragments.StaticValue("\xff"))}, composer.ErrInvalidUTF8, "value: invalid UTF-8 at byte 0"},
		{"section", nil, []fragments.Contribution{fragments.AddSection(fragments.Section{Name: "s", TextFunc: func(fragments.AssembleContext) (string, error) { return "", broken }})},
			broken, `section "s" of "host"`},
		{"section not UTF-8", nil, []fragments.Contribution{fragments.AddSection(fragments.Section{Name: "s", TextFunc: func(fragments.AssembleContext) (string, error) { return "é\xff", nil }})},
			composer.ErrInvalidUTF8, "text: invalid UTF-8 at byte 2"},
		{"provider", nil, []fragments.Contribution{fragments.AddTools("p", func(fragments.AssembleContext) (fragments.ToolResult, error) { return fragments.ToolResult{}, broken })},
			broken, `tools "p" of "host"`},
		{"reserved tool", nil, []fragments.Contribution{fragments.AddTools("p", tool("a", fragments.UnlistedTools))}, fragments.ErrReservedTool, `tools "p"`},
		{"tool without a name", nil, []fragments.Contribution{fragments.AddTools("p", tool(""))}, fragments.ErrName, "tool: bad name"},
		{"a tool of two providers", nil, []fragments.Contribution{fragments.AddTools("q", tool("a")), fragments.AddTools("p", tool("a"))},
			fragments.ErrDuplicateTool, `tools "q" of "host" in scope global: duplicate tool name "a": provider "p" of "host" has it already`},
		{"a tool twice from one", nil, []fragments.Contribution{fragments.AddTools("p", tool("a", "a"))}, fragments.ErrDuplicateTool, `provider "p"`},
		{"order names what nobody knows", []string{"spook", fragments.UnlistedTools, "b", "ghost"}, []fragments.Contribution{fragments.AddTools("p", tool("b", "a"))},
			fragments.ErrUnregisteredTool, `["spook" "ghost"]; known tools: a, b`},
		{"order beside one tool", []string{"ghost", fragments.UnlistedTools}, []fragments.Contribution{fragments.AddTools("p", tool("a"))},
			fragments.ErrUnregisteredTool, `["ghost"]; known tools: a`},
		{"order without any tool", []string{"ghost", fragments.UnlistedTools}, nil, fragments.ErrUnregisteredTool, "known tools: there are none"},
		{"section added twice", nil, []fragments.Contribution{edit(func(a *fragments.Assembly) { a.Sections = append(a.Sections, a.Sections[0]) })},
			fragments.ErrDuplicateName, `section "harness:identity": duplicate name after the transforms`},
		{"section added without a name", nil, []fragments.Contribution{edit(func(a *fragments.Assembly) { a.Sections[1].Name = "" })}, fragments.ErrName, "section 2 has an empty one"},
		{"section made invalid", nil, []fragments.Contribution{edit(func(a *fragments.Assembly) { a.Sections[1].Alternates = []string{"\xff"} })}, composer.ErrInvalidUTF8, "alternate 1"},
		{"reserved tool added", nil, []fragments.Contribution{edit(func(a *fragments.Assembly) { a.Tools = []fragments.Tool{{Name: fragments.UnlistedTools}} })},
			fragments.ErrReservedTool, "after the transforms"},
		{"tool added twice", nil, []fragments.Contribution{edit(func(a *fragments.Assembly) { a.Tools = []fragments.Tool{{Name: "a"}, {Name: "a"}} })}, fragments.ErrDuplicateTool, `"a"`},
		{"variable made invalid", nil, []fragments.Contribution{edit(func(a *fragments.Assembly) { a.Variables["v"] = template.Value{Text: "\xff"} })}, composer.ErrInvalidUTF8, `variable "v"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := must(fragments.New(fragments.Options{ToolOrder: tt.order}))
			must(r.Contribute(global, tt.add...))
			a, err := r.Assemble(fragments.AssembleContext{})
			if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want %v with %q", err, tt.is, tt.says)
			}
			if a.Sections != nil || a.Tools != nil || a.Variables != nil {
				t.Errorf("%+v came with the error", a)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	r := must(fragments.New(fragments.Options{NoIdentity: true}))
	first := must(r.As("first").Section(global, fragments.Section{Name: "x", Text: "1"}))
	first()
	must(r.As("second").Section(global, fragments.Section{Name: "x", Text: "2"}))
	first() // must not take away what another registered since
	if got := must(must(r.Assemble(fragments.AssembleContext{})).Render()); got != "2" {
		t.Errorf("got %q", got)
	}
}

func TestOnChange(t *testing.T) {
	r := must(fragments.New(fragments.Options{}))
	var heard []fragments.Change
	stop := r.OnChange(func(c fragments.Change) {
		heard = append(heard, c)
		must(r.Assemble(fragments.AssembleContext{})) // no lock is held
	})
	scope := global.Child("a")
	plugin := fragments.NewPlugin("p", fragments.Append("s", ""), fragments.AddVariable("v", fragments.StaticValue("")))
	remove := must(plugin.Register(r, scope))
	if _, err := plugin.Register(r, scope); err == nil {
		t.Error("registered twice")
	}
	remove()
	remove()
	stop()
	stop()
	must(r.Section(global, fragments.Section{Name: "unheard"}))
	want := []fragments.Change{
		{Kind: fragments.KindSection, Name: "s", Owner: "p", Scope: scope},
		{Kind: fragments.KindVariable, Name: "v", Owner: "p", Scope: scope},
		{Kind: fragments.KindSection, Name: "s", Owner: "p", Scope: scope, Removed: true},
		{Kind: fragments.KindVariable, Name: "v", Owner: "p", Scope: scope, Removed: true},
	}
	if diff := cmp.Diff(want, heard, cmp.Comparer(func(a, b fragments.Scope) bool { return a == b })); diff != "" {
		t.Errorf("changes (-want +got)\n%s", diff)
	}
}

func TestGatesAreAskedOnceAndFirst(t *testing.T) {
	var asked []string
	gate := func(name string, answer bool) func(fragments.AssembleContext) bool {
		return func(fragments.AssembleContext) bool { asked = append(asked, name); return answer }
	}
	text := func(fragments.AssembleContext) (string, error) { asked = append(asked, "text"); return "text", nil }
	scope := global.Child("s")
	r := must(fragments.New(fragments.Options{NoIdentity: true}))
	must(r.Section(global, fragments.Section{Name: "x", Order: 1, Text: "global", Alternates: []string{"g"}}))
	must(r.Contribute(scope,
		fragments.Gated(gate("off", false), fragments.Gated(gate("never asked", true), fragments.AddSection(fragments.Section{Name: "x", Order: 9, Text: "scoped"}))),
		fragments.Gated(gate("outer", true), fragments.Gated(gate("inner", true), fragments.AddSection(fragments.Section{Name: "y", Order: 2, TextFunc: text})))))
	a := must(r.Assemble(fragments.AssembleContext{Scope: scope}))
	if got := must(a.Render()); got != "global\n\ntext" {
		t.Errorf("got %q", got)
	}
	if diff := cmp.Diff([]string{"outer", "inner", "off", "text"}, asked); diff != "" {
		t.Errorf("asked (-want +got)\n%s", diff)
	}
}

func TestScopedMatches(t *testing.T) {
	full := fragments.AssembleContext{Channel: "chat", Tenant: "acme", Role: "reviewer"}
	tests := []struct {
		match fragments.Match
		ctx   fragments.AssembleContext
		want  bool
	}{
		{fragments.Match{}, full, true},
		{fragments.Match{}, fragments.AssembleContext{}, true},
		{fragments.Match{"chat", "acme", "reviewer"}, full, true},
		{fragments.Match{Channel: "mail"}, full, false},
		{fragments.Match{Tenant: "other"}, full, false},
		{fragments.Match{Role: "writer"}, full, false},
		{fragments.Match{Role: "reviewer"}, fragments.AssembleContext{}, false},
	}
	for _, tt := range tests {
		r := must(fragments.New(fragments.Options{NoIdentity: true}))
		must(r.Contribute(global, fragments.Scoped(tt.match, fragments.Append("x", "here"))))
		got := must(must(r.Assemble(tt.ctx)).Render()) != ""
		if got != tt.want || tt.match.Matches(tt.ctx) != tt.want {
			t.Errorf("%+v in %+v: there %v, want %v", tt.match, tt.ctx, got, tt.want)
		}
	}
}

func TestSchemasNeverReachTheProvider(t *testing.T) {
	schema := must(fragments.ParseSchema([]byte(`{"b": {"y": 1, "x": [true]}, "a": 1.0}`)))
	tools := []fragments.Tool{{Name: "b", Schema: schema}, {Name: "a"}}
	alternates := []string{"short"}
	r := must(fragments.New(fragments.Options{NoIdentity: true}))
	must(r.Tools(global, "p", func(fragments.AssembleContext) (fragments.ToolResult, error) {
		return fragments.ToolResult{Tools: tools}, nil
	}))
	must(r.Section(global, fragments.Section{Name: "s", Text: "long", Alternates: alternates, OwnerFinal: true}))
	must(r.Section(global, fragments.Section{Name: "t", Text: "long", Alternates: alternates}))
	must(r.Transform(global, 0, "edit", func(_ fragments.AssembleContext, a *fragments.Assembly) error {
		a.Tools[0].Name, a.Tools[1].Schema = "changed", fragments.Schema{}
		for i := range a.Sections {
			if len(a.Sections[i].Alternates) > 0 {
				a.Sections[i].Alternates[0] = "changed"
			}
		}
		return nil
	}))
	a := must(r.Assemble(fragments.AssembleContext{}))
	if got := a.Sections[1].Alternates[0] + " " + a.Sections[2].Alternates[0]; got != "short changed" {
		t.Errorf("alternates %q", got)
	}
	want := []fragments.Tool{{Name: "b", Schema: schema}, {Name: "a"}}
	if diff := cmp.Diff(want, tools); diff != "" {
		t.Errorf("the provider's tools (-want +got)\n%s", diff)
	}
	if got, want := schema.String(), `{"a":1,"b":{"x":[true],"y":1}}`; got != want || alternates[0] != "short" {
		t.Errorf("schema %s, want %s; alternates %q", got, want, alternates)
	}
}

func TestParseSchemaRefuses(t *testing.T) {
	for _, src := range []string{"", "[]", `"x"`, "null", "{", `{"a":1,"a":1}`, `{"a":9007199254740993}`, "{\"a\":\"\xff\"}"} {
		if s, err := fragments.ParseSchema([]byte(src)); err == nil {
			t.Errorf("%s: %v", src, s)
		}
	}
}

func TestCoreTemplates(t *testing.T) {
	ids := fragments.CoreTemplateIDs()
	if len(ids) < 25 || len(ids) > 35 {
		t.Errorf("%d ids", len(ids))
	}
	seen := map[string]bool{}
	for i, c := range fragments.CoreTemplates() {
		if c.ID != ids[i] || seen[c.ID] || !strings.HasPrefix(c.ID, "core.") || len(c.Purpose) < 20 {
			t.Errorf("%d: %+v", i, c)
		}
		seen[c.ID] = true
	}
	for _, id := range []string{"core.response-stylesheet-defaults", "core.role-tool-allowlist-template", "core.async-job-lifecycle-template",
		"core.job-history-template", "core.rules-condensed-template", "core.role-condensed-template", "core.export-rules-template"} {
		if !seen[id] {
			t.Errorf("%s is missing", id)
		}
	}

	// None composes by itself; replaced, they stand in list order, whoever comes first, between persona and tools.
	r := must(fragments.New(fragments.Options{Persona: "persona"}))
	if got := must(must(r.Assemble(fragments.AssembleContext{})).Render()); got != "You are an AI agent.\n\npersona" {
		t.Errorf("got %q", got)
	}
	must(r.Section(global, fragments.Section{Name: "tool:x", Order: fragments.OrderTools, Text: "x"}))
	must(r.Section(global, fragments.Section{Name: "zzz", Order: fragments.OrderCore, Text: "zzz"}))
	for i := len(ids) - 1; i >= 0; i-- {
		must(r.Contribute(global, fragments.ReplaceCore(ids[i], ids[i])))
	}
	want := append(append([]string{"harness:identity", "deployment:persona", "zzz"}, ids...), "tool:x")
	if diff := cmp.Diff(want, sectionNames(must(r.Assemble(fragments.AssembleContext{})))); diff != "" {
		t.Errorf("sections (-want +got)\n%s", diff)
	}
}

func TestScopes(t *testing.T) {
	a := global.Child("a").Child("b/c~1").Child("")
	if a.String() != "/a/b~1c~01/" || a.Name() != "" || global.String() != "global" || global.Name() != "" {
		t.Errorf("%q %q", a, a.Name())
	}
	b, _ := a.Parent()
	if b.Name() != "b/c~1" || b != global.Child("a").Child("b/c~1") || b == global.Child("a").Child("b").Child("c~1") {
		t.Errorf("%q", b)
	}
	c, _ := b.Parent()
	d, hasParent := c.Parent()
	if _, more := d.Parent(); d != global || !hasParent || more {
		t.Errorf("%q %v %v", d, hasParent, more)
	}
}

// A plugin of two sections is seen whole or not at all, however registering and assembling interleave.
func TestConcurrentUse(t *testing.T) {
	r := must(fragments.New(fragments.Options{NoIdentity: true, Persona: "{{who}}"}))
	must(r.Variable(global, "who", fragments.StaticValue("p")))
	must(r.Transform(global, 0, "t", func(_ fragments.AssembleContext, a *fragments.Assembly) error {
		a.Sections = append(a.Sections, fragments.AssembledSection{Name: "end", Text: "end"})
		return nil
	}))
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			scope := global.Child(fmt.Sprint(w % 3))
			plugin := fragments.NewPlugin(fmt.Sprint(w), fragments.Append(fmt.Sprint("a", w), "a"), fragments.Append(fmt.Sprint("b", w), "b"),
				fragments.AddVariable(fmt.Sprint("v", w), fragments.StaticValue("")))
			for range 200 {
				stop := r.OnChange(func(fragments.Change) {})
				remove, err := plugin.Register(r, scope)
				if err != nil {
					t.Error(err)
					return
				}
				a, err := r.Assemble(fragments.AssembleContext{Scope: scope})
				if err != nil {
					t.Error(err)
					return
				}
				text, err := a.Render()
				if err != nil || strings.Count(text, "a") != strings.Count(text, "b") || !strings.HasPrefix(text, "p\n\na") || !strings.HasSuffix(text, "end") {
					t.Errorf("%q %v", text, err)
				}
				remove()
				stop()
			}
		})
	}
	wg.Wait()
}

// What is remembered of scopes is bounded, and forgetting changes nothing.
func TestManyScopes(t *testing.T) {
	r := must(fragments.New(fragments.Options{NoIdentity: true, Persona: "persona"}))
	for round := range 2 {
		for i := range 1000 {
			scope := global.Child(fmt.Sprint(i))
			if round == 0 && i%3 == 0 {
				must(r.Section(scope, fragments.Section{Name: "own", Order: 1, Text: fmt.Sprint(i)}))
			}
			want := "persona"
			if i%3 == 0 {
				want += fmt.Sprint("\n\n", i)
			}
			if got := must(must(r.Assemble(fragments.AssembleContext{Scope: scope})).Render()); got != want {
				t.Fatalf("scope %v: %q, want %q", scope, got, want)
			}
		}
	}
}

func TestModes(t *testing.T) {
	for mode := fragments.ModeAppend; mode <= fragments.ModeReplace; mode++ {
		if again, err := fragments.ParseMode(mode.String()); err != nil || again != mode {
			t.Errorf("%v: %v, %v", mode, again, err)
		}
	}
	if _, err := fragments.ParseMode("prefix"); err == nil || !strings.Contains(err.Error(), "want append, prepend, replace") {
		t.Error(err)
	}
	r := must(fragments.New(fragments.Options{NoIdentity: true, Persona: "persona"}))
	must(r.Contribute(global, fragments.Append("a", "appended"), fragments.ReplaceCore("core.planning-template", "plan"), fragments.PrependPersona("p", "prepended")))
	if got := must(must(r.Assemble(fragments.AssembleContext{})).Render()); got != "prepended\n\npersona\n\nplan\n\nappended" {
		t.Errorf("got %q", got)
	}
}

// The JSON of an assembly is JSON, with every field.
func TestAssemblyJSON(t *testing.T) {
	a := fragments.Assembly{
		Sections: []fragments.AssembledSection{
			{Name: "a", Text: "\"\n", Alternates: []string{"x", "y"}, Priority: -2, Chain: "c", Group: "g", Breakpoint: true},
			{Name: "b"},
		},
		Tools:     []fragments.Tool{{Name: "t", Description: "d", Schema: must(fragments.ParseSchema([]byte(`{"b":1,"a":2}`)))}, {Name: "u"}},
		Variables: map[string]template.Value{"b": {Missing: true}, "a": {Text: "v"}},
	}
	want := `{"sections":[{"name":"a","text":"\"\n","tier":"core","alternates":["x","y"],"priority":-2,"chain":"c","group":"g","breakpoint":true},` +
		`{"name":"b","text":"","tier":"core","alternates":[],"priority":0,"chain":"","group":"","breakpoint":false}],` +
		`"tools":[{"name":"t","description":"d","schema":{"a":2,"b":1}},{"name":"u","description":"","schema":{}}],"variables":{"a":"v","b":null}}`
	got := string(a.AppendJSON(nil))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("JSON (-want +got)\n%s", diff)
	}
	if _, err := fingerprint.Canonical([]byte(got)); err != nil {
		t.Error(err)
	}
}

func TestNewRefusesTextsThatAreNotUTF8(t *testing.T) {
	for _, opts := range []fragments.Options{{Persona: "\xff"}, {Identity: "\xff"}} {
		if r, err := fragments.New(opts); !errors.Is(err, composer.ErrInvalidUTF8) || r != nil {
			t.Errorf("%+v: %v, %v", opts, r, err)
		}
	}
}
