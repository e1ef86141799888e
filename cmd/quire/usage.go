package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// takes refuses any number of arguments but n. The names are what the command's usage calls them.
func takes(n int, names string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == n:
			return nil
		case n == 0:
			return fmt.Errorf("%q: an argument; want flags alone", args[0])
		}
		return fmt.Errorf("%s given; want %s", plural(len(args), "argument"), names)
	}
}

// takesFile wants the one argument of most commands.
var takesFile = takes(1, "one FILE, or - for standard input")

// goesWith refuses flags that mean something only beside another.
func goesWith(cmd *cobra.Command, other string, names ...string) error {
	if name := changed(cmd, names); name != "" {
		return fmt.Errorf("--%s goes with %s", name, other)
	}
	return nil
}

// notWith refuses flags that mean nothing beside another.
func notWith(cmd *cobra.Command, other string, names ...string) error {
	if name := changed(cmd, names); name != "" {
		return fmt.Errorf("--%s means nothing with %s; want none", name, other)
	}
	return nil
}

// changed returns the first of the flags that was given.
func changed(cmd *cobra.Command, names []string) string {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// unknownCommand refuses the words that name no command.
func unknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	want := `"quire help" lists them`
	root.SuggestionsMinimumDistance = min(2, len(args[0])/2) // with more than half changed it is another word
	if near := root.SuggestionsFor(args[0]); len(near) > 0 && args[0] != "" {
		want = "did you mean " + strings.Join(near, " or ") + "?"
	} else if _, err := os.Stat(args[0]); err == nil {
		want = "want a command before the file, such as quire compile " + plain(args[0])
	}
	return fmt.Errorf("unknown command %q; %s", args[0], want)
}

// flagError says of a flag that could not be read what would be right.
func flagError(cmd *cobra.Command, err error) error {
	var number *strconv.NumError
	var choice wantError
	switch {
	case errors.As(err, &choice):
		return wantFlag(err, choice, string(choice))
	case !errors.As(err, &number):
		return fmt.Errorf("%w; \"%s --help\" lists the flags", err, cmd.CommandPath())
	case number.Func == "ParseBool":
		return wantFlag(err, number, "true or false")
	}
	return wantFlag(err, number, "an integer")
}

// wantFlag puts what would be right in the place of the cause.
func wantFlag(err, cause error, want string) error {
	return fmt.Errorf("%s; want %s", strings.TrimSuffix(err.Error(), ": "+cause.Error()), want)
}
