package fragments_test

import (
	"fmt"
	"log"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/tiers"
)

// A host, a plugin and a tenant contribute to one prompt. Whoever comes first, the bytes are the same.
func Example() {
	r, err := fragments.New(fragments.Options{Persona: "You help the staff of {{company}}."})
	if err != nil {
		log.Fatal(err)
	}
	var global fragments.Scope
	acme := global.Child("acme")

	r.Variable(global, "company", fragments.StaticValue("a company"))
	r.Variable(acme, "company", fragments.StaticValue("Acme"))
	search := fragments.NewPlugin("search",
		fragments.AddTools("search", fragments.StaticTools(fragments.Tool{Name: "search", Description: "Full-text search."})),
		fragments.AddSection(fragments.Section{Name: "tool:search", Order: fragments.OrderTools, Text: "Search before you answer."}))
	remove, err := search.Register(r, global)
	if err != nil {
		log.Fatal(err)
	}
	defer remove()

	a, err := r.Assemble(fragments.AssembleContext{Scope: acme})
	if err != nil {
		log.Fatal(err)
	}
	text, err := a.Render()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output:
	// You are an AI agent.
	//
	// You help the staff of Acme.
	//
	// Search before you answer.
}

func ExampleNew() {
	_, err := fragments.New(fragments.Options{ToolOrder: []string{"read", "write"}})
	fmt.Println(err)
	// Output: fragments: a tool order has exactly one <unlisted-tools>: it has 0
}

func ExampleRegistry_Section() {
	r, _ := fragments.New(fragments.Options{})
	remove, _ := r.As("style").Section(fragments.Scope{}, fragments.Section{Name: "tone", Order: 20, Text: "Be brief."})
	_, err := r.As("brand").Section(fragments.Scope{}, fragments.Section{Name: "tone", Order: 20, Text: "Be warm."})
	fmt.Println(err)
	remove()
	_, err = r.As("brand").Section(fragments.Scope{}, fragments.Section{Name: "tone", Order: 20, Text: "Be warm."})
	fmt.Println(err)
	// Output:
	// fragments: section "tone" of "brand" in scope global: duplicate name: "style" has it already
	// <nil>
}

func ExampleRegistry_Transform() {
	var global fragments.Scope
	r, _ := fragments.New(fragments.Options{})
	r.Section(global, fragments.Section{Name: "protocol", Order: 5, Text: "Answer in JSON.", OwnerFinal: true})
	r.Section(global, fragments.Section{Name: "tone", Order: 6, Text: "Be brief."})
	r.Transform(global, 0, "drop everything", func(_ fragments.AssembleContext, a *fragments.Assembly) error {
		a.Sections = nil
		return nil
	})
	a, _ := r.Assemble(fragments.AssembleContext{})
	fmt.Println(a.Render())
	// Output: Answer in JSON. <nil>
}

func ExampleRegistry_OnChange() {
	r, _ := fragments.New(fragments.Options{})
	r.OnChange(func(c fragments.Change) { fmt.Println(c.Kind, c.Name, c.Owner, c.Scope, c.Removed) })
	remove, _ := r.As("git").Variable(fragments.Scope{}.Child("s1"), "branch", fragments.StaticValue("main"))
	remove()
	// Output:
	// variable branch git /s1 false
	// variable branch git /s1 true
}

func ExampleScoped() {
	r, _ := fragments.New(fragments.Options{NoIdentity: true})
	r.Contribute(fragments.Scope{},
		fragments.Scoped(fragments.Match{Channel: "voice"}, fragments.Append("voice", "Your answers are read aloud.")),
		fragments.Gated(func(ctx fragments.AssembleContext) bool { return ctx.Facts["errors"] != "" },
			fragments.Append("errors", "The last call failed.")))
	for _, ctx := range []fragments.AssembleContext{{Channel: "chat"}, {Channel: "voice"}, {Facts: map[string]string{"errors": "1"}}} {
		a, _ := r.Assemble(ctx)
		text, _ := a.Render()
		fmt.Printf("%q\n", text)
	}
	// Output:
	// ""
	// "Your answers are read aloud."
	// "The last call failed."
}

