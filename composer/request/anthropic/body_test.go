package anthropic_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/composer/request/anthropic"
)

func say(role messages.Role, text string) messages.Message { return messages.TextMessage(role, text) }

func write(t *testing.T, q request.Request, o anthropic.Options) request.Body {
	t.Helper()
	b, err := anthropic.Write(q, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestShapes(t *testing.T) {
	ephemeral := messages.JSON(`{"type":"ephemeral"}`)
	for _, test := range []struct {
		name string
		q    request.Request
		want string
	}{
		{"nothing", request.Request{}, `{"messages":[]}`},
		{"parameters", request.Request{Model: "m", MaxOutput: 9, Params: []messages.Member{{Name: "temperature", Value: "0.50"}, {Name: "a", Value: `{"c": 1, "b": 12345678901234567890}`}}},
			`{"model":"m","messages":[],"a":{"b":12345678901234567890,"c":1},"max_tokens":9,"temperature":0.5}`},
		{"a limit of the caller's", request.Request{MaxOutput: 9, Params: []messages.Member{{Name: "max_tokens", Value: "5"}}}, `{"messages":[],"max_tokens":5}`},
		{"tools", request.Request{Tools: []request.Tool{{Name: "f", Description: "d", Schema: `{"type":"object","a":1}`}, {Name: "g"}, {Definition: `{"type":"web","name":"w","cache_control":{"type":"ephemeral"}}`}}},
			`{"tools":[{"description":"d","input_schema":{"a":1,"type":"object"},"name":"f"},{"description":"","input_schema":{"properties":{},"type":"object"},"name":"g"},` +
				`{"cache_control":{"type":"ephemeral"},"name":"w","type":"web"}],"messages":[]}`},
		{"system prompt", request.Request{System: []request.SystemBlock{{Text: "a"}, {Text: " \n", Volatile: true}},
			Messages:    []messages.Message{say(messages.System, "b"), say(messages.Developer, "c"), say(messages.User, "u"), say(messages.Developer, "d")},
			Breakpoints: []request.Breakpoint{{At: request.Place{Part: request.System}, TTL: request.OneHour}, {At: request.Place{Part: request.Messages, Index: 1}}}},
			`{"system":[{"type":"text","text":"a","cache_control":{"ttl":"1h","type":"ephemeral"}},{"type":"text","text":"b"},{"type":"text","text":"c","cache_control":{"type":"ephemeral"}}],` +
				`"messages":[{"role":"user","content":[{"type":"text","text":"u"}]},{"role":"system","content":[{"type":"text","text":"d"}]}]}`},
		{"parallel results are one message", request.Request{Messages: []messages.Message{
			{Role: messages.Assistant, Content: []messages.Block{
				{Kind: messages.KindThinking, Text: "hm"}, {Kind: messages.KindThinking, Text: "so", Extra: []messages.Member{{Name: "signature", Value: `"s"`}}},
				{Kind: messages.KindToolCall, ID: "1", Name: "f", Text: `{"b": 1, "a": 2}`}, {Kind: messages.KindToolCall, ID: "2", Name: "f"}, {Kind: messages.KindToolCall, ID: "3", Name: "f", Value: `""`}}},
			{Role: messages.Tool, ID: "host", Metadata: "{}", Content: []messages.Block{{Kind: messages.KindToolResult, ID: "1", Name: "f", Text: "r"}}},
			{Role: messages.Tool, Content: []messages.Block{{Kind: messages.KindToolResult, ID: "2", Value: `{"x": 1}`}}},
			{Role: messages.Tool, Content: []messages.Block{{Kind: messages.KindToolResult, ID: "3", Error: `"no"`, Cache: ephemeral}}},
			say(messages.User, "u")}},
			`{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"so","signature":"s"},{"type":"tool_use","id":"1","name":"f","input":{"a":2,"b":1}},` +
				`{"type":"tool_use","id":"2","name":"f","input":{}},{"type":"tool_use","id":"3","name":"f","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r"},{"type":"tool_result","tool_use_id":"2","content":"{\"x\": 1}"},` +
				`{"type":"tool_result","tool_use_id":"3","content":"no","is_error":true,"cache_control":{"type":"ephemeral"}}]},` +
				`{"role":"user","content":[{"type":"text","text":"u"}]}]}`},
		{"an answer in several messages", request.Request{Messages: []messages.Message{say(messages.Assistant, "a"),
			{Role: messages.Assistant, Content: []messages.Block{{Kind: messages.KindThinking, Text: "hm"}}},
			{Role: messages.Assistant, Content: []messages.Block{{Kind: messages.KindToolCall, ID: "1", Name: "f"}}}, say(messages.User, "b"), say(messages.User, "c")}},
			`{"messages":[{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"1","name":"f","input":{}}]},` +
				`{"role":"user","content":[{"type":"text","text":"b"}]},{"role":"user","content":[{"type":"text","text":"c"}]}]}`},
		{"media", request.Request{Messages: []messages.Message{{Role: messages.User, Content: []messages.Block{
			{Kind: messages.KindImage, Extra: []messages.Member{{Name: "source", Value: `{"type":"base64"}`}}},
			{Kind: messages.KindImage, Extra: []messages.Member{{Name: "image_url", Value: `{"url":"data:image/png;base64,AA==","detail":"low"}`}}},
			{Kind: messages.KindImage, Extra: []messages.Member{{Name: "image_url", Value: `"https://e.example/a"`}}},
			{Kind: messages.KindFile, Extra: []messages.Member{{Name: "file", Value: `{"file_data":"data:application/pdf;base64,AA==","filename":"a.pdf"}`}}},
			{Kind: messages.KindFile, Extra: []messages.Member{{Name: "file_url", Value: `"https://e.example/a"`}, {Name: "gemini:type", Value: "1"}}},
		}}}},
			`{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64"}},{"type":"image","source":{"data":"AA==","media_type":"image/png","type":"base64"}},` +
				`{"type":"image","source":{"type":"url","url":"https://e.example/a"}},{"type":"document","source":{"data":"AA==","media_type":"application/pdf","type":"base64"},"title":"a.pdf"},` +
				`{"type":"document","source":{"type":"url","url":"https://e.example/a"}}]}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, string(write(t, test.q, anthropic.Options{}).JSON)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	one := func(b messages.Block) request.Request {
		return request.Request{Messages: []messages.Message{say(messages.User, "a"), {Role: messages.Assistant, Content: []messages.Block{b}}}}
	}
	for _, test := range []struct {
		name string
		q    request.Request
		want string
	}{
		{"a place", request.Request{Breakpoints: []request.Breakpoint{{At: request.Place{Part: request.System, Index: 2}}}}, "anthropic: breakpoint at system block 3: there are 0"},
		{"a lifetime", request.Request{Breakpoints: []request.Breakpoint{{TTL: 2}}}, "anthropic: breakpoint at tool 1: unknown lifetime 2"},
		{"a parameter twice", request.Request{Model: "m", Params: []messages.Member{{Name: "model", Value: `"n"`}}}, `anthropic: parameter "model" stands twice`},
		{"messages as a parameter", request.Request{Params: []messages.Member{{Name: "messages", Value: `[]`}}}, `anthropic: parameter "messages" stands twice`},
		{"a parameter", request.Request{Params: []messages.Member{{Name: "a", Value: `{`}}}, `anthropic: member "a": `},
		{"a tool", request.Request{Tools: []request.Tool{{Name: "f", Schema: "{"}}}, `anthropic: tool 1 ("f"): schema: want a JSON object: `},
		{"a definition", request.Request{Tools: []request.Tool{{Name: "f", Definition: "{"}}}, `anthropic: tool 1 ("f"): `},
		{"a schema with something behind", request.Request{Tools: []request.Tool{{Name: "e"}, {Name: "f", Schema: `{},"type":"bash"`}}}, `anthropic: tool 2 ("f"): schema: something follows the JSON object at byte 2`},
		{"a nameless tool", request.Request{Tools: []request.Tool{{}}}, `anthropic: tool 1: no name`},
		{"arguments", one(messages.Block{Kind: messages.KindToolCall, Name: "f", Text: "a b"}), `anthropic: message 2: block 1: the call of "f" has arguments that are no object in JSON: a b`},
		{"audio", one(messages.Block{Kind: messages.KindAudio}), `anthropic: message 2: block 1: audio: no form in this API; want bytes in base64 or a URL`},
		{"another format's block", one(messages.Block{Kind: "openai:refusal"}), `anthropic: message 2: block 1: openai:refusal has no form in this API`},
		{"a marker", one(messages.Block{Kind: messages.KindText, Text: "a", Cache: `{"type":"ephemeral","ttl":"2h"}`}), `anthropic: message 2: block 1: cache marker: unknown lifetime "2h"; want 5m or 1h`},
		{"an image in the system prompt", request.Request{Messages: []messages.Message{{Role: messages.System, Content: []messages.Block{{Kind: messages.KindImage}}}}}, `anthropic: message 1: block 1: a system prompt takes texts; found image`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, err := anthropic.Write(test.q, anthropic.Options{})
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("error %v, want %q; body %s", err, test.want, b.JSON)
			}
		})
	}
}

// marked returns a request of n messages with breakpoints behind some, "*", or with an hour, "h".
func marked(pattern string) request.Request {
	var q request.Request
	for i, c := range pattern {
		role := messages.User
		if i%2 == 1 {
			role = messages.Assistant
		}
		q.Messages = append(q.Messages, say(role, "01234567"))
		switch at := (request.Place{Part: request.Messages, Index: i}); c {
		case '*':
			q.Breakpoints = append(q.Breakpoints, request.Breakpoint{At: at})
		case 'h':
			q.Breakpoints = append(q.Breakpoints, request.Breakpoint{At: at, TTL: request.OneHour})
		case ' ':
			q.Messages[i].Content[0].Text = " \n"
		case 'b':
			q.Messages[i].Content[0].Text = ""
			q.Breakpoints = append(q.Breakpoints, request.Breakpoint{At: at})
		case '3': // one marker in the request, three on the wire
			q.Messages[i].Content = nil
			for k := range 3 {
				q.Messages[i].Content = append(q.Messages[i].Content, messages.Block{Kind: messages.KindToolResult, ID: fmt.Sprint(k), Text: "r", Cache: `{"type":"ephemeral"}`})
			}
		}
	}
	return q
}

func TestMarkers(t *testing.T) {
	automatic := func(q request.Request, marker messages.JSON) request.Request {
		q.Params = append(q.Params, messages.Member{Name: "cache_control", Value: marker})
		return q
	}
	const at = "/messages/%d/content/%d"
	for _, test := range []struct {
		name     string
		q        request.Request
		o        anthropic.Options
		markers  string // message.block and lifetime
		findings string
	}{
		{"none", marked("..."), anthropic.Options{}, "", ""},
		{"as asked", marked("h.*."), anthropic.Options{}, "0.0 1h, 2.0 5m", ""},
		{"four", marked("****"), anthropic.Options{}, "0.0 5m, 1.0 5m, 2.0 5m, 3.0 5m", ""},
		{"the earliest between go", marked("******"), anthropic.Options{}, "0.0 5m, 3.0 5m, 4.0 5m, 5.0 5m", "marker_limit 1.0, marker_limit 2.0"},
		{"two", marked("***"), anthropic.Options{MaxMarkers: 2}, "0.0 5m, 2.0 5m", "marker_limit 1.0"},
		{"one", marked("***"), anthropic.Options{MaxMarkers: 1}, "0.0 5m", "marker_limit 1.0, marker_limit 2.0"},
		{"three results in one message", marked("*.3*"), anthropic.Options{}, "0.0 5m, 2.1 5m, 2.2 5m, 3.0 5m", "marker_limit 2.0"},
		{"the automatic one takes a place", automatic(marked("****"), `{"type":"ephemeral"}`), anthropic.Options{}, "0.0 5m, 2.0 5m, 3.0 5m", "marker_limit 1.0"},
		{"automatic alone", automatic(marked("*"), `{"type":"ephemeral"}`), anthropic.Options{MaxMarkers: 1}, "", "marker_limit 0.0"},
		{"not on a blank block", marked(".  b."), anthropic.Options{}, "0.0 5m", "marker_moved 3.0"},
		{"on none", marked(" b."), anthropic.Options{}, "", "marker_unplaced 1.0"},
		{"two that meet", marked("hb"), anthropic.Options{}, "0.0 1h", "marker_moved 1.0"},
		{"below the minimum", marked("**.*"), anthropic.Options{MinTokens: 5}, "3.0 5m", "below_minimum 0.0 2, below_minimum 1.0 4"},
		{"at the minimum", marked("**"), anthropic.Options{MinTokens: 4}, "1.0 5m", "below_minimum 0.0 2"},
		{"at the look-back", marked("*...*"), anthropic.Options{LookBack: 4}, "0.0 5m, 4.0 5m", ""},
		{"beyond it", marked("h....*"), anthropic.Options{LookBack: 4}, "0.0 1h, 1.0 5m, 5.0 5m", "marker_added 1.0"},
		{"beyond it, over a blank block", marked("*.  ...*"), anthropic.Options{LookBack: 4}, "0.0 5m, 4.0 5m, 7.0 5m", "marker_added 4.0"},
		{"beyond all of them", marked("*........*"), anthropic.Options{LookBack: 2}, "0.0 5m, 5.0 5m, 7.0 5m, 9.0 5m", "marker_added 7.0, marker_added 5.0, lookback_exceeded 5.0 5"},
		{"beyond it, and none is left", marked("*..*...**"), anthropic.Options{LookBack: 3}, "0.0 5m, 3.0 5m, 7.0 5m, 8.0 5m", "lookback_exceeded 7.0 4"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := write(t, test.q, test.o)
			short := func(pointer string) string {
				var i, k int
				if _, err := fmt.Sscanf(pointer, at, &i, &k); err != nil {
					return pointer
				}
				return fmt.Sprintf("%d.%d", i, k)
			}
			var got, findings []string
			for _, m := range b.Markers {
				got = append(got, short(m.At)+" "+m.TTL.String())
			}
			for _, f := range b.Findings {
				line := string(f.Code) + " " + short(f.At)
				if f.Count > 0 {
					line += fmt.Sprint(" ", f.Count)
				}
				findings = append(findings, line)
			}
			if diff := cmp.Diff(test.markers, strings.Join(got, ", ")); diff != "" {
				t.Errorf("markers (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.findings, strings.Join(findings, ", ")); diff != "" {
				t.Errorf("findings (-want +got)\n%s", diff)
			}
		})
	}
}

func TestLongerLifetimeFirst(t *testing.T) {
	q := marked("*..h")
	_, err := anthropic.Write(q, anthropic.Options{})
	if order := (*request.TTLOrderError)(nil); !errors.Is(err, request.ErrTTLOrder) || !errors.As(err, &order) || order.Shorter.At != "/messages/0/content/0" || order.Longer.At != "/messages/3/content/0" {
		t.Errorf("error %v", err)
	}
	tools := request.Request{Tools: []request.Tool{{Name: "f"}}, System: []request.SystemBlock{{Text: "s"}}, Breakpoints: []request.Breakpoint{
		{At: request.Place{Part: request.System}, TTL: request.OneHour}, {At: request.Place{Part: request.Tools}}}}
	want := "anthropic: a longer lifetime behind a shorter one: 1h at /system/0 behind 5m at /tools/0; want the longer first"
	if _, err := anthropic.Write(tools, anthropic.Options{}); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	q = marked("*")
	q.Params = []messages.Member{{Name: "cache_control", Value: `{"type":"ephemeral","ttl":"1h"}`}}
	if _, err := anthropic.Write(q, anthropic.Options{}); !errors.Is(err, request.ErrTTLOrder) {
		t.Errorf("error %v", err)
	}
}

func TestVolatileBlocksHaveNoMarker(t *testing.T) {
	q := request.Request{System: []request.SystemBlock{{Text: "s"}, {Text: "t", Volatile: true}},
		Breakpoints: []request.Breakpoint{{At: request.Place{Part: request.System}}, {At: request.Place{Part: request.System, Index: 1}}}}
	b := write(t, q, anthropic.Options{})
	if diff := cmp.Diff([]request.Finding{{Code: request.MarkerVolatile, At: "/system/1"}}, b.Findings); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if want := `{"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}},{"type":"text","text":"t"}],"messages":[]}`; string(b.JSON) != want {
		t.Errorf("body %s", b.JSON)
	}
}

func ExampleWrite() {
	b, err := anthropic.Write(request.Request{
		Model: "example-model", MaxOutput: 1024,
		System:      []request.SystemBlock{{Text: "You answer for Acme."}, {Text: "Today is 2026-11-30.", Volatile: true}},
		Messages:    []messages.Message{messages.TextMessage(messages.User, "How long may I keep it?")},
		Breakpoints: []request.Breakpoint{{At: request.Place{Part: request.System, Index: 0}, TTL: request.OneHour}},
	}, anthropic.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", b.JSON)
	for _, m := range b.Markers {
		fmt.Println(m.At, m.TTL, m.Tokens)
	}
	// Output:
	// {"model":"example-model","system":[{"type":"text","text":"You answer for Acme.","cache_control":{"ttl":"1h","type":"ephemeral"}},{"type":"text","text":"Today is 2026-11-30."}],"messages":[{"role":"user","content":[{"type":"text","text":"How long may I keep it?"}]}],"max_tokens":1024}
	// /system/0 1h 5
}
