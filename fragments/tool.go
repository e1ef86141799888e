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

// UnlistedTools is the entry of a tool order at which the tools stand that the order does not name. No tool may have
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
	if err := checkUTF8(fmt.Sprintf("name of tool %q", t.Name), t.Name); err != nil {
		return err
	}
	return checkUTF8(fmt.Sprintf("description of tool %q", t.Name), t.Description)
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

// A toolOrder gives every listed tool its place. The nil order has all tools unlisted.
type toolOrder map[string]int

func newToolOrder(list []string) (toolOrder, error) {
	if list == nil {
		return nil, nil
	}
	order := make(toolOrder, len(list))
	var problems []error
	rests := 0
	for i, name := range list {
		if name == UnlistedTools {
			rests++
		}
		if first, listed := order[name]; listed {
			problems = append(problems, fmt.Errorf("%w: %q stands at %d and at %d", ErrToolOrderDuplicate, name, first+1, i+1))
			continue
		}
		order[name] = i
	}
	if rests != 1 {
		problems = append(problems, fmt.Errorf("%w: it has %d", ErrToolOrderRest, rests))
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("fragments: %w", errors.Join(problems...))
	}
	return order, nil
}

// check refuses an order that names tools nobody knows.
func (o toolOrder) check(known map[string]bool) error {
	var unknown []string
	for name := range o { // sorted by place below: no order shows
		if name != UnlistedTools && !known[name] {
			unknown = append(unknown, name)
		}
	}
	if unknown == nil {
		return nil
	}
	slices.SortFunc(unknown, func(a, b string) int { return cmp.Compare(o[a], o[b]) })
	names := "there are none"
	if len(known) > 0 {
		names = strings.Join(slices.Sorted(maps.Keys(known)), ", ")
	}
	return fmt.Errorf("fragments: %w: %q; known tools: %s", ErrUnregisteredTool, unknown, names)
}

func (o toolOrder) sort(tools []Tool) {
	place := func(name string) int {
		if i, listed := o[name]; listed {
			return i
		}
		return o[UnlistedTools]
	}
	slices.SortFunc(tools, func(a, b Tool) int {
		return cmp.Or(cmp.Compare(place(a.Name), place(b.Name)), cmp.Compare(a.Name, b.Name))
	})
}
