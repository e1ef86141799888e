package fragments

import (
	"cmp"
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
//     it had, is inserted after whichever stands later: the owner-final entry placed before it, or the nearest ordinary
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
	var absent []string // final ones whose gate said no
	for i := range v.entries[KindSection] {
		c := &v.entries[KindSection][i]
		s := &c.section
		if !there.has(*c) {
			if s.OwnerFinal && c.conditions != nil && !there[c.entry] {
				absent = append(absent, s.Name)
			}
			continue
		}
		if s.OwnerFinal {
			final[s.Name] = true
		}
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
	if absent != nil {
		visible := make(map[string]bool, len(a.Sections))
		for i := range a.Sections {
			visible[a.Sections[i].Name] = true
		}
		for _, name := range absent {
			if !visible[name] { // else an ordinary global one shows through, and that is not final
				final[name] = true
			}
		}
	}
	return final, nil
}

// A provided is what a provider gave to this assembly.
type provided struct {
	*entry
	ToolResult
}

// addTools returns the names that are final.
func (a *Assembly) addTools(v *view, there presence, ctx AssembleContext, order toolOrder) (final map[string]bool, err error) {
	var results []provided
	n := 0
	final = map[string]bool{}
	for _, c := range v.entries[KindTools] {
		if !there.has(c) {
			continue
		}
		result, err := c.tools(ctx)
		if err != nil {
			return nil, c.fail(err)
		}
		for i := range result.Tools {
			if err := result.Tools[i].check(); err != nil {
				return nil, c.fail(err)
			}
		}
		for _, name := range result.OwnerFinalNames {
			final[name] = true
		}
		results = append(results, provided{c.entry, result})
		n += len(result.Tools)
	}
	a.Tools = make([]Tool, 0, n)
	for _, p := range results {
		a.Tools = append(a.Tools, p.Tools...)
	}
	slices.SortFunc(a.Tools, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	for i := 1; i < len(a.Tools); i++ {
		if a.Tools[i].Name == a.Tools[i-1].Name {
			return nil, duplicateTool(results, a.Tools[i].Name)
		}
	}
	if err := order.check(results); err != nil {
		return nil, err
	}
	a.Tools = order.apply(a.Tools)
	return final, nil
}

// duplicateTool names the two providers of a tool that comes twice.
func duplicateTool(results []provided, name string) error {
	var first *entry
	for _, p := range results {
		for _, t := range p.Tools {
			switch {
			case t.Name != name:
			case first == nil:
				first = p.entry
			default:
				return p.fail(fmt.Errorf("%w %q: provider %q of %q has it already", ErrDuplicateTool, name, first.name, first.owner))
			}
		}
	}
	return fmt.Errorf("fragments: %w %q", ErrDuplicateTool, name)
}

// restore returns what transforms left of a list, with its final entries as they were; see [Registry.Assemble].
func restore[T any](before, after []T, name func(T) string, final map[string]bool) []T {
	ordinary := make([]T, 0, len(after))
	place := make(map[string]int, len(after)) // after which ordinary entry one stands, counted from 1
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
