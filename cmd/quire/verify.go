package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/replay"
)

func verifyCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Read the whole store and check every digest and every reference",
		Long: `Hash every object, follow every reference, walk every session from its first record to its last, and count what no record
needs. Nothing is composed; that is quire replay. Exit status 3 when anything is damaged or missing.

--secrets also looks for keys and tokens of well-known shapes in what is stored; exit status 1 when there are any.`,
		Example: `  quire verify
  quire verify --secrets`,
		Args: takes(0, ""),
	}
	flags := addStoreFlags(cmd)
	secrets := cmd.Flags().Bool("secrets", false, "look for keys and tokens of well-known shapes")
	cmd.RunE = func(*cobra.Command, []string) error {
		return flags.withStore(cmd, false, func(ctx context.Context, store replay.Store) error {
			report, err := replay.Check(ctx, store, replay.CheckOptions{
				Damage:  func(err error) { fmt.Fprintln(s.out, oneLine(bare(err))) },
				Secrets: *secrets,
				Secret: func(found replay.Secret) {
					fmt.Fprintf(s.out, "object %s, byte %d: %s, %d bytes\n", found.Object, found.Offset, found.Kind, found.Length)
				},
			})
			if err != nil {
				return storeError(err)
			}
			fmt.Fprintf(s.out, "%s, %s, %s; %s, %d damaged\n", plural(int(report.Sessions), "session"), plural(int(report.Records), "record"),
				plural(int(report.Objects), "object"), plural(int(report.Orphans), "orphan"), report.Damaged)
			switch {
			case report.Damaged > 0:
				return &statusError{exitStore, errors.New("the store is damaged")}
			case report.Secrets > 0:
				return &statusError{exitFailed, fmt.Errorf("%s stored", plural(int(report.Secrets), "secret"))}
			}
			return nil
		})
	}
	return cmd
}
