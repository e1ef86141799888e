package anthropic_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	format "github.com/quirehq/quire/composer/messages/anthropic"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/composer/request/anthropic"
	"github.com/quirehq/quire/fingerprint"
)

const volatile = "VOLATILE" // stands in every system block that is

func drawMarker(t *rapid.T, mixed bool) messages.JSON {
	switch rapid.IntRange(0, 12).Draw(t, "marker") {
	case 0:
		return `{"type":"ephemeral"}`
	case 1:
		if mixed {
			return `{"ttl":"1h","type":"ephemeral"}`
		}
		return `{"ttl": "5m", "type": "ephemeral"}`
	case 2:
		return "null"
	}
	return ""
}

// drawTurn draws a turn of a session: results in parallel, in one message or in several, blank texts, thoughts.
func drawTurn(t *rapid.T, n int, mixed bool) (turn []messages.Message) {
	text := func() messages.Block {
		b := messages.Text(rapid.SampledFrom([]string{"", " \n", "a", "lorem ipsum dolor", "日本語"}).Draw(t, "text"))
		b.Cache = drawMarker(t, mixed)
		return b
	}
	if rapid.IntRange(0, 9).Draw(t, "system") == 0 {
		return []messages.Message{{Role: rapid.SampledFrom([]messages.Role{messages.System, messages.Developer}).Draw(t, "role"), Content: []messages.Block{text()}}}
	}
	user := messages.Message{Role: messages.User}
	for range rapid.IntRange(0, 3).Draw(t, "blocks") {
		user.Content = append(user.Content, text())
	}
	if rapid.IntRange(0, 4).Draw(t, "image") == 0 {
		user.Content = append(user.Content, messages.Block{Kind: messages.KindImage, Extra: []messages.Member{{Name: "source", Value: `{"type":"url","url":"u"}`}}})
	}
	answer := messages.Message{Role: messages.Assistant}
	if rapid.Bool().Draw(t, "thought") {
		answer.Content = append(answer.Content, messages.Block{Kind: messages.KindThinking, Text: "hm"})
		if rapid.Bool().Draw(t, "signed") {
			answer.Content[0].Extra = []messages.Member{{Name: "signature", Value: `"s"`}}
		}
	}
	if rapid.Bool().Draw(t, "said") {
		answer.Content = append(answer.Content, text())
	}
	turn = []messages.Message{user}
	calls := rapid.SampledFrom([]int{0, 0, 1, 3, 12}).Draw(t, "calls")
	var results []messages.Block
	for i := range calls {
		id := fmt.Sprintf("c%d.%d", n, i)
		answer.Content = append(answer.Content, messages.Block{Kind: messages.KindToolCall, ID: id, Name: "f", Value: `{"b":1, "a":[]}`, Cache: drawMarker(t, mixed)})
		r := messages.Block{Kind: messages.KindToolResult, ID: id, Text: "r", Cache: drawMarker(t, mixed)}
		if rapid.Bool().Draw(t, "parts") {
			r.Text, r.Content = "", []messages.Block{text(), text()}[:rapid.IntRange(1, 2).Draw(t, "parts of it")]
		}
		results = append(results, r)
	}
	turn = append(turn, answer)
	switch {
	case calls == 0:
	case rapid.Bool().Draw(t, "one message"):
		turn = append(turn, messages.Message{Role: messages.User, Content: results})
	default:
		for _, r := range results {
			turn = append(turn, messages.Message{Role: messages.Tool, Content: []messages.Block{r}})
		}
	}
	return turn
}

func drawHead(t *rapid.T, mixed bool) (q request.Request) {
	q.Model = "m"
	for i := range rapid.IntRange(0, 3).Draw(t, "tools") {
		tool := request.Tool{Name: fmt.Sprint("t", i), Schema: `{"type":"object"}`}
		if held := drawMarker(t, mixed); held != "" {
			tool.Definition = messages.JSON(fmt.Sprintf(`{"name":"t%d","cache_control":%s}`, i, held))
		}
		q.Tools = append(q.Tools, tool)
	}
	for range rapid.IntRange(0, 3).Draw(t, "system blocks") {
		b := request.SystemBlock{Text: rapid.SampledFrom([]string{"", "\n", "You are it.", strings.Repeat("rule ", 20)}).Draw(t, "block")}
		if b.Volatile = rapid.Bool().Draw(t, "volatile"); b.Volatile && strings.TrimSpace(b.Text) != "" {
			b.Text += volatile
		}
		q.System = append(q.System, b)
	}
	return q
}

