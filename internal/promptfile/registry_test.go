package promptfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/internal/promptfile"
)

// rendered reads a registry and renders it for a scope.
func rendered(t *testing.T, src, scope string, ctx fragments.AssembleContext, vars ...promptfile.Setting) (string, error) {
	t.Helper()
	doc, err := promptfile.ReadRegistry([]byte(src), "r.yaml", promptfile.RegistryOptions{Variables: vars})
	if err != nil {
		return "", err
	}
	if ctx.Scope, err = doc.Scope(scope); err != nil {
		return "", err
	}
	a, err := doc.Registry.Assemble(ctx)
	if err != nil {
		return "", doc.Locate(err, ctx.Scope)
	}
	text, err := a.Render()
	return text, doc.Locate(err, ctx.Scope)
}

const team = `
identity: false
persona: On {{host}}.
scopes: [{name: a}, {name: b, parent: a}]
variables:
- {name: host, value: one}
- {name: host, scope: b, value: two}
- {name: who}
sections:
- {name: x, order: 5, text: global x}
- {name: x, scope: a, order: 6, text: x of a}
- {name: z, order: 7, text: for voice, channel: voice}
plugins:
- name: p
  scope: b
  sections:
  - {name: first, mode: prepend, text: prepended}
  - {name: last, mode: append, text: appended}
  - {name: core.planning-template, mode: replace, text: planning}
  - {name: only, order: 8, text: "{{host}}", tenant: t, role: r}
`

func TestReadRegistry(t *testing.T) {
	tests := []struct {
		name, scope string
		ctx         fragments.AssembleContext
		vars        []promptfile.Setting
		want        string
	}{
		{"global", "", fragments.AssembleContext{}, nil, "On one.|global x"},
		{"scope", "a", fragments.AssembleContext{}, nil, "On one.|x of a"},
		{"nested, with a plugin", "b", fragments.AssembleContext{}, nil, "prepended|On two.|x of a|planning|appended"},
		{"channel", "", fragments.AssembleContext{Channel: "voice"}, nil, "On one.|global x|for voice"},
		{"tenant and role", "b", fragments.AssembleContext{Tenant: "t", Role: "r"}, nil, "prepended|On two.|x of a|two|planning|appended"},
		{"a variable for all scopes", "b", fragments.AssembleContext{}, []promptfile.Setting{{Key: "host", Value: "=three"}}, "prepended|On =three.|x of a|planning|appended"},
		{"a variable that the file does not have", "", fragments.AssembleContext{}, []promptfile.Setting{{Key: "new", Value: ""}}, "On one.|global x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := rendered(t, team, tt.scope, tt.ctx, tt.vars...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(tt.want, "|", "\n\n"), got); diff != "" {
				t.Errorf("prompt (-want +got)\n%s", diff)
			}
		})
	}
}

