package fragments

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quirehq/quire/fingerprint"
)

// UnlistedTools is the entry of a tool order at which the tools that the order does not name stand. No tool may have
// that name.
const UnlistedTools = "<unlisted-tools>"

// A Schema is the JSON Schema of a tool's parameters. It is canonical (RFC 8785) and cannot be changed, so that a
// provider may give the same one to every assembly and no transform can reach into it. The zero Schema is {}.
type Schema struct{ text string }

// ParseSchema reads a JSON object. What fingerprint.Canonical refuses is an error here too: duplicate keys, bytes that
// are not UTF-8, integers that a double cannot hold.
func ParseSchema(src []byte) (Schema, error) {
	canonical, err := fingerprint.Canonical(src)
	if err != nil {
		return Schema{}, fmt.Errorf("fragments: schema: %w", err)
	}
	if canonical[0] != '{' {
		return Schema{}, errors.New("fragments: schema: not a JSON object")
	}
	return Schema{string(canonical)}, nil
}

// String returns the canonical JSON.
func (s Schema) String() string {
	if s.text == "" {
		return "{}"
	}
	return s.text
}

// Equal reports whether two schemas are the same JSON.
func (s Schema) Equal(o Schema) bool { return s.String() == o.String() }

// A Tool is what the model is told it can call.
type Tool struct {
	Name        string // unique among all visible tools, not empty, UTF-8, not [UnlistedTools]
	Description string
	Schema      Schema
}

func (t *Tool) check() error {
	switch {
	case t.Name == "":
		return fmt.Errorf("tool: %w: it is empty", ErrName)
	case t.Name == UnlistedTools:
		return fmt.Errorf("%w %q: it is where a tool order puts unlisted tools", ErrReservedTool, t.Name)
	}
	err := checkUTF8("name", t.Name)
	if err == nil {
		err = checkUTF8("description", t.Description)
	}
	if err != nil {
		return fmt.Errorf("tool %q: %w", t.Name, err)
	}
	return nil
}

// A ToolResult is what a provider gives to one assembly.
type ToolResult struct {
	Tools []Tool // those that are visible this time

	// KnownNames are the names that a tool order may list, of tools that are restricted this time too. Nil: the names
	// of Tools.
	KnownNames []string

	// OwnerFinalNames are the tools that come out as they are here, whatever transforms do. A name without a tool stays
	// absent.
	OwnerFinalNames []string
}

// A ToolProvider gives tools to an assembly. The slices of its result are only read.
type ToolProvider func(AssembleContext) (ToolResult, error)

// StaticTools returns a provider that always gives these tools.
func StaticTools(tools ...Tool) ToolProvider {
	tools = slices.Clone(tools)
	return func(AssembleContext) (ToolResult, error) { return ToolResult{Tools: tools}, nil }
}

// A toolOrder is a checked list with one rest entry. The nil order has all tools unlisted.
type toolOrder []string

func newToolOrder(list []string) (toolOrder, error) {
	first := make(map[string]int, len(list))
	var problems []error
	rests := 0
	for i, name := range list {
		if name == UnlistedTools {
			rests++
		}
		if j, listed := first[name]; listed {
			problems = append(problems, fmt.Errorf("%w: %q stands at %d and at %d", ErrToolOrderDuplicate, name, j+1, i+1))
			continue
		}
		first[name] = i
	}
	if list != nil && rests != 1 {
		problems = append(problems, fmt.Errorf("%w: it has %d", ErrToolOrderRest, rests))
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("fragments: %w", errors.Join(problems...))
	}
	return slices.Clone(list), nil
}

// check refuses an order that names tools nobody knows.
func (o toolOrder) check(results []provided) error {
	if o == nil {
		return nil
	}
	known := map[string]bool{UnlistedTools: true}
	for _, p := range results {
		for _, name := range p.KnownNames {
			known[name] = true
		}
		for i := 0; i < len(p.Tools) && p.KnownNames == nil; i++ {
			known[p.Tools[i].Name] = true
		}
	}
	unknown := slices.DeleteFunc(slices.Clone(o), func(name string) bool { return known[name] })
	if len(unknown) == 0 {
		return nil
	}
	delete(known, UnlistedTools)
	names := "there are none"
	if len(known) > 0 {
		names = strings.Join(slices.Sorted(maps.Keys(known)), ", ")
	}
	return fmt.Errorf("fragments: %w: %q; known tools: %s", ErrUnregisteredTool, []string(unknown), names)
}

// apply puts tools that are sorted by name in order.
func (o toolOrder) apply(tools []Tool) []Tool {
	if o == nil {
		return tools
	}
	listed := make(map[int]bool, len(o)) // by place in tools
	place := make([]int, len(o))
	for i, name := range o {
		at, found := slices.BinarySearchFunc(tools, name, func(t Tool, name string) int { return cmp.Compare(t.Name, name) })
		if place[i] = -1; found {
			place[i], listed[at] = at, true
		}
	}
	out := make([]Tool, 0, len(tools))
	for i, name := range o {
		switch {
		case name == UnlistedTools:
			for at, t := range tools {
				if !listed[at] {
					out = append(out, t)
				}
			}
		case place[i] >= 0:
			out = append(out, tools[place[i]])
		}
	}
	return out
}
