package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

func showCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show DIGEST",
		Short: "Print a record, a recipe or a content by its digest, or the text of a turn",
		Long: `Print what is stored under a digest, byte for byte: the canonical JSON of a record or a recipe, a content, a response.
For the fingerprint of a text, or SESSION@TURN, the text is made again from what was recorded, and printed. A prefix of 6
digits or more is enough where it is unique.`,
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
	case err != nil:
		return "", err
	case noRecord == nil && name != rec.Output && name != rec.Digest():
		return "", fmt.Errorf("%w: %s begins %s and the fingerprint %s", replay.ErrAmbiguous, what, name, rec.Output)
	default:
		return reader.Content(ctx, name)
	}
}

// errNoRecord says that an argument is neither a turn nor a digest of a record.
var errNoRecord = errors.New("no record")

// recordOf returns the record that SESSION@TURN, the fingerprint of a text or the record's own digest names, or as much
// of the beginning of one as is unique; of equal texts, the last.
func recordOf(ctx context.Context, store replay.Store, reader *replay.Reader, what string) (replay.Record, error) {
	if session, turn, ok := parseTurn(what); ok {
		return reader.Turn(ctx, session, turn)
	}
	if len(what) < replay.MinPrefix || strings.Trim(what, "0123456789abcdef") != "" {
		return replay.Record{}, errNoRecord
	}
	span := replay.Span{}
	if whole, err := fingerprint.ParseDigest(what); err == nil {
		span.Output = whole
	}
	e, err := entryOf(ctx, store, span, what)
	if errors.Is(err, errNoRecord) && !span.Output.IsZero() {
		e, err = entryOf(ctx, store, replay.Span{}, what)
	}
	if err != nil {
		return replay.Record{}, err
	}
	return reader.Record(ctx, e)
}

// entryOf looks at the entries of a span for digests that begin with the prefix.
func entryOf(ctx context.Context, store replay.Store, span replay.Span, prefix string) (found replay.Entry, err error) {
	var named fingerprint.Digest
	for e, err := range store.Entries(ctx, span) {
		if err != nil {
			return found, err
		}
		for _, name := range []fingerprint.Digest{e.Output, e.Record} {
			if !strings.HasPrefix(name.String(), prefix) {
				continue
			}
			if !named.IsZero() && name != named {
				return found, fmt.Errorf("%w: %s begins %s and %s", replay.ErrAmbiguous, prefix, named, name)
			}
			named, found = name, e
		}
	}
	if named.IsZero() {
		return found, errNoRecord
	}
	return found, nil
}
