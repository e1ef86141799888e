package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/replay"
)

func importCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Store the sessions of a bundle",
		Long: `Read a bundle that quire export wrote, check all of it, and store its records. Records that the store has already are
passed over; a session goes on where the store's session of that name ends. FILE may be - for standard input.`,
		Example: `  quire import build-42.quire`,
		Args:    takes(1, "FILE"),
	}
	flags := addStoreFlags(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		in, name := &input{Reader: s.in}, "<stdin>"
		if args[0] != "-" {
			f, err := os.Open(args[0])
			if err != nil {
				return fileError(args[0], err)
			}
			defer f.Close()
			in.Reader, name = f, args[0]
		}
		return flags.withStore(cmd, true, func(ctx context.Context, store replay.Store) error {
			imported, err := replay.Import(ctx, store, in, replay.Limits{})
			if in.err != nil {
				return fileError(name, in.err)
			}
			if errors.Is(err, replay.ErrBundle) {
				return fmt.Errorf("%s: %s", plain(name), strings.TrimPrefix(bare(err), "import: "))
			}
			if err != nil {
				return storeError(err)
			}
			_, err = fmt.Fprintf(s.out, "%s, %s, %d new; %s\n", plural(int(imported.Sessions), "session"), plural(int(imported.Records), "record"), imported.New, plural(int(imported.Objects), "object"))
			return err
		})
	}
	return cmd
}
