package fragments

import (
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments/template"
)

// AppendJSON appends the assembly as one JSON object, for programs to read. Sections and tools are arrays in their
// order; texts are as they are before references are replaced; a variable without a value is null. Every field is
// present, and equal assemblies give equal bytes.
func (a Assembly) AppendJSON(dst []byte) []byte {
	text := func(before, s string) {
		dst = fingerprint.AppendJSONString(append(dst, before...), s)
	}
	dst = append(dst, `{"sections":[`...)
	for i, s := range a.Sections {
		dst = separate(dst, i)
		text(`{"name":`, s.Name)
		text(`,"text":`, s.Text)
		text(`,"tier":`, s.Tier.String())
		dst = append(dst, `,"alternates":[`...)
		for k, alternate := range s.Alternates {
			dst = fingerprint.AppendJSONString(separate(dst, k), alternate)
		}
		dst = strconv.AppendInt(append(dst, `],"priority":`...), int64(s.Priority), 10)
		text(`,"chain":`, s.Chain)
		text(`,"group":`, s.Group)
		dst = strconv.AppendBool(append(dst, `,"breakpoint":`...), s.Breakpoint)
		dst = append(dst, '}')
	}
	dst = append(dst, `],"tools":[`...)
	for i, t := range a.Tools {
		dst = separate(dst, i)
		text(`{"name":`, t.Name)
		text(`,"description":`, t.Description)
		dst = append(append(dst, `,"schema":`...), t.Schema.String()...)
		dst = append(dst, '}')
	}
	dst = append(dst, `],"variables":{`...)
	i := 0
	for name, value := range sortedVariables(a.Variables) {
		dst = fingerprint.AppendJSONString(separate(dst, i), name)
		if value.Missing {
			dst = append(dst, ":null"...)
		} else {
			text(":", value.Text)
		}
		i++
	}
	return append(dst, `}}`...)
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