func ExampleReplaceCore() {
	r, _ := fragments.New(fragments.Options{})
	_, err := r.Contribute(fragments.Scope{}, fragments.ReplaceCore("core.memory-polcy-template", "Remember nothing."))
	fmt.Println(err)
	_, err = r.Contribute(fragments.Scope{}, fragments.ReplaceCore("core.memory-policy-template", "Remember nothing."))
	fmt.Println(err)
	// Output:
	// fragments: section "core.memory-polcy-template" of "host" in scope global: unknown core template "core.memory-polcy-template"; the nearest is "core.memory-policy-template"
	// <nil>
}

func ExampleAssembly_Compose() {
	r, _ := fragments.New(fragments.Options{})
	r.Section(fragments.Scope{}, fragments.Section{Name: "rules", Order: 1, Tier: tiers.Active,
		Text: "A long explanation of all the rules there are.", Alternates: []string{"Short rules."}})
	a, _ := r.Assemble(fragments.AssembleContext{})
	c, err := a.Compose(composer.Config{Budget: tiers.Limit(40)})
	fmt.Printf("%q %v\n", c.Text(), err)
	// Output: "You are an AI agent.\n\nShort rules." <nil>
}

func ExampleAssembly_Compile() {
	r, _ := fragments.New(fragments.Options{Persona: "You are in {{cwd}}."})
	r.Variable(fragments.Scope{}, "cwd", fragments.StaticValue("src"))
	a, _ := r.Assemble(fragments.AssembleContext{})
	compiled, _ := a.Compile(composer.Config{})

	store := map[fingerprint.Digest]string{}
	for _, text := range compiled.Inputs {
		store[fingerprint.SumString(text)] = text
	}
	again, err := fragments.CompileRecipe(compiled.Recipe, func(d fingerprint.Digest) (string, error) { return store[d], nil })
	fmt.Println(again.Fingerprint() == compiled.Composition.Fingerprint(), err)
	// Output: true <nil>
}

func ExampleParseSchema() {
	s, err := fragments.ParseSchema([]byte(`{"type": "object", "properties": {"b": {}, "a": {}}}`))
	fmt.Println(s, err)
	// Output: {"properties":{"a":{},"b":{}},"type":"object"} <nil>
}

func ExampleAssembly_AppendJSON() {
	r, _ := fragments.New(fragments.Options{NoIdentity: true, Persona: "On {{model}}."})
	r.Variable(fragments.Scope{}, "model", fragments.StaticValue("m-1"))
	a, _ := r.Assemble(fragments.AssembleContext{})
	fmt.Printf("%s\n", a.AppendJSON(nil))
	// Output: {"sections":[{"name":"deployment:persona","text":"On {{model}}.","tier":"core","alternates":[],"priority":0,"chain":"","group":"","breakpoint":false}],"tools":[],"variables":{"model":"m-1"}}
}

func ExampleScope() {
	var global fragments.Scope
	agent := global.Child("acme").Child("reviewer")
	parent, ok := agent.Parent()
	fmt.Println(global, agent, agent.Name(), parent, ok)
	fmt.Println(agent == global.Child("acme").Child("reviewer"))
	// Output:
	// global /acme/reviewer reviewer /acme true
	// true
}

func ExampleRegistry_As() {
	r, _ := fragments.New(fragments.Options{})
	_, err := r.As("billing").Variable(fragments.Scope{}, "Plan", fragments.StaticValue("pro"))
	fmt.Println(err)
	// Output: fragments: variable "Plan" of "billing" in scope global: bad name: want one of a-z, 0-9 and _ that begins with a letter
}

func ExampleRegistry_Tools() {
	r, _ := fragments.New(fragments.Options{ToolOrder: []string{"read", fragments.UnlistedTools}})
	r.Tools(fragments.Scope{}, "files", func(ctx fragments.AssembleContext) (fragments.ToolResult, error) {
		result := fragments.ToolResult{Tools: []fragments.Tool{{Name: "read"}, {Name: "glob"}}, KnownNames: []string{"read", "glob", "write"}}
		if ctx.Role == "author" {
			result.Tools = append(result.Tools, fragments.Tool{Name: "write"})
		}
		return result, nil
	})
	for _, role := range []string{"reviewer", "author"} {
		a, err := r.Assemble(fragments.AssembleContext{Role: role})
		fmt.Print(role, ":")
		for _, t := range a.Tools {
			fmt.Print(" ", t.Name)
		}
		fmt.Println("", err)
	}
	// Output:
	// reviewer: read glob <nil>
	// author: read glob write <nil>
}

