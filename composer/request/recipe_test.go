package request_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/fingerprint"
)

func recipeOf(t *testing.T) (request.Result, string) {
	in := full("{skills}{cacheBreakpoint}{memory}{chunks}")
	in.Tools = []request.Tool{{Name: "f", Description: "d", Schema: `{"type": "object", "a": 1}`}}
	in.History = []messages.Message{ask("Hm."), messages.TextMessage(messages.Assistant, "Well.")}
	in.History[0].Content[0].Cache = "{}"
	cfg := config(60)
	cfg.Reserve = 10
	res := build(t, cfg, in)
	return res, string(res.Recipe())
}

func TestRecipe(t *testing.T) {
	res, recipe := recipeOf(t)
	digest := func(text string) string { return fingerprint.SumString(text).String() }
	for _, want := range []string{
		`{"caching":true,"chunks":[{"id":"c1","rank":"3","text":"` + digest("one") + `"},`,
		`],"context":"60","conversation":false,"facts":"` + digest("Ada.") + `","kind":"request","measure":"utf16","notes":"` + digest("Likes tea.") + `","reserve":"10","sizes":["29","4","12",`,
		`"stable":["addendum","output_format","skills"],"template":"` + digest("{skills}{cacheBreakpoint}{memory}{chunks}") + `","tools":["` + digest(`{"description":"d","name":"f","schema":{"a":1,"type":"object"}}`) + `"],"turns":[`,
		`"mark":true},{"content":"` + digest(`{"content":[{"text":"Well.","type":"text"}],"role":"assistant"}`) + `","mark":false},`,
		`"today":"` + digest("2026-12-01") + `"},"version":"quire/1"}`,
	} {
		if !strings.Contains(recipe, want) {
			t.Errorf("no %s in\n%s", want, recipe)
		}
	}
	digests := strings.Split(recipe, `"`)
	at := 0
	for _, word := range digests { // every digest in the recipe is an input, in order
		if d, err := fingerprint.ParseDigest(word); err == nil {
			if at >= len(res.Inputs()) || fingerprint.SumString(res.Inputs()[at]) != d {
				t.Fatalf("input %d is not %v", at, d)
			}
			at++
		}
	}
	if at != len(res.Inputs()) {
		t.Errorf("%d digests, %d inputs", at, len(res.Inputs()))
	}
}

func TestCompileRefuses(t *testing.T) {
	res, recipe := recipeOf(t)
	swap := func(old, replacement string) string {
		if !strings.Contains(recipe, old) {
			t.Fatalf("no %s in %s", old, recipe)
		}
		return strings.Replace(recipe, old, replacement, 1)
	}
	template := fingerprint.SumString("{skills}{cacheBreakpoint}{memory}{chunks}").String()
	for _, test := range []struct {
		name, src string
		is        error
		want      string
	}{
		{"nothing", "", composer.ErrRecipe, "request: not a recipe: "},
		{"another kind", swap(`"kind":"request"`, `"kind":"composer"`), composer.ErrRecipe, `kind "composer"; want "request"`},
		{"another version", swap("quire/1", "quire/0"), composer.ErrVersion, `"quire/0"; this build compiles "quire/1"`},
		{"white space", swap(`,"kind"`, `, "kind"`), composer.ErrRecipe, "differs from canonical form"},
		{"something behind", recipe + " ", composer.ErrRecipe, "differs from canonical form"},
		{"another member", swap(`"kind"`, `"kin":1,"kind"`), composer.ErrRecipe, "kin"},
		{"a number spelled otherwise", swap(`"reserve":"10"`, `"reserve":"+10"`), composer.ErrRecipe, ""},
		{"a reserve above the context", swap(`"reserve":"10"`, `"reserve":"60"`), composer.ErrRecipe, "a reserve of 60 in a context of 60"},
		{"a negative size", swap(`"sizes":["29"`, `"sizes":["-29"`), composer.ErrRecipe, `size 1: want a non-negative integer in decimal; found "-29"`},
		{"a size too few", swap(`"sizes":["29",`, `"sizes":[`), composer.ErrRecipe, `section "question": not a recipe: no size for it`},
		{"a size too many", swap(`"sizes":["29",`, `"sizes":["29","1",`), composer.ErrRecipe, "1 sizes too many"},
		{"no question", recipe[:strings.Index(recipe, `"turns":[`)+9] + recipe[strings.Index(recipe, `],"values"`):], composer.ErrRecipe, "no question"},
		{"an absent text", swap(template, strings.Repeat("ab", 32)), nil, "request: template: no text abab"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := request.Compile([]byte(test.src), store(res))
			if err == nil || !strings.Contains(err.Error(), test.want) || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
