package fragments_test

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/fragments/template"
	"github.com/quirehq/quire/tiers"
)

// loader serves the inputs of a compilation, and nothing else.
func loader(c composer.Compilation) func(fingerprint.Digest) (string, error) {
	texts := map[fingerprint.Digest]string{}
	for _, text := range c.Inputs {
		texts[fingerprint.SumString(text)] = text
	}
	return func(d fingerprint.Digest) (string, error) {
		text, has := texts[d]
		if !has {
			return "", fmt.Errorf("%v was not recorded", d)
		}
		return text, nil
	}
}

func drawAssembly(t *rapid.T) fragments.Assembly {
	text := rapid.SampledFrom([]string{"", " \n", "short", "{{a}}", "{{b}} and {{a}}", "ünïcödé 😀", strings.Repeat("long ", 20)})
	a := fragments.Assembly{Variables: map[string]template.Value{
		"a": {Text: text.Draw(t, "a")}, "b": {Text: "{{a}}"}, "c": {Missing: true},
	}}
	for i := range rapid.IntRange(0, 8).Draw(t, "sections") {
		a.Sections = append(a.Sections, fragments.AssembledSection{
			Name: fmt.Sprint("s", i), Text: text.Draw(t, "text"), Tier: tiers.Tier(rapid.IntRange(0, 2).Draw(t, "tier")),
			Alternates: rapid.SliceOfN(text, 0, 2).Draw(t, "alternates"), Priority: rapid.IntRange(-1, 1).Draw(t, "priority"),
			Chain: rapid.SampledFrom([]string{"", "", "chain"}).Draw(t, "chain"), Group: rapid.SampledFrom([]string{"", "", "g\"\n"}).Draw(t, "group"),
			Breakpoint: rapid.Bool().Draw(t, "breakpoint"),
		})
	}
	a.Tools = []fragments.Tool{{Name: "t", Description: text.Draw(t, "description"), Schema: must(fragments.ParseSchema([]byte(`{"type":"object"}`)))}}
	return a
}

func drawConfig(t *rapid.T) composer.Config {
	return composer.Config{
		Gate:    tiers.Gate(rapid.IntRange(0, 1).Draw(t, "gate")),
		Budget:  tiers.Limit(rapid.Int64Range(0, 200).Draw(t, "budget")),
		Measure: measure.New("vowels", func(text string) int64 { return int64(strings.Count(text, "o") + len(text)%7) }),
		Join:    composer.Join(rapid.IntRange(0, 2).Draw(t, "join")),
	}
}

// A recipe makes the same composition again, without the function that measured, and is canonical.
func TestRecipeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, cfg := drawAssembly(t), drawConfig(t)
		c, err := a.Compile(cfg)
		if err != nil {
			t.Fatal(err)
		}
		direct := must(a.Compose(cfg))
		again, err := fragments.CompileRecipe(c.Recipe, loader(c))
		if err != nil {
			t.Fatal(err)
		}
		if again.Text() != direct.Text() || again.Text() != c.Composition.Text() {
			t.Fatalf("text %q; want %q", again.Text(), direct.Text())
		}
		if diff := cmp.Diff(fmt.Sprint(direct.Decisions()), fmt.Sprint(again.Decisions())); diff != "" {
			t.Fatalf("decisions (-want +got)\n%s", diff)
		}
		if diff := cmp.Diff(direct.Recipe().Key(), again.Recipe().Key()); diff != "" {
			t.Fatalf("the composer's recipe (-want +got)\n%s", diff)
		}
		canonical, err := fingerprint.Canonical(c.Recipe)
		if diff := cmp.Diff(string(canonical), string(c.Recipe)); err != nil || diff != "" {
			t.Fatalf("not canonical: %v (-want +got)\n%s", err, diff)
		}
	})
}

// Without a budget, composing what was lowered gives what rendering gives.
func TestLowerComposesToRender(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAssembly(t)
		if got, want := must(a.Compose(composer.Config{})).Text(), must(a.Render()); got != want {
			t.Fatalf("composed %q; rendered %q", got, want)
		}
	})
}

func TestWhiteSpaceStays(t *testing.T) {
	a := fragments.Assembly{
		Sections:  []fragments.AssembledSection{{Name: "a", Text: "{{empty}}"}, {Name: "b", Text: " "}, {Name: "c"}, {Name: "d", Text: "\n"}},
		Variables: map[string]template.Value{"empty": {}},
	}
	if got := must(a.Render()); got != " \n\n\n" || got != composed(t, a) {
		t.Errorf("rendered %q, composed %q", got, composed(t, a))
	}
}