func ExampleRegistry_Variable() {
	r, _ := fragments.New(fragments.Options{NoIdentity: true, Persona: "You work on {{branch}}."})
	r.Variable(fragments.Scope{}, "branch", func(ctx fragments.AssembleContext) (string, bool, error) {
		branch, known := ctx.Facts["branch"]
		return branch, known, nil
	})
	for _, facts := range []map[string]string{{"branch": "main"}, nil} {
		a, _ := r.Assemble(fragments.AssembleContext{Facts: facts})
		fmt.Println(a.Render())
	}
	// Output:
	// You work on main. <nil>
	//  fragments: section "deployment:persona": line 1, byte 12: variable without a value: {{branch}}; known are branch
}

func ExampleRegistry_Contribute() {
	r, _ := fragments.New(fragments.Options{NoIdentity: true, Persona: "persona"})
	remove, _ := r.Contribute(fragments.Scope{},
		fragments.PrependPersona("voice", "Speak plainly."),
		fragments.ReplaceCore("core.planning-template", "Plan first."),
		fragments.Append("reminder", "Be done by five."))
	a, _ := r.Assemble(fragments.AssembleContext{})
	text, _ := a.Render()
	fmt.Printf("%q\n", text)
	remove()
	a, _ = r.Assemble(fragments.AssembleContext{})
	text, _ = a.Render()
	fmt.Printf("%q\n", text)
	// Output:
	// "Speak plainly.\n\npersona\n\nPlan first.\n\nBe done by five."
	// "persona"
}

func ExampleGated() {
	r, _ := fragments.New(fragments.Options{NoIdentity: true})
	truncated := func(ctx fragments.AssembleContext) bool { return ctx.Facts["truncated"] == "yes" }
	r.Contribute(fragments.Scope{}, fragments.Gated(truncated, fragments.Append("notice", "Earlier messages are left out.")))
	a, _ := r.Assemble(fragments.AssembleContext{Facts: map[string]string{"truncated": "yes"}})
	fmt.Println(a.Render())
	// Output: Earlier messages are left out. <nil>
}

func ExampleNewPlugin() {
	r, _ := fragments.New(fragments.Options{})
	plugin := fragments.NewPlugin("clock",
		fragments.AddVariable("today", fragments.StaticValue("2026-03-09")),
		fragments.AddSection(fragments.Section{Name: "date", Order: 900, Text: "Today is {{today}}."}),
		fragments.AddTools("clock", fragments.StaticTools(fragments.Tool{Name: "now"})),
		fragments.AddTransform(0, "clock", func(fragments.AssembleContext, *fragments.Assembly) error { return nil }))
	remove, err := plugin.Register(r, fragments.Scope{})
	fmt.Println(err)
	_, err = plugin.Register(r, fragments.Scope{}) // nothing of it is registered twice
	fmt.Println(err)
	remove()
	// Output:
	// <nil>
	// fragments: variable "today" of "clock" in scope global: duplicate name: "clock" has it already
}

func ExampleContribute() {
	c := fragments.Contribute(fragments.ModeReplace, fragments.Section{Name: "core.citation-rules-template", Text: "Cite.", Tier: tiers.Active})
	r, _ := fragments.New(fragments.Options{})
	_, err := r.Contribute(fragments.Scope{}, c)
	fmt.Println(err)
	// Output: <nil>
}

func ExampleParseMode() {
	fmt.Println(fragments.ParseMode("prepend"))
	// Output: prepend <nil>
}

func ExampleCoreTemplateIDs() {
	fmt.Println(fragments.CoreTemplateIDs()[0])
	fmt.Println(fragments.CoreTemplates()[0].Purpose)
	// Output:
	// core.mission-template
	// What the agent is for, in two or three sentences: the task it owns and where it ends.
}

func ExampleAssembly_Lower() {
	r, _ := fragments.New(fragments.Options{Persona: "You are on {{model}}."})
	r.Variable(fragments.Scope{}, "model", fragments.StaticValue("m-1"))
	a, _ := r.Assemble(fragments.AssembleContext{})
	sections, err := a.Lower()
	for _, s := range sections {
		fmt.Printf("%s: %s\n", s.ID, s.Content)
	}
	fmt.Println(err)
	// Output:
	// harness:identity: You are an AI agent.
	// deployment:persona: You are on m-1.
	// <nil>
}
