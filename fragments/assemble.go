package fragments

import (
	"fmt"
	"slices"

	"github.com/quirehq/quire/fragments/template"
)

// Assemble collects what the scope of the context sees.
//
//  1. Every gate is asked once. What is not there shadows nothing.
//  2. Variables get their values, sections their texts, tools are collected and put in order.
//  3. Transforms run.
//  4. Owner-final sections and tools are put back as they were before the transforms: present or absent, and with the
//     content they had. All entries of such a name are taken out of what the transforms left. Then each, in the order
//     it had, is inserted behind whichever stands later: the owner-final entry placed before it, or the nearest ordinary
//     entry that preceded it and is still there; at the front when there is neither. So they keep their order among
//     themselves, and what transforms did to the order of ordinary entries stands.
//
// Errors: of a provider or transform; a tool name that is reserved or comes twice; a tool order that names a tool which
// no provider knows; text that is not UTF-8; after the transforms, an empty or duplicate name. They are told in the
// order of these steps, the first of a step in the order of its entries, and nothing comes with them.
//
// The references in the texts are not replaced, or checked, before [Assembly.Render].
func (r *Registry) Assemble(ctx AssembleContext) (Assembly, error) {
	v := r.state.view(ctx.Scope)
	there := v.ask(ctx)
	a := Assembly{Variables: make(map[string]template.Value, len(v.entries[KindVariable]))}
	if err := a.setVariables(v, there, ctx); err != nil {
		return Assembly{}, err
	}
	finalSections, err := a.addSections(v, there, ctx)
	if err != nil {
		return Assembly{}, err
	}
	finalTools, err := a.addTools(v, there, ctx, r.state.order)
	if err != nil {
		return Assembly{}, err
	}

	var snapshot Assembly
	changed := false
	for _, c := range v.entries[KindTransform] {
		if !there.has(c) {
			continue
		}
		if !changed {
			snapshot, changed = Assembly{Sections: cloneSections(a.Sections), Tools: slices.Clone(a.Tools)}, true
		}
		if err := c.transform(ctx, &a); err != nil {
			return Assembly{}, c.fail(err)
		}
	}
	if !changed {
		return a, nil
	}
	a.Sections = restore(snapshot.Sections, a.Sections, func(s AssembledSection) string { return s.Name }, finalSections)
	a.Tools = restore(snapshot.Tools, a.Tools, func(t Tool) string { return t.Name }, finalTools)
	if err := a.check(); err != nil {
		return Assembly{}, err
	}
	return a, nil
}

func (a *Assembly) setVariables(v *view, there presence, ctx AssembleContext) error {
	for _, c := range v.entries[KindVariable] {
		if !there.has(c) {
			continue
		}
		value, ok, err := c.variable(ctx)
		if err == nil {
			err = checkUTF8("value", value)
		}
		if err != nil {
			return c.fail(err)
		}
		if !ok {
			value = ""
		}
		a.Variables[c.name] = template.Value{Text: value, Missing: !ok}
	}
	return nil
}

// addSections returns the names that are final.
func (a *Assembly) addSections(v *view, there presence, ctx AssembleContext) (final map[string]bool, err error) {
	a.Sections = make([]AssembledSection, 0, len(v.entries[KindSection]))
	final = map[string]bool{}
	for _, c := range v.entries[KindSection] {
		s := &c.section
		if !there.has(c) {
			// A final section whose gate said no stays absent. Only an ordinary global one may show through in its
			// place, and then the name is not final.
			if _, visible := final[s.Name]; !visible && s.OwnerFinal && c.conditions != nil && !there[c.entry] {
				final[s.Name] = true
			}
			continue
		}
		final[s.Name] = s.OwnerFinal
		text := s.Text
		if s.TextFunc != nil {
			if text, err = s.TextFunc(ctx); err == nil {
				err = checkUTF8("text", text)
			}
			if err != nil {
				return nil, c.fail(err)
			}
		}
		a.Sections = append(a.Sections, AssembledSection{
			Name: s.Name, Text: text, Tier: s.Tier, Alternates: slices.Clone(s.Alternates),
			Priority: s.Priority, Chain: s.Chain, Group: s.Group, Breakpoint: s.Breakpoint,
		})
	}
	return final, nil
}

// addTools returns the names that are final.
func (a *Assembly) addTools(v *view, there presence, ctx AssembleContext, order toolOrder) (final map[string]bool, err error) {
	final = map[string]bool{}
	from := map[string]*entry{} // which provider a tool is of
	known := map[string]bool{}
	for _, c := range v.entries[KindTools] {
		if !there.has(c) {
			continue
		}
		result, err := c.tools(ctx)
		if err != nil {
			return nil, c.fail(err)
		}
		for _, t := range result.Tools {
			if err := t.check(); err != nil {
				return nil, c.fail(err)
			}
			if other := from[t.Name]; other != nil {
				return nil, c.fail(fmt.Errorf("%w %q: provider %q of %q has it already", ErrDuplicateTool, t.Name, other.name, other.owner))
			}
			from[t.Name] = c.entry
			if result.KnownNames == nil {
				known[t.Name] = true
			}
		}
		for _, name := range result.KnownNames {
			known[name] = true
		}
		for _, name := range result.OwnerFinalNames {
			final[name] = true
		}
		a.Tools = append(a.Tools, result.Tools...)
	}
	if err := order.check(known); err != nil {
		return nil, err
	}
	order.sort(a.Tools)
	return final, nil
}

// restore returns what transforms left of a list, with its final entries as they were; see [Registry.Assemble].
func restore[T any](before, after []T, name func(T) string, final map[string]bool) []T {
	ordinary := make([]T, 0, len(after))
	place := make(map[string]int, len(after)) // behind which ordinary entry one stands, counted from 1
	for _, x := range after {
		if !final[name(x)] {
			ordinary = append(ordinary, x)
			place[name(x)] = len(ordinary)
		}
	}
	out := make([]T, 0, len(after)+1)
	behind, anchor := 0, 0 // of the last final entry; of the ordinary one before the next
	for _, x := range before {
		if !final[name(x)] {
			if p := place[name(x)]; p > 0 {
				anchor = p
			}
			continue
		}
		for ; behind < anchor; behind++ {
			out = append(out, ordinary[behind])
		}
		out = append(out, x)
	}
	return append(out, ordinary[behind:]...)
}

func cloneSections(sections []AssembledSection) []AssembledSection {
	sections = slices.Clone(sections)
	for i := range sections {
		sections[i].Alternates = slices.Clone(sections[i].Alternates)
	}
	return sections
}
