package cachelab_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer/cachelab"
)

// manual is a system prompt of about 2,000 tokens.
var manual = strings.Repeat("Read a file before you change it, and say in one line what you did. ", 120)

// agent is a call in the middle of a session, well above every minimum.
func agent() talk {
	return talk{
		model:  "m",
		system: []string{manual},
		tools: []tool{
			{"glob", "Find files", `{"type":"object","properties":{"pattern":{"type":"string"},"limit":{"type":"integer","x-a":1,"x-b":2}}}`},
			{"read", "Read a file", `{"type":"object","properties":{"path":{"type":"string"}}}`},
			{"write", "Write a file", `{"type":"object","properties":{"path":{"type":"string"}}}`},
		},
		turns: []turn{
			{user: "Fix the bug in the parser, please. It fails on empty input."},
			{call: "c1", args: `{"path":"parser.go","limit":10}`},
			{result: "c1", text: strings.Repeat("line of the file parser.go\n", 40)},
			{said: "The loop never ends when the input is empty."},
			{user: "Then fix it."},
		},
		marks: map[string]string{"system": "5m", "4": "5m"},
	}
}

// next is the call after that one, with nothing changed.
func next(k talk) talk {
	k = k.clone()
	k.turns = append(k.turns, turn{said: "Done."}, turn{user: "Now add a test."})
	k.marks = map[string]string{"system": "5m", "6": "5m"}
	return k
}

