package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/replay"
)

func gcCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gc --keep-days N",
		Short: "Drop old records, and the objects that no record needs",
		Long: `Drop records older than N days, session by session from the first on, and then the objects that no record needs. Records
without a time stay. What is recorded meanwhile is safe; from a damaged store nothing is dropped.`,
		Example: `  quire gc --keep-days 90 --dry-run
  quire gc --keep-days 90`,
		Args: takes(0, ""),
	}
	flags := addStoreFlags(cmd)
	days := cmd.Flags().Int("keep-days", 0, "how many days back records are kept")
	dryRun := cmd.Flags().Bool("dry-run", false, "say what would be dropped, and drop nothing")
	cmd.RunE = func(*cobra.Command, []string) error {
		switch {
		case !cmd.Flags().Changed("keep-days"):
			return errors.New("no --keep-days; want how many days back records are kept")
		case *days < 0 || *days > maxDays:
			return fmt.Errorf("--keep-days %d; want 0 to %d", *days, maxDays)
		}
		before := daysAgo(*days)
		return flags.withStore(cmd, false, func(ctx context.Context, store replay.Store) error {
			cleaned, err := replay.Clean(ctx, store, before, *dryRun)
			if err != nil {
				return storeError(err)
			}
			verb := "dropped"
			if *dryRun {
				verb = "would drop"
			}
			_, err = fmt.Fprintf(s.out, "%s %s and %s of %d bytes\n", verb, plural(int(cleaned.Records), "record"), plural(int(cleaned.Objects), "object"), cleaned.Bytes)
			return err
		})
	}
	return cmd
}
