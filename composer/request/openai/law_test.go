package openai_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer/messages"
	format "github.com/quirehq/quire/composer/messages/openai"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/composer/request/openai"
)

const volatile = "VOLATILE" // stands in every system block that is

func drawBlock(t *rapid.T, kinds ...messages.Kind) messages.Block {
	b := messages.Block{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Cache: rapid.SampledFrom([]messages.JSON{"", "", "", "null", `{"type":"ephemeral"}`}).Draw(t, "cache")}
	text := rapid.SampledFrom([]string{"", " \n", "a", "lorem ipsum", "日本語"}).Draw(t, "text")
	switch b.Kind {
	case messages.KindText, messages.KindThinking:
		b.Text = text
	case messages.KindToolCall:
		b.ID, b.Name, b.Value = "c", "f", `{"b":1, "a":[]}`
	case messages.KindToolResult:
		b.ID, b.Text = "c", text
		if rapid.Bool().Draw(t, "parts") {
			b.Text, b.Content = "", []messages.Block{drawBlock(t, messages.KindText), drawBlock(t, messages.KindText)}[:rapid.IntRange(1, 2).Draw(t, "parts of it")]
		}
	case messages.KindImage:
		b.Extra = []messages.Member{{Name: "source", Value: `{"type":"url","url":"https://e.example/a"}`}}
	}
	return b
}

func drawRequest(t *rapid.T) request.Request {
	q := request.Request{Model: "m", Namespace: "n"}
	for i := range rapid.IntRange(0, 2).Draw(t, "tools") {
		q.Tools = append(q.Tools, request.Tool{Name: fmt.Sprint("t", i)})
	}
	for range rapid.IntRange(0, 3).Draw(t, "system blocks") {
		b := request.SystemBlock{Text: rapid.SampledFrom([]string{"", "\n", "You are it."}).Draw(t, "block"), Volatile: rapid.Bool().Draw(t, "volatile")}
		if b.Volatile && strings.TrimSpace(b.Text) != "" {
			b.Text += volatile
		}
		q.System = append(q.System, b)
	}
	for range rapid.IntRange(0, 8).Draw(t, "messages") {
		m := messages.Message{Role: rapid.SampledFrom([]messages.Role{messages.User, messages.Assistant, messages.Tool, messages.Developer}).Draw(t, "role")}
		kinds := []messages.Kind{messages.KindText, messages.KindText, messages.KindToolResult, messages.KindImage}
		switch m.Role {
		case messages.Assistant:
			kinds = []messages.Kind{messages.KindText, messages.KindThinking, messages.KindToolCall}
		case messages.Tool:
			kinds = []messages.Kind{messages.KindToolResult}
		case messages.Developer:
			kinds = []messages.Kind{messages.KindText}
		}
		for range rapid.IntRange(0, 4).Draw(t, "blocks") {
			m.Content = append(m.Content, drawBlock(t, kinds...))
		}
		q.Messages = append(q.Messages, m)
	}
	for part, n := range []int{len(q.Tools), len(q.System), len(q.Messages)} {
		for i := range n {
			if rapid.IntRange(0, 3).Draw(t, "breakpoint") == 0 {
				q.Breakpoints = append(q.Breakpoints, request.Breakpoint{At: request.Place{Part: request.Part(part), Index: i}})
			}
		}
	}
	return q
}

// A failer is a test, or one of rapid's.
type failer interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// check holds the bytes that are sent against the provider's rules: which parts take a breakpoint, and how many there are.
// It returns the body without them.
func check(t failer, b request.Body, most int) string {
	var doc map[string]any
	if err := json.Unmarshal(b.JSON, &doc); err != nil {
		t.Fatal(err)
	}
	found := 0
	part := func(role, at string, v any) {
		p, ok := v.(map[string]any)
		if !ok || p["prompt_cache_breakpoint"] == nil {
			return
		}
		kind, _ := p["type"].(string)
		text, _ := p["text"].(string)
		switch {
		case role == "assistant":
			t.Fatalf("a breakpoint on %s, which is the assistant's", at)
		case (kind == "text" || kind == "input_text") && strings.TrimSpace(text) == "":
			t.Fatalf("a breakpoint on %s, which is blank", at)
		case strings.Contains(text, volatile):
			t.Fatalf("a breakpoint on %s, which is volatile", at)
		case found >= len(b.Markers) || b.Markers[found].At != at:
			t.Fatalf("a breakpoint on %s; told were %v", at, b.Markers)
		}
		found++
		delete(p, "prompt_cache_breakpoint")
	}
	for _, list := range []string{"messages", "input"} {
		items, _ := doc[list].([]any)
		for i, item := range items {
			item, _ := item.(map[string]any)
			role, _ := item["role"].(string)
			for _, name := range []string{"content", "output"} {
				parts, _ := item[name].([]any)
				for k, v := range parts {
					part(role, fmt.Sprintf("/%s/%d/%s/%d", list, i, name, k), v)
				}
			}
		}
	}
	rest, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if found != len(b.Markers) || found > most || bytes.Contains(rest, []byte("prompt_cache_breakpoint")) || bytes.Contains(rest, []byte("cache_control")) {
		t.Fatalf("%d breakpoints of %d, %d told, in %s", found, most, len(b.Markers), b.JSON)
	}
	return string(rest)
}

func TestRulesHoldOnTheWire(t *testing.T) { rapid.Check(t, rules) }

func FuzzRulesOnTheWire(f *testing.F) { f.Fuzz(rapid.MakeFuzz(rules)) }

func rules(t *rapid.T) {
	q := drawRequest(t)
	o := openai.Options{API: format.API(rapid.IntRange(0, 1).Draw(t, "api")), Mode: openai.Mode(rapid.IntRange(0, 2).Draw(t, "mode"))}
	b, err := openai.Write(q, o)
	if err != nil {
		t.Fatal(err)
	}
	rest := check(t, b, []int{0, 3, 4}[o.Mode])
	again, err := openai.Write(q, o)
	if err != nil || !bytes.Equal(again.JSON, b.JSON) {
		t.Fatalf("another body: %s (%v)", again.JSON, err)
	}
	// Breakpoints are all that breakpoints change, but for the cache key.
	q.Params = append(q.Params, messages.Member{Name: "prompt_cache_key", Value: messages.JSON(fmt.Sprintf("%q", b.CacheKey))})
	if b.CacheKey == "" {
		q.Params = nil
	}
	q.Breakpoints = nil
	for i := range q.Messages {
		for k := range q.Messages[i].Content {
			c := &q.Messages[i].Content[k]
			c.Cache = ""
			for j := range c.Content {
				c.Content[j].Cache = ""
			}
		}
	}
	bare, err := openai.Write(q, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(check(t, bare, 0), rest); diff != "" {
		t.Fatalf("(-without breakpoints +with)\n%s", diff)
	}
	// Every text of the request is in the body, in order.
	parsed, err := format.Parse(b.JSON)
	if err != nil {
		t.Fatal(err)
	}
	texts := func(list []messages.Message, assistant bool) (out []string) {
		for _, m := range list {
			for _, c := range m.Content {
				if c.Kind == messages.KindText && c.Text != "" && (m.Role == messages.Assistant) == assistant {
					out = append(out, c.Text)
				}
			}
		}
		return out
	}
	for _, assistant := range []bool{false, true} {
		want, got := texts(q.Messages, assistant), texts(parsed.Messages, assistant)
		if len(got) < len(want) || !slices.Equal(want, got[len(got)-len(want):]) { // the system prompt is before them
			t.Fatalf("texts (-want +got)\n%s", cmp.Diff(want, got))
		}
	}
}
