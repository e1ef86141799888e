package messages_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/tiers"
)

func toolResult(b messages.Block) messages.Message {
	b.Kind = messages.KindToolResult
	return messages.Message{Role: messages.Tool, Content: []messages.Block{b}}
}

func TestFoldToolResults(t *testing.T) {
	long := strings.Repeat("x", 40)
	image := messages.Block{Kind: messages.KindImage}
	for _, test := range []struct {
		name  string
		block messages.Block
		limit int
		want  messages.Block
	}{
		{"short", messages.Block{Text: "abc"}, 3, messages.Block{Text: "abc"}},
		{"not shorter with the notice", messages.Block{Text: "abcdefgh"}, 3, messages.Block{Text: "abcdefgh"}},
		{"long", messages.Block{Text: "abc" + long}, 3, messages.Block{Text: "abc" + messages.FoldNotice}},
		{"to nothing", messages.Block{Text: long}, 0, messages.Block{Text: messages.FoldNotice}},
		{"before an emoji", messages.Block{Text: "aaa😀" + long}, 4, messages.Block{Text: "aaa" + messages.FoldNotice}},
		{"before a family", messages.Block{Text: "a👨‍👩‍👧" + long}, 12, messages.Block{Text: "a" + messages.FoldNotice}},
		{"behind a family", messages.Block{Text: "a👨‍👩‍👧" + long}, 19, messages.Block{Text: "a👨‍👩‍👧" + messages.FoldNotice}},
		{"before a combining mark's letter", messages.Block{Text: "ae\u0301" + long}, 2, messages.Block{Text: "a" + messages.FoldNotice}},
		{"not between CR and LF", messages.Block{Text: "a\r\n" + long}, 2, messages.Block{Text: "a" + messages.FoldNotice}},
		{"between flags", messages.Block{Text: "🇩🇪🇫🇷" + long}, 12, messages.Block{Text: "🇩🇪" + messages.FoldNotice}},
		{"a value", messages.Block{Value: messages.JSON(`{"b": "` + long + `", "a": 1}`)}, 10, messages.Block{Text: `{"a":1,"b"` + messages.FoldNotice}},
		{"a value that is a string", messages.Block{Value: messages.JSON(`"` + long + `"`)}, 2, messages.Block{Text: "xx" + messages.FoldNotice}},
		{"a short value", messages.Block{Value: `{"a":1}`}, 2, messages.Block{Value: `{"a":1}`}},
		{"a value that is none", messages.Block{Value: messages.JSON("{" + long)}, 2, messages.Block{Value: messages.JSON("{" + long)}},
		{"blocks", messages.Block{Content: []messages.Block{messages.Text("ab"), image, messages.Text("cd" + long), image, messages.Text("e")}}, 3,
			messages.Block{Content: []messages.Block{messages.Text("ab"), image, messages.Text("c" + messages.FoldNotice), image}}},
		{"blocks that are not longer with the notice", messages.Block{Content: []messages.Block{messages.Text("ab"), image, messages.Text("c" + messages.FoldNotice)}}, 3,
			messages.Block{Content: []messages.Block{messages.Text("ab"), image, messages.Text("c" + messages.FoldNotice)}}},
		{"blocks that are one byte longer", messages.Block{Content: []messages.Block{messages.Text("ab"), image, messages.Text("cd" + messages.FoldNotice)}}, 3,
			messages.Block{Content: []messages.Block{messages.Text("ab"), image, messages.Text("c" + messages.FoldNotice)}}},
		{"a block that just fits, and one for which nothing is left", messages.Block{Content: []messages.Block{messages.Text("abc"), messages.Text(long)}}, 3,
			messages.Block{Content: []messages.Block{messages.Text("abc"), messages.Text(messages.FoldNotice)}}},
		{"one block", messages.Block{Content: []messages.Block{messages.Text("abc" + long)}}, 3,
			messages.Block{Content: []messages.Block{messages.Text("abc" + messages.FoldNotice)}}},
		{"nothing at all", messages.Block{}, 0, messages.Block{}},
		{"a value that is not longer with the notice", messages.Block{Value: `"abc` + messages.JSON(strings.Repeat("x", len(messages.FoldNotice))) + `"`}, 3,
			messages.Block{Value: `"abc` + messages.JSON(strings.Repeat("x", len(messages.FoldNotice))) + `"`}},
		{"a value that is one byte longer", messages.Block{Value: `"abcd` + messages.JSON(strings.Repeat("x", len(messages.FoldNotice))) + `"`}, 3,
			messages.Block{Text: "abc" + messages.FoldNotice}},
		{"a tiny value", messages.Block{Value: "1"}, 2, messages.Block{Value: "1"}},
		{"a text beside blocks", messages.Block{Text: long, Content: []messages.Block{messages.Text(long)}}, 1,
			messages.Block{Text: "x" + messages.FoldNotice, Content: []messages.Block{messages.Text(long)}}},
		{"a value that grows most", messages.Block{Value: "1e20"}, 1, messages.Block{Text: "1" + messages.FoldNotice}},
		{"the rest stays", messages.Block{ID: "c", Name: "f", Text: long, Error: "null", Extra: []messages.Member{{Name: "is_error", Value: "true"}}, Cache: "{}"}, 1,
			messages.Block{ID: "c", Name: "f", Text: "x" + messages.FoldNotice, Error: "null", Extra: []messages.Member{{Name: "is_error", Value: "true"}}, Cache: "{}"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := toolResult(test.block)
			got, cut := messages.FoldToolResults(before, test.limit)
			compare(t, "folded", toolResult(test.want), got)
			compare(t, "cut", !reflect.DeepEqual(test.block, test.want), cut)
			compare(t, "unchanged original", toolResult(test.block), before)
			again, cutAgain := messages.FoldToolResults(got, test.limit)
			compare(t, "folded again", got, again)
			if cutAgain {
				t.Error("it was cut again")
			}
			if _, changed := messages.FoldToolResults(before, test.limit); changed != cut {
				t.Error("not the same twice")
			}
		})
	}
}