// misses are the pairs: how the second call, or both, come to differ from what they should be.
var misses = []struct {
	name   string
	fault  int // of the list of reported faults; 0 is none of them
	change func(a, b *talk)
	want   []cachelab.Code // of both shapes
}{
	{"nothing changed", 0, func(a, b *talk) {}, nil},
	{"another order of tools", 1, func(a, b *talk) { b.tools[0], b.tools[2] = b.tools[2], b.tools[0] }, codes(cachelab.ToolsReordered)},
	{"a tool registered again at the end", 1, func(a, b *talk) {
		b.tools = append(b.tools[1:], b.tools[0])
	}, codes(cachelab.ToolsReordered)},
	{"keys of a schema at depth 3", 2, func(a, b *talk) {
		b.tools[0].schema = `{"type":"object","properties":{"pattern":{"type":"string"},"limit":{"type":"integer","x-b":2,"x-a":1}}}`
	}, codes(cachelab.ShapeOnly)},
	{"a clock in the system prompt", 5, func(a, b *talk) {
		a.system[0] = "It is 2026-11-30 10:41:02.\n" + manual
		b.system[0] = "It is 2026-11-30 10:41:03.\n" + manual
	}, codes(cachelab.VolatileValue)},
	{"a request id in the first block", 6, func(a, b *talk) {
		a.system = []string{"x-meta: cch=11111", manual}
		b.system = []string{"x-meta: cch=22222", manual}
	}, codes(cachelab.VolatileValue)},
	{"a uuid in the system prompt", 6, func(a, b *talk) {
		a.system[0] = "run 0f8fad5b-d9cb-469f-a165-70867728950e\n" + manual
		b.system[0] = "run 7c9e6679-7425-40de-944b-e07fc1f90ae7\n" + manual
	}, codes(cachelab.GeneratedID)},
	{"call ids made anew", 7, func(a, b *talk) {
		b.turns[1].call, b.turns[2].result = "c2", "c2"
	}, codes(cachelab.GeneratedID, cachelab.GeneratedID)},
	{"a notice with a counter", 8, func(a, b *talk) {
		a.turns[0].user = "[12 messages removed]"
		b.turns[0].user = "[13 messages removed]"
	}, codes(cachelab.VolatileValue)},
	{"the cap of an old result moves", 9, func(a, b *talk) {
		long := strings.Repeat("0123456789 ", 500)
		a.turns[2].text, b.turns[2].text = long[:5000], long[:4873]
	}, codes(cachelab.TruncationJitter)},
	{"the cap of an old result moves, with a notice", 9, func(a, b *talk) {
		long := strings.Repeat("0123456789 ", 500)
		a.turns[2].text, b.turns[2].text = long[:5000]+"\n[truncated]", long[:4873]+"\n[truncated]"
	}, codes(cachelab.TruncationJitter)},
	{"the cut moves every turn", 10, func(a, b *talk) { b.turns = b.turns[3:] }, codes(cachelab.MessageRemoved)},
	{"a call is cut, its result stays", 11, func(a, b *talk) { b.turns = b.turns[2:] }, codes(cachelab.MessageRemoved)},
	{"a string, then a list of one block", 12, func(a, b *talk) {
		b.turns[0] = turn{parts: []string{b.turns[0].user}}
	}, codes(cachelab.ShapeOnly)},
	{"composed and decomposed accents", 16, func(a, b *talk) {
		a.system[0], b.system[0] = "caf\u00e9 "+manual, "cafe\u0301 "+manual
	}, codes(cachelab.UnicodeForm)},
	{"a checkout with CRLF", 16, func(a, b *talk) {
		a.system[0], b.system[0] = "one\ntwo\n"+manual, "one\r\ntwo\r\n"+manual
	}, codes(cachelab.EOLOnly)},
	{"a newline at the end of the prompt file", 15, func(a, b *talk) { b.system[0] += "\n" }, codes(cachelab.TrailingNewline)},
	{"an old result cut inside an emoji", 17, func(a, b *talk) {
		a.turns[2].text = strings.Repeat("a", 30) + "😀"
		b.turns[2].text = strings.Repeat("a", 30)
	}, codes(cachelab.TruncationJitter)},
	{"a parameter that is no part of the cache", 19, func(a, b *talk) { b.params["temperature"] = 1 }, codes(cachelab.ParamsChanged)},
	{"two parts cut elsewhere", 23, func(a, b *talk) {
		a.turns[0] = turn{parts: []string{"ab", "c"}}
		b.turns[0] = turn{parts: []string{"a", "bc"}}
	}, codes(cachelab.MessageEdited, cachelab.MessageEdited)},
	{"two messages become one", 23, func(a, b *talk) {
		a.turns = append([]turn{{user: "First."}, {user: "Second."}}, a.turns...)
		b.turns = append([]turn{{user: "First.\n\nSecond."}}, b.turns...)
		a.marks, b.marks = map[string]string{"system": "5m", "6": "5m"}, map[string]string{"system": "5m", "7": "5m"}
	}, codes(cachelab.MessagesMerged)},
	{"a tool more", 0, func(a, b *talk) {
		b.tools = append(b.tools, tool{"zip", "Pack files", `{"type":"object"}`})
	}, codes(cachelab.ToolsAdded)},
	{"a tool less", 0, func(a, b *talk) { b.tools = b.tools[:2] }, codes(cachelab.ToolsRemoved)},
	{"a tool said otherwise", 0, func(a, b *talk) { b.tools[1].description = "Read one file" }, codes(cachelab.ToolSchemaChanged)},
	{"another system prompt", 0, func(a, b *talk) { b.system[0] = "Be brief. " + manual }, codes(cachelab.SystemChanged)},
	{"a message edited", 0, func(a, b *talk) { b.turns[0].user = "Fix the bug in the lexer, please." }, codes(cachelab.MessageEdited)},
	{"a message put in between", 0, func(a, b *talk) {
		b.turns = append([]turn{{user: "By the way, hello."}}, b.turns...)
		b.marks = map[string]string{"system": "5m", "7": "5m"}
	}, codes(cachelab.MessageEdited)},
	{"an image encoded again", 0, func(a, b *talk) {
		a.turns[0], b.turns[0] = turn{image: "iVBORw0KGgo="}, turn{image: "iVBORw0KGgs="}
	}, codes(cachelab.MediaReencoded)},
	{"another model", 0, func(a, b *talk) { b.model = "n" }, codes(cachelab.ModelChanged)},
	{"arguments of a call spelled otherwise", 2, func(a, b *talk) {
		b.turns[1].args = `{"limit":10,"path":"parser.go"}`
	}, nil}, // the shapes differ: see below
	{"a later change hidden behind a shared start", 0, func(a, b *talk) {
		b.tools[0], b.tools[2] = b.tools[2], b.tools[0]
		a.system[0] = "It is 2026-11-30 10:41:02.\n" + manual
		b.system[0] = "It is 2026-11-30 10:41:03.\n" + manual
		b.turns[3].said = "Something else."
	}, codes(cachelab.ToolsReordered, cachelab.VolatileValue, cachelab.MessageEdited)},
	{"two reasons in the messages", 0, func(a, b *talk) {
		b.turns[0].user += " Thanks."
		b.turns[3].said += "\n"
	}, codes(cachelab.MessageEdited, cachelab.TrailingNewline)},
}

