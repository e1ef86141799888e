package anthropic_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/anthropic"
)

// bodies are spellings that a reader could lose something of. Numbers have digits that a double does not hold.
var bodies = []struct{ name, body string }{
	{"nothing", `{"messages":[]}`},
	{"shapes", `{"model":"m","max_tokens":1024,"system":"s","messages":[{"role":"user","content":"a"},
		{"role":"assistant","content":[{"type":"text","text":"a"}]},{"role":"user","content":[]},{"role":"user"},{"role":"user","content":""}]}`},
	{"system blocks", `{"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral","ttl":"1h"}},{"type":"text","text":""}],"messages":[]}`},
	{"system null", `{"system":null,"messages":[],"metadata":{"user_id":"u"}}`},
	{"numbers", `{"x":12345678901234567890,"temperature":1.10,"messages":[{"role":"user","content":"a","n":1e2}]}`},
	{"tools", `{"messages":[],"tools":[{"name":"z","description":"d","input_schema":{"b":1,"a":{"d":2,"c":1.50}},"cache_control":{"type":"ephemeral"}},
		{"type":"web_search_20250305","name":"web_search","max_uses":5}],"tool_choice":{"type":"auto"}}`},
	{"no tools", `{"messages":[],"tools":[]}`},
	{"tools are null", `{"messages":[],"tools":null}`},
	{"tool use", `{"messages":[{"role":"assistant","content":[
		{"type":"thinking","thinking":"hm","signature":"sig","text":"x"},{"type":"redacted_thinking","data":"d"},{"type":"text","text":"t","citations":null},
		{"type":"tool_use","id":"c1","name":"f","input":{"a":1.0, "b":[1]},"caller":{"type":"direct"}},
		{"type":"tool_use","id":"c2","name":"g"},{"type":"tool_use","name":"h","input":"","id":"","arguments":1}]},
		{"role":"user","content":[
		{"type":"tool_result","tool_use_id":"c1","content":"r","is_error":false},
		{"type":"tool_result","tool_use_id":"c2","content":[{"type":"text","text":"r"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}],"cache_control":{"type":"ephemeral"}},
		{"type":"tool_result","tool_use_id":"c3"},{"type":"tool_result","tool_use_id":"","content":""},{"type":"tool_result","content":null,"error":1,"name":"n","result":2,"toolCallId":3},
		{"type":"tool_result","tool_use_id":"c4","content":[]},{"type":"text","text":"and now","cache_control":null}]}]}`},
	{"server tools", `{"messages":[{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"q"}},
		{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","url":"u","encrypted_content":"e"}]},{"type":"text","text":"t","citations":[{"type":"x"}]}]}]}`},
	{"names that mean something else", `{"messages":[{"role":"user","id":"m","metadata":[1, 2],"type":"message","content":[{"type":"file","file":1},{"type":"audio","text":"t"},
		{"type":"tool_call","id":"x"},{"type":"anthropic:file"},{"type":"text"},{"type":"text","text":null},{"type":"tool_use","id":"i"},{"type":"document","source":{"type":"url","url":"u"},"title":"t"}]},
		{"role":"user","id":null,"content":"a","anthropic:id":1}]}`},
	{"text", "{\"messages\":[{\"role\":\"user\",\"content\":\"\\u0000\\ud83d\\ude00 é e\\u0301 \\r\\n <&> \u2028 👨‍👩‍👧\"}]}"},
}

// same compares two documents with a decoder that is not ours and keeps the digits of numbers.
func same(t *testing.T, want, got []byte) {
	t.Helper()
	if w, g := generic(t, want), generic(t, got); !reflect.DeepEqual(w, g) {
		t.Errorf("not what was read (-want +got):\n%s", cmp.Diff(w, g))
	}
}

func generic(t *testing.T, doc []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	return v
}