func TestFoldToolResultsLooksAtEveryBlock(t *testing.T) {
	result := func(text string) messages.Block { return messages.Block{Kind: messages.KindToolResult, Text: text} }
	long := strings.Repeat("x", 40)
	got, cut := messages.FoldToolResults(messages.Message{Content: []messages.Block{messages.Text(long), result(long), result("short"), result(long)}}, 2)
	folded := result("xx" + messages.FoldNotice)
	compare(t, "blocks", []messages.Block{messages.Text(long), folded, result("short"), folded}, got.Content)
	compare(t, "cut", true, cut)
}

func TestFoldToolResultsCutsOnGraphemes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t) + drawText(t) + strings.Repeat("z", len(messages.FoldNotice))
		limit := rapid.IntRange(0, len(text)).Draw(t, "limit")
		m, cut := messages.FoldToolResults(toolResult(messages.Block{Text: text}), limit)
		if !cut {
			if len(text) > limit+len(messages.FoldNotice) {
				t.Fatalf("%d bytes were not cut to %d", len(text), limit)
			}
			return
		}
		kept, ok := strings.CutSuffix(m.Content[0].Text, messages.FoldNotice)
		if !ok || !strings.HasPrefix(text, kept) || len(kept) > limit || !utf8.ValidString(kept) {
			t.Fatalf("%q was cut to %q", text, m.Content[0].Text)
		}
		ends := map[int]bool{0: true}
		best := 0
		for g := uniseg.NewGraphemes(text); g.Next(); {
			_, end := g.Positions()
			ends[end] = true
			if end <= limit {
				best = end
			}
		}
		if !ends[len(kept)] || len(kept) != best {
			t.Fatalf("%q was cut at %d; want %d", text, len(kept), best)
		}
	})
}

func TestFoldLeavesTheRecentWhole(t *testing.T) {
	for n, want := range []int{0, 0, 0, 0, 0, 0, 3, 3, 3, 6} { // how many of n are folded
		p := messages.Prompt{}
		for range n {
			p.History = append(p.History, toolResult(messages.Block{Text: strings.Repeat("x", 40)}))
		}
		a, err := p.Assemble(messages.Options{Fold: &messages.Fold{Recent: 3}})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, m := range a.Messages {
			if m.Content[0].Text == messages.FoldNotice {
				got++
			}
		}
		compare(t, fmt.Sprint("folded of ", n), want, got)
	}
}

// An old result has the same bytes whatever the budget leaves, and keeps them while the session grows; what is new is
// whole.
func TestFoldDependsOnTheResultAlone(t *testing.T) {
	var history []messages.Message
	for i := range 40 {
		id := fmt.Sprint("c", i)
		history = append(history, messages.Message{Role: messages.Assistant, Content: []messages.Block{{Kind: messages.KindToolCall, ID: id, Name: "f"}}},
			toolResult(messages.Block{ID: id, Text: strings.Repeat("日本語😀", 100+i)}))
	}
	seen := map[int]string{} // by place in the history
	borders := map[int]bool{}
	for _, budget := range []int64{50_000, 49_873, 20_000, 900} {
		old := map[int]bool{}
		for n := 0; n <= len(history); n += 2 {
			p := messages.Prompt{Groups: messages.Groups{History: history[:n]}}
			a, err := p.Assemble(messages.Options{Fold: &messages.Fold{Cap: 100, Recent: 6}, Budget: &messages.Budget{MaxInputBytes: tiers.Limit(budget)}})
			if err != nil {
				t.Fatal(err)
			}
			border := 0
			for i, m := range a.Messages {
				at := a.Places[i].Index
				if m.Role != messages.Tool {
					continue
				}
				text := m.Content[0].Text
				if folded := strings.HasSuffix(text, messages.FoldNotice); folded {
					border = at
					if seen[at] != "" && seen[at] != text {
						t.Fatalf("result %d is %q, was %q", at, text, seen[at])
					}
					seen[at], old[at] = text, true
				} else if at < n-12 || old[at] {
					t.Fatalf("of %d messages, %d is whole; was folded: %v", n, at, old[at])
				}
				if at >= n-6 && strings.HasSuffix(text, messages.FoldNotice) {
					t.Fatalf("of %d messages, %d is folded", n, at)
				}
			}
			borders[border] = true
		}
	}
	if len(borders) > len(history)/6+1 {
		t.Errorf("the border of what is old had %d places", len(borders))
	}
}
