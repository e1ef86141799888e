package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/composer/cachelab"
)

// explainMiss prints why the second of two requests would not read what the first one left in a cache.
func explainMiss(s *streams, cmd *cobra.Command, f *seriesFlags, args []string) error {
	r := f.reader()
	var both [2]cachelab.Request
	for i, what := range args {
		read, err := f.read(s, cmd, r, what)
		if err != nil {
			return err
		}
		if len(read.turns) == 0 {
			return fmt.Errorf("%s: no request in it", what)
		}
		both[i] = read.turns[len(read.turns)-1].Request
	}
	profiles, err := f.chosen()
	if err != nil {
		return err
	}
	e := cachelab.Explain(both[0], both[1], profiles[0], profiles[1:]...)
	fmt.Fprintf(s.out, "%s -> %s, predicted under %s (%s)\n", args[0], args[1], e.Profile, e.Model)
	for i, c := range e.Changes {
		lead := "then"
		if i == 0 {
			lead = "why"
		}
		fmt.Fprintf(s.out, "%s: %s: %s", lead, c.Code, c.Place)
		if c.At > 0 {
			fmt.Fprintf(s.out, ", from its byte %d on", c.At)
		}
		fmt.Fprintln(s.out)
		if c.A != "" {
			fmt.Fprintf(s.out, "    was %q\n", c.A)
		}
		if c.B != "" {
			fmt.Fprintf(s.out, "    is  %q\n", c.B)
		}
		if c.Note != "" {
			fmt.Fprintf(s.out, "    %s\n", c.Note)
		}
	}
	if e.At >= 0 {
		fmt.Fprintf(s.out, "first difference: byte %d; behind it %d bytes, about %d tokens\n", e.At, e.LostBytes, e.LostTokens)
	}
	for _, reading := range e.Readings {
		fmt.Fprintf(s.out, "%s (%s): reads %d of %d tokens\n", reading.Profile, reading.Model, reading.Read, e.Tokens)
	}
	if len(e.Changes) > 0 {
		return &statusError{exitFailed, errors.New("not all that was left is read")}
	}
	return nil
}
