package fuzz

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/fragments/template"
)

// A Template is a strict template with the values of its variables.
type Template struct {
	Text   string
	Values map[string]template.Value
	Want   string // what it renders to; of a hostile one, nothing
}

// Templates draws templates of at most n pieces that render: references to variables with values, and prose with every
// kind of brace that is prose. The values look like references themselves.
func Templates(n int) *rapid.Generator[Template] {
	return rapid.Custom(func(t *rapid.T) Template {
		tpl := Template{Values: values().Draw(t, "values")}
		names := slices.Sorted(maps.Keys(tpl.Values))
		prose := rapid.OneOf(rapid.SampledFrom([]string{"}}", "} ", "{ ", "é{x}", "text ", "\n"}), Texts(2).Filter(plain))
		for range rapid.IntRange(0, n).Draw(t, "pieces") {
			if rapid.Bool().Draw(t, "reference") {
				name := rapid.SampledFrom(names).Draw(t, "name")
				tpl.Text += "{{" + name + "}}"
				tpl.Want += tpl.Values[name].Text
			} else {
				piece := " " + prose.Draw(t, "prose") + " " // apart from the braces of references
				tpl.Text += piece
				tpl.Want += piece
			}
		}
		return tpl
	})
}

// HostileTemplates draws templates that are refused: with a reference in them that is malformed, unknown or without a
// value, and with more after it.
func HostileTemplates(n int) *rapid.Generator[Template] {
	bad := []string{"{{}}", "{{Name}}", "{{ v0}}", "{{v0 }}", "{{1}}", "{{unknown}}", "{{missing}}", "{{{v0}}}", "{{v0} ", "{{é}}", "{{\x00}}"}
	return rapid.Custom(func(t *rapid.T) Template {
		tpl := Templates(n).Draw(t, "template")
		tpl.Values["missing"] = template.Value{Missing: true}
		tpl.Text += rapid.SampledFrom(bad).Draw(t, "reference") + Templates(n).Draw(t, "behind").Text + "}}"
		tpl.Want = ""
		return tpl
	})
}

func values() *rapid.Generator[map[string]template.Value] {
	text := rapid.OneOf(Texts(3), rapid.SampledFrom([]string{"{{v0}}", "{{", "}}", "{{unknown}}"}))
	return rapid.Custom(func(t *rapid.T) map[string]template.Value {
		values := map[string]template.Value{}
		for i := range rapid.IntRange(1, 4).Draw(t, "variables") {
			values[fmt.Sprint("v", i)] = template.Value{Text: text.Draw(t, "value")}
		}
		return values
	})
}

// plain reports whether a text of [Texts] has no reference in it.
func plain(text string) bool { return !strings.Contains(text, "{{") }