func drawBreakpoints(t *rapid.T, q request.Request, mixed bool) (points []request.Breakpoint) {
	places := []request.Place{}
	for part, n := range []int{len(q.Tools), len(q.System), len(q.Messages)} {
		for i := range n {
			places = append(places, request.Place{Part: request.Part(part), Index: i})
		}
	}
	if len(places) == 0 {
		return nil
	}
	for _, at := range rapid.SliceOfN(rapid.SampledFrom(places), 0, 8).Draw(t, "places") {
		b := request.Breakpoint{At: at}
		if mixed {
			b.TTL = request.TTL(rapid.IntRange(0, 1).Draw(t, "lifetime"))
		}
		points = append(points, b)
	}
	return points
}

// A failer is a test, or one of rapid's.
type failer interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// A wireBlock is what the checker knows of a block, from the bytes that are sent.
type wireBlock struct {
	at     string
	kind   string
	text   string
	marker string // its lifetime; "": none
	tokens int64
}

// read lists the blocks of a body with a decoder that is not ours. Only sizes of tool calls and results are taken from
// package messages, which says what they are.
func read(t failer, body []byte) (blocks []wireBlock) {
	var doc struct {
		Tools    []map[string]any
		System   []map[string]any
		Messages []struct{ Content []map[string]any }
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	add := func(at string, b map[string]any) *wireBlock {
		w := wireBlock{at: at}
		w.kind, _ = b["type"].(string)
		w.text, _ = b["text"].(string)
		if held, ok := b["cache_control"].(map[string]any); ok {
			if w.marker, _ = held["ttl"].(string); w.marker == "" {
				w.marker = "5m"
			}
		}
		blocks = append(blocks, w)
		return &blocks[len(blocks)-1]
	}
	count := measure.QuarterTokens().Count
	for i, tool := range doc.Tools {
		w := add(fmt.Sprint("/tools/", i), tool)
		w.kind = "tool"
		delete(tool, "cache_control")
		var plain bytes.Buffer
		e := json.NewEncoder(&plain)
		e.SetEscapeHTML(false)
		if err := e.Encode(tool); err != nil {
			t.Fatal(err)
		}
		w.tokens = count(strings.TrimSuffix(plain.String(), "\n"))
	}
	for i, b := range doc.System {
		w := add(fmt.Sprint("/system/", i), b)
		w.tokens = count(w.text)
	}
	parsed, err := format.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range doc.Messages {
		for k, b := range m.Content {
			w := add(fmt.Sprintf("/messages/%d/content/%d", i, k), b)
			text, err := messages.Message{Role: "user", Content: parsed.Messages[i].Content[k : k+1]}.Text()
			if err != nil {
				t.Fatal(err)
			}
			w.tokens = count(text)
		}
	}
	return blocks
}

// check holds the bytes that are sent against the provider's rules.
func check(t failer, b request.Body, o anthropic.Options) {
	blocks := read(t, b.JSON)
	excused := map[string]bool{}
	for _, f := range b.Findings {
		if f.Code == request.LookBackExceeded {
			excused[f.At] = true
		}
	}
	var prefix int64
	marks, last, lifetime := 0, -1, "1h"
	for i, w := range blocks {
		prefix += w.tokens
		if w.kind == "text" && strings.HasPrefix(w.at, "/system") && strings.TrimSpace(w.text) == "" {
			t.Fatalf("%s is blank", w.at)
		}
		if w.marker == "" {
			continue
		}
		switch {
		case w.kind == "text" && strings.TrimSpace(w.text) == "":
			t.Fatalf("a marker on %s, which is blank", w.at)
		case !slices.Contains([]string{"text", "image", "document", "tool_use", "tool_result", "tool"}, w.kind):
			t.Fatalf("a marker on %s, which is of kind %s", w.at, w.kind)
		case strings.HasPrefix(w.at, "/system") && strings.Contains(w.text, volatile):
			t.Fatalf("a marker on %s, which is volatile", w.at)
		case w.marker == "1h" && lifetime == "5m":
			t.Fatalf("%s lives longer than the marker before it", w.at)
		case prefix < o.MinTokens:
			t.Fatalf("a marker on %s, behind %d tokens", w.at, prefix)
		case last >= 0 && i-last > o.LookBack && !excused[w.at]:
			t.Fatalf("%s is %d blocks behind the marker before it", w.at, i-last)
		case excused[w.at] && marks < o.MaxMarkers-1 && len(b.Markers) < o.MaxMarkers && !unmarkable(blocks[max(last, i-o.LookBack)+1:i]):
			t.Fatalf("%s is too far behind the marker before it, and there was one left", w.at)
		}
		if marks >= len(b.Markers) || b.Markers[marks].At != w.at || b.Markers[marks].TTL.String() != w.marker || b.Markers[marks].Tokens != prefix {
			t.Fatalf("marker %d is told as %v; found %v behind %d tokens", marks, b.Markers, w, prefix)
		}
		marks, last, lifetime = marks+1, i, w.marker
	}
	if marks > o.MaxMarkers || marks != len(b.Markers) || marks != bytes.Count(b.JSON, []byte(`"cache_control"`)) {
		t.Fatalf("%d markers of %d, %d told, %d in %s", marks, o.MaxMarkers, len(b.Markers), bytes.Count(b.JSON, []byte(`"cache_control"`)), b.JSON)
	}
}

// unmarkable reports whether none of the blocks takes a marker.
func unmarkable(blocks []wireBlock) bool {
	for _, w := range blocks {
		if w.kind != "thinking" && (w.kind != "text" || strings.TrimSpace(w.text) != "") && !strings.Contains(w.text, volatile) {
			return false
		}
	}
	return true
}

func drawOptions(t *rapid.T) anthropic.Options {
	return anthropic.Options{
		MaxMarkers: rapid.SampledFrom([]int{1, 2, 4, 4}).Draw(t, "most markers"),
		LookBack:   rapid.SampledFrom([]int{3, 20}).Draw(t, "look-back"),
		MinTokens:  rapid.SampledFrom([]int64{0, 0, 1, 2, 3, 4, 5, 6, 7, 40}).Draw(t, "minimum"),
	}
}

func TestRulesHoldOnTheWire(t *testing.T) {
	wrote := 0
	rapid.Check(t, func(t *rapid.T) { rules(t, &wrote) })
	if wrote == 0 {
		t.Error("every request was refused")
	}
}

func FuzzRulesOnTheWire(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { rules(t, new(int)) }))
}

