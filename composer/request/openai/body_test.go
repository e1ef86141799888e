package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer/messages"
	format "github.com/quirehq/quire/composer/messages/openai"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/composer/request/openai"
)

func say(role messages.Role, text string) messages.Message { return messages.TextMessage(role, text) }

// conversation has everything that the two APIs spell differently.
func conversation() request.Request {
	return request.Request{
		Model: "m", MaxOutput: 9,
		Tools:  []request.Tool{{Name: "f", Description: "d", Schema: `{"type":"object","a":1}`}, {Definition: `{"type":"web_search"}`}},
		System: []request.SystemBlock{{Text: "Stable."}, {Text: " Today.", Volatile: true}},
		Messages: []messages.Message{
			{Role: messages.User, ID: "host", Content: []messages.Block{
				{Kind: messages.KindImage, Extra: []messages.Member{{Name: "source", Value: `{"data":"AA==","media_type":"image/png","type":"base64"}`}}},
				{Kind: messages.KindDocument, Extra: []messages.Member{{Name: "source", Value: `{"data":"AA==","media_type":"application/pdf","type":"base64"}`}, {Name: "title", Value: `"a.pdf"`}}},
				messages.Text("u")}},
			{Role: messages.Assistant, Content: []messages.Block{
				{Kind: messages.KindThinking, Text: "hm", Extra: []messages.Member{{Name: "signature", Value: `"s"`}}},
				{Kind: messages.KindToolCall, ID: "1", Name: "f", Value: `{"b": 1, "a": 2}`}, messages.Text("t"), {Kind: messages.KindToolCall, ID: "2", Name: "f"}}},
			{Role: messages.User, Content: []messages.Block{
				{Kind: messages.KindToolResult, ID: "1", Value: `{"x": 1}`, Cache: `{"type":"ephemeral"}`},
				{Kind: messages.KindToolResult, ID: "2", Error: `"no"`, Extra: []messages.Member{{Name: "is_error", Value: "true"}}},
				messages.Text("and")}},
		},
		Breakpoints: []request.Breakpoint{{At: request.Place{Part: request.System}}},
		Namespace:   "tenant/acme",
	}
}

