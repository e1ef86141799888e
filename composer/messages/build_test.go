package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer/messages"
)

// Who speaks in what stands in a prompt, and what of the host's is carried along.
func TestRolesAndMetadata(t *testing.T) {
	a, err := messages.Assemble(messages.Input{
		System:       []string{"a"},
		Developer:    []string{"b"},
		Instructions: []messages.Instruction{{Text: "c", Metadata: `{"of":"instruction"}`}},
		Summaries:    []messages.Summary{{Text: "d", Metadata: `{"of":"summary"}`}},
		Attachments:  []messages.Attachment{{Text: "e", Name: "n", URI: "u", MediaType: "m"}, {Text: "f"}},
		ToolResults:  []messages.ToolResult{{CallID: "x", Value: "1"}},
		Context:      []messages.Context{{Title: "g", Metadata: `{"of":"context"}`}},
		Skills:       []messages.Skill{{Name: "h", Body: "i", Loaded: true}},
		Tools:        []messages.ToolSpec{{Name: "j"}},
		Tail:         &messages.Tail{Segments: []messages.Segment{{ID: "k", Text: "l"}}},
	}, messages.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, m := range a.Messages {
		got = append(got, strings.TrimSpace(fmt.Sprintln(a.Places[i].Group, m.Role, m.Metadata)))
	}
	compare(t, "messages", []string{
		`instructions system`, `instructions system`, `instructions system {"of":"instruction"}`,
		`context system {"of":"context"}`, `skills system`, `tools system`,
		`attachments user {"name":"n","uri":"u","mediaType":"m"}`, `attachments user {}`,
		`summaries system {"of":"summary"}`, `tool_results tool`, `skill_body system`, `tail user`,
	}, got)
}

// What a tool gave is its value, else its texts; an error stands beside either, and media behind.
func TestToolResults(t *testing.T) {
	image := messages.Block{Kind: messages.KindImage}
	for _, test := range []struct {
		name   string
		result messages.ToolResult
		want   messages.Block
		media  []messages.Block
	}{
		{"nothing", messages.ToolResult{}, messages.Block{Text: messages.EmptyToolResult}, nil},
		{"a value", messages.ToolResult{CallID: "c", Name: "f", Value: "1"}, messages.Block{ID: "c", Name: "f", Value: "1"}, nil},
		{"a value before texts", messages.ToolResult{Value: "1", Content: []messages.Block{messages.Text("a")}}, messages.Block{Value: "1"}, nil},
		{"a text", messages.ToolResult{Content: []messages.Block{messages.Text("a")}}, messages.Block{Text: "a"}, nil},
		{"texts and media", messages.ToolResult{Content: []messages.Block{messages.Text("a"), image, messages.Text(""), messages.Text("b")}},
			messages.Block{Text: "a\nb"}, []messages.Block{image}},
		{"media alone", messages.ToolResult{Content: []messages.Block{image}}, messages.Block{Text: messages.EmptyToolResult}, []messages.Block{image}},
		{"an error", messages.ToolResult{Error: `"e"`}, messages.Block{Error: `"e"`}, nil},
		{"an error that is none", messages.ToolResult{Error: "null"}, messages.Block{Error: "null", Text: messages.EmptyToolResult}, nil},
		{"an error and a text", messages.ToolResult{Error: `"e"`, Content: []messages.Block{messages.Text("a")}}, messages.Block{Error: `"e"`, Text: "a"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := messages.Build(messages.Input{ToolResults: []messages.ToolResult{test.result}})
			if err != nil {
				t.Fatal(err)
			}
			test.want.Kind = messages.KindToolResult
			want := messages.Message{Role: messages.Tool, Content: append([]messages.Block{test.want}, test.media...)}
			compare(t, "messages", []messages.Message{want}, p.ToolResults)
		})
	}
}

// Definitions are numbered as they are told; a tool without one is not.
func TestToolDefinitions(t *testing.T) {
	p := messages.Prompt{Model: messages.Model{Tools: true}, Tools: []messages.ToolSpec{{Name: "a", Definition: "1"}, {Name: "b"}, {Name: "c", Definition: "2"}}}
	a, err := p.Assemble(messages.Options{})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "sections", []string{"tool_definitions/0", "tool_definitions/1"}, a.Composition.Included())
	compare(t, "text", "12", a.Composition.Text())
}

// TestSkillDescription: a description is trimmed as the published system does it, in JavaScript.
func TestSkillDescription(t *testing.T) {
	for _, test := range []struct{ description, want string }{
		{" \t\v\ufeff\u00a0\u2028a b\u3000\u1680\r\n", "a b"},
		{"\u0085a\u200b", "\u0085a\u200b"}, // neither is white space there
		{"\ufeff", "(no description)"},
	} {
		p := messages.Prompt{Skills: []messages.Skill{{Name: "s", Description: test.description}}}
		a, err := p.Assemble(messages.Options{})
		if err != nil || len(a.Messages) != 1 {
			t.Fatal(a.Messages, err)
		}
		if got, want := a.Messages[0].Content[0].Text, "Skill s: "+test.want; got != want {
			t.Errorf("%q: %q, want %q", test.description, got, want)
		}
	}
}