func TestWhatIsReadIsWritten(t *testing.T) {
	for _, test := range bodies {
		t.Run(test.name, func(t *testing.T) {
			q, err := anthropic.Parse([]byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			got, err := q.AppendJSON([]byte("before"))
			if err != nil {
				t.Fatal(err)
			}
			rest, ok := bytes.CutPrefix(got, []byte("before"))
			if !ok {
				t.Fatalf("dst was changed: %s", got)
			}
			same(t, []byte(test.body), rest)
			throughMessages(t, q)
		})
	}
}

// throughMessages checks that the canonical JSON of the messages, which is what a composition stores, is enough to write
// the canonical body. Cache markers are no part of a message.
func throughMessages(t *testing.T, q anthropic.Request) {
	t.Helper()
	q.Messages = slices.Clone(q.Messages)
	for i := range q.Messages {
		q.Messages[i].Content = unmarked(q.Messages[i].Content)
	}
	want := canonical(t, q)
	back := q
	back.Messages = make([]messages.Message, len(q.Messages))
	for i, m := range q.Messages {
		stored, err := m.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		read, err := messages.ParseMessage(stored)
		if err != nil {
			t.Fatalf("%v in %s", err, stored)
		}
		read.ID, read.Metadata = m.ID, m.Metadata // the host's
		back.Messages[i] = read
	}
	if diff := cmp.Diff(want, canonical(t, back)); diff != "" {
		t.Errorf("canonical body after storing (-want +got):\n%s", diff)
	}
	again, err := anthropic.Parse([]byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, canonical(t, again)); diff != "" {
		t.Errorf("canonical form of the canonical form (-want +got):\n%s", diff)
	}
}

func canonical(t *testing.T, q anthropic.Request) string {
	t.Helper()
	q, err := q.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	body, err := q.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func unmarked(blocks []messages.Block) []messages.Block {
	blocks = slices.Clone(blocks)
	for i := range blocks {
		blocks[i].Cache = ""
		blocks[i].Content = unmarked(blocks[i].Content)
	}
	return blocks
}

func TestOneCanonicalShape(t *testing.T) {
	for _, test := range []struct{ name, a, b string }{
		{"content", `{"role":"user","content":"a"}`, `{"content":[{"text":"a","type":"text"}],"role":"user"}`},
		{"result", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"a"}]}`,
			`{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"a"}],"tool_use_id":"c"}]}`},
		{"input", `{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"b":[1, 2],"a":1.50}}]}`,
			`{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"a":1.5,"b":[1,2]}}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var bodies, stored [2]string
			for i, m := range []string{test.a, test.b} {
				q, err := anthropic.Parse([]byte(`{"messages":[` + m + `]}`))
				if err != nil {
					t.Fatal(err)
				}
				s, err := q.Messages[0].AppendJSON(nil)
				if err != nil {
					t.Fatal(err)
				}
				stored[i], bodies[i] = string(s), canonical(t, q)
			}
			if bodies[0] != bodies[1] || stored[0] != stored[1] {
				t.Errorf("two messages:\n%s\n%s\n%s\n%s", bodies[0], bodies[1], stored[0], stored[1])
			}
		})
	}
}

func TestErrorsSayWhere(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"empty", ``, "anthropic: line 1, byte 0: cut short: want a value"},
		{"not a body", `7`, "anthropic: line 1, byte 0: want a request body, an object; found number"},
		{"no messages", `{"model":"m"}`, "anthropic: line 1, byte 0: a body without messages"},
		{"no role", "{\"messages\":[\n {\"content\":\"a\"}]}", "anthropic: line 2, byte 15 (/messages/0): message without a role"},
		{"system", `{"system":5,"messages":[]}`, "anthropic: line 1, byte 10 (/system): content: want a string or a list of blocks; found number"},
		{"content", `{"messages":[{"role":"user","content":null}]}`, "anthropic: line 1, byte 38 (/messages/0/content): content: want a string or a list of blocks; found null"},
		{"block", `{"messages":[{"role":"user","content":["a"]}]}`, "anthropic: line 1, byte 39 (/messages/0/content/0): want a content block, an object; found string"},
		{"block of a result", `{"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"text":"a"}]}]}]}`, "anthropic: line 1, byte 72 (/messages/0/content/0/content/0): a content block without a type"},
		{"tool", `{"messages":[],"tools":["f"]}`, "anthropic: line 1, byte 24 (/tools/0): a tool: want an object; found string"},
		{"twice", `{"messages":[],"messages":[]}`, "anthropic: line 1, byte 15 (/messages): duplicate object member name"},
		{"lone surrogate", `{"messages":[{"role":"user","content":"\ude00"}]}`, "anthropic: line 1, byte 39 (/messages/0/content): invalid surrogate pair"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := anthropic.Parse([]byte(test.body))
			if got := fmt.Sprint(err); !strings.HasPrefix(got, test.want) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, b := range bodies {
		f.Add([]byte(b.body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		q, err := anthropic.Parse(body)
		if err != nil {
			return
		}
		got, err := q.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		same(t, body, got)
		throughMessages(t, q)
	})
}