func codes(list ...cachelab.Code) []cachelab.Code { return list }

func TestExplain(t *testing.T) {
	pairs := 0
	for _, m := range misses {
		for _, shape := range []string{"anthropic", "openai"} {
			t.Run(fmt.Sprintf("%s/%s", m.name, shape), func(t *testing.T) {
				a := agent()
				b := next(a)
				a = a.clone()
				m.change(&a, &b)
				var x, y cachelab.Request
				p := profile(t, "anthropic-sonnet-5")
				if shape == "anthropic" {
					x, y = request(t, a.anthropic()), request(t, b.anthropic())
				} else {
					a.marks, b.marks = nil, nil
					x, y = request(t, a.openai()), request(t, b.openai())
					p = profile(t, "openai-gpt-5")
				}
				want := m.want
				if m.name == "arguments of a call spelled otherwise" {
					// OpenAI's arguments are a string: another string is another value there.
					want = map[string][]cachelab.Code{"anthropic": codes(cachelab.ShapeOnly), "openai": codes(cachelab.MessageEdited)}[shape]
				}
				e := cachelab.Explain(x, y, p)
				var got []cachelab.Code
				for _, c := range e.Changes {
					switch c.Code {
					case cachelab.MarkerUnmatched, cachelab.LookbackExceeded, cachelab.BelowMinimum:
						continue // what markers add is a table of its own
					}
					got = append(got, c.Code)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("reasons (-want +got):\n%s%+v", diff, e)
				}
				checkDivergence(t, x, y, p, e)
			})
			pairs++
		}
	}
	if pairs < 40 {
		t.Errorf("%d pairs; want 40 and more", pairs)
	}
}

// checkDivergence compares the first byte and the loss with what joining the texts gives.
func checkDivergence(t *testing.T, a, b cachelab.Request, p cachelab.Profile, e cachelab.Explanation) {
	t.Helper()
	ta, tb := joined(a, p), joined(b, p)
	at := 0
	for at < len(ta) && at < len(tb) && ta[at] == tb[at] {
		at++
	}
	want, lost := int64(at), int64(len(ta)-at)
	if at == len(ta) {
		want, lost = -1, 0
	}
	if a.Model != b.Model {
		want, lost = 0, int64(len(ta))
	}
	if e.At != want || e.LostBytes != lost {
		t.Errorf("first difference at %d with %d bytes lost; want %d and %d", e.At, e.LostBytes, want, lost)
	}
	if e.At >= 0 && e.Code() == "" {
		t.Errorf("a difference at byte %d without a reason", e.At)
	}
	if e.LostTokens < 0 || e.LostTokens > a.Tokens() || e.LostBytes == 0 && e.LostTokens != 0 {
		t.Errorf("%d tokens lost with %d bytes, of %d", e.LostTokens, e.LostBytes, a.Tokens())
	}
}

func joined(r cachelab.Request, p cachelab.Profile) string {
	var b strings.Builder
	for _, region := range p.RenderOrder.Value {
		for _, piece := range r.Pieces {
			if piece.Region == region {
				b.WriteString(piece.Text)
			}
		}
	}
	return b.String()
}
