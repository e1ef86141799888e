package fuzz

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/tiers"
)

// A Registration is one piece that someone registers, as plain data.
type Registration struct {
	Kind     fragments.Kind // of a section, a variable or a provider of one tool
	Name     string         // no two registrations of [Registrations] have one name and kind in one scope
	Scope    string         // the name of a scope below the global one; "" is the global one
	Order    int            // of a section
	Text     string         // of a section, or a variable's value; of a tool, its description
	Final    bool           // owner-final, of a section or a tool
	Role     string         // it is there for this role alone; "": for all
	Tier     tiers.Tier     // of a section
	Priority int            // of a section
}

// Register registers all of them with r, in their order, each by an owner of its own.
func (r Registration) Register(to *fragments.Registry) error {
	var c fragments.Contribution
	switch r.Kind {
	case fragments.KindSection:
		c = fragments.AddSection(fragments.Section{
			Name: r.Name, Order: r.Order, Text: r.Text, OwnerFinal: r.Final, Tier: r.Tier, Priority: r.Priority,
		})
	case fragments.KindVariable:
		c = fragments.AddVariable(r.Name, fragments.StaticValue(r.Text))
	case fragments.KindTools:
		tools := fragments.ToolResult{Tools: []fragments.Tool{{Name: r.Name, Description: r.Text}}}
		if r.Final {
			tools.OwnerFinalNames = []string{r.Name}
		}
		c = fragments.AddTools(r.Name, func(fragments.AssembleContext) (fragments.ToolResult, error) { return tools, nil })
	default:
		return fmt.Errorf("fuzz: a registration of a %v; want a section, a variable or tools", r.Kind)
	}
	if r.Role != "" {
		c = fragments.Scoped(fragments.Match{Role: r.Role}, c)
	}
	scope := fragments.Scope{}
	if r.Scope != "" {
		scope = scope.Child(r.Scope)
	}
	_, err := to.As("owner of "+r.Name).Contribute(scope, c)
	return err
}

// NewRegistry returns a registry with all of the registrations, made in their order.
func NewRegistry(registrations []Registration) (*fragments.Registry, error) {
	registry, err := fragments.New(fragments.Options{})
	if err != nil {
		return nil, err
	}
	for _, r := range registrations {
		if err := r.Register(registry); err != nil {
			return nil, err
		}
	}
	return registry, nil
}

// Registrations draws at most n registrations that go together in one registry, whatever their order, and whose
// assembly in the scopes "", "a" and "b" is rendered without an error: every reference of a text is to the variable
// "v", which is always there.
func Registrations(n int) *rapid.Generator[[]Registration] {
	return rapid.Custom(func(t *rapid.T) []Registration {
		type place struct {
			kind        fragments.Kind
			name, scope string
		}
		all := []Registration{{Kind: fragments.KindVariable, Name: "v", Text: Texts(3).Draw(t, "value")}}
		taken := map[place]bool{{fragments.KindVariable, "v", ""}: true}
		final := map[string]bool{} // sections that no scope may shadow
		scoped := map[string]bool{}
		for range rapid.IntRange(0, max(n-1, 0)).Draw(t, "registrations") {
			r := Registration{
				Kind:     rapid.SampledFrom([]fragments.Kind{fragments.KindSection, fragments.KindSection, fragments.KindVariable, fragments.KindTools}).Draw(t, "kind"),
				Name:     rapid.SampledFrom([]string{"a", "b", "c", "d", "v"}).Draw(t, "name"),
				Scope:    rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(t, "scope"),
				Order:    rapid.IntRange(-1, 1).Draw(t, "order"),
				Text:     rapid.SampledFrom([]string{"", "text", "{{v}}", "before {{v}} behind", "}} é"}).Draw(t, "text"),
				Final:    rapid.IntRange(0, 3).Draw(t, "final") == 3,
				Role:     rapid.SampledFrom([]string{"", "", "r"}).Draw(t, "role"),
				Tier:     tiers.Tier(rapid.IntRange(0, 2).Draw(t, "tier")),
				Priority: rapid.IntRange(-1, 1).Draw(t, "priority"),
			}
			if r.Kind == fragments.KindTools {
				r.Name += r.Scope // tools do not shadow: the same name twice is an error
			}
			at := place{r.Kind, r.Name, r.Scope}
			section := r.Kind == fragments.KindSection
			switch {
			case taken[at]:
				continue
			case section && r.Scope == "" && r.Final && scoped[r.Name], section && r.Scope != "" && final[r.Name]:
				continue
			}
			taken[at] = true
			if section && r.Scope == "" {
				final[r.Name] = r.Final
			} else if section {
				scoped[r.Name] = true
			}
			all = append(all, r)
		}
		return all
	})
}
