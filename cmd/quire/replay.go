package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/replay"
)

func replayCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay",
		Short: "Compose again what is recorded, and compare",
		Long: `Compose every record again from its recipe and its contents, and compare output, prefixes and decisions. What differs is
told in a line each, with its cause; the last line counts. Exit status 1 when anything differs, is missing or damaged.

--mutate asks whether that proves anything: it changes every recorded input in turn, in memory, and wants each change
to be noticed. Survivors are listed, with exit status 1.`,
		Example: `  quire replay --session build-42
  quire replay --shard 2/16 --jobs 8
  quire replay --mutate`,
		Args: takes(0, ""),
	}
	store, query := addStoreFlags(cmd), addQueryFlags(cmd)
	cmd.Flags().StringVar(&query.shard, "shard", "", "only one of several parts of the sessions, such as 2/16")
	jobs := cmd.Flags().Int("jobs", 0, "how many records are composed at once; 0: as many as there are processors")
	mutate := cmd.Flags().Bool("mutate", false, "change every recorded input, and want it to be noticed")
	cmd.RunE = func(*cobra.Command, []string) error {
		q, err := query.query()
		if err != nil {
			return err
		}
		if *jobs < 0 {
			return fmt.Errorf("--jobs %d; want 1 or more, or 0 for all processors", *jobs)
		}
		return store.withStore(cmd, false, func(ctx context.Context, store replay.Store) error {
			if *mutate {
				return mutateRecords(ctx, s, store, q)
			}
			return replayRecords(ctx, s, store, q, *jobs)
		})
	}
	return cmd
}

func replayRecords(ctx context.Context, s *streams, store replay.Store, q replay.Query, jobs int) error {
	line := s.newProgress("replayed")
	if line != nil {
		var err error
		if line.total, err = countRecords(ctx, store, q); err != nil {
			return storeError(err)
		}
	}
	report, err := replay.Verify(ctx, store, q, replay.Options{Jobs: jobs, Each: func(o replay.Outcome) {
		if o.Divergence != nil {
			line.clear()
			fmt.Fprintln(s.out, oneLine(bare(o.Divergence)))
		}
		line.step()
	}})
	line.clear()
	if err != nil {
		return storeError(err)
	}
	fmt.Fprintln(s.out, report)
	warnNothing(s, q, report == (replay.Report{}))
	if !report.OK() {
		return &statusError{exitFailed, errors.New("not everything that is recorded can be composed again")}
	}
	return nil
}

// warnNothing warns of a check that had nothing to look at. A shard may be empty with reason.
func warnNothing(s *streams, q replay.Query, nothing bool) {
	if nothing && q.Shard.Count == 0 {
		s.warn("no record is selected, so nothing was checked")
	}
}

func mutateRecords(ctx context.Context, s *streams, store replay.Store, q replay.Query) error {
	report, err := replay.Mutate(ctx, store, q)
	if err != nil {
		return storeError(err)
	}
	for _, m := range report.Survivors {
		fmt.Fprintf(s.out, "%s@%d: %s", m.Session, m.Turn, m.Field)
		if m.Section != "" {
			fmt.Fprintf(s.out, " of section %q", m.Section)
		}
		fmt.Fprintf(s.out, ": %s\n", m.Why)
	}
	fmt.Fprintf(s.out, "%s of %s, %s\n", plural(int(report.Mutants), "mutant"), plural(int(report.Records), "record"), plural(len(report.Survivors), "survivor"))
	warnNothing(s, q, report.Records == 0)
	if len(report.Survivors) > 0 {
		return &statusError{exitFailed, errors.New("some changes of recorded inputs would not be noticed")}
	}
	return nil
}

// countRecords returns how many records a query may select: of all labels and times.
func countRecords(ctx context.Context, store replay.Store, q replay.Query) (total int64, err error) {
	for head, err := range store.Heads(ctx, q.Session) {
		if err != nil {
			return 0, err
		}
		total += head.Last - head.First + 1
	}
	return total, nil
}