func TestShapes(t *testing.T) {
	q := conversation()
	key := openai.CacheKey(q)
	for _, test := range []struct {
		name string
		o    openai.Options
		want string
	}{
		{"chat", openai.Options{},
			`{"model":"m","tools":[{"function":{"description":"d","name":"f","parameters":{"a":1,"type":"object"}},"type":"function"},{"type":"web_search"}],"messages":[` +
				`{"role":"system","content":"Stable. Today."},` +
				`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}},{"type":"file","file":{"file_data":"data:application/pdf;base64,AA==","filename":"a.pdf"}},{"type":"text","text":"u"}]},` +
				`{"role":"assistant","content":"t","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":2,\"b\":1}"}},{"id":"2","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"1","content":"{\"x\": 1}"},{"role":"tool","tool_call_id":"2","content":"no"},{"role":"user","content":"and"}],` +
				`"max_completion_tokens":9,"prompt_cache_key":"` + key + `"}`},
		{"chat with breakpoints", openai.Options{Mode: openai.Explicit},
			`{"model":"m","tools":[{"function":{"description":"d","name":"f","parameters":{"a":1,"type":"object"}},"type":"function"},{"type":"web_search"}],"messages":[` +
				`{"role":"system","content":[{"type":"text","text":"Stable.","prompt_cache_breakpoint":{"mode":"explicit"}},{"type":"text","text":" Today."}]},` +
				`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}},{"type":"file","file":{"file_data":"data:application/pdf;base64,AA==","filename":"a.pdf"}},{"type":"text","text":"u"}]},` +
				`{"role":"assistant","content":"t","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":2,\"b\":1}"}},{"id":"2","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"{\"x\": 1}","prompt_cache_breakpoint":{"mode":"explicit"}}]},{"role":"tool","tool_call_id":"2","content":[{"type":"text","text":"no"}]},{"role":"user","content":[{"type":"text","text":"and"}]}],` +
				`"max_completion_tokens":9,"prompt_cache_key":"` + key + `","prompt_cache_options":{"mode":"explicit"}}`},
		{"responses", openai.Options{API: format.Responses},
			`{"model":"m","instructions":"Stable. Today.","tools":[{"description":"d","name":"f","parameters":{"a":1,"type":"object"},"type":"function"},{"type":"web_search"}],"input":[` +
				`{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AA=="},{"type":"input_file","file_data":"data:application/pdf;base64,AA==","filename":"a.pdf"},{"type":"input_text","text":"u"}]},` +
				`{"type":"function_call","call_id":"1","name":"f","arguments":"{\"a\":2,\"b\":1}"},{"role":"assistant","content":"t"},{"type":"function_call","call_id":"2","name":"f","arguments":"{}"},` +
				`{"type":"function_call_output","call_id":"1","output":"{\"x\": 1}"},{"type":"function_call_output","call_id":"2","output":"no"},{"role":"user","content":"and"}],` +
				`"max_output_tokens":9,"prompt_cache_key":"` + key + `"}`},
		{"responses with breakpoints", openai.Options{API: format.Responses, Mode: openai.Implicit},
			`{"model":"m","tools":[{"description":"d","name":"f","parameters":{"a":1,"type":"object"},"type":"function"},{"type":"web_search"}],"input":[` +
				`{"role":"system","content":[{"type":"input_text","text":"Stable.","prompt_cache_breakpoint":{"mode":"explicit"}},{"type":"input_text","text":" Today."}]},` +
				`{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AA=="},{"type":"input_file","file_data":"data:application/pdf;base64,AA==","filename":"a.pdf"},{"type":"input_text","text":"u"}]},` +
				`{"type":"function_call","call_id":"1","name":"f","arguments":"{\"a\":2,\"b\":1}"},{"role":"assistant","content":"t"},{"type":"function_call","call_id":"2","name":"f","arguments":"{}"},` +
				`{"type":"function_call_output","call_id":"1","output":[{"type":"input_text","text":"{\"x\": 1}","prompt_cache_breakpoint":{"mode":"explicit"}}]},{"type":"function_call_output","call_id":"2","output":[{"type":"input_text","text":"no"}]},{"role":"user","content":[{"type":"input_text","text":"and"}]}],` +
				`"max_output_tokens":9,"prompt_cache_key":"` + key + `"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, err := openai.Write(q, test.o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(b.JSON)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if b.CacheKey != key || len(key) != 64 {
				t.Errorf("key %q, want %q", b.CacheKey, key)
			}
			if diff := cmp.Diff([]request.Finding{{Code: request.ThinkingDropped, At: "message 2"}}, b.Findings); diff != "" {
				t.Errorf("findings (-want +got)\n%s", diff)
			}
		})
	}
}

// TestForeign: what another format keeps beside its fields is no member that this API knows, and media of one of the two APIs
// are those of the other.
func TestForeign(t *testing.T) {
	q := request.Request{Messages: []messages.Message{{Role: messages.User, Extra: []messages.Member{{Name: "gemini:role", Value: "null"}}, Content: []messages.Block{
		{Kind: messages.KindText, Text: "u", Extra: []messages.Member{{Name: "anthropic:text", Value: "1"}, {Name: "bedrock:type", Value: "1"}}},
		{Kind: messages.KindFile, Extra: []messages.Member{{Name: "file", Value: `{"file_id":"f"}`}}},
		{Kind: messages.KindImage, Extra: []messages.Member{{Name: "image_url", Value: `{"detail":"low","url":"https://e.example/a"}`}}}}}}}
	b, err := openai.Write(q, openai.Options{API: format.Responses})
	want := `{"input":[{"role":"user","content":[{"type":"input_text","text":"u"},{"type":"input_file","file_id":"f"},{"type":"input_image","detail":"low","image_url":"https://e.example/a"}]}]}`
	if err != nil || string(b.JSON) != want {
		t.Errorf("error %v\ngot  %s\nwant %s", err, b.JSON, want)
	}
	q.Messages[0].Content[0].Kind = "gemini:part"
	if _, err := openai.Write(q, openai.Options{}); err == nil || err.Error() != "openai: message 1: block 1: gemini:part has no form in this API" {
		t.Error(err)
	}
}

// Parallel calls that a log keeps in a message each are one message, or their results would stand behind the wrong one.
func TestAnswerInSeveralMessages(t *testing.T) {
	call := func(id string) messages.Message {
		return messages.Message{Role: messages.Assistant, Content: []messages.Block{{Kind: messages.KindToolCall, ID: id, Name: "f", Text: "{}"}}}
	}
	result := func(id string) messages.Message {
		return messages.Message{Role: messages.Tool, Content: []messages.Block{{Kind: messages.KindToolResult, ID: id, Text: "r"}}}
	}
	q := request.Request{Messages: []messages.Message{say(messages.Assistant, "a"), call("1"), say(messages.Assistant, "b"), call("2"), result("1"), result("2"), say(messages.Assistant, "c")}}
	want := `{"messages":[{"role":"assistant","content":"a"},{"role":"assistant","content":"b","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}},` +
		`{"id":"2","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"r"},{"role":"tool","tool_call_id":"2","content":"r"},{"role":"assistant","content":"c"}]}`
	b, err := openai.Write(q, openai.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(b.JSON)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCacheKey(t *testing.T) {
	key := openai.CacheKey(conversation())
	for _, test := range []struct {
		name   string
		change func(*request.Request)
		same   bool
	}{
		{"what is volatile", func(q *request.Request) { q.System[1].Text = "x" }, true},
		{"the conversation", func(q *request.Request) { q.Messages = nil }, true},
		{"the spelling of a schema", func(q *request.Request) { q.Tools[0].Schema = ` {"a": 1, "type": "object"}` }, true},
		{"the cut of the stable prefix", func(q *request.Request) {
			q.System = []request.SystemBlock{{Text: "Sta"}, {Text: "ble."}}
			q.Breakpoints[0].At.Index = 1
		}, true},
		{"the namespace", func(q *request.Request) { q.Namespace = "tenant/b" }, false},
		{"the stable text", func(q *request.Request) { q.System[0].Text = "stable." }, false},
		{"a tool", func(q *request.Request) { q.Tools[0].Name = "g" }, false},
		{"the order of tools", func(q *request.Request) { q.Tools[0], q.Tools[1] = q.Tools[1], q.Tools[0] }, false},
	} {
		q := conversation()
		test.change(&q)
		if got := openai.CacheKey(q); (got == key) != test.same {
			t.Errorf("%s: the key is the same: %v", test.name, got == key)
		}
	}
	q := conversation()
	q.Breakpoints = nil
	if got := openai.CacheKey(q); got != "" {
		t.Errorf("no breakpoint, key %q", got)
	}
	q = conversation()
	q.Params = []messages.Member{{Name: "prompt_cache_key", Value: `"own"`}}
	if b, err := openai.Write(q, openai.Options{}); err != nil || b.CacheKey != "own" || !strings.Contains(string(b.JSON), `"prompt_cache_key":"own"`) {
		t.Errorf("the caller's key: %q, %v", b.CacheKey, err)
	}
}

func TestBreakpoints(t *testing.T) {
	points := func(n ...int) (points []request.Breakpoint) {
		for _, i := range n {
			points = append(points, request.Breakpoint{At: request.Place{Part: request.Messages, Index: i}, TTL: request.TTL(i % 2)})
		}
		return points
	}
	q := request.Request{Messages: []messages.Message{
		say(messages.User, "01234567"), say(messages.Assistant, "01234567"), say(messages.User, "01234567"), say(messages.Developer, "01234567"),
		say(messages.User, " "), say(messages.User, "01234567"), say(messages.User, "01234567"), say(messages.Assistant, "01234567")}}
	for _, test := range []struct {
		name         string
		points       []request.Breakpoint
		o            openai.Options
		marks, found string
	}{
		{"as asked, lifetimes mean nothing", points(0, 3), openai.Options{Mode: openai.Implicit}, "0 3", ""},
		{"not on the assistant's", points(1, 7), openai.Options{Mode: openai.Implicit}, "0 6", "marker_moved 1, marker_moved 7"},
		{"not on a blank one", points(4), openai.Options{Mode: openai.Implicit}, "3", "marker_moved 4"},
		{"three beside the provider's", points(0, 2, 3, 5, 6), openai.Options{Mode: openai.Implicit}, "0 5 6", "marker_limit 2, marker_limit 3"},
		{"four alone", points(0, 2, 3, 5, 6), openai.Options{Mode: openai.Explicit}, "0 3 5 6", "marker_limit 2"},
		{"below the minimum", points(0, 2), openai.Options{Mode: openai.Implicit, MinTokens: 6}, "2", "below_minimum 0 2"},
		{"none", points(0, 2), openai.Options{}, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := q
			q.Breakpoints = test.points
			b, err := openai.Write(q, test.o)
			if err != nil {
				t.Fatal(err)
			}
			short := strings.NewReplacer("/messages/", "", "/content/0", "").Replace
			var marks, found []string
			for _, m := range b.Markers {
				marks = append(marks, short(m.At))
			}
			for _, f := range b.Findings {
				line := string(f.Code) + " " + short(f.At)
				if f.Count > 0 {
					line += fmt.Sprint(" ", f.Count)
				}
				found = append(found, line)
			}
			if got := strings.Join(marks, " "); got != test.marks {
				t.Errorf("markers %q, want %q", got, test.marks)
			}
			if got := strings.Join(found, ", "); got != test.found {
				t.Errorf("findings %q, want %q", got, test.found)
			}
			if got := strings.Count(string(b.JSON), "prompt_cache_breakpoint"); got != len(b.Markers) {
				t.Errorf("%d markers told, %d in %s", len(b.Markers), got, b.JSON)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	one := func(b messages.Block) request.Request {
		return request.Request{Messages: []messages.Message{{Role: messages.User, Content: []messages.Block{b}}}}
	}
	picture := messages.Block{Kind: messages.KindImage, Extra: []messages.Member{{Name: "source", Value: `{"type":"url","url":"https://e.example/a"}`}}}
	for _, test := range []struct {
		name string
		q    request.Request
		o    openai.Options
		want string
	}{
		{"a place", request.Request{Breakpoints: []request.Breakpoint{{}}}, openai.Options{}, "openai: breakpoint at tool 1: there are 0"},
		{"a mode", request.Request{}, openai.Options{Mode: 3}, "openai: unknown mode 3 or API 0"},
		{"a parameter twice", request.Request{Model: "m", Params: []messages.Member{{Name: "model", Value: `"n"`}}}, openai.Options{}, `openai: parameter "model" stands twice`},
		{"a parameter", request.Request{Params: []messages.Member{{Name: "a", Value: `{`}}}, openai.Options{}, `openai: member "a": `},
		{"two ways to keep", request.Request{Params: []messages.Member{{Name: "prompt_cache_retention", Value: `"24h"`}}}, openai.Options{Mode: openai.Explicit}, `openai: parameter "prompt_cache_retention" beside breakpoints`},
		{"a tool", request.Request{Tools: []request.Tool{{Name: "f", Schema: "{"}}}, openai.Options{}, `openai: tool 1 ("f"): schema: want a JSON object: `},
		{"a definition", request.Request{Tools: []request.Tool{{Name: "f", Definition: "{"}}}, openai.Options{}, `openai: tool 1: `},
		{"a schema with something behind", request.Request{Tools: []request.Tool{{Name: "e"}, {Name: "f", Schema: `{},"type":"bash"`}}}, openai.Options{API: format.Responses}, `openai: tool 2 ("f"): schema: something follows the JSON object at byte 2`},
		{"a longer lifetime than there is", request.Request{Tools: []request.Tool{{Name: "f"}}, Breakpoints: []request.Breakpoint{{TTL: 2}}}, openai.Options{}, `openai: breakpoint at tool 1: unknown lifetime 2`},
		{"arguments", one(messages.Block{Kind: messages.KindToolCall, Name: "f", Value: "{"}), openai.Options{}, `openai: message 1: block 1: arguments: `},
		{"another format's block", one(messages.Block{Kind: "anthropic:file"}), openai.Options{}, `openai: message 1: block 1: anthropic:file has no form in this API`},
		{"audio", one(messages.Block{Kind: messages.KindAudio}), openai.Options{}, `openai: message 1: block 1: audio: no form in this API`},
		{"a picture in a result", one(messages.Block{Kind: messages.KindToolResult, Content: []messages.Block{picture}}), openai.Options{}, `openai: message 1: block 1: block 1 of the result: image: chat completions take texts alone in a result`},
		{"a file by its URL", one(messages.Block{Kind: messages.KindDocument, Extra: picture.Extra}), openai.Options{}, `openai: message 1: block 1: document: chat completions take no file by its URL`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if b, err := openai.Write(test.q, test.o); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("error %v, want %q; body %s", err, test.want, b.JSON)
			}
		})
	}
	if _, err := openai.Write(one(messages.Block{Kind: messages.KindToolResult, Content: []messages.Block{picture}}), openai.Options{API: format.Responses}); err != nil {
		t.Errorf("a picture in a result of the responses API: %v", err)
	}
}

func ExampleWrite() {
	b, err := openai.Write(request.Request{
		Model:       "example-model",
		System:      []request.SystemBlock{{Text: "You answer for Acme."}, {Text: " Today is 2026-11-30.", Volatile: true}},
		Messages:    []messages.Message{messages.TextMessage(messages.User, "How long may I keep it?")},
		Breakpoints: []request.Breakpoint{{At: request.Place{Part: request.System, Index: 0}}},
		Namespace:   "tenant/acme",
	}, openai.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", b.JSON)
	// Output:
	// {"model":"example-model","messages":[{"role":"system","content":"You answer for Acme. Today is 2026-11-30."},{"role":"user","content":"How long may I keep it?"}],"prompt_cache_key":"acb8aa245371d976b32125d20c6a3779aaa535042bc8f30e17215caf9fa62777"}
}

func ExampleCacheKey() {
	q := request.Request{System: []request.SystemBlock{{Text: "You answer for Acme."}}, Breakpoints: []request.Breakpoint{{At: request.Place{Part: request.System}}}}
	q.Namespace = "tenant/acme"
	acme := openai.CacheKey(q)
	q.Namespace = "tenant/other"
	fmt.Println(len(acme), acme == openai.CacheKey(q))
	// Output: 64 false
}
