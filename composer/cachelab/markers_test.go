package cachelab_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer/cachelab"
)

// long returns a request of n user messages behind a system prompt, with markers at the given places.
func long(n int, marks map[string]string) talk {
	k := talk{model: "m", system: []string{manual}, marks: marks}
	for range n {
		k.turns = append(k.turns, turn{user: "And another thing."})
	}
	return k
}

func TestExplainMarkers(t *testing.T) {
	short := func(marks map[string]string) talk {
		k := agent()
		k.system, k.marks = []string{"Be brief."}, marks
		return k
	}
	tests := []struct {
		name    string
		profile string
		a, b    talk
		want    []cachelab.Code
		reads   bool
	}{
		{"markers that move along", "anthropic-sonnet-5", agent(), next(agent()), nil, true},
		{"no marker in the first", "anthropic-sonnet-5", long(1, nil), long(3, map[string]string{"system": "5m"}),
			codes(cachelab.MarkerUnmatched), false},
		{"no marker in the second", "anthropic-sonnet-5", long(1, map[string]string{"system": "5m"}), long(3, nil),
			codes(cachelab.MarkerUnmatched), false},
		{"a marker before the entry", "anthropic-sonnet-5", long(3, map[string]string{"2": "5m"}), long(5, map[string]string{"system": "5m"}),
			codes(cachelab.MarkerUnmatched), false},
		{"twenty blocks between", "anthropic-sonnet-5", long(1, map[string]string{"system": "5m"}), long(20, map[string]string{"J": "5m"}), nil, true},
		{"twenty-one blocks between", "anthropic-sonnet-5", long(1, map[string]string{"system": "5m"}), long(21, map[string]string{"K": "5m"}),
			codes(cachelab.LookbackExceeded), false},
		{"a fifth marker", "anthropic-sonnet-5", long(6, map[string]string{"system": "5m"}),
			long(6, map[string]string{"system": "5m", "0": "5m", "1": "5m", "2": "5m", "5": "5m"}), codes(cachelab.MarkerLimit), true},
		{"one hour behind five minutes", "anthropic-sonnet-5", long(1, map[string]string{"system": "5m"}),
			long(3, map[string]string{"system": "5m", "2": "1h"}), codes(cachelab.TTLOrder), true},
		{"five minutes behind one hour", "anthropic-sonnet-5", long(1, map[string]string{"system": "1h"}),
			long(3, map[string]string{"system": "1h", "2": "5m"}), nil, true},
		{"too short for any entry", "anthropic-sonnet-5", short(map[string]string{"4": "5m"}), next(short(map[string]string{"4": "5m"})),
			codes(cachelab.BelowMinimum), false},
		{"long enough for one model, not for another", "anthropic-opus-4.6", agent(), next(agent()), codes(cachelab.BelowMinimum), false},
		{"too short for a step", "openai-gpt-5", short(nil), next(short(nil)), codes(cachelab.BelowMinimum), false},
		{"the implicit marker", "openai-gpt-5.6", long(3, nil), long(5, nil), nil, true},
		{"a parameter that costs the messages", "anthropic-sonnet-5", agent(), func() talk {
			k := next(agent())
			k.params["tool_choice"] = object{"type": "any"}
			return k
		}(), codes(cachelab.ParamsChanged), true},
		{"another key for the machine", "openai-gpt-5", long(3, nil), func() talk {
			k := long(5, nil)
			k.params = object{"prompt_cache_key": "k2"}
			return k
		}(), codes(cachelab.ParamsChanged), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := profile(t, test.profile)
			write := talk.anthropic
			if p.Service == "openai" {
				write = talk.openai
			}
			e := cachelab.Explain(request(t, write(test.a)), request(t, write(test.b)), p)
			var got []cachelab.Code
			for _, c := range e.Changes {
				got = append(got, c.Code)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("reasons (-want +got):\n%s%+v", diff, e)
			}
			if read := e.Readings[0].Read > 0; read != test.reads {
				t.Errorf("reads %d tokens; want some: %t", e.Readings[0].Read, test.reads)
			}
		})
	}
}

// TestExplainProfiles shows why a profile names its match model: one change, read by some and not by others.
func TestExplainProfiles(t *testing.T) {
	a, b := long(30, nil), long(30, nil)
	a.turns[20].user, b.turns[20].user = "One.", "Another."
	var all []cachelab.Profile
	for _, name := range []string{"openai-gpt-5", "openai-gpt-5.6", "deepseek-v4-flash", "vllm", "sglang"} {
		all = append(all, profile(t, name))
	}
	e := cachelab.Explain(request(t, a.openai()), request(t, b.openai()), all[0], all[1:]...)
	read := map[string]bool{}
	for _, r := range e.Readings {
		read[r.Profile] = r.Read > 0
	}
	want := map[string]bool{"openai-gpt-5": true, "openai-gpt-5.6": false, "deepseek-v4-flash": false, "vllm": true, "sglang": true}
	if diff := cmp.Diff(want, read); diff != "" {
		t.Errorf("who reads (-want +got):\n%s", diff)
	}
}

// TestThinkingStripped: the request only grows, and still does not read: what was thought in the turn before is left out
// by some models once the user speaks again.
func TestThinkingStripped(t *testing.T) {
	const body = `{"model":"m","max_tokens":1,"system":[{"type":"text","text":%q,"cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"x"},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"y"}]}%s]}`
	a := parse(t, fmt.Sprintf(body, manual, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"r","cache_control":{"type":"ephemeral"}}]}`))
	b := parse(t, fmt.Sprintf(body, manual, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"r"}]},`+
		`{"role":"user","content":[{"type":"text","text":"z","cache_control":{"type":"ephemeral"}}]}`))
	system := a.Pieces[0].Tokens
	for _, test := range []struct {
		profile string
		code    cachelab.Code
		reads   int64
	}{
		{"anthropic-sonnet-4.5", cachelab.ThinkingStripped, system},
		{"anthropic-sonnet-5", "", a.Tokens()},
	} {
		e := cachelab.Explain(a, b, profile(t, test.profile))
		if e.Code() != test.code || e.Readings[0].Read != test.reads {
			t.Errorf("%s: %q, reads %d; want %q and %d\n%+v", test.profile, e.Code(), e.Readings[0].Read, test.code, test.reads, e)
		}
	}
}

func TestBlankAndMarked(t *testing.T) {
	q := parse(t, `{"model":"m","max_tokens":1,"system":[{"type":"text","text":"scaffold"},{"type":"text","text":" \n","cache_control":{"type":"ephemeral","ttl":"1h"}}],"messages":[{"role":"user","content":"x"}]}`)
	var got []string
	for _, p := range q.Pieces {
		line := p.String()
		if p.Blank() {
			line += " blank"
		}
		if p.Marked {
			line += " " + p.TTL
		}
		got = append(got, line)
	}
	want := []string{"system[0] (system)", "system[1] (system) blank 1h", "messages[0] (user)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pieces (-want +got):\n%s", diff)
	}
}

// TestMarkersAreNoText: a marker changes no byte of what is read, wherever it stands.
func TestMarkersAreNoText(t *testing.T) {
	with, without := agent(), agent()
	with.marks["tools"] = "5m"
	without.marks = nil
	p := profile(t, "anthropic-sonnet-5")
	a, b := joined(request(t, with.anthropic()), p), joined(request(t, without.anthropic()), p)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("texts (-with +without):\n%s", diff)
	}
	if strings.Contains(a, "cache_control") {
		t.Error("a marker is part of the text")
	}
}
