package request_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/fingerprint"
)

func recipeOf(t *testing.T) (composer.Compilation, string) {
	in := full("{skills}{cacheBreakpoint}{memory}{chunks}")
	in.Tools = []request.Tool{{Name: "f", Description: "d", Schema: `{"type": "object", "a": 1}`}}
	in.History = []messages.Message{ask("Hm."), messages.TextMessage(messages.Assistant, "Well.")}
	in.History[0].Content[0].Cache = "{}"
	cfg := config(60)
	cfg.Reserve = 10
	c := build(t, cfg, in).Compilation()
	return c, string(c.Recipe)
}

func TestRecipe(t *testing.T) {
	compiled, recipe := recipeOf(t)
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
			if at >= len(compiled.Inputs) || fingerprint.SumString(compiled.Inputs[at]) != d {
				t.Fatalf("input %d is not %v", at, d)
			}
			at++
		}
	}
	if at != len(compiled.Inputs) {
		t.Errorf("%d digests, %d inputs", at, len(compiled.Inputs))
	}
}

func TestCompileRefuses(t *testing.T) {
	compiled, recipe := recipeOf(t)
	swap := func(old, replacement string) string {
		if !strings.Contains(recipe, old) {
			t.Fatalf("no %s in %s", old, recipe)
		}
		return strings.Replace(recipe, old, replacement, 1)
	}
	at := func(place, problem string) string { // the problem stands where the place begins
		if !strings.Contains(recipe, place) {
			t.Fatalf("no %s in %s", place, recipe)
		}
		return fmt.Sprintf("request: not a recipe: byte %d: %s", strings.Index(recipe, place), problem)
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
		{"another version in another form", strings.Replace(swap(`"kind"`, `"kin":1,"kind"`), "quire/1", "quire/0", 1), composer.ErrVersion, `"quire/0"; this build compiles "quire/1"`},
		{"white space", swap(`,"kind"`, `, "kind"`), composer.ErrRecipe, at(`,"kind"`, `want ,"kind":"request"`)},
		{"something behind", recipe + " ", composer.ErrRecipe, fmt.Sprintf("byte %d: want the end", len(recipe))},
		{"another member", swap(`"kind"`, `"kin":1,"kind"`), composer.ErrRecipe, at(`,"kind"`, `want ,"kind":"request"`)},
		{"a number spelled otherwise", swap(`"reserve":"10"`, `"reserve":"+10"`), composer.ErrRecipe, at(`10","sizes"`, `want the canonical form, "10\"`)},
		{"a negative reserve", swap(`"reserve":"10"`, `"reserve":"-1"`), composer.ErrRecipe, at(`"10","sizes"`, `want an integer from 0 to 9223372036854775807 in decimal; found "-1"`)},
		{"a slot that is none", swap(`"today":`, `"todai":`), composer.ErrRecipe, at(`"today"`, `unknown slot "todai"`)},
		{"a slot without a value of its own", swap(`"today":`, `"memory":`), composer.ErrRecipe, "want the canonical form"},
		{"a reserve above the context", swap(`"reserve":"10"`, `"reserve":"60"`), composer.ErrRecipe, "a reserve of 60 in a context of 60"},
		{"a negative size", swap(`"sizes":["29"`, `"sizes":["-29"`), composer.ErrRecipe, at(`"29"`, `want an integer from 0 to 9223372036854775807 in decimal; found "-29"`)},
		{"a size too few", swap(`"sizes":["29",`, `"sizes":[`), composer.ErrRecipe, `section "question": not a recipe: no size for it`},
		{"a size too many", swap(`"sizes":["29",`, `"sizes":["29","1",`), composer.ErrRecipe, "1 sizes too many"},
		{"no question", recipe[:strings.Index(recipe, `"turns":[`)+9] + recipe[strings.Index(recipe, `],"values"`):], composer.ErrRecipe, "no question"},
		{"an absent text", swap(template, strings.Repeat("ab", 32)), nil, "request: template: no text abab"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := request.CompileRecipe([]byte(test.src), store(compiled))
			if err == nil || !strings.Contains(err.Error(), test.want) || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