func rules(t *rapid.T, wrote *int) {
	mixed := rapid.IntRange(0, 3).Draw(t, "mixed lifetimes") == 0
	q, o := drawHead(t, mixed), drawOptions(t)
	for n := range rapid.IntRange(0, 5).Draw(t, "turns") {
		q.Messages = append(q.Messages, drawTurn(t, n, mixed)...)
	}
	q.Breakpoints = drawBreakpoints(t, q, mixed)
	b, err := anthropic.Write(q, o)
	if mixed && errors.Is(err, request.ErrTTLOrder) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	*wrote++
	check(t, b, o)

	again, err := anthropic.Write(q, o)
	if err != nil || !bytes.Equal(again.JSON, b.JSON) {
		t.Fatalf("another body: %s (%v)", again.JSON, err)
	}
	// Markers are all that breakpoints change.
	if diff := cmp.Diff(bare(t, q, o), unmarked(t, b.JSON)); diff != "" {
		t.Fatalf("(-without breakpoints +with)\n%s", diff)
	}
}

// unmarked takes the markers out of a body, with a decoder that is not ours.
func unmarked(t *rapid.T, body []byte) string {
	var doc any
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			delete(v, "cache_control")
			for _, inner := range v {
				strip(inner)
			}
		case []any:
			for _, inner := range v {
				strip(inner)
			}
		}
	}
	strip(doc)
	out, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// bare writes the request as if nobody had ever asked for a marker.
