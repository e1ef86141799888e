package fragments

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fragments/template"
)

// An Assembly is what one scope gets: the sections in order, the tools in order, the variables by name. It is the
// caller's; changing it changes no other assembly and nothing in the registry.
type Assembly struct {
	Sections  []AssembledSection
	Tools     []Tool
	Variables map[string]template.Value
}

// Render returns the prompt: the texts of the sections with their references replaced, joined by blank lines. A text
// that is empty then disappears; one of white space stays.
//
// The first reference that cannot be replaced, in section order, is an [Error] that wraps a [template.ReferenceError],
// and nothing is returned with it.
func (a Assembly) Render() (string, error) {
	size := 0
	for i := range a.Sections {
		size += len(a.Sections[i].Text) + 2
	}
	var out strings.Builder
	out.Grow(size)
	var filled []byte
	for i := range a.Sections {
		s := &a.Sections[i]
		if !strings.Contains(s.Text, "{{") {
			if s.Text != "" && out.Len() > 0 {
				out.WriteString("\n\n")
			}
			out.WriteString(s.Text)
			continue
		}
		var err error
		if filled, err = template.Append(filled[:0], s.Text, a.Variables); err != nil {
			return "", s.fail("", err)
		}
		if len(filled) > 0 && out.Len() > 0 {
			out.WriteString("\n\n")
		}
		out.Write(filled)
	}
	return out.String(), nil
}

// Lower returns the sections for package composer, their texts and alternates with references replaced. A section whose
// text is empty then is left out; its breakpoint moves to the one before it. Composed without a budget they give the
// bytes of [Assembly.Render].
func (a Assembly) Lower() ([]composer.Section, error) {
	sections, _, err := a.lower()
	return sections, err
}

// lower also returns which section of the assembly each one is.
func (a Assembly) lower() (sections []composer.Section, origin []int, err error) {
	sections = make([]composer.Section, 0, len(a.Sections))
	for i := range a.Sections {
		s := &a.Sections[i]
		text, err := template.Render(s.Text, a.Variables)
		if err != nil {
			return nil, nil, s.fail("", err)
		}
		if text == "" {
			if n := len(sections); n > 0 && s.Breakpoint {
				sections[n-1].Breakpoint = true
			}
			continue
		}
		lowered := composer.Section{ID: s.Name, Content: text, Tier: s.Tier, Priority: s.Priority,
			Chain: s.Chain, Group: s.Group, Breakpoint: s.Breakpoint}
		for k, alternate := range s.Alternates {
			text, err := template.Render(alternate, a.Variables)
			if err != nil {
				return nil, nil, s.fail(alternateField(k), err)
			}
			lowered.Alternates = append(lowered.Alternates, text)
		}
		sections, origin = append(sections, lowered), append(origin, i)
	}
	return sections, origin, nil
}

// Compose lowers the assembly and composes it.
func (a Assembly) Compose(cfg composer.Config, probes ...composer.Probe) (composer.Composition, error) {
	sections, err := a.Lower()
	if err != nil {
		return composer.Composition{}, err
	}
	return composer.Compose(sections, cfg, probes...)
}

// fail names the section, and the field where it is not the text. The prefix of package template gives way to ours.
func (s *AssembledSection) fail(field string, err error) error {
	if ref := (*template.ReferenceError)(nil); errors.As(err, &ref) {
		err = ref
	}
	if field != "" {
		err = fmt.Errorf("%s: %w", field, err)
	}
	return &Error{Kind: KindSection, Name: s.Name, Err: err}
}

// check refuses what transforms may have left: names that are empty or come twice, and what is not UTF-8.
func (a *Assembly) check() error {
	names := make(map[string]bool, len(a.Sections))
	for i := range a.Sections {
		s := &a.Sections[i]
		switch {
		case s.Name == "":
			return s.fail("", fmt.Errorf("%w: section %d has an empty one", ErrName, i+1))
		case names[s.Name]:
			return s.fail("", fmt.Errorf("%w after the transforms", ErrDuplicateName))
		}
		names[s.Name] = true
		if err := checkUTF8("name", s.Name); err != nil {
			return s.fail("", err)
		}
		if err := s.check(); err != nil {
			return s.fail("", err)
		}
	}
	clear(names)
	for _, t := range a.Tools {
		if err := t.check(); err != nil {
			return fmt.Errorf("fragments: after the transforms: %w", err)
		}
		if names[t.Name] {
			return fmt.Errorf("fragments: after the transforms: %w %q", ErrDuplicateTool, t.Name)
		}
		names[t.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(a.Variables)) {
		err := checkUTF8("name", name)
		if err == nil {
			err = checkUTF8("value", a.Variables[name].Text)
		}
		if err != nil {
			return &Error{Kind: KindVariable, Name: name, Err: err}
		}
	}
	return nil
}
