package openai_test

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
	"github.com/quirehq/quire/composer/messages/openai"
)

// bodies are spellings that a reader could lose something of. Numbers have digits that a double does not hold.
var bodies = []struct{ name, body string }{
	{"nothing", `{"messages":[]}`},
	{"no messages but an input", `{"model":"m","input":"hello"}`},
	{"shapes of content", `{"messages":[{"role":"user","content":"a"},{"role":"user","content":[{"type":"text","text":"a"}]},
		{"role":"assistant","content":null},{"role":"assistant"},{"role":"assistant","content":[]},{"role":"user","content":""}]}`},
	{"numbers", `{"seed":12345678901234567890,"temperature":1.10,"top_p":1e0,"messages":[{"role":"user","content":"a","n":-0}]}`},
	{"calls", `{"messages":[{"role":"assistant","content":"let me see","reasoning_content":"hm","tool_calls":[
		{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1.0}"}},
		{"index":1,"id":"c2","type":"function","function":{"name":"g","arguments":"","parsed":{"b":[1]}}},
		{"function":{"name":"h"}},
		{"id":"","type":"function","function":{"name":"i","arguments":{"a":2}}},
		{"id":"c5","type":"custom","custom":{"name":"j","input":"text","format":"x"}}]},
		{"role":"tool","tool_call_id":"c1","content":"1"},
		{"role":"tool","tool_call_id":"c2","name":"g","content":[{"type":"text","text":"2","cache_control":{"type":"ephemeral"}}]},
		{"role":"tool","tool_call_id":null,"content":null},{"role":"tool","tool_call_id":"","content":""},{"role":"tool"},
		{"role":"tool","content":[]},{"role":"tool","content":{"x":1},"cache_control":null,"error":"e","toolCallId":"t"}]}`},
	{"no calls", `{"messages":[{"role":"assistant","content":"a","tool_calls":[ ],"refusal":null,"reasoning_content":null},
		{"role":"assistant","content":"a","tool_calls":null,"reasoning_content":""},{"role":"user","content":"a","reasoning_content":"r"}]}`},
	{"roles", `{"messages":[{"role":"developer","content":"d"},{"role":"function","name":"f","content":"r"},{"role":"critic","content":"c"}]}`},
	{"media", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}},
		{"type":"input_audio","input_audio":{"data":"AA==","format":"wav"}},{"type":"file","file":{"file_id":"f"}},{"type":"text","text":"t","annotations":[]}]},
		{"role":"assistant","content":[{"type":"refusal","refusal":"no"}],"audio":{"id":"a"}}]}`},
	{"names that mean something else", `{"messages":[{"role":"user","id":"m1","metadata":{"k":[1, 2]},"content":[{"type":"image","text":"x","openai:y":1},
		{"type":"tool_call","name":"n"},{"type":"openai:image"},{"type":"text","text":7},{"type":"text"},{"type":"input_text","text":"t"},{"type":"input_image","detail":"low"}]},
		{"role":"user","id":7,"content":"a","openai:id":8}]}`},
	{"tools", `{"messages":[],"tools":[{"type":"function","function":{"name":"z","description":"d","parameters":{"b":1,"a":{"d":2,"c":1.50}}}},{"type":"web_search"},{"function":{}}],"tool_choice":"auto"}`},
	{"messages and an input", `{"input":[1],"messages":[]}`},
	{"no tools", `{"messages":[],"tools":[]}`},
	{"tools are null", `{"messages":[],"tools":null}`},
	{"responses", `{"model":"m","instructions":"be brief","input":[{"role":"user","content":"a"},
		{"type":"message","role":"assistant","id":"msg_1","status":"completed","content":[{"type":"output_text","text":"b","annotations":[]},{"type":"refusal","refusal":"c"}]},
		{"type":"message","role":"user","content":[{"type":"input_text","text":"c"},{"type":"text","text":"d"},{"type":"input_image","image_url":"u"},{"type":"input_file","file_id":"f"}]},
		{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"s"}],"encrypted_content":"e","content":null},
		{"type":"function_call","call_id":"c","name":"f","arguments":"{}","id":"fc","status":"completed"},
		{"type":"function_call_output","call_id":"c","output":"r"},
		{"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"r"},{"type":"input_image","image_url":"u"}],"status":null},
		{"type":"custom_tool_call","call_id":"d","name":"g","input":"free text","namespace":"n"},{"type":"custom_tool_call_output","call_id":"d","output":""},
		{"type":"web_search_call","id":"ws","status":"completed","action":{"type":"search","query":"q"}},
		{"type":"item_reference","id":"x"},{"type":"tool_search_call","call_id":null,"id":"t"},
		{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"f"}]},{"type":"thinking","text":"t"}]}`},
	{"responses, calls that the caller carries out", `{"input":[{"type":"computer_call","call_id":"c","id":"cu","action":{"type":"wait"}},
		{"type":"computer_call_output","call_id":"c","id":"o","output":{"type":"computer_screenshot","image_url":"u"}},
		{"type":"mcp_approval_response","approval_request_id":"a","approve":true},{"type":"reasoning","role":"user","summary":[]},{"type":"x_call_output","role":"user","call_id":7}]}`},
	{"responses, instructions null", `{"input":[],"instructions":null,"previous_response_id":"resp_1"}`},
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
			q, err := openai.Parse([]byte(test.body))
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
// the canonical body.
func throughMessages(t *testing.T, q openai.Request) {
	t.Helper()
	q = withoutMarkers(q)
	want, err := q.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	wantBody, err := want.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
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
	if back, err = back.Canonical(); err != nil {
		t.Fatal(err)
	}
	gotBody, err := back.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(wantBody), string(gotBody)); diff != "" {
		t.Errorf("canonical body after storing (-want +got):\n%s", diff)
	}
	again, err := openai.Parse(wantBody)
	if err != nil {
		t.Fatal(err)
	}
	if again, err = again.Canonical(); err != nil {
		t.Fatal(err)
	}
	againBody, err := again.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(wantBody), string(againBody)); diff != "" {
		t.Errorf("canonical form of the canonical form (-want +got):\n%s", diff)
	}
}

// withoutMarkers leaves the cache markers out, which are no part of a message.
func withoutMarkers(q openai.Request) openai.Request {
	q.Messages = slices.Clone(q.Messages)
	for i := range q.Messages {
		q.Messages[i].Content = unmarked(q.Messages[i].Content)
	}
	return q
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
		{"string and one-block array", `{"role":"user","content":"a"}`, `{"content":[{"type":"text","text":"a"}],"role":"user"}`},
		{"result", `{"role":"tool","tool_call_id":"c","content":"a"}`, `{"role":"tool","tool_call_id":"c","content":[{"text":"a","type":"text"}]}`},
		{"order of unknown members", `{"role":"user","content":"a","y":{"b":1,"a":2},"x":1}`, `{"role":"user","x":1,"content":"a","y":{"a":2,"b":1}}`},
		{"absent and null beside calls", `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
			`{"role":"assistant","tool_calls":[{"type":"function","function":{"arguments":"{}","name":"f"},"id":"c"}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var bodies, stored [2]string
			for i, m := range []string{test.a, test.b} {
				q, err := openai.Parse([]byte(`{"messages":[` + m + `]}`))
				if err != nil {
					t.Fatal(err)
				}
				canonical, err := q.Messages[0].AppendJSON(nil)
				if err != nil {
					t.Fatal(err)
				}
				stored[i] = string(canonical)
				if q, err = q.Canonical(); err != nil {
					t.Fatal(err)
				}
				body, err := q.AppendJSON(nil)
				if err != nil {
					t.Fatal(err)
				}
				bodies[i] = string(body)
			}
			if bodies[0] != bodies[1] || stored[0] != stored[1] {
				t.Errorf("two messages:\n%s\n%s\n%s\n%s", bodies[0], bodies[1], stored[0], stored[1])
			}
		})
	}
}

// In the responses API each thought, text and parallel call of one answer is an item, and so is what a caller gives back
// to a call of a type that is not known here. They are evicted together all the same.
func TestItemsOfOneAnswerAreOneUnit(t *testing.T) {
	q, err := openai.Parse([]byte(`{"input":[{"role":"user","content":"u"},
		{"type":"reasoning","id":"r1","summary":[]},
		{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call","call_id":"b","name":"f","arguments":"{}"},
		{"type":"function_call_output","call_id":"a","output":"1"},{"type":"function_call_output","call_id":"b","output":"2"},
		{"type":"reasoning","id":"r2","summary":[]},{"type":"computer_call","call_id":"c","action":{}},
		{"type":"computer_call_output","call_id":"c","output":{}},
		{"type":"local_shell_call","call_id":"d","action":{}},{"type":"function_call_output","call_id":"d","output":"3"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	units, _ := messages.Units(q.Messages)
	if want := []int{0, 1, 1, 1, 1, 1, 6, 6, 6, 9, 9}; !slices.Equal(units, want) {
		t.Errorf("units %v, want %v", units, want)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"empty", ``, "openai: line 1, byte 0: cut short: want a value"},
		{"cut", `{"messages":[{"role":"user","content":"a"}`, "openai: line 1, byte 42 (/messages/0): unexpected EOF"},
		{"not a body", `[]`, "openai: line 1, byte 0: want a request body, an object; found ["},
		{"neither", `{"model":"m"}`, "openai: line 1, byte 0: a body without messages and without input"},
		{"no role", "{\"messages\":[\n {\"content\":\"a\"}]}", "openai: line 2, byte 15 (/messages/0): message without a role"},
		{"messages", `{"messages":{}}`, "openai: line 1, byte 12 (/messages): want a list of messages; found {"},
		{"a message", `{"messages":["a"]}`, "openai: line 1, byte 13 (/messages/0): want a message, an object; found string"},
		{"content", `{"messages":[{"role":"user","content":5}]}`, "openai: line 1, byte 38 (/messages/0/content): content: want a string, a list of parts or null; found number"},
		{"part", `{"messages":[{"role":"user","content":["a"]}]}`, "openai: line 1, byte 39 (/messages/0/content/0): want a content part, an object; found string"},
		{"part without a type", `{"messages":[{"role":"user","content":[{"text":"a"}]}]}`, "openai: line 1, byte 39 (/messages/0/content/0): a content part without a type"},
		{"call", `{"messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function"}]}]}`, "openai: line 1, byte 47 (/messages/0/tool_calls/0): a tool call without its function"},
		{"nameless call", `{"messages":[{"role":"assistant","tool_calls":[{"function":{}}]}]}`, "openai: line 1, byte 59 (/messages/0/tool_calls/0/function): a tool call without the name of the tool"},
		{"tool", `{"messages":[],"tools":["f"]}`, "openai: line 1, byte 24 (/tools/0): a tool: want an object; found string"},
		{"twice", `{"messages":[{"role":"user","role":"user"}]}`, `openai: line 1, byte 28 (/messages/0/role): duplicate object member name`},
		{"lone surrogate", `{"messages":[{"role":"user","content":"\ud83d"}]}`, `openai: line 1, byte 39 (/messages/0/content): invalid surrogate pair`},
		{"not UTF-8", "{\"messages\":[{\"role\":\"user\",\"content\":\"a\xff\"}]}", "openai: line 1, byte 40 (/messages/0/content): invalid UTF-8"},
		{"more than one", `{"messages":[]} {}`, "openai: line 1, byte 17: something follows the value"},
		{"item", `{"input":[{"content":"a"}]}`, "openai: line 1, byte 10 (/input/0): an input item without a role and without a type"},
		{"nameless call item", `{"input":[{"type":"function_call","call_id":"c"}]}`, "openai: line 1, byte 18 (/input/0/type): a function_call without the name of the tool"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := openai.Parse([]byte(test.body))
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
		q, err := openai.Parse(body)
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