func TestRegistryMistakes(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"not a mapping", "- a", "r.yaml:1: the registry is a list; want a mapping with keys such as sections and variables"},
		{"two documents", "persona: a\n---\npersona: b", "r.yaml:3: a second document; want one registry in a file"},
		{"unknown key", "section: []", "r.yaml:1: unknown key \"section\"; did you mean sections?"},
		{"no list", "sections: {}", "r.yaml:1: sections: a mapping; want a list of sections"},
		{"no mapping", "sections:\n- a", "r.yaml:2: section 1 is the text \"a\"; want a mapping with name and more"},
		{"no name", "sections:\n- text: a", "r.yaml:2: section 1 has no name; want the key name"},
		{"unknown key of a section", "sections:\n- name: a\n  id: b", "r.yaml:3: section \"a\": unknown key \"id\"; want name, channel, tenant, role, scope, order, mode, owner-final, tier, text, file, alternates, breakpoint, priority, chain or group"},
		{"a scope inside a plugin", "plugins:\n- name: p\n  sections:\n  - {name: a, text: a, scope: s}", "r.yaml:4: section \"a\": unknown key \"scope\"; want name, channel, tenant, role, order, mode, owner-final, tier, text, file, alternates, breakpoint, priority, chain or group"},
		{"no text", "sections:\n- name: a", "r.yaml:2: section \"a\" has neither text nor file; want one of them; text: \"\" is an empty section"},
		{"text and file", "sections:\n- {name: a, text: a, file: a}", "r.yaml:2: section \"a\": text and file together; want one of them"},
		{"mode and order", "sections:\n- {name: a, text: a, mode: append, order: 1}", "r.yaml:2: section \"a\": mode and order together; want one of them"},
		{"unknown mode", "sections:\n- {name: a, text: a, mode: apend}", "r.yaml:2: section \"a\": mode: the text \"apend\"; want append, prepend or replace; did you mean append?"},
		{"unknown core template", "sections:\n- {name: core.planing-template, text: a, mode: replace}",
			"r.yaml:2: section \"core.planing-template\": unknown core template \"core.planing-template\"; the nearest is \"core.planning-template\""},
		{"order that is none", "sections:\n- {name: a, text: a, order: 1.5}", "r.yaml:2: section \"a\": order: the number 1.5; want a decimal integer from -2147483648 to 2147483647"},
		{"duplicate", "sections:\n- {name: a, text: a}\n- {name: a, text: b}", "r.yaml:3: section \"a\": duplicate name; it is at line 2 already, and a scope has a name once"},
		{"duplicate of an opener", "sections:\n- {name: \"deployment:persona\", text: a}", "r.yaml:2: section \"deployment:persona\": duplicate name: \"quire\" has it already"},
		{"duplicate in a plugin", "sections:\n- {name: a, text: a}\nplugins:\n- name: p\n  sections:\n  - {name: a, text: a}", "r.yaml:6: section \"a\": duplicate name; it is at line 2 already, and a scope has a name once"},
		{"shadow of a final section", "scopes: [{name: s}]\nsections:\n- {name: a, text: a, scope: s}\n- {name: a, text: a, owner-final: true}",
			"r.yaml:4: section \"a\": a global owner-final section cannot be shadowed: \"the file\" has one in scope /s"},
		{"unknown scope", "scopes: [{name: writer}]\nsections:\n- {name: a, text: a, scope: riter}", "r.yaml:3: section \"a\" is in the scope \"riter\"; did you mean writer?"},
		{"no scopes", "sections:\n- {name: a, text: a, scope: s}", "r.yaml:2: section \"a\" is in the scope \"s\"; the file declares none under scopes"},
		{"parent after its child", "scopes:\n- {name: b, parent: a}\n- {name: a}", "r.yaml:2: the parent of scope \"b\" is \"a\"; the file declares none under scopes"},
		{"scope twice", "scopes:\n- {name: b}\n- {name: b}", "r.yaml:3: the scope \"b\" is declared twice; want a name for each"},
		{"variable name", "variables:\n- {name: Host, value: a}", "r.yaml:2: variable \"Host\": bad name: want one of a-z, 0-9 and _ that begins with a letter"},
		{"variable type", "variables:\n- {name: host, value: 12}", "r.yaml:2: variable \"host\": value: the number 12; want a text; write it in quotes"},
		{"tool order", "tool-order: [a]", "r.yaml:1: a tool order has exactly one <unlisted-tools>: it has 0"},
		{"tool order unknown", "persona: a\ntool-order: [a, <unlisted-tools>]", "r.yaml:2: the tool order names a tool that no provider knows: [\"a\"]; known tools: there are none"},
		{"schema", "tools:\n- name: p\n  tools:\n  - name: t\n    schema: [a]", "r.yaml:5: tool \"t\": schema: a list; want a JSON Schema as a mapping"},
		{"number of a schema", "tools:\n- name: p\n  tools:\n  - name: t\n    schema:\n      a: 0x10", "r.yaml:6: tool \"t\": schema: the number 0x10; want a number as JSON writes it; in quotes it is a text"},
		{"key of a schema twice", "tools:\n- name: p\n  tools:\n  - name: t\n    schema: {a: 1, a: 2}", "r.yaml:5: tool \"t\": schema: "},
		{"tool twice", "tools:\n- name: p\n  tools: [{name: t}]\n- name: q\n  tools: [{name: t}]", "r.yaml:4: tools \"q\": duplicate tool name \"t\": provider \"p\" of \"the file\" has it already"},
		{"unknown reference", "persona: a\nsections:\n- name: a\n  text: \"{{b}}\"", "r.yaml:4: section \"a\": unknown variable: {{b}}; there are no variables"},
		{"reference in a block", "sections:\n- name: a\n  text: |\n\n    one\n    {{b}}\n", "r.yaml:6: section \"a\": unknown variable: {{b}}; "},
		{"reference in a folded block", "sections:\n- name: a\n  text: >\n    one\n    two\n\n    {{b}}\n", "r.yaml:3: section \"a\": line 2 of the text: unknown variable: {{b}}; "},
		{"reference behind an escaped line end", "sections:\n- name: a\n  text: \"one\\n{{b}}\"", "r.yaml:3: section \"a\": line 2 of the text: unknown variable: {{b}}; "},
		{"reference in a plugin", "plugins:\n- name: p\n  sections:\n  - name: a\n    text: \"{{b}}\"", "r.yaml:5: section \"a\": unknown variable: {{b}}; "},
		{"nothing", "", "r.yaml: the registry file is empty; want a mapping with keys such as sections and variables"},
		{"reference without a value", "variables: [{name: b}]\nsections:\n- name: a\n  text: \"{{b}}\"", "r.yaml:4: section \"a\": variable without a value: {{b}}; known are b"},
		{"reference in the persona", "persona: \"{{b}}\"", "r.yaml:1: section \"deployment:persona\": line 1, byte 0: unknown variable: {{b}}; there are no variables"},
		{"reference in the identity", "budget: 1\nidentity: \"{{b}}\"", "r.yaml:2: section \"harness:identity\": line 1, byte 0: unknown variable: {{b}}; there are no variables"},
		{"a persona of two owners", "persona: a\nsections:\n- {name: deployment:persona, text: b}", "r.yaml:3: section \"deployment:persona\": duplicate name; it is at line 1 already, and a scope has a name once"},
		{"integer of a schema", "tools:\n- name: p\n  tools:\n  - name: t\n    schema:\n      a: 9007199254740993", "r.yaml:6: tool \"t\": schema: the number 9007199254740993; want one that a double holds exactly; in quotes it is a text"},
		{"large number of a schema", "tools:\n- name: p\n  tools:\n  - name: t\n    schema:\n      a: 1e999", "r.yaml:6: tool \"t\": schema: the number 1e999; want one that a double holds exactly; in quotes it is a text"},
		{"budget", "budget: -1", "r.yaml:1: budget: the number -1; want a non-negative decimal integer, such as 2000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := rendered(t, tt.src, "", fragments.AssembleContext{})
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) || got != "" {
				t.Errorf("%q, error %v\nwant %s", got, err, tt.want)
			}
			var located *promptfile.Error
			if !errors.As(err, &located) {
				t.Errorf("error %T", err)
			}
		})
	}
	if _, err := rendered(t, team, "c", fragments.AssembleContext{}); err == nil || err.Error() != "r.yaml: no scope \"c\"; want a or b" {
		t.Error(err)
	}
	if _, err := rendered(t, team, "", fragments.AssembleContext{}, promptfile.Setting{Key: "X", Origin: "--var"}); err == nil || !strings.HasPrefix(err.Error(), "--var: \"X\" is no name") {
		t.Error(err)
	}
}

