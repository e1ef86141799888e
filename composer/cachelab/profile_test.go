package cachelab_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer/cachelab"
)

func TestRateAfterAnError(t *testing.T) {
	rate := cachelab.One
	if err := rate.UnmarshalText([]byte("1e-1")); err == nil || rate != cachelab.One {
		t.Errorf("%v, %v", rate, err)
	}
	if err := rate.UnmarshalText([]byte("1.25")); err != nil || rate.String() != "1.25" {
		t.Errorf("%v, %v", rate, err)
	}
}

func ExampleParseRate() {
	r, err := cachelab.ParseRate("1.25")
	fmt.Println(r, int64(r), err)
	_, err = cachelab.ParseRate("1e-1")
	fmt.Println(err)
	// Output:
	// 1.25 1250000 <nil>
	// cachelab: rate "1e-1": not a decimal from 0 to 1000000 with at most six places
}

func ExampleProfileOf() {
	p, ok := cachelab.ProfileOf("claude-opus-4-7")
	fmt.Println(p.Name, p.MatchModel.Value, p.MinTokens.Value, p.MinTokens.Confidence, ok)
	// Output: anthropic-opus-4.7 marked_lookback 4096 conflict true
}

func TestProfiles(t *testing.T) {
	seen := map[cachelab.MatchModel]bool{}
	last := ""
	for _, p := range cachelab.Profiles() {
		if p.Name <= last {
			t.Errorf("%q behind %q", p.Name, last)
		}
		last = p.Name
		seen[p.MatchModel.Value] = true
		src, ok := cachelab.ProfileDocument(p.Name)
		if !ok {
			t.Fatalf("no document of %q", p.Name)
		}
		again, err := cachelab.ParseProfile(src)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, again); diff != "" {
			t.Errorf("%s (-built in +document):\n%s", p.Name, diff)
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d match models have a profile: %v", len(seen), seen)
	}
}

// TestProfileOf: no minimum is taken from a family, since minima do not fall from one generation to the next.
func TestProfileOf(t *testing.T) {
	tests := []struct{ model, profile string }{
		{"claude-opus-5", "anthropic-opus-5"},
		{"claude-opus-5-5-20261001", "anthropic-5.5"},
		{"claude-sonnet-4-20250514", "anthropic-sonnet-4.5"},
		{"claude-sonnet-4-5-20250929", "anthropic-sonnet-4.5"},
		{"claude-sonnet-4-6", "anthropic-sonnet-4.6"},
		{"claude-haiku-4-5-20251001", "anthropic-haiku-4.5"},
		{"litellm_proxy/claude-sonnet-4-20250514", "anthropic-sonnet-4.5"},
		{"openai/gpt-4o-2024-08-06", "openai-gpt-4o"},
		{"gpt-5.6", "openai-gpt-5.6"},
		{"gpt-5.4", "openai-gpt-5"},
		{"deepseek-reasoner", "deepseek-v4-flash"},
		{"us.anthropic.claude-sonnet-4-6-v1:0", "bedrock-claude-sonnet-4.6"},
		{"gpt-3.5-turbo", ""},
		{"", ""},
	}
	for _, test := range tests {
		if p, _ := cachelab.ProfileOf(test.model); p.Name != test.profile {
			t.Errorf("%q is of %q; want %q", test.model, p.Name, test.profile)
		}
	}
}

func TestParseProfileErrors(t *testing.T) {
	src, _ := cachelab.ProfileDocument("vllm")
	good := string(src)
	tests := []struct {
		name, old, new string
		want           string
	}{
		{"not JSON", "{", "", "cachelab: profile: line 2, column 11"},
		{"another format", "quire/cache-profile/1", "quire/cache-profile/2", `line 2, column 13 (/format): format "quire/cache-profile/2"`},
		{"an unknown member", `"service"`, `"servise"`, `no member "service"`},
		{"one member more", `"name": "vllm"`, `"name": "vllm", "x": 1`, `(/x): a profile has no such member`},
		{"an unknown model", `"block_chain"`, `"block"`, `line 6, column 28 (/match_model/value): match model "block"`},
		{"a float", `"quantum_tokens": {"value": 16`, `"quantum_tokens": {"value": 16.5`, `(/quantum_tokens/value)`},
		{"a ratio that is a number", `"write": "1"`, `"write": 1`, `(/lifetimes/value/0/write)`},
		{"a ratio with seven places", `"write": "1"`, `"write": "0.1234567"`, `at most six places`},
		{"no step", `"quantum_tokens": {"value": 16`, `"quantum_tokens": {"value": 0`, `(/quantum_tokens/value): 0; want 1 or more`},
		{"no source", `"vllm/config/cache.py at 002f10e0"`, `""`, `(/quantum_tokens/source): only what is assumed has no source`},
		{"a day that is none", `"seen": "2026-11-30"`, `"seen": "yesterday"`, `(/match_model/seen): "yesterday"; want a day`},
		{"a lifetime without a price", `, "write": "1"`, ``, `no member "write"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bad := strings.Replace(good, test.old, test.new, 1)
			if bad == good {
				t.Fatal("nothing replaced")
			}
			_, err := cachelab.ParseProfile([]byte(bad))
			var at *cachelab.ProfileError
			if !errors.As(err, &at) || at.Line < 1 || at.Column < 1 || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v; want %q", err, test.want)
			}
		})
	}
}

func FuzzParseProfile(f *testing.F) {
	for _, p := range cachelab.Profiles() {
		src, _ := cachelab.ProfileDocument(p.Name)
		f.Add(src)
	}
	f.Add([]byte(`{"format":"quire/cache-profile/1"}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := cachelab.ParseProfile(src)
		var at *cachelab.ProfileError
		if err != nil && !errors.As(err, &at) {
			t.Fatalf("error without a place: %v", err)
		}
		if err == nil {
			p.Serves("x")
			cachelab.Explain(cachelab.Request{}, cachelab.Request{}, p)
		}
	})
}

// A profile that says nothing is no mistake, and keeps nothing: with a request in it that has a region, it keeps that.
func TestZeroProfile(t *testing.T) {
	r := cachelab.Request{Pieces: []cachelab.Piece{{Tokens: 7}}}
	turns := []cachelab.Turn{{Request: r}, {Request: r}}
	var zero cachelab.Profile
	if sim := cachelab.Simulate(turns, zero); sim.Total.Tokens != 0 || sim.Total.Read != 0 {
		t.Errorf("simulated as %+v", sim.Total)
	}
	if e := cachelab.Explain(r, r, zero); len(e.Changes) > 0 || e.Readings[0].Read != 0 {
		t.Errorf("explained as %+v", e)
	}
	if found := cachelab.Lint([]cachelab.Request{r, r}, zero); len(found) > 0 {
		t.Errorf("found %v", found)
	}
	zero.RenderOrder.Value = []cachelab.Region{r.Pieces[0].Region}
	if sim := cachelab.Simulate(turns, zero); sim.Turns[0].Read != 0 || sim.Turns[1].Read != 7 {
		t.Errorf("read %d, then %d of 7", sim.Turns[0].Read, sim.Turns[1].Read)
	}
}
