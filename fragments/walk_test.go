package fragments_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/tiers"
)

// The walk of docs/fragments.md: from a plugin's contribution to the emitted byte.
func TestWalk(t *testing.T) {
	text := "Search {{corpus}} before you answer, and quote what you found."
	plugin := func(text string) fragments.Plugin {
		return fragments.NewPlugin("search",
			fragments.AddVariable("corpus", fragments.StaticValue("the handbook")),
			fragments.AddTools("search", fragments.StaticTools(fragments.Tool{Name: "search"})),
			fragments.AddSection(fragments.Section{
				Name: "tool:search", Order: 110, Tier: tiers.Active, Text: text, Alternates: []string{"Search {{corpus}} first."},
			}))
	}
	acme := global.Child("acme")
	assemble := func(text string) fragments.Assembly {
		r := must(fragments.New(fragments.Options{}))
		must(plugin(text).Register(r, acme))
		return must(r.Assemble(fragments.AssembleContext{Scope: acme, Role: "support"}))
	}

	a := assemble(text)
	c := must(a.Compose(composer.Config{}))
	d := c.Decisions()[len(c.Decisions())-1]
	got := fmt.Sprintf("%s %v size %d %v alternate %d bytes %d to %d", d.ID, d.Tier, d.Size, d.Reason, d.Alternate, d.Start, d.End)
	if diff := cmp.Diff("tool:search active size 64 fits alternate 0 bytes 22 to 86", got); diff != "" {
		t.Errorf("decision (-want +got)\n%s", diff)
	}
	if got := c.Text()[d.Start:d.End]; got != strings.ReplaceAll(text, "{{corpus}}", "the handbook") {
		t.Errorf("the section's bytes are %q", got)
	}
	c = must(a.Compose(composer.Config{Budget: tiers.Limit(60)}))
	if got := c.Text(); got != "You are an AI agent.\n\nSearch the handbook first." {
		t.Errorf("under a budget %q", got)
	}
	_, err := assemble("Search {{korpus}}").Render()
	if diff := cmp.Diff(`fragments: section "tool:search": line 1, byte 7: unknown variable: {{korpus}}; known are corpus`, errorText(err)); diff != "" {
		t.Errorf("error (-want +got)\n%s", diff)
	}
}
