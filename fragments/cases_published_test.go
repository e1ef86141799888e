package fragments_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"unicode/utf16"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/fragments"
)

// quireWants changes a case where the published registry has another rule than Quire: what it wants, or, where the rule
// is one of order, the orders that it gives.
func (in *assembleCase) quireWants(t *testing.T, want caseWant) caseWant {
	if e := want.Error; e != nil && (e.Stage == "load" || e.Stage == "register") {
		return want
	}
	in.breakTies(t)
	in.orderByUnits(t)
	return in.wantNoDuplicates(t, want)
}

// chain returns the scopes that the assembly sees, from the global layer to its own.
func (in *assembleCase) chain() (chain []string) {
	for scope, more := in.scopes()[in.Scope], true; more; scope, more = scope.Parent() {
		chain = append([]string{scope.Name()}, chain...)
	}
	return chain
}

// breakTies gives sections of equal orders other ones. Published: they stand as they were registered, a shadow where
// the section stood that it shadows. Quire: by name. What the case says of all else holds under orders that say what the
// published registry does with the given ones; and the given ones must give the order of names.
func (in *assembleCase) breakTies(t *testing.T) {
	type visible struct {
		name  string
		order int
		given *caseSection // nil: an opener, whose order is fixed
	}
	var list []visible
	register := func(v visible) {
		if i := slices.IndexFunc(list, func(o visible) bool { return o.name == v.name }); i >= 0 {
			list[i] = v
			return
		}
		list = append(list, v)
	}
	if !in.withoutIdentity() {
		register(visible{fragments.IdentitySection, fragments.OrderIdentity, nil})
	}
	register(visible{fragments.PersonaSection, fragments.OrderPersona, nil})
	for _, scope := range in.chain() {
		for i, l := range in.Layers {
			for k := range l.Sections {
				if s := &in.Layers[i].Sections[k]; l.Scope == scope {
					order, err := strconv.Atoi(cmp.Or(string(s.Order), "0"))
					if err != nil {
						return // it is refused when it is registered
					}
					register(visible{s.Name, order, s})
				}
			}
		}
	}
	byOrder := func(a, b visible) int { return cmp.Compare(a.order, b.order) }
	byName := func(a, b visible) int { return cmp.Or(byOrder(a, b), cmp.Compare(a.name, b.name)) }
	published, quire := slices.Clone(list), slices.Clone(list)
	slices.SortStableFunc(published, byOrder)
	slices.SortFunc(quire, byName)
	if slices.Equal(published, quire) {
		return
	}
	t.Log("Quire differs: equal orders stand by name, not by registration")

	bare := assembleCase{Layers: slices.Clone(in.Layers), Scope: in.Scope} // the sections and nothing else
	bare.Config.IncludeHarnessIdentity = in.Config.IncludeHarnessIdentity
	for i := range bare.Layers {
		bare.Layers[i].Tools, bare.Layers[i].Vars = nil, nil
	}
	a, err := bare.assemble(t)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, v := range quire {
		names = append(names, v.name)
	}
	if diff := gocmp.Diff(names, sectionNames(a)); diff != "" {
		t.Errorf("sections by order and name (-want +got)\n%s", diff)
	}

	first := max(0, slices.IndexFunc(published, func(v visible) bool { return v.given == nil }))
	next := published[first].order - first
	for _, v := range published {
		switch {
		case v.given != nil:
			v.given.Order = fmt.Append(nil, next)
		case v.order < next:
			t.Fatal("too many sections stand between the openers for this test to tell them apart")
		default:
			next = v.order
		}
		next++
	}
}

// orderByUnits puts tools that the case's order does not name into that order. Published: they stand in the order of
// UTF-16 units. Quire: of bytes. As with ties, the case holds under an order that says it, and without it the order is
// that of bytes.
func (in *assembleCase) orderByUnits(t *testing.T) {
	var unlisted []string
	for _, tool := range in.provided() {
		if tool != fragments.UnlistedTools && !slices.Contains(in.Config.ToolOrder, tool) {
			unlisted = append(unlisted, tool)
		}
	}
	units := func(a, b string) int { return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))) }
	byBytes := slices.Compact(slices.Sorted(slices.Values(unlisted)))
	byUnits := slices.SortedFunc(slices.Values(byBytes), units)
	if slices.Equal(byBytes, byUnits) {
		return
	}
	t.Log("Quire differs: tools stand in the order of bytes, not of UTF-16 units")

	bare := assembleCase{Layers: slices.Clone(in.Layers), Scope: in.Scope} // the tools and nothing else
	for i := range bare.Layers {
		bare.Layers[i].Sections, bare.Layers[i].Vars = nil, nil
	}
	a, err := bare.assemble(t)
	if err == nil {
		listed := func(tool string) bool { return slices.Contains(in.Config.ToolOrder, tool) }
		if diff := gocmp.Diff(byBytes, slices.DeleteFunc(toolNames(a), listed)); diff != "" {
			t.Errorf("tools by bytes (-want +got)\n%s", diff)
		}
	}

	rest := slices.Index(in.Config.ToolOrder, fragments.UnlistedTools)
	if rest < 0 {
		in.Config.ToolOrder, rest = []string{fragments.UnlistedTools}, 0
	}
	in.Config.ToolOrder = slices.Insert(slices.Clone(in.Config.ToolOrder), rest, byUnits...)
	for i := range in.Layers {
		for k := range in.Layers[i].Tools {
			if p := &in.Layers[i].Tools[k]; p.KnownNames != nil {
				p.KnownNames = append(p.KnownNames, byUnits...)
			}
		}
	}
}

// provided returns the names of the tools of all visible providers.
func (in *assembleCase) provided() (names []string) {
	chain := in.chain()
	for _, l := range in.Layers {
		for _, p := range l.Tools {
			for _, tool := range p.Schemas {
				if slices.Contains(chain, l.Scope) {
					names = append(names, tool.Name)
				}
			}
		}
	}
	return names
}

// Published: a name may come twice. Quire: no two visible providers have one tool, and after the transforms no two tools
// and no two sections have one name.
func (in *assembleCase) wantNoDuplicates(t *testing.T, want caseWant) caseWant {
	refuse := func(kind, why string) caseWant {
		t.Log("Quire differs: " + why)
		return caseWant{Error: &caseError{Kind: kind, Stage: "assemble"}}
	}
	var left, sections []string
	for _, tool := range want.Tools {
		left = append(left, tool.Name)
	}
	for _, s := range want.Sections {
		sections = append(sections, s.Name)
	}
	provided := in.provided()
	switch {
	case slices.Contains(provided, fragments.UnlistedTools): // an error of both, and the first
		return want
	case hasDuplicate(provided):
		return refuse("duplicate_tool", "one tool of two providers is an error")
	case hasDuplicate(sections):
		return refuse("duplicate_name", "two sections of one name after the transforms are an error")
	case slices.Contains(left, fragments.UnlistedTools):
		return refuse("reserved_tool", "no transform adds a tool of the reserved name")
	case hasDuplicate(left):
		return refuse("duplicate_tool", "two tools of one name after the transforms are an error")
	}
	return want
}

func hasDuplicate(names []string) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(names)))) < len(names)
}
