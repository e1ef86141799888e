package fragments

import (
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/quirehq/quire/fragments/template"
	"github.com/quirehq/quire/internal/canonical"
)

// AppendJSON appends the assembly as one JSON object, for programs to read. Sections and tools are arrays in their
// order; texts are as they are before references are replaced; a variable without a value is null. Every field is
// present, and equal assemblies give equal bytes.
func (a Assembly) AppendJSON(dst []byte) []byte {
	w := canonical.Writer{Dst: dst}
	w.Raw(`{"sections":[`)
	for i, s := range a.Sections {
		w.Separate(i)
		w.Text(`{"name":`, s.Name)
		w.Text(`,"text":`, s.Text)
		w.Text(`,"tier":`, s.Tier.String())
		w.Raw(`,"alternates":[`)
		for k, alternate := range s.Alternates {
			w.Separate(k)
			w.Text(``, alternate)
		}
		w.Raw(`],"priority":`)
		w.Raw(strconv.Itoa(s.Priority))
		w.Text(`,"chain":`, s.Chain)
		w.Text(`,"group":`, s.Group)
		w.Bool(`,"breakpoint":`, s.Breakpoint)
		w.Raw(`}`)
	}
	w.Raw(`],"tools":[`)
	for i, t := range a.Tools {
		w.Separate(i)
		w.Text(`{"name":`, t.Name)
		w.Text(`,"description":`, t.Description)
		w.Raw(`,"schema":`)
		w.Raw(t.Schema.String())
		w.Raw(`}`)
	}
	w.Raw(`],"variables":{`)
	i := 0
	for name, value := range sortedVariables(a.Variables) {
		w.Separate(i)
		w.Text(``, name)
		if value.Missing {
			w.Raw(`:null`)
		} else {
			w.Text(`:`, value.Text)
		}
		i++
	}
	w.Raw(`}}`)
	return w.Dst
}

// sortedVariables yields the variables by name.
func sortedVariables(variables map[string]template.Value) iter.Seq2[string, template.Value] {
	return func(yield func(string, template.Value) bool) {
		for _, name := range slices.Sorted(maps.Keys(variables)) {
			if !yield(name, variables[name]) {
				return
			}
		}
	}
}
