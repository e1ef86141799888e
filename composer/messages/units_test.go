package messages_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer/messages"
)

// talk reads a conversation of one word a message: u and a are texts, t is thinking, other words are blocks joined by +:
// cX is a call with the id X and rX a result for it; c and r have none; c:N and r:N name the tool N.
// sX and oX are a call and its result of kinds that have no constant.
func talk(words string) []messages.Message {
	var out []messages.Message
	for _, word := range strings.Fields(words) {
		switch word {
		case "u":
			out = append(out, messages.TextMessage(messages.User, "u"))
			continue
		case "a":
			out = append(out, messages.TextMessage(messages.Assistant, "a"))
			continue
		case "t":
			out = append(out, messages.Message{Role: messages.Assistant, Content: []messages.Block{{Kind: messages.KindThinking, Text: "t"}}})
			continue
		}
		m := messages.Message{Role: messages.Assistant}
		for _, part := range strings.Split(word, "+") {
			id, name, _ := strings.Cut(part[1:], ":")
			b := messages.Block{Kind: messages.KindToolCall, ID: id, Name: name}
			switch part[0] {
			case 'r':
				m.Role, b.Kind = messages.Tool, messages.KindToolResult
			case 's':
				b = messages.Block{Kind: "search_call", Extra: []messages.Member{{Name: "call_id", Value: messages.JSON(`"` + id + `"`)}}}
			case 'o':
				m.Role = messages.Tool
				b = messages.Block{Kind: "search_output", Extra: []messages.Member{{Name: "call_id", Value: messages.JSON(`"` + id + `"`)}}}
			}
			m.Content = append(m.Content, b)
		}
		out = append(out, m)
	}
	return out
}

func TestUnits(t *testing.T) {
	for _, test := range []struct {
		name  string
		words string
		want  []int
	}{
		{"nothing", "", []int{}},
		{"texts", "u a u", []int{0, 1, 2}},
		{"a call and its result", "u cX rX a", []int{0, 1, 1, 3}},
		{"parallel calls, a result a message", "cX+cY rX rY", []int{0, 0, 0}},
		{"parallel calls, results in one message, in another order", "cX+cY rY+rX", []int{0, 0}},
		{"parallel calls in messages of their own", "cX cY rX rY", []int{0, 0, 0, 0}},
		{"a thought, a text and parallel calls, each a message", "u t a cX cY rY rX a", []int{0, 1, 1, 1, 1, 1, 1, 7}},
		{"a text and its call, each a message: the text can go", "a cX rX", []int{0, 1, 1}},
		{"texts", "u a a", []int{0, 1, 2}},
		{"calls of other kinds", "sX sY oY oX sX rX", []int{0, 0, 0, 0, 4, 4}},
		{"calls of other kinds without ids", "s u o", []int{0, 1, 2}},
		{"calls of two answers", "cX u cY rX rY", []int{0, 1, 2, 0, 2}},
		{"results of two answers in one message", "cX u cY rX+rY", []int{0, 1, 0, 0}},
		{"a text between call and result", "cX u rX", []int{0, 1, 0}},
		{"a result without a call", "u rX", []int{0, 1}},
		{"a result before its call", "rX cX", []int{0, 1}},
		{"a call without a result", "cX u", []int{0, 1}},
		{"a second result", "cX rX rX", []int{0, 0, 0}},
		{"an id used again", "cX rX cX rX", []int{0, 0, 2, 2}},
		{"an id used again after a call without a result", "cX u cX rX", []int{0, 1, 2, 2}},
		{"an id used again before its results", "cX u cX rX rX rX", []int{0, 1, 2, 2, 0, 2}},
		{"no ids", "c r c r", []int{0, 0, 2, 2}},
		{"no ids: in the order of the calls", "c u c r r", []int{0, 1, 2, 0, 2}},
		{"no ids, by tool", "c:f u c:g r:g r:f", []int{0, 1, 2, 2, 0}},
		{"no ids, a tool that only some results name", "c:f u c:g r r:g", []int{0, 1, 2, 0, 2}},
		{"no ids, more results than calls", "c r r", []int{0, 0, 2}},
		{"an id does not answer a call without one", "c rX", []int{0, 1}},
		{"thinking goes with what it led to", "u t cX rX", []int{0, 1, 1, 1}},
		{"thinking that led to nothing", "t u a", []int{0, 1, 2}},
		{"thinking in two messages", "t t a", []int{0, 0, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, _ := messages.Units(talk(test.words))
			compare(t, "units", test.want, got)
		})
	}
}

func TestUnitsNamesCalls(t *testing.T) {
	conversation := talk("c:f+c:f r:f+r:f u c:f r:f cX c:g r:f")
	_, named := messages.Units(conversation)
	var ids []string
	for i, m := range named {
		for k, b := range m.Content {
			if b.Kind == messages.KindText {
				continue
			}
			ids = append(ids, b.ID)
			if original := conversation[i].Content[k].ID; original != "" && original != b.ID && original != "X" {
				t.Errorf("message %d: the caller's block was given the id %q", i, original)
			}
		}
	}
	const first, second, third, fifth = 0, 1, 4, 7 // places of the calls among the ids
	distinct := map[string]bool{}
	for _, at := range []int{first, second, third, fifth} {
		if len(ids[at]) != len("call_")+32 || !strings.HasPrefix(ids[at], "call_") {
			t.Errorf("id %q", ids[at])
		}
		distinct[ids[at]] = true
	}
	if len(distinct) != 4 {
		t.Errorf("four calls without ids have %d ids: %v", len(distinct), ids)
	}
	compare(t, "ids of the results", []string{ids[first], ids[second], ids[third], ""}, []string{ids[2], ids[3], ids[5], ids[8]})
	compare(t, "an id that was there", "X", ids[6])

	_, again := messages.Units(talk("c:f+c:f r:f+r:f u c:f r:f cX c:g r:f u u"))
	compare(t, "the session grown", named, again[:len(named)])
	for _, m := range conversation[:2] {
		if m.Content[0].ID != "" {
			t.Error("the conversation that was passed has been changed")
		}
	}
}

// How a value is spelled does not change an id, and what it says does.
func TestUnitsNamesCallsByCanonicalArguments(t *testing.T) {
	id := func(arguments messages.JSON) string {
		_, named := messages.Units([]messages.Message{{Role: messages.Assistant,
			Content: []messages.Block{{Kind: messages.KindToolCall, Name: "f", Value: arguments}}}})
		return named[0].Content[0].ID
	}
	if id(`{"a":1,"b":[2.0]}`) != id(`{ "b": [2], "a": 1 }`) {
		t.Error("the spelling changes the id")
	}
	if id(`{"a":1}`) == id(`{"a":"1"}`) {
		t.Error("1 and \"1\" have one id")
	}
}

func TestUnitsEqualPairingByLookingAtAllCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := slowPrompt{Prompt: messages.Prompt{Groups: messages.Groups{History: drawTurns(t, "turns", 12)}}}
		got, _ := messages.Units(s.History)
		want := make([]int, len(got))
		for _, u := range slowUnits(s.turns(messages.CacheAware)) {
			for _, member := range u {
				want[member.index] = u[0].index
			}
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("message %d is in the unit of %d, want %d", i, got[i], want[i])
			}
		}
	})
}
