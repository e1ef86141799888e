package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

func showCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show DIGEST",
		Short: "Print a record, a recipe or a content by its digest, or the text of a turn",
		Long: `Print what is stored under a digest, byte for byte: the canonical JSON of a record or a recipe, a content, a response.
A prefix of 6 digits or more is enough where it is unique. For the fingerprint of a text, or SESSION@TURN, the text is
made again from what was recorded, and printed.`,
		Example: `  quire show 6437b3ac
  quire show build-42@7`,
		Args: takes(1, "DIGEST"),
	}
	flags := addStoreFlags(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		return flags.withStore(cmd, false, func(ctx context.Context, store replay.Store) error {
			content, err := shown(ctx, store, args[0])
			if err != nil {
				return storeError(err)
			}
			_, err = s.out.Write([]byte(content))
			return err
		})
	}
	return cmd
}

func shown(ctx context.Context, store replay.Store, what string) (string, error) {
	reader := replay.NewReader(store)
	rec, err := recordOf(ctx, store, reader, what)
	if err == nil {
		return reader.Text(ctx, rec)
	}
	if !errors.Is(err, errNoRecord) {
		return "", err
	}
	name, err := reader.Find(ctx, what)
	if err != nil {
		return "", err
	}
	return reader.Content(ctx, name)
}

// errNoRecord says that an argument is neither a turn nor the whole fingerprint of a recorded text.
var errNoRecord = errors.New("no record")

// recordOf returns the record that SESSION@TURN or the fingerprint of a text names; of equal texts, the last.
func recordOf(ctx context.Context, store replay.Store, reader *replay.Reader, what string) (rec replay.Record, err error) {
	if session, turn, ok := parseTurn(what); ok {
		return reader.Turn(ctx, session, turn)
	}
	output, err := fingerprint.ParseDigest(what)
	if err != nil {
		return rec, errNoRecord
	}
	found := errNoRecord
	for e, err := range store.Entries(ctx, replay.Span{Output: output}) {
		if err == nil {
			rec, err = reader.Record(ctx, e)
		}
		if err != nil {
			return rec, err
		}
		found = nil
	}
	return rec, found
}
