package messages_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer/messages"
)

// drawText draws a short text of characters that are easily cut in the wrong place.
func drawText(t *rapid.T) string {
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "lorem ipsum ", "\r\n", "\x00", "é", "e\u0301", "日本語", "😀", "👨‍👩‍👧‍👦", "🇩🇪🇫🇷", "\"", "\\", "\u2028",
	}), 0, 12).Draw(t, "pieces")
	return strings.Join(pieces, "")
}

// drawTurn draws messages that follow each other in a log: with calls answered late, twice, never or out of order, ids
// used again, ids missing, thinking apart from what it led to.
func drawTurn(t *rapid.T) []messages.Message {
	id := rapid.SampledFrom([]string{"", "", "c1", "c2", "c3", "c4"})
	name := rapid.SampledFrom([]string{"read", "run", ""})
	call := func() messages.Block {
		return messages.Block{Kind: messages.KindToolCall, ID: id.Draw(t, "id"), Name: name.Draw(t, "tool"),
			Value: messages.JSON(fmt.Sprintf(`{ "b": %d, "a": 1.0 }`, rapid.IntRange(0, 3).Draw(t, "argument")))}
	}
	result := func(of messages.Block) messages.Block {
		return messages.Block{Kind: messages.KindToolResult, ID: of.ID, Name: of.Name, Text: drawText(t)}
	}
	switch rapid.IntRange(0, 7).Draw(t, "turn") {
	case 0:
		return []messages.Message{messages.TextMessage(messages.User, drawText(t))}
	case 1:
		return []messages.Message{messages.TextMessage(messages.Assistant, drawText(t))}
	case 2:
		return []messages.Message{{Role: messages.Assistant,
			Content: []messages.Block{{Kind: messages.KindThinking, Text: drawText(t)}}}}
	case 3: // a result of who knows what
		return []messages.Message{{Role: messages.Tool, Content: []messages.Block{result(call())}}}
	case 4:
		return []messages.Message{messages.TextMessage(messages.System, drawText(t))}
	case 5: // a call of a kind that has no constant, with a result of one or of the usual kind
		id := rapid.SampledFrom([]string{"c1", "s1", "s2"}).Draw(t, "id")
		member := []messages.Member{{Name: "call_id", Value: messages.JSON(`"` + id + `"`)}}
		output := messages.Block{Kind: "search_output", Extra: member}
		if rapid.Bool().Draw(t, "usual") {
			output = messages.Block{Kind: messages.KindToolResult, ID: id}
		}
		return []messages.Message{
			{Role: messages.Assistant, Content: []messages.Block{{Kind: "search_call", Extra: member}}},
			{Role: messages.Tool, Content: []messages.Block{output}},
		}
	}
	m := messages.Message{Role: messages.Assistant, Content: []messages.Block{messages.Text(drawText(t))}}
	var results []messages.Block
	for range rapid.IntRange(1, 3).Draw(t, "calls") {
		c := call()
		m.Content = append(m.Content, c)
		if rapid.IntRange(0, 4).Draw(t, "answered") > 0 {
			results = append(results, result(c))
		}
	}
	if rapid.Bool().Draw(t, "shuffle") {
		results = rapid.Permutation(results).Draw(t, "results")
	}
	turns := []messages.Message{m}
	if rapid.Bool().Draw(t, "interrupted") {
		turns = append(turns, messages.TextMessage(messages.User, drawText(t)))
	}
	if rapid.Bool().Draw(t, "one message") && len(results) > 0 {
		return append(turns, messages.Message{Role: messages.User, Content: results})
	}
	for _, r := range results {
		turns = append(turns, messages.Message{Role: messages.Tool, Content: []messages.Block{r}})
	}
	return turns
}

func drawTurns(t *rapid.T, label string, most int) []messages.Message {
	var out []messages.Message
	for range rapid.IntRange(0, most).Draw(t, label) {
		out = append(out, drawTurn(t)...)
	}
	return out
}

// drawPrompt draws a prompt of all groups. The last of the conversation may be history, tool results or current input.
func drawPrompt(t *rapid.T) messages.Prompt {
	texts := func(label string, role messages.Role) []messages.Message {
		var out []messages.Message
		for range rapid.IntRange(0, 2).Draw(t, label) {
			out = append(out, messages.TextMessage(role, drawText(t)))
		}
		return out
	}
	conversation := drawTurns(t, "turns", 8)
	var p messages.Prompt
	cut := rapid.IntRange(0, len(conversation)).Draw(t, "history")
	end := rapid.IntRange(cut, len(conversation)).Draw(t, "tool results")
	p.History, p.ToolResults, p.Current = conversation[:cut], conversation[cut:end], conversation[end:]
	p.Instructions = texts("instructions", messages.System)
	p.Summaries = texts("summaries", messages.System)
	p.Attachments = texts("attachments", messages.User)
	for range rapid.IntRange(0, 3).Draw(t, "context") {
		p.Context = append(p.Context, messages.Context{Content: []messages.Block{messages.Text(drawText(t))},
			Title: rapid.SampledFrom([]string{"", "T"}).Draw(t, "title"), Priority: rapid.IntRange(-1, 1).Draw(t, "priority")})
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "skills") {
		p.Skills = append(p.Skills, messages.Skill{Name: fmt.Sprint("s", i), Description: drawText(t), Body: drawText(t),
			Loaded: rapid.Bool().Draw(t, "loaded")})
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "tools") {
		p.Tools = append(p.Tools, messages.ToolSpec{Name: fmt.Sprint("t", i), Definition: `{"type": "object"}`})
	}
	p.Model.Tools = rapid.Bool().Draw(t, "model tools")
	if rapid.Bool().Draw(t, "tail") {
		p.Tail = &messages.Tail{Order: []string{"seg:1", "skill:s1"}}
		for i := range rapid.IntRange(0, 3).Draw(t, "segments") {
			p.Tail.Segments = append(p.Tail.Segments, messages.Segment{ID: fmt.Sprint("seg:", i), Text: drawText(t)})
		}
		for i := range p.Attachments {
			if rapid.Bool().Draw(t, "segment") {
				p.Attachments[i].Segment = fmt.Sprint("resource:", i)
			}
		}
	}
	return p
}