func TestLowerMovesTheBreakpointOfAnEmptySection(t *testing.T) {
	a := fragments.Assembly{Sections: []fragments.AssembledSection{
		{Name: "nothing before", Breakpoint: true}, {Name: "a", Text: "a"}, {Name: "empty", Breakpoint: true}, {Name: "b", Text: "b"},
	}}
	want := []composer.Section{{ID: "a", Content: "a", Breakpoint: true}, {ID: "b", Content: "b"}}
	if diff := cmp.Diff(want, must(a.Lower()), cmp.AllowUnexported(tiers.Cost{})); diff != "" {
		t.Errorf("sections (-want +got)\n%s", diff)
	}
}

func TestErrorsOfAnAssemblyNameTheSection(t *testing.T) {
	vars := map[string]template.Value{"model": {}}
	tests := []struct {
		name     string
		sections []fragments.AssembledSection
		rendered string
		lowered  string
	}{
		{"first error in section order", []fragments.AssembledSection{{Name: "a"}, {Name: "b", Text: "é {{modle}}"}, {Name: "c", Text: "{{{x}}}"}},
			`fragments: section "b": line 1, byte 3: unknown variable: {{modle}}; known are model`, `fragments: section "b": line 1, byte 3: unknown variable: {{modle}}; known are model`},
		{"alternate", []fragments.AssembledSection{{Name: "a", Text: "x", Alternates: []string{"", "{{X}}"}}},
			"", `fragments: section "a": alternate 2: line 1, byte 0: malformed reference {{X}}; want a name of a-z, 0-9 and _ that begins with a letter, without spaces; known are model`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := fragments.Assembly{Sections: tt.sections, Variables: vars}
			text, err := a.Render()
			if got := errorText(err); got != tt.rendered || err != nil && text != "" {
				t.Errorf("Render: %q, error %s\nwant %s", text, got, tt.rendered)
			}
			_, err = a.Lower()
			if got := errorText(err); got != tt.lowered {
				t.Errorf("Lower: error %s\nwant %s", got, tt.lowered)
			}
			if _, err := a.Compile(composer.Config{}); errorText(err) != tt.lowered {
				t.Errorf("Compile: error %v\nwant %s", err, tt.lowered)
			}
			if _, err := a.Compose(composer.Config{}); errorText(err) != tt.lowered {
				t.Errorf("Compose: error %v\nwant %s", err, tt.lowered)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestCompileRecipeRefuses(t *testing.T) {
	a := fragments.Assembly{
		Sections:  []fragments.AssembledSection{{Name: "s", Text: "{{v}}", Alternates: []string{"alternate"}}},
		Variables: map[string]template.Value{"v": {Text: "value"}},
	}
	c := must(a.Compile(composer.Config{}))
	recipe := string(c.Recipe)
	digest := func(text string) string { return fingerprint.SumString(text).String() }
	tests := []struct {
		name, recipe string
		is           error
	}{
		{"nothing", "", composer.ErrRecipe},
		{"a composer's recipe", string(c.Composition.Recipe().AppendJSON(nil)), composer.ErrRecipe},
		{"another kind", strings.Replace(recipe, `"kind":"fragments"`, `"kind":"messages"`, 1), composer.ErrRecipe},
		{"another version", strings.Replace(recipe, `}],"version":"quire/1"}`, `}],"version":"quire/2"}`, 1), composer.ErrVersion},
		{"another version of the composer", strings.Replace(recipe, `"version":"quire/1"},"kind"`, `"version":"quire/2"},"kind"`, 1), composer.ErrVersion},
		{"another version in another form", `{"kind":"fragments","version":"quire/2"}`, composer.ErrVersion},
		{"white space", recipe + "\n", composer.ErrRecipe},
		{"a config that is none", strings.Replace(recipe, `"gate":"published"`, `"gate":"unheard-of"`, 1), composer.ErrRecipe},
		{"a config in another form", strings.Replace(recipe, `,"gate"`, `, "gate"`, 1), composer.ErrRecipe},
		{"no digest of a value", strings.Replace(recipe, digest("value"), fingerprint.Digest{}.String(), 1), composer.ErrRecipe},
		{"unknown member", strings.Replace(recipe, `{"config"`, `{"also":1,"config"`, 1), composer.ErrRecipe},
		{"a priority that no int here holds", strings.Replace(recipe, `"priority":"0"`, `"priority":"`+strconv.FormatUint(math.MaxInt+1, 10)+`"`, 1), composer.ErrRecipe},
		{"leading zero", strings.Replace(recipe, `"bytes":"5"`, `"bytes":"05"`, 1), composer.ErrRecipe},
		{"text not recorded", strings.Replace(recipe, digest("{{v}}"), digest("x"), 1), errNotRecorded},
		{"alternate not recorded", strings.Replace(recipe, digest("alternate"), digest("x"), 1), errNotRecorded},
		{"value not recorded", strings.Replace(recipe, digest("value"), digest("x"), 1), errNotRecorded},
		{"variable renamed", strings.Replace(recipe, `{"name":"v"`, `{"name":"w"`, 1), template.ErrUnknown},
		{"value taken away", strings.Replace(recipe, `"text":"`+digest("value")+`"`, `"text":null`, 1), template.ErrNoValue},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.recipe == recipe {
				t.Fatal("the recipe is the right one")
			}
			load := func(d fingerprint.Digest) (string, error) {
				text, err := loader(c)(d)
				if err != nil {
					return "", errNotRecorded
				}
				return text, nil
			}
			if _, err := fragments.CompileRecipe([]byte(tt.recipe), load); !errors.Is(err, tt.is) {
				t.Errorf("error %v, want %v", err, tt.is)
			}
		})
	}
}

func TestCompileRecipeSaysTheByte(t *testing.T) {
	recipe := string(must(fragments.Assembly{Sections: []fragments.AssembledSection{{Name: "s", Text: "text"}}}.Compile(composer.Config{})).Recipe)
	for _, tt := range []struct{ old, replacement, problem string }{ // the problem stands where the replacement begins
		{`"core"`, `"Core"`, `tiers: unknown tier "Core"`},
		{`4","chain"`, `04","chain"`, `want the canonical form, "4\",`},
		{`],"tools"`, `], "tools"`, `want ],"tools":[`},
		{`],"version"`, `null],"version"`, `want {"name":`},
	} {
		at := strings.LastIndex(recipe, tt.old)
		changed := recipe[:at] + tt.replacement + recipe[at+len(tt.old):]
		want := fmt.Sprintf("fragments: not a recipe: byte %d: %s", at, tt.problem)
		if _, err := fragments.CompileRecipe([]byte(changed), nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v; want %s", tt.replacement, err, want)
		}
	}
}

var errNotRecorded = errors.New("not recorded")

// Whatever decides bytes is in the recipe: changing it changes the recipe.
func TestRecipeTellsAssembliesApart(t *testing.T) {
	base := func() fragments.Assembly {
		return fragments.Assembly{
			Sections:  []fragments.AssembledSection{{Name: "s", Text: "{{v}}", Alternates: []string{"a", "b"}}, {Name: "t", Text: "t"}},
			Tools:     []fragments.Tool{{Name: "t"}},
			Variables: map[string]template.Value{"v": {Text: "value"}},
		}
	}
	edits := map[string]func(a *fragments.Assembly){
		"nothing":     func(a *fragments.Assembly) {},
		"name":        func(a *fragments.Assembly) { a.Sections[0].Name = "x" },
		"text":        func(a *fragments.Assembly) { a.Sections[0].Text = "value" }, // renders alike
		"tier":        func(a *fragments.Assembly) { a.Sections[0].Tier = tiers.Active },
		"alternates":  func(a *fragments.Assembly) { a.Sections[0].Alternates = []string{"b", "a"} },
		"priority":    func(a *fragments.Assembly) { a.Sections[0].Priority = 1 },
		"chain":       func(a *fragments.Assembly) { a.Sections[0].Chain = "c" },
		"group":       func(a *fragments.Assembly) { a.Sections[0].Group = "c" },
		"breakpoint":  func(a *fragments.Assembly) { a.Sections[0].Breakpoint = true },
		"order":       func(a *fragments.Assembly) { a.Sections[0], a.Sections[1] = a.Sections[1], a.Sections[0] },
		"tool":        func(a *fragments.Assembly) { a.Tools[0].Name = "u" },
		"description": func(a *fragments.Assembly) { a.Tools[0].Description = "d" },
		"schema": func(a *fragments.Assembly) {
			a.Tools[0].Schema = must(fragments.ParseSchema([]byte(`{"type":"object"}`)))
		},
		"variable": func(a *fragments.Assembly) { a.Variables["w"] = template.Value{} },
		"no value": func(a *fragments.Assembly) { a.Variables["w"] = template.Value{Missing: true} },
		"value":    func(a *fragments.Assembly) { a.Variables["v"] = template.Value{Text: "other"} },
	}
	recipes := map[string]string{}
	for name, edit := range edits {
		a := base()
		edit(&a)
		recipe := string(must(a.Compile(composer.Config{})).Recipe)
		if other, has := recipes[recipe]; has {
			t.Errorf("%s and %s have one recipe", name, other)
		}
		recipes[recipe] = name
	}
}

func FuzzCompileRecipe(f *testing.F) {
	a := fragments.Assembly{
		Sections:  []fragments.AssembledSection{{Name: "s", Text: "{{v}}", Alternates: []string{"alternate"}}},
		Tools:     []fragments.Tool{{Name: "t"}},
		Variables: map[string]template.Value{"v": {Text: "value"}, "w": {Missing: true}},
	}
	c := must(a.Compile(composer.Config{Budget: tiers.Limit(3)}))
	f.Add(string(c.Recipe))
	f.Fuzz(func(t *testing.T, recipe string) {
		composition, err := fragments.CompileRecipe([]byte(recipe), loader(c))
		if err == nil && composition.Len() > 100 {
			t.Errorf("%d bytes out of 27", composition.Len())
		}
	})
}
