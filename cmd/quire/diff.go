package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/replay"
)

func diffCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Tell two prompts apart, section by section",
		Long: `Compare two compositions: which settings and sections differ, the lines of the contents that changed, and how much of the
common prefix, which a provider may have cached, is left. A and B are prompt files, SESSION@TURN, or the digests of
records or of their texts, of which 6 digits are enough where they are unique. Exit status 1 when they differ.

With --profile, tell instead why a provider would not read what A left in its cache when B is sent: the first byte that
differs, where it stands, what is lost behind it, and what each profile would still read. A and B may then also be files of
requests or session logs, of which the last one counts.`,
		Example: `  quire diff build-42@6 build-42@7
  quire diff build-42@7 agent.yaml
  quire diff --profile anthropic-opus-5 --profile openai-gpt-5 monday.json tuesday.json`,
		Args: takes(2, "A and B"),
	}
	series := addSeriesFlags(cmd)
	flags, store := series.prompt, series.store
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if len(series.profiles) > 0 {
			return explainMiss(s, cmd, series, args)
		}
		if err := goesWith(cmd, "--profile", "from", "skip-bad", "tools", "tokens"); err != nil {
			return err
		}
		var both [2]composer.Composition
		for i, what := range args {
			var err error
			if both[i], err = composed(s, cmd, flags, store, what); err != nil {
				return err
			}
		}
		return printDiff(s, args, replay.Diff(both[0], both[1]))
	}
	return cmd
}

// composed returns the composition of a prompt file, or of a record.
func composed(s *streams, cmd *cobra.Command, flags *promptFlags, storeFlags *storeFlags, what string) (c composer.Composition, err error) {
	if _, statErr := os.Stat(what); statErr == nil || what == "-" {
		p, err := flags.prompt(s, what)
		return p.Composition, err
	}
	err = storeFlags.withStore(cmd, false, func(ctx context.Context, store replay.Store) error {
		reader := replay.NewReader(store)
		rec, err := recordOf(ctx, store, reader, what)
		if errors.Is(err, errNoRecord) {
			return fmt.Errorf("%s: no such file, turn, fingerprint or record; want a prompt file, SESSION@TURN or 6 to 64 hex digits", plain(what))
		}
		if err == nil {
			c, err = reader.Composition(ctx, rec)
		}
		return storeError(err)
	})
	return c, unknown(what, err)
}

func printDiff(s *streams, names []string, d replay.Diffed) error {
	if len(d.Changes) == 0 {
		return nil
	}
	fmt.Fprintf(s.out, "%s -> %s\n", names[0], names[1])
	for _, c := range d.Changes {
		fmt.Fprintln(s.out, c)
	}
	if d.At >= 0 {
		where := "the end"
		if d.B.Section != "" {
			where = fmt.Sprintf("section %q", d.B.Section)
		}
		fmt.Fprintf(s.out, "first difference: byte %d, in %s\n", d.At, where)
	}
	fmt.Fprintf(s.out, "common prefix: %d bytes, size %d\n", d.CommonBytes, d.CommonSize)
	for _, t := range d.Texts {
		fmt.Fprintf(s.out, "\n%s", strings.TrimRight(t.Unified, "\n")+"\n")
	}
	return &statusError{exitFailed, errors.New("they differ")}
}
