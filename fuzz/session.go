package fuzz

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer/messages"
)

// Sessions draws conversations of at most n turns, as logs have them: tool calls in parallel, answered late, out of
// order, in one message, with a user in between, or never; ids used again, ids missing; results of no call; thinking
// apart from what it led to. The messages are well-formed.
func Sessions(n int) *rapid.Generator[[]messages.Message] {
	return rapid.Custom(func(t *rapid.T) []messages.Message {
		var session []messages.Message
		for range rapid.IntRange(0, n).Draw(t, "turns") {
			session = append(session, turn(t)...)
		}
		return session
	})
}

// HostileSessions draws a conversation of at most n turns in which one message cannot be written: a text that is not
// UTF-8, arguments or an extra member that is not JSON, an extra member with the name of another.
func HostileSessions(n int) *rapid.Generator[[]messages.Message] {
	notJSON := rapid.SampledFrom([]messages.JSON{`{`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", `01`, `1 2`, `nul`, `[1,]`})
	return rapid.Custom(func(t *rapid.T) []messages.Message {
		m := messages.TextMessage(messages.Assistant, Texts(3).Draw(t, "text"))
		switch rapid.IntRange(0, 3).Draw(t, "flaw") {
		case 0:
			m.Content[0].Text = HostileTexts(3).Draw(t, "text")
		case 1:
			m.Content = append(m.Content, messages.Block{Kind: messages.KindToolCall, ID: "c1", Name: "read", Value: notJSON.Draw(t, "arguments")})
		case 2:
			m.Extra = []messages.Member{{Name: "x", Value: notJSON.Draw(t, "extra")}}
		case 3:
			m.Extra = []messages.Member{{Name: "role", Value: `"user"`}}
		}
		before, after := Sessions(n/2).Draw(t, "before"), Sessions(n/2).Draw(t, "after")
		return append(append(before, m), after...)
	})
}

// turn draws messages that follow each other in a log.
func turn(t *rapid.T) []messages.Message {
	text := func() string { return Texts(8).Draw(t, "text") }
	id := rapid.SampledFrom([]string{"", "", "c1", "c2", "c3", "c4"})
	name := rapid.SampledFrom([]string{"read", "run", ""})
	call := func() messages.Block {
		return messages.Block{Kind: messages.KindToolCall, ID: id.Draw(t, "id"), Name: name.Draw(t, "tool"),
			Value: messages.JSON(fmt.Sprintf(`{ "b": %d, "a": 1.0 }`, rapid.IntRange(0, 3).Draw(t, "argument")))}
	}
	result := func(of messages.Block) messages.Block {
		return messages.Block{Kind: messages.KindToolResult, ID: of.ID, Name: of.Name, Text: text()}
	}
	switch rapid.IntRange(0, 6).Draw(t, "turn") {
	case 0:
		return []messages.Message{messages.TextMessage(messages.User, text())}
	case 1:
		return []messages.Message{messages.TextMessage(messages.Assistant, text())}
	case 2:
		thinking := messages.Block{Kind: messages.KindThinking, Text: text()}
		return []messages.Message{{Role: messages.Assistant, Content: []messages.Block{thinking}}}
	case 3: // a result of who knows what
		return []messages.Message{{Role: messages.Tool, Content: []messages.Block{result(call())}}}
	case 4:
		return []messages.Message{messages.TextMessage(messages.System, text())}
	}
	asking := messages.Message{Role: messages.Assistant, Content: []messages.Block{messages.Text(text())}}
	var results []messages.Block
	for range rapid.IntRange(1, 3).Draw(t, "calls") {
		c := call()
		asking.Content = append(asking.Content, c)
		if rapid.IntRange(0, 4).Draw(t, "answered") > 0 {
			results = append(results, result(c))
		}
	}
	if rapid.Bool().Draw(t, "out of order") {
		results = rapid.Permutation(results).Draw(t, "results")
	}
	turn := []messages.Message{asking}
	if rapid.Bool().Draw(t, "interrupted") {
		turn = append(turn, messages.TextMessage(messages.User, text()))
	}
	if rapid.Bool().Draw(t, "one message") && len(results) > 0 {
		return append(turn, messages.Message{Role: messages.User, Content: results})
	}
	for _, r := range results {
		turn = append(turn, messages.Message{Role: messages.Tool, Content: []messages.Block{r}})
	}
	return turn
}

// Prompts draws prompts of all groups, with a conversation of at most n turns in it: its messages are history, tool
// results and current input, in this order.
func Prompts(n int) *rapid.Generator[messages.Prompt] {
	return rapid.Custom(func(t *rapid.T) messages.Prompt {
		some := func(label string, role messages.Role) []messages.Message {
			one := rapid.Map(Texts(8), func(text string) messages.Message { return messages.TextMessage(role, text) })
			return rapid.SliceOfN(one, 0, 2).Draw(t, label)
		}
		var p messages.Prompt
		session := Sessions(n).Draw(t, "session")
		cut := rapid.IntRange(0, len(session)).Draw(t, "history")
		end := rapid.IntRange(cut, len(session)).Draw(t, "tool results")
		p.History, p.ToolResults, p.Current = session[:cut:cut], session[cut:end:end], session[end:]
		p.Instructions = some("instructions", messages.System)
		p.Summaries = some("summaries", messages.System)
		p.Attachments = some("attachments", messages.User)
		p.Context = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) messages.Context {
			return messages.Context{Content: []messages.Block{messages.Text(Texts(8).Draw(t, "text"))},
				Title: rapid.SampledFrom([]string{"", "T"}).Draw(t, "title"), Priority: rapid.IntRange(-1, 1).Draw(t, "priority")}
		}), 0, 3).Draw(t, "context")
		for i := range rapid.IntRange(0, 3).Draw(t, "skills") {
			p.Skills = append(p.Skills, messages.Skill{Name: fmt.Sprint("s", i), Description: Texts(8).Draw(t, "description"),
				Body: Texts(8).Draw(t, "body"), Loaded: rapid.Bool().Draw(t, "loaded")})
		}
		for i := range rapid.IntRange(0, 2).Draw(t, "tools") {
			p.Tools = append(p.Tools, messages.ToolSpec{Name: fmt.Sprint("t", i), Definition: `{"type": "object"}`})
		}
		p.Model.Tools = rapid.Bool().Draw(t, "model tools")
		if rapid.Bool().Draw(t, "tail") {
			p.Tail = &messages.Tail{Order: []string{"seg:1", "skill:s1"}}
			for i := range rapid.IntRange(0, 3).Draw(t, "segments") {
				p.Tail.Segments = append(p.Tail.Segments, messages.Segment{ID: fmt.Sprint("seg:", i), Text: Texts(8).Draw(t, "segment")})
			}
			for i := range p.Attachments {
				if rapid.Bool().Draw(t, "in the tail") {
					p.Attachments[i].Segment = fmt.Sprint("resource:", i)
				}
			}
		}
		return p
	})
}
