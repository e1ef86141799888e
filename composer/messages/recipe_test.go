package messages_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

func recipeOf(t *testing.T) (composer.Compilation, string) {
	p := full()
	p.Tail = &messages.Tail{Order: []string{"own"}, Segments: []messages.Segment{{ID: "own", Text: "X1"}}}
	p.Context[0].Priority = -7
	p.History[0].Content[0].Cache = "{}"
	p.History[1] = toolResult(messages.Block{ID: "c", Text: strings.Repeat("x", 100)})
	a, err := p.Assemble(messages.Options{Policy: messages.Quantised, Notice: true, Fold: &messages.Fold{Cap: 10},
		Budget: &messages.Budget{MaxInputTokens: tiers.Limit(45), MaxInputBytes: tiers.Limit(1000)}})
	if err != nil {
		t.Fatal(err)
	}
	c := a.Compilation()
	return c, string(c.Recipe)
}

func TestRecipe(t *testing.T) {
	compiled, recipe := recipeOf(t)
	for _, want := range []string{
		`{"items":[{"bytes":"2","digest":"` + fingerprint.SumString(`{"content":[{"text":"I1","type":"text"}],"role":"system"}`).String() + `","group":"instructions","size":"1"},`,
		`"group":"history","mark":true,"size":"1"}`, `"group":"history","size":"8","whole":"26"}`,
		`"group":"context","priority":"-7","size":"1"}`, `"group":"skill_body","line":"11","segment":"skill:k1",`,
		`"group":"notice"`,
		`],"kind":"messages","layout":"cache_aware","max-input-bytes":"1000","max-input-tokens":"45","measure":"chars/4",` +
			`"policy":"quantised","quantum":"11","tail":["own"],"version":"quire/1"}`,
	} {
		if !strings.Contains(recipe, want) {
			t.Errorf("no %s in\n%s", want, recipe)
		}
	}
	if n := strings.Count(recipe, `"digest"`); n != len(compiled.Inputs) {
		t.Errorf("%d digests, %d inputs", n, len(compiled.Inputs))
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
		return fmt.Sprintf("messages: not a recipe: byte %d: %s", strings.Index(recipe, place), problem)
	}
	const size = "want an integer from 0 to 9223372036854775807 in decimal; found "
	for _, test := range []struct {
		name, src string
		is        error
		want      string
	}{
		{"nothing", "", composer.ErrRecipe, "messages: not a recipe"},
		{"another kind", swap(`"kind":"messages"`, `"kind":"composer"`), composer.ErrRecipe, `kind "composer"; want "messages"`},
		{"another version", swap("quire/1", "quire/0"), composer.ErrVersion, `"quire/0"; this build compiles "quire/1"`},
		{"another version in another form", strings.Replace(swap(`"kind"`, `"kin":1,"kind"`), "quire/1", "quire/0", 1), composer.ErrVersion, `"quire/0"; this build compiles "quire/1"`},
		{"white space", swap(`,"kind"`, `, "kind"`), composer.ErrRecipe, at(`],"kind"`, `want ],"kind":"messages"`)},
		{"something behind", recipe + "\n", composer.ErrRecipe, fmt.Sprintf("byte %d: want the end", len(recipe))},
		{"another member", swap(`"kind"`, `"kin":1,"kind"`), composer.ErrRecipe, at(`],"kind"`, `want ],"kind":"messages"`)},
		{"a group", swap("instructions", "instruction"), composer.ErrRecipe, at(`"instructions"`, `unknown group "instruction"`)},
		{"a policy", swap("quantised", "quantized"), composer.ErrRecipe, at(`"quantised"`, `unknown policy "quantized"`)},
		{"a layout", swap("cache_aware", "cache-aware"), composer.ErrRecipe, at(`"cache_aware"`, `unknown layout "cache-aware"`)},
		{"a number", swap(`"bytes":"2"`, `"bytes":"2.0"`), composer.ErrRecipe, at(`"2"`, size+`"2.0"`)},
		{"a number spelled otherwise", swap(`"bytes":"2"`, `"bytes":"+2"`), composer.ErrRecipe, at(`2"`, `want the canonical form, "2\"`)},
		{"negative bytes", swap(`"bytes":"2"`, `"bytes":"-1"`), composer.ErrRecipe, at(`"2"`, size+`"-1"`)},
		{"a negative size", swap(`"size":"1"`, `"size":"-1"`), composer.ErrRecipe, at(`"1"}`, size+`"-1"`)},
		{"a negative size after folding", swap(`"size":"8","whole":"26"`, `"size":"-1","whole":"26"`), composer.ErrRecipe, at(`"8","whole":"26"`, size+`"-1"`)},
		{"a negative size before folding", swap(`"whole":"26"`, `"whole":"-1"`), composer.ErrRecipe, at(`"26"`, size+`"-1"`)},
		{"a size said twice", swap(`"group":"instructions","size":"1"`, `"group":"instructions","size":"1","whole":"1"`), composer.ErrRecipe, "want the canonical form, \"}"},
		{"a mark that is none", swap(`"mark":true`, `"mark":false`), composer.ErrRecipe, at(`,"mark":true`, `want ,"size":`)},
		{"no priority", swap(`"priority":"-7"`, `"priority":"0"`), composer.ErrRecipe, at(`priority":"-7"`, "want the canonical form")},
		{"no quantum", swap(`"quantum":"11"`, `"quantum":"0"`), composer.ErrRecipe, at(`"11","tail"`, `want an integer from 1 to 9223372036854775807 in decimal; found "0"`)},
		{"no such line", swap(`"line":"11"`, `"line":"99"`), composer.ErrRecipe, "no line of a skill"},
		{"no line", swap(`"line":"11",`, ``), composer.ErrRecipe, "item 14: no line of a skill for this body alone at place -1"},
		{"the line behind the last", swap(`"line":"11"`, fmt.Sprintf(`"line":"%d"`, len(compiled.Inputs))), composer.ErrRecipe, fmt.Sprintf("item 14: no line of a skill for this body alone at place %d", len(compiled.Inputs))},
		{"a line of another kind", swap(`"line":"11"`, `"line":"0"`), composer.ErrRecipe, "no line of a skill"},
		{"an absent content", swap(`"digest":"`, `"digest":"00`)[:len(`{"items":[{"bytes":"2","digest":"`)+64] + recipe[len(`{"items":[{"bytes":"2","digest":"`)+64:], nil, "messages: instructions 1: no content 00"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := messages.CompileRecipe([]byte(test.src), store(compiled))
			if err == nil || !strings.Contains(err.Error(), test.want) || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
	broken := func(d fingerprint.Digest) (string, error) { return "{", nil }
	if _, err := messages.CompileRecipe([]byte(recipe), broken); err == nil || !strings.Contains(err.Error(), "messages: instructions 1: byte 1: ") {
		t.Errorf("a content that is no message: error %v", err)
	}
}

// The quantum that was used stands in the recipe: a quarter of the budget where none was set, but never nothing.
func TestRecipeSaysTheQuantum(t *testing.T) {
	for _, test := range []struct {
		o    messages.Options
		want string
	}{
		{messages.Options{}, "1"},
		{messages.Options{Quantum: 7}, "7"},
		{messages.Options{Budget: &messages.Budget{MaxInputTokens: tiers.Limit(3)}}, "1"},
		{messages.Options{Budget: &messages.Budget{MaxInputTokens: tiers.Limit(7)}}, "1"},
		{messages.Options{Budget: &messages.Budget{MaxInputTokens: tiers.Limit(8)}}, "2"},
		{messages.Options{Budget: &messages.Budget{MaxInputBytes: tiers.Limit(100)}}, "25"},
		{messages.Options{Budget: &messages.Budget{MaxInputTokens: tiers.Limit(8), MaxInputBytes: tiers.Limit(100)}}, "2"},
	} {
		a, err := messages.Prompt{}.Assemble(test.o)
		if err != nil {
			t.Fatal(err)
		}
		recipe := string(a.Compilation().Recipe)
		if want := `"quantum":"` + test.want + `"`; !strings.Contains(recipe, want) {
			t.Errorf("%+v: no %s in %s", test.o, want, recipe)
		}
	}
}

func TestCompileReadsTheLargestNumbers(t *testing.T) {
	for _, priority := range []int{math.MaxInt, math.MinInt} {
		a, err := messages.Prompt{Context: []messages.Context{{Title: "a", Priority: priority}, {Title: "b"}}}.Assemble(messages.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := messages.CompileRecipe(a.Compilation().Recipe, store(a.Compilation()))
		if err != nil {
			t.Fatal(err)
		}
		compare(t, fmt.Sprint("key with priority ", priority), a.Composition.Recipe().Key(), c.Recipe().Key())
	}
}

func TestCompileRefusesTwoBodiesOfOneLine(t *testing.T) {
	p := messages.Prompt{Skills: []messages.Skill{{Name: "a", Body: "A", Loaded: true}, {Name: "b", Body: "B", Loaded: true}}}
	a, err := p.Assemble(messages.Options{})
	if err != nil {
		t.Fatal(err)
	}
	recipe := strings.Replace(string(a.Compilation().Recipe), `"line":"1"`, `"line":"0"`, 1)
	want := "item 4: no line of a skill for this body alone at place 0"
	if _, err := messages.CompileRecipe([]byte(recipe), store(a.Compilation())); !errors.Is(err, composer.ErrRecipe) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// Whatever byte of a recipe is changed, it is refused, or compiled to something: there is no panic.
func TestCompileChangedBytes(t *testing.T) {
	compiled, recipe := recipeOf(t)
	contents := store(compiled)
	for i := range recipe {
		for _, bit := range []byte{1, 2, 4, 16} {
			changed := []byte(recipe)
			changed[i] ^= bit
			c, err := messages.CompileRecipe(changed, func(d fingerprint.Digest) (string, error) {
				if content, err := contents(d); err == nil {
					return content, nil
				}
				return compiled.Inputs[0], nil
			})
			if err == nil && c.Len() == 0 {
				t.Fatalf("byte %d changed to %q: nothing is left", i, changed[i])
			}
		}
	}
}

func FuzzCompile(f *testing.F) {
	p := full()
	a, err := p.Assemble(messages.Options{Notice: true, Budget: &messages.Budget{MaxInputTokens: tiers.Limit(20)}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(a.Compilation().Recipe, `{"role":"user","content":[{"type":"tool_call"}]}`)
	f.Fuzz(func(t *testing.T, src []byte, content string) {
		c, err := messages.CompileRecipe(src, func(fingerprint.Digest) (string, error) { return content, nil })
		if err == nil {
			c.Text()
		}
	})
}
