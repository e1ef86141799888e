package messages_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
)

func TestAppendJSON(t *testing.T) {
	call := func(b messages.Block) messages.Message {
		return messages.Message{Role: messages.Assistant, Content: []messages.Block{b}}
	}
	for _, test := range []struct {
		name string
		m    messages.Message
		want string
		text string
	}{
		{"text", messages.TextMessage(messages.User, "a"), `{"content":[{"text":"a","type":"text"}],"role":"user"}`, "a"},
		{"nothing", messages.Message{Role: messages.Assistant, Shape: messages.ShapeNull}, `{"content":[],"role":"assistant"}`, ""},
		{"characters",
			messages.TextMessage(messages.User, "\x00\r\n\"\\\u2028<é e\u0301 👨‍👩‍👧"),
			`{"content":[{"text":"\u0000\r\n\"\\` + "\u2028<é e\u0301 👨‍👩‍👧" + `","type":"text"}],"role":"user"}`,
			"\x00\r\n\"\\\u2028<é e\u0301 👨‍👩‍👧"},
		{"what belongs to host and wire is no part of it",
			messages.Message{Role: messages.User, ID: "x", Metadata: `{"a":1}`, Segment: "s", Shape: messages.ShapeString,
				Content: []messages.Block{{Kind: messages.KindText, Text: "a", Cache: `{"type":"ephemeral"}`}}},
			`{"content":[{"text":"a","type":"text"}],"role":"user"}`, "a"},
		{"extra members are sorted in",
			messages.Message{Role: messages.User, Extra: []messages.Member{{"name", `"bob"`}, {"a", `{"z":1,"b":[1.0,null]}`}},
				Content: []messages.Block{{Kind: messages.KindText, Text: "t", Extra: []messages.Member{{"citations", `[ ]`}}}}},
			`{"a":{"b":[1,null],"z":1},"content":[{"citations":[],"text":"t","type":"text"}],"name":"bob","role":"user"}`, "t"},
		{"integers keep their digits among extra members too",
			messages.Message{Role: messages.User, Extra: []messages.Member{{"n", `[9007199254740993, 1.50]`}}},
			`{"content":[],"n":[9007199254740993,1.5],"role":"user"}`, ""},
		{"an id that is no string is a member",
			messages.Message{Role: messages.User, Extra: []messages.Member{{"id", `5`}}},
			`{"content":[],"id":5,"role":"user"}`, ""},
		{"thinking and its signature",
			call(messages.Block{Kind: messages.KindThinking, Text: "hm", Extra: []messages.Member{{"signature", `"s"`}}}),
			`{"content":[{"signature":"s","text":"hm","type":"thinking"}],"role":"assistant"}`, "hm"},
		{"a call with an object",
			call(messages.Block{Kind: messages.KindToolCall, ID: "c", Name: "f", Value: `{"b": 2, "a": 12345678901234567890}`}),
			`{"content":[{"arguments":{"a":12345678901234567890,"b":2},"id":"c","name":"f","type":"tool_call"}],"role":"assistant"}`,
			`{"a":12345678901234567890,"b":2}`},
		{"a call whose values can be spelled in many ways",
			call(messages.Block{Kind: messages.KindToolCall, Name: "f", Value: ` {"\u0061":"\u0041\/\u00e9","f":[1.50, 1e2, 1E-7, -0.0] } `}),
			`{"content":[{"arguments":{"a":"A/é","f":[1.5,100,1e-7,0]},"name":"f","type":"tool_call"}],"role":"assistant"}`,
			`{"a":"A/é","f":[1.5,100,1e-7,0]}`},
		{"a call with a string that is not even JSON",
			call(messages.Block{Kind: messages.KindToolCall, ID: "c", Name: "f", Text: `{"a":`}),
			`{"content":[{"arguments":"{\"a\":","id":"c","name":"f","type":"tool_call"}],"role":"assistant"}`, `{"a":`},
		{"a call without arguments",
			call(messages.Block{Kind: messages.KindToolCall, Name: "f"}),
			`{"content":[{"name":"f","type":"tool_call"}],"role":"assistant"}`, ""},
		{"a result that is a string is charged as JSON",
			call(messages.Block{Kind: messages.KindToolResult, ID: "c", Name: "f", Text: "a\n"}),
			`{"content":[{"name":"f","result":"a\n","toolCallId":"c","type":"tool_result"}],"role":"assistant"}`, `"a\n"`},
		{"a result that is null is not absent",
			call(messages.Block{Kind: messages.KindToolResult, ID: "c", Value: `null`}),
			`{"content":[{"result":null,"toolCallId":"c","type":"tool_result"}],"role":"assistant"}`, "null"},
		{"an error alone",
			call(messages.Block{Kind: messages.KindToolResult, ID: "c", Error: `{"m":"boom"}`}),
			`{"content":[{"error":{"m":"boom"},"toolCallId":"c","type":"tool_result"}],"role":"assistant"}`, `{"m":"boom"}`},
		{"a result of one plain text block is that text",
			call(messages.Block{Kind: messages.KindToolResult, ID: "c", Content: []messages.Block{messages.Text("a")},
				Extra: []messages.Member{{"is_error", `true`}}}),
			`{"content":[{"is_error":true,"result":"a","toolCallId":"c","type":"tool_result"}],"role":"assistant"}`, `"a"`},
		{"a result of blocks",
			call(messages.Block{Kind: messages.KindToolResult, ID: "c", Content: []messages.Block{messages.Text("a"),
				{Kind: messages.KindImage, Extra: []messages.Member{{"source", `{"data":"…"}`}}}, messages.Text("b")}}),
			`{"content":[{"content":[{"text":"a","type":"text"},{"source":{"data":"…"},"type":"image"},` +
				`{"text":"b","type":"text"}],"toolCallId":"c","type":"tool_result"}],"role":"assistant"}`, "a\nb"},
		{"an unknown kind",
			call(messages.Block{Kind: "server_tool_use", Extra: []messages.Member{{"id", `"x"`}, {"text", `"no text of ours"`}}}),
			`{"content":[{"id":"x","text":"no text of ours","type":"server_tool_use"}],"role":"assistant"}`, ""},
		{"texts are joined by line ends, empty ones left out",
			messages.Message{Role: messages.User, Content: []messages.Block{messages.Text("a"), messages.Text(""), messages.Text("b")}},
			`{"content":[{"text":"a","type":"text"},{"text":"","type":"text"},{"text":"b","type":"text"}],"role":"user"}`, "a\nb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.m.AppendJSON([]byte("x"))
			if err != nil {
				t.Fatal(err)
			}
			compare(t, "JSON", "x"+test.want, string(got))
			compare(t, "text", test.text, textOf(t, test.m))
			again, err := messages.ParseMessage([]byte(test.want))
			if err != nil {
				t.Fatal(err)
			}
			written, err := again.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, "JSON of what was read", test.want, string(written))
			compare(t, "text of what was read", test.text, textOf(t, again))
		})
	}
}

