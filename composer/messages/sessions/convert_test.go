package sessions_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
)

func TestAs(t *testing.T) {
	for _, test := range []struct {
		name, body, want string
		to               sessions.API
		left             []string
	}{
		{"to OpenAI", `{"model":"m","max_tokens":9,"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"stop_sequences":["x"],
			"tools":[{"name":"f","description":"d","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search"}],"messages":[
			{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]},
			{"role":"assistant","content":[{"type":"thinking","thinking":"h","signature":"s"},{"type":"text","text":"ok"},{"type":"tool_use","id":"a","name":"f","input":{"x":1.50}},{"type":"tool_use","id":"b","name":"f","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"r"},{"type":"image","source":{"type":"url","url":"https://i"}}]},{"type":"tool_result","tool_use_id":"b"},{"type":"text","text":"go on"}]}]}`,
			`{"model":"m","tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}}],"messages":[` +
				`{"role":"system","content":"s"},` +
				`{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]},` +
				`{"role":"assistant","content":"ok","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1.50}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"a","content":"r"},{"role":"tool","tool_call_id":"b","content":""},` +
				`{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://i"}}]},` +
				`{"role":"user","content":"go on"}],"max_tokens":9}`,
			sessions.OpenAIChat, []string{"the parameter stop_sequences", "the tool web_search", "thinking"}},
		{"to Anthropic", `{"model":"m","tools":[{"type":"function","function":{"name":"f","parameters":{"type":"dict"}}}],"messages":[
			{"role":"system","content":"s"},{"role":"developer","content":"d"},
			{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}},{"type":"input_audio","input_audio":{}}]},
			{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"free"}}]},
			{"role":"tool","tool_call_id":"a","content":"r"},{"role":"tool","tool_call_id":"b","content":""},{"role":"system","content":"mind"},{"role":"user","content":"go on"},{"role":"assistant","content":""}]}`,
			`{"model":"m","tools":[{"name":"f","input_schema":{"type":"object"}}],"system":[{"type":"text","text":"s"},{"type":"text","text":"d"}],"messages":[` +
				`{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"x":1}},{"type":"tool_use","id":"b","name":"f","input":{"arguments":"free"}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"},{"type":"tool_result","tool_use_id":"b"},{"type":"text","text":"mind"},{"type":"text","text":"go on"}]}]}`,
			sessions.Anthropic, []string{"blocks of kind audio"}},
		{"documents to OpenAI", `{"max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","title":"a.pdf","source":{"type":"base64","media_type":"application/pdf","data":"AA=="}},
			{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AA=="}},{"type":"document","source":{"type":"url","url":"https://e.example/a"}}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AA=="}},` +
				`{"type":"file","file":{"filename":"document.pdf","file_data":"data:application/pdf;base64,AA=="}}]}],"max_tokens":9}`,
			sessions.OpenAIChat, []string{"blocks of kind document"}},
		{"documents to Anthropic", `{"messages":[{"role":"user","content":[{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AA=="}},{"type":"file","file":{"file_id":"f"}},
			{"type":"image_url","image_url":{"url":"file:///a.png"}}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AA=="},"title":"a.pdf"}]}]}`,
			sessions.Anthropic, []string{"blocks of kind file", "blocks of kind image"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := sessions.Read("x", strings.NewReader(test.body), sessions.Options{Format: sessions.Requests})
			if err != nil {
				t.Fatal(err)
			}
			c, left, err := s.Calls[0].As(test.to)
			if err != nil {
				t.Fatal(err)
			}
			body, err := c.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(body)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.left, left); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNoAPI: what was no request has no body, and becomes one.
func TestNoAPI(t *testing.T) {
	c := sessions.Call{API: sessions.NoAPI, Messages: []messages.Message{messages.TextMessage(messages.User, "a")},
		Tools: []messages.ToolSpec{{Name: "f", Definition: `{"name":"f","parameters":{}}`}}}
	if body, err := c.AppendJSON(nil); err == nil || len(body) > 0 {
		t.Errorf("%s, %v", body, err)
	}
	if tool, err := sessions.ConvertTool(c.Tools[0], 5); err == nil {
		t.Errorf("a tool of no API: %s", tool.Definition)
	}
	for api, want := range map[sessions.API]string{
		sessions.OpenAIChat: `{"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"messages":[{"role":"user","content":"a"}]}`,
		sessions.Anthropic:  `{"tools":[{"name":"f","input_schema":{}}],"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}`,
	} {
		made, left, err := c.As(api)
		if err != nil || len(left) > 0 {
			t.Fatal(left, err)
		}
		if body, err := made.AppendJSON(nil); err != nil || string(body) != want {
			t.Errorf("got  %s, %v\nwant %s", body, err, want)
		}
	}
}

func TestParseFormat(t *testing.T) {
	for _, f := range sessions.Formats() {
		if got, err := sessions.ParseFormat(string(f)); got != f || err != nil {
			t.Error(got, err)
		}
	}
	const want = `sessions: unknown format "x"; want one of auto, claude-code, codex, `
	if _, err := sessions.ParseFormat("x"); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
}

// TestAsOfRealCalls converts the last call of every session both ways.
func TestAsOfRealCalls(t *testing.T) {
	for _, path := range sessionFiles(t) {
		s, err := readFile(t, path, sessions.Options{SkipBad: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Calls) == 0 {
			continue
		}
		last := s.Calls[len(s.Calls)-1]
		for _, api := range []sessions.API{sessions.OpenAIChat, sessions.Anthropic} {
			c, left, err := last.As(api)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			body, err := c.AppendJSON(nil)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if c.API == last.API {
				continue
			}
			again, err := sessions.Read(path, strings.NewReader(string(body)), sessions.Options{Format: sessions.Requests})
			if err != nil {
				t.Fatalf("%s, as %d, without %q: %v", path, api, left, err)
			}
			if got := again.Calls[0].API; got != api && len(last.Messages) > 1 && len(c.Tools) > 0 {
				t.Errorf("%s: as %d, it is taken for %d", path, api, got)
			}
		}
	}
}
