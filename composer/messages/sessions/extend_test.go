package sessions_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
)

// TestBreaksAgainstPlainComparison compares the calls of every file one by one, in canonical JSON, and wants the same
// calls to break the series.
func TestBreaksAgainstPlainComparison(t *testing.T) {
	for _, path := range sessionFiles(t) {
		s, err := readFile(t, path, sessions.Options{SkipBad: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Calls) > 200 {
			s.Calls = s.Calls[:200]
		}
		var want []int
		last := map[string][][]byte{}
		for i, c := range s.Calls {
			now := canonicalCall(t, c)
			before, ok := last[c.Thread]
			last[c.Thread] = now
			if ok && (len(now) < len(before) || !slices.EqualFunc(before, now[:len(before)], bytes.Equal)) {
				want = append(want, i)
			}
		}
		var got []int
		for _, b := range s.Breaks() {
			got = append(got, b.Call)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: calls %v break the series; a plain comparison says %v", path, got, want)
		}
		switch s.Format {
		case sessions.Transcript, sessions.SWEAgent, sessions.GeminiCLI, sessions.ADK, sessions.BFCL:
			if len(got) > 0 {
				t.Errorf("%s: a log of format %s only grows, but breaks at %v", path, s.Format, got)
			}
		}
	}
}

// canonicalCall returns the parts of a call that another one has to begin with; all tools are one part.
func canonicalCall(t *testing.T, c sessions.Call) [][]byte {
	t.Helper()
	var tools []byte
	for _, tool := range c.Tools {
		// The standard library sorts members too.
		definition, err := json.Marshal(generic(t, []byte(tool.Definition)))
		if err != nil {
			t.Fatal(err)
		}
		tools = append(append(tools, definition...), '\n')
	}
	parts := [][]byte{tools}
	for _, m := range append([]messages.Message{c.System}, c.Messages...) {
		part, err := m.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
	}
	return parts
}

func TestExtends(t *testing.T) {
	message := func(text string) messages.Message { return messages.TextMessage(messages.User, text) }
	tool := func(name, definition string) messages.ToolSpec {
		return messages.ToolSpec{Name: name, Definition: messages.JSON(definition)}
	}
	f, g := tool("f", `{"name":"f"}`), tool("g", `{"name":"g"}`)
	base := sessions.Call{System: message("s"), Tools: []messages.ToolSpec{f, g}, Messages: []messages.Message{message("a"), message("b")}}
	with := func(change func(*sessions.Call)) sessions.Call {
		c := base
		c.Tools, c.Messages = slices.Clone(c.Tools), slices.Clone(c.Messages)
		change(&c)
		return c
	}
	for _, test := range []struct {
		name string
		b    sessions.Call
		want string
	}{
		{"the same", base, "unchanged"},
		{"longer", with(func(c *sessions.Call) { c.Messages = append(c.Messages, message("c")) }), "unchanged"},
		{"another shape", with(func(c *sessions.Call) { c.Messages[0].Shape = messages.ShapeString }), "unchanged"},
		{"a cache marker", with(func(c *sessions.Call) {
			c.Messages[1] = messages.Message{Role: messages.User, Content: []messages.Block{{Kind: messages.KindText, Text: "b", Cache: `{"type":"ephemeral"}`}}}
		}), "unchanged"},
		{"members of a tool in another order", with(func(c *sessions.Call) { c.Tools[0].Definition = `{ "name":"f" }` }), "unchanged"},
		{"edited", with(func(c *sessions.Call) { c.Messages[1] = message("x") }), "message_changed at 1"},
		{"shorter", with(func(c *sessions.Call) { c.Messages = c.Messages[:1] }), "messages_removed at 1"},
		{"another system prompt", with(func(c *sessions.Call) { c.System = message("t") }), "system_changed"},
		{"a tool more", with(func(c *sessions.Call) { c.Tools = append(c.Tools, tool("h", `{"name":"h"}`)) }), "tools_added at 2"},
		{"a tool more in front", with(func(c *sessions.Call) { c.Tools = slices.Insert(c.Tools, 0, tool("h", `{"name":"h"}`)) }), "tools_added at 0"},
		{"a tool less", with(func(c *sessions.Call) { c.Tools = c.Tools[1:] }), "tools_removed at 0"},
		{"another order", with(func(c *sessions.Call) { c.Tools[0], c.Tools[1] = g, f }), "tools_reordered at 0"},
		{"another schema", with(func(c *sessions.Call) { c.Tools[1] = tool("g", `{"name":"g","x":1}`) }), "tool_changed at 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := sessions.Extends(base, test.b).String(); got != test.want {
				t.Errorf("%s; want %s", got, test.want)
			}
		})
	}
}