func TestAppendJSONRefuses(t *testing.T) {
	block := func(b messages.Block) messages.Message {
		return messages.Message{Role: messages.User, Content: []messages.Block{messages.Text("fine"), b}}
	}
	for _, test := range []struct {
		name string
		m    messages.Message
		want string
	}{
		{"text", block(messages.Text("ab\xff")), "messages: block 2: text: invalid UTF-8 at byte 2"},
		{"role", messages.Message{Role: "\xff"}, "messages: role: invalid UTF-8 at byte 0"},
		{"value", block(messages.Block{Kind: messages.KindToolCall, Value: `{"a":}`}), "messages: block 2: arguments: "},
		{"duplicate key", block(messages.Block{Kind: messages.KindToolCall, Value: `{"a":1,"a":2}`}), "duplicate"},
		{"lone surrogate", block(messages.Block{Kind: messages.KindToolResult, Value: `["\ud83d"]`}), "messages: block 2: result: "},
		{"a member with a name that is taken", block(messages.Block{Kind: messages.KindText,
			Extra: []messages.Member{{"text", `1`}}}), "messages: block 2: extra members: "},
		{"a part of a result", block(messages.Block{Kind: messages.KindToolResult,
			Content: []messages.Block{messages.Text("a"), messages.Text("\xc3")}}), "messages: block 2: block 2: text: invalid UTF-8 at byte 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.m.AppendJSON([]byte("kept"))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if want := strings.Contains(test.want, "invalid UTF-8"); errors.Is(err, fingerprint.ErrInvalidUTF8) != want {
				t.Errorf("error %v: is it about UTF-8? Want %t", err, want)
			}
			compare(t, "bytes", "kept", string(got))
			if _, err := test.m.Text(); err == nil {
				t.Error("it has a text")
			}
		})
	}
}

