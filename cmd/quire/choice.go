package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A choice is the value of a flag that takes one of some names.
type choice struct {
	value *string
	names []string
}

func (c *choice) String() string { return *c.value }
func (c *choice) Type() string   { return "string" }

// Set takes one of the names. What it refuses, [flagError] tells.
func (c *choice) Set(name string) error {
	if !slices.Contains(c.names, name) {
		return wantError(oneOf(c.names))
	}
	*c.value = name
	return nil
}

// A wantError says what a flag takes.
type wantError string

func (e wantError) Error() string { return "want " + string(e) }

// choiceVar adds a flag that takes one of the names, which its help lists. The value is what it is without the flag.
func choiceVar(cmd *cobra.Command, into *string, flag, short, value, usage string, names ...string) {
	*into = value
	cmd.Flags().VarP(&choice{into, names}, flag, short, usage+": "+oneOf(names))
}

func oneOf(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
