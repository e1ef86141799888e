package messages_test

import (
	"errors"
	"fmt"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

func Example() {
	in := messages.Input{
		System: []string{"Answer briefly."},
		History: []messages.Message{
			messages.TextMessage(messages.User, "What does main.go do? I wonder since yesterday."),
			{Role: messages.Assistant, Content: []messages.Block{
				{Kind: messages.KindToolCall, ID: "c1", Name: "read", Value: `{"path": "main.go"}`}}},
			{Role: messages.Tool, Content: []messages.Block{
				{Kind: messages.KindToolResult, ID: "c1", Text: "package main\n\nfunc main() {}\n"}}},
			messages.TextMessage(messages.Assistant, "Nothing."),
		},
		Attachments: []messages.Attachment{{Name: "notes.md", Text: "Remember the release date."}},
		Current:     []messages.Message{messages.TextMessage(messages.User, "And now?")},
	}
	a, err := messages.Assemble(in, messages.Options{
		Budget: &messages.Budget{MaxInputTokens: tiers.Limit(38), ReportOmissions: true},
	})
	if err != nil {
		panic(err)
	}
	for i, m := range a.Messages {
		text, _ := m.Text()
		fmt.Printf("%-14s %-9s %q\n", a.Places[i].Section, m.Role, text)
	}
	for _, o := range a.Report.Omitted {
		fmt.Println("omitted:", o.Kind, o.Tokens, "tokens")
	}
	// Output:
	// instructions/0 system    "System instruction:\nAnswer briefly."
	// attachments/0  user      "Attachment notes.md:\nRemember the release date."
	// history/3      assistant "Nothing."
	// input/0        user      "And now?"
	// omitted: history 12 tokens
	// omitted: history 5 tokens
	// omitted: history 9 tokens
}

func ExampleBuild() {
	p, err := messages.Build(messages.Input{
		ToolResults: []messages.ToolResult{{CallID: "c1", Name: "touch"}},
		Resources:   []string{"file:///notes"},
		Load:        func(uri string) (string, error) { return "text of " + uri, nil },
	})
	if err != nil {
		panic(err)
	}
	for _, m := range p.Messages(messages.CacheAware) {
		text, _ := m.AppendJSON(nil)
		fmt.Printf("%s\n", text)
	}
	// Output:
	// {"content":[{"text":"Resource file:///notes:\ntext of file:///notes","type":"text"}],"role":"user"}
	// {"content":[{"name":"touch","result":"(tool completed with no output)","toolCallId":"c1","type":"tool_result"}],"role":"tool"}
}

func ExamplePrompt_Assemble() {
	p := messages.Prompt{Groups: messages.Groups{
		Instructions: []messages.Message{messages.TextMessage(messages.System, "You are a very long instruction.")},
	}}
	_, err := p.Assemble(messages.Options{Budget: &messages.Budget{MaxInputTokens: tiers.Limit(5)}})
	var over *messages.BudgetError
	fmt.Println(errors.As(err, &over), over.Tokens)
	// Output: true 3
}

// The quantum is half of the budget: the cut stays where it is while several turns go by.
func ExampleOptions_quantised() {
	var history []messages.Message
	for turn := range 12 {
		history = append(history, messages.TextMessage(messages.User, fmt.Sprintf("this is turn %02d", turn)))
		first := map[messages.Policy]int{}
		for _, policy := range []messages.Policy{messages.ByUnit, messages.Quantised} {
			a, err := messages.Prompt{Groups: messages.Groups{History: history}}.Assemble(messages.Options{
				Policy: policy, Quantum: 12, Budget: &messages.Budget{MaxInputTokens: tiers.Limit(24)}})
			if err != nil {
				panic(err)
			}
			first[policy] = a.Places[0].Index
		}
		fmt.Print(first[messages.ByUnit], "/", first[messages.Quantised], " ")
	}
	// Output: 0/0 0/0 0/0 0/0 0/0 0/0 1/3 2/3 3/3 4/6 5/6 6/6
}

func ExampleUnits() {
	call := func(tool string) messages.Block { return messages.Block{Kind: messages.KindToolCall, Name: tool} }
	result := func(tool string) messages.Block { return messages.Block{Kind: messages.KindToolResult, Name: tool} }
	first, named := messages.Units([]messages.Message{
		messages.TextMessage(messages.User, "go"),
		{Role: messages.Assistant, Content: []messages.Block{call("read"), call("run")}},
		{Role: messages.Tool, Content: []messages.Block{result("run")}},
		{Role: messages.Tool, Content: []messages.Block{result("read")}},
	})
	fmt.Println(first)
	fmt.Println(named[1].Content[0].ID == named[3].Content[0].ID)
	// Output:
	// [0 1 1 1]
	// true
}

func ExampleFoldToolResults() {
	m, cut := messages.FoldToolResults(messages.Message{Role: messages.Tool, Content: []messages.Block{
		{Kind: messages.KindToolResult, ID: "c1", Text: "a 👨‍👩‍👧‍👦 family, and a long story about it"}}}, 10)
	fmt.Printf("%v %q\n", cut, m.Content[0].Text)
	// Output: true "a \n(output shortened)"
}

func ExampleCompileRecipe() {
	p := messages.Prompt{Groups: messages.Groups{History: []messages.Message{messages.TextMessage(messages.User, "hello")}}}
	a, err := p.Assemble(messages.Options{})
	if err != nil {
		panic(err)
	}
	compiled := a.Compilation()
	contents := map[fingerprint.Digest]string{}
	for _, content := range compiled.Inputs {
		contents[fingerprint.SumString(content)] = content
	}
	c, err := messages.CompileRecipe(compiled.Recipe, func(d fingerprint.Digest) (string, error) { return contents[d], nil })
	fmt.Println(err, c.Fingerprint() == a.Composition.Fingerprint())
	// Output: <nil> true
}

func ExampleComposeSystem() {
	fmt.Println(messages.ComposeSystem([]string{"You are a helper."}, []messages.Contribution{
		{Source: messages.SourceRun, Text: "Be quick."},
		{Source: messages.SourceUser, Text: "Speak plainly."},
		{Source: messages.SourceApp, Mode: messages.Prepend, Text: "This is an app."},
	}))
	// Output:
	// This is an app.
	//
	// You are a helper.
	//
	// Speak plainly.
	//
	// Be quick.
}

func ExampleParseMessage() {
	m, err := messages.ParseMessage([]byte(`{"role": "user", "content": "hi", "x-note": 1}`))
	fmt.Println(m.Role, m.Content[0].Text, m.Extra, err)
	_, err = messages.ParseMessage([]byte(`{"role": "user", "content": "half an emoji: \ud83d"}`))
	fmt.Println(err)
	// Output:
	// user hi [{x-note 1}] <nil>
	// messages: byte 44: invalid surrogate pair `\ud83d"}` in string
}

func ExampleParseDescription() {
	in, o, err := messages.ParseDescription([]byte(`{
		"systemInstructions": "Be accurate.",
		"input": "Summarize",
		"contextBudget": {"maxInputTokens": 100},
		"policy": "quantised"
	}`), nil)
	fmt.Println(in.System, len(in.Current), o.Policy, o.Budget.MaxInputTokens, err)
	// Output: [Be accurate.] 1 quantised 100 <nil>
}

func ExampleMessage_AppendJSONText() {
	m := messages.Message{Role: messages.Tool, Content: []messages.Block{
		{Kind: messages.KindToolResult, ID: "call_1", Value: `{"rows": 2, "of": "users"}`}}}
	json, charged, err := m.AppendJSONText(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(json))
	fmt.Println(charged)
	// Output:
	// {"content":[{"result":{"of":"users","rows":2},"toolCallId":"call_1","type":"tool_result"}],"role":"tool"}
	// {"of":"users","rows":2}
}