// Of a payload that is a string the characters are read, but the empty string is not an absent value.
func TestParseMessageReadsPayloads(t *testing.T) {
	for _, test := range []struct {
		payload string
		want    messages.Block
	}{
		{`"a\u0062"`, messages.Block{Text: "ab"}},
		{`""`, messages.Block{Value: `""`}},
		{`{"a": 1}`, messages.Block{Value: `{"a": 1}`}},
		{`null`, messages.Block{Value: `null`}},
	} {
		m, err := messages.ParseMessage([]byte(`{"role":"x","content":[{"type":"tool_call","arguments":` + test.payload + `},{"type":"tool_result","result":` + test.payload + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		call, result := test.want, test.want
		call.Kind, result.Kind = messages.KindToolCall, messages.KindToolResult
		compare(t, test.payload, []messages.Block{call, result}, m.Content)
	}
}

// A content of a result that is no list is a member like any other; no content is lost.
func TestParseMessageReadsContents(t *testing.T) {
	for src, want := range map[string]messages.Block{
		`[]`:                           {Content: []messages.Block{}},
		`[{"type":"text","text":"a"}]`: {Content: []messages.Block{messages.Text("a")}},
		`"a"`:                          {Extra: []messages.Member{{Name: "content", Value: `"a"`}}},
		`null`:                         {Extra: []messages.Member{{Name: "content", Value: `null`}}},
	} {
		m, err := messages.ParseMessage([]byte(`{"role":"tool","content":[{"type":"tool_result","content":` + src + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		want.Kind = messages.KindToolResult
		compare(t, src, []messages.Block{want}, m.Content)
	}
}

func TestParseMessageKeepsTheShape(t *testing.T) {
	for src, want := range map[string]messages.Shape{
		`{"role":"user","content":[]}`:   messages.ShapeBlocks,
		`{"role":"user","content":"a"}`:  messages.ShapeString,
		`{"role":"user","content":null}`: messages.ShapeNull,
		`{"role":"user"}`:                messages.ShapeAbsent,
	} {
		if m, err := messages.ParseMessage([]byte(src)); m.Shape != want || err != nil {
			t.Errorf("%s: shape %v, %v; want %v", src, m.Shape, err, want)
		}
	}
}

func TestParseMessageRefuses(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"nothing", ``, "cut short"},
		{"half", `{"role":"user","content":"a`, "messages: "},
		{"cut before a role", `{"role":`, "byte 8: unexpected EOF"},
		{"cut before a content", `{"role":"user","content":`, "byte 25: unexpected EOF"},
		{"more", `{"role":"user"} {}`, "something follows the message, which ends at byte 15"},
		{"no object", `[]`, "byte 0: want a message, an object; found ["},
		{"no role", `{"content":"a"}`, "message without a role that ends at byte 15"},
		{"role", `{"role":7}`, "role: want a string; found number"},
		{"lone surrogate", `{"role":"user","content":"ab\ud83d"}`, "byte 28: "},
		{"invalid UTF-8", "{\"role\":\"user\",\"content\":\"ab\xff\"}", "invalid UTF-8"},
		{"duplicate key", `{"role":"user","role":"user"}`, "duplicate"},
		{"block without type", `{"role":"user","content":[{"text":"a"}]}`, "byte 26: a block without a type"},
		{"text of a wrong type", `{"role":"user","content":[{"type":"text","text":{}}]}`, "text block: text: want a string"},
		{"content of a wrong type", `{"role":"user","content":{}}`, "content: want a list of blocks; found {"},
		{"too deep", `{"role":"user","x":` + strings.Repeat("[", 20000), "messages: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := messages.ParseMessage([]byte(test.src))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// A message is what its JSON says: whatever is read is written in canonical form, and that is read as the same.
func TestCanonicalMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, m := range drawTurn(t) {
			if rapid.Bool().Draw(t, "extra") {
				m.Extra = []messages.Member{{"x", `{"b":"ü","a":[true]}`}, {"\u20ac", "1"}}
			}
			written, err := m.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			canonical, err := fingerprint.Canonical(written)
			if err != nil || string(canonical) != string(written) {
				t.Fatalf("%s is not in canonical form: %v", written, err)
			}
			read, err := messages.ParseMessage(written)
			if err != nil {
				t.Fatal(err)
			}
			again, err := read.AppendJSON(nil)
			if err != nil || string(again) != string(written) {
				t.Fatalf("read and written again: %s; want %s; %v", again, written, err)
			}
			if textOf(t, m) != textOf(t, read) {
				t.Fatalf("text %q, want %q", textOf(t, read), textOf(t, m))
			}
		}
	})
}

func FuzzParseMessage(f *testing.F) {
	f.Add([]byte(`{"role":"user","content":"a"}`))
	f.Add([]byte(`{"role":"assistant","content":[{"type":"tool_call","name":"f","arguments":{"a":1}}],"x":null}`))
	f.Add([]byte(`{"role":"tool","content":[{"type":"tool_result","toolCallId":"c","content":[{"type":"image"}],"error":null}]}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := messages.ParseMessage(src)
		if err != nil {
			return
		}
		written, err := m.AppendJSON(nil)
		if err != nil {
			return // a member of a known name of a wrong shape came in as an extra one beside it
		}
		again, err := messages.ParseMessage(written)
		if err != nil {
			t.Fatalf("%s is written as %s, which is refused: %v", src, written, err)
		}
		if second, err := again.AppendJSON(nil); err != nil || string(second) != string(written) {
			t.Fatalf("%s is written as %s, then as %s: %v", src, written, second, err)
		}
		p := messages.Prompt{Groups: messages.Groups{History: []messages.Message{m}}}
		if _, err := p.Assemble(messages.Options{}); err != nil {
			t.Fatalf("%s cannot be assembled: %v", src, err)
		}
	})
}