func TestSchemasOfARegistry(t *testing.T) {
	doc, err := promptfile.ReadRegistry([]byte(`
tools:
- name: p
  known: [t, u]
  owner-final: [t]
  tools:
  - name: t
    description: does it
    schema: {type: object, b: {y: [1.50, -0, "1", null, true, yes, 'x'], x: {}}, a: 1e2}
`), "r.yaml", promptfile.RegistryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := doc.Registry.Assemble(fragments.AssembleContext{})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"a":100,"b":{"x":{},"y":[1.5,0,"1",null,true,"yes","x"]},"type":"object"}`
	if got := a.Tools[0]; got.Name != "t" || got.Description != "does it" || got.Schema.String() != want {
		t.Errorf("%+v\nwant %s", got, want)
	}
}

// The example's two roles see what the file says they see.
func TestExampleRegistry(t *testing.T) {
	const name = "../../examples/registry.yaml"
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	folder := promptfile.NewFolder(filepath.Dir(name))
	defer folder.Close()
	doc, err := promptfile.ReadRegistry(src, name, promptfile.RegistryOptions{Options: promptfile.Options{Open: folder.Open}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		scope       string
		has, hasNot []string
		tools       int
	}{
		{"responder", []string{"# How to work an incident", "You assist the people", "You act only after consent", "# log_search"}, []string{"# Keeping the timeline"}, 3},
		{"scribe", []string{"# Keeping the timeline", "You keep the record", "You take no action", "# log_search"}, []string{"# How to work an incident", "You assist"}, 2},
	} {
		scope, err := doc.Scope(tt.scope)
		if err != nil {
			t.Fatal(err)
		}
		a, err := doc.Registry.Assemble(fragments.AssembleContext{Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		text, err := a.Render()
		if err != nil || len(a.Tools) != tt.tools {
			t.Errorf("%s: %v, %d tools", tt.scope, err, len(a.Tools))
		}
		for _, part := range tt.has {
			if !strings.Contains(text, part) {
				t.Errorf("%s has no %q", tt.scope, part)
			}
		}
		for _, part := range tt.hasNot {
			if strings.Contains(text, part) {
				t.Errorf("%s has %q", tt.scope, part)
			}
		}
	}
}

func FuzzReadRegistry(f *testing.F) {
	f.Add(team)
	f.Add("tools:\n- name: p\n  tools:\n  - name: t\n    schema: {a: [1, x]}")
	f.Fuzz(func(t *testing.T, src string) {
		_, err := rendered(t, src, "", fragments.AssembleContext{})
		var located *promptfile.Error
		if err != nil && !errors.As(err, &located) {
			t.Errorf("error %T: %v", err, err)
		}
	})
}
