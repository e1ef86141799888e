package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

func logCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List what is recorded, newest first",
		Long:  `List records, newest first: by their own times, and within a session by their order. -o json prints one line each.`,
		Example: `  quire log --session build-42
  quire log --since 7d --label model=small -o json`,
		Args: takes(0, ""),
	}
	store, query := addStoreFlags(cmd), addQueryFlags(cmd)
	var format string
	choiceVar(cmd, &format, "output", "o", "text", "what to print", "text", "json")
	limit := cmd.Flags().IntP("limit", "n", 0, "print at most N records; 0: all")
	cmd.RunE = func(*cobra.Command, []string) error {
		q, err := query.query()
		if err != nil {
			return err
		}
		if *limit < 0 {
			return fmt.Errorf("--limit %d; want 1 or more, or 0 for all", *limit)
		}
		return store.withStore(cmd, false, func(ctx context.Context, store replay.Store) error {
			var records []replay.Record
			for rec, err := range replay.NewReader(store).Records(ctx, q) {
				if err != nil {
					return storeError(err)
				}
				records = append(records, rec)
			}
			slices.SortStableFunc(records, func(a, b replay.Record) int {
				return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.Session, b.Session), cmp.Compare(b.Seq, a.Seq))
			})
			if *limit > 0 && *limit < len(records) {
				records = records[:*limit]
			}
			return printRecords(s, records, format)
		})
	}
	return cmd
}

// A recordJSON is what -o json prints of a record.
type recordJSON struct {
	Session     string             `json:"session"`
	Turn        int64              `json:"turn"`
	Seq         int64              `json:"seq"`
	Time        *time.Time         `json:"time"`
	Record      fingerprint.Digest `json:"record"`
	Kind        string             `json:"kind"`
	Recipe      fingerprint.Key    `json:"recipe"`
	Fingerprint fingerprint.Digest `json:"fingerprint"`
	Bytes       int64              `json:"bytes"`
	Labels      map[string]string  `json:"labels"`
	Redactor    string             `json:"redactor,omitempty"`
}

func printRecords(s *streams, records []replay.Record, format string) error {
	if format == "json" {
		var out []byte
		for _, rec := range records {
			line := recordJSON{rec.Session, rec.Turn, rec.Seq, nil, rec.Digest(), rec.Kind, rec.Recipe, rec.Output, rec.Bytes, rec.Labels, rec.Redactor}
			if !rec.Time.IsZero() {
				line.Time = &rec.Time
			}
			var err error
			if out, err = appendLine(out, line); err != nil {
				return err
			}
		}
		_, err := s.out.Write(out)
		return err
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, rec := range records {
		when := "-"
		if !rec.Time.IsZero() {
			when = rec.Time.UTC().Format(time.DateTime)
		}
		fmt.Fprintf(w, "%s@%d\t%s\t%s\t%d bytes\t%s\n", plain(rec.Session), rec.Turn, when, rec.Output.String()[:16], rec.Bytes, labelText(rec.Labels))
	}
	return w.Flush()
}

func labelText(labels map[string]string) string {
	text := ""
	names := make([]string, 0, len(labels))
	for name := range labels { // sorted below
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if text != "" {
			text += " "
		}
		text += plain(name) + "=" + plain(labels[name])
	}
	return text
}