func bare(t *rapid.T, q request.Request, o anthropic.Options) string {
	q.Breakpoints = nil
	q.Tools = slices.Clone(q.Tools)
	for i := range q.Tools {
		if q.Tools[i].Definition != "" {
			q.Tools[i].Definition = messages.JSON(fmt.Sprintf(`{"name":%q}`, q.Tools[i].Name))
		}
	}
	var plain func(blocks []messages.Block) []messages.Block
	plain = func(blocks []messages.Block) []messages.Block {
		blocks = slices.Clone(blocks)
		for i := range blocks {
			blocks[i].Cache, blocks[i].Content = "", plain(blocks[i].Content)
		}
		return blocks
	}
	q.Messages = slices.Clone(q.Messages)
	for i := range q.Messages {
		q.Messages[i].Content = plain(q.Messages[i].Content)
	}
	b, err := anthropic.Write(q, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Markers) > 0 {
		t.Fatalf("markers out of nowhere: %v", b.Markers)
	}
	return unmarked(t, b.JSON)
}

// A session grows, and every request marks the end of its system prompt and its last two messages, as an assembler does.
// The provider of this test keeps an entry for each prefix that ended at a marker, and looks back from each marker. It
// finds what the request before wrote, unless the body itself said that it may not.
func TestSessionsReadWhatTheyWrote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := anthropic.Options{MaxMarkers: 4, LookBack: rapid.SampledFrom([]int{5, 20}).Draw(t, "look-back")}
		q := request.Request{Model: "m", System: []request.SystemBlock{{Text: "You are it."}}}
		entries := map[fingerprint.Digest]bool{}
		written := 0 // blocks up to the last marker of the request before
		for n := range rapid.IntRange(2, 6).Draw(t, "requests") {
			for _, m := range drawTurn(t, n, false) {
				for i := range m.Content {
					m.Content[i].Cache = ""
					for k := range m.Content[i].Content {
						m.Content[i].Content[k].Cache = ""
					}
				}
				q.Messages = append(q.Messages, m)
			}
			q.Breakpoints = []request.Breakpoint{{At: request.Place{Part: request.System}}}
			for i := max(0, len(q.Messages)-2); i < len(q.Messages); i++ {
				q.Breakpoints = append(q.Breakpoints, request.Breakpoint{At: request.Place{Part: request.Messages, Index: i}})
			}
			b, err := anthropic.Write(q, o)
			if err != nil {
				t.Fatal(err)
			}
			check(t, b, o)
			plain, err := format.Parse(b.JSON)
			if err != nil {
				t.Fatal(err)
			}
			var prefixes []fingerprint.Digest // at every block
			var h fingerprint.Hasher
			for _, m := range append([]messages.Message{plain.System}, plain.Messages...) {
				for i := range m.Content {
					one, err := messages.Message{Role: m.Role, Content: m.Content[i : i+1]}.AppendJSON(nil)
					if err != nil {
						t.Fatal(err)
					}
					h.WriteString(fmt.Sprintf("%d:%s", len(one), one))
					prefixes = append(prefixes, h.Digest())
				}
			}
			blocks, found, last, excused := read(t, b.JSON), 0, 0, false
			for i, w := range blocks {
				if w.marker == "" {
					continue
				}
				last = i + 1
				for back := i; back >= max(0, i-o.LookBack); back-- {
					if entries[prefixes[back]] {
						found = max(found, back+1)
						break
					}
				}
			}
			for _, f := range b.Findings {
				excused = excused || f.Code == request.LookBackExceeded || f.Code == request.MarkerUnplaced
			}
			if n > 0 && found < written && !excused {
				t.Fatalf("request %d found %d blocks of %d that were written:\n%s", n, found, written, b.JSON)
			}
			for i, w := range blocks {
				if w.marker != "" {
					entries[prefixes[i]] = true
				}
			}
			written = last
		}
	})
}
