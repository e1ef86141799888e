package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/replay"
)

func showCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show DIGEST|SESSION@TURN",
		Short: "Print a record, a recipe or a content by its digest, or the text of a turn",
		Long: `Print what is stored under a digest, byte for byte: the canonical JSON of a record or a recipe, a content, a response.
For the fingerprint of a text, or SESSION@TURN, the text is made again from what was recorded, and printed. A prefix of 6
digits or more is enough where it is unique.`,
		Example: `  quire show 6437b3ac
  quire show build-42@7`,
		Args: takes(1, "DIGEST or SESSION@TURN"),
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
	rec, noRecord := recordOf(ctx, store, reader, what)
	if noRecord != nil && !errors.Is(noRecord, errNoRecord) {
		return "", noRecord
	}
	if _, _, ok := parseTurn(what); ok {
		return reader.Text(ctx, rec)
	}
	switch name, err := reader.Find(ctx, what); {
	case errors.Is(err, replay.ErrNotFound) && noRecord == nil:
		return reader.Text(ctx, rec)
	case errors.Is(err, replay.ErrPrefix):
		return "", &statusError{exitInput, fmt.Errorf("%s: neither a turn nor a digest; want SESSION@TURN or 6 to 64 hex digits", plain(what))}
	case err != nil:
		return "", err
	case noRecord == nil && name != rec.Output && name != rec.Digest():
		return "", fmt.Errorf("%w: %s begins %s and the fingerprint %s", replay.ErrAmbiguous, what, name, rec.Output)
	default:
		return reader.Content(ctx, name)
	}
}
