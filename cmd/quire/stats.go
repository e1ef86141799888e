package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/replay"
)

func statsCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Say how much is recorded, and how little room it takes",
		Long: `Count sessions, records and objects, and compare the length of all recorded texts with the room that everything takes in
the store.`,
		Example: `  quire stats`,
		Args:    takes(0, ""),
	}
	flags := addStoreFlags(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		return flags.withStore(cmd, false, func(ctx context.Context, store replay.Store) error {
			stats, err := replay.Measure(ctx, store)
			if err != nil {
				return storeError(err)
			}
			w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
			fmt.Fprintf(w, "sessions\t%d\n", stats.Sessions)
			fmt.Fprintf(w, "records\t%d\n", stats.Records)
			fmt.Fprintf(w, "objects\t%d\n", stats.Objects)
			fmt.Fprintf(w, "recorded texts\t%d bytes\n", stats.TextBytes)
			fmt.Fprintf(w, "stored objects\t%d bytes\n", stats.StoredBytes)
			if stats.StoredBytes > 0 {
				fmt.Fprintf(w, "ratio\t%d.%d\n", stats.TextBytes/stats.StoredBytes, stats.TextBytes*10/stats.StoredBytes%10)
			}
			return w.Flush()
		})
	}
	return cmd
}
