package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
		remove, err := spool(in)
		if err != nil {
			return fileError(name, err)
		}
		defer remove()
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

// spool makes sure that a bundle can be read twice: first to check it, then to store it. A pipe is read into a temporary
// file.
func spool(in *input) (remove func(), err error) {
	if _, err := in.Seek(0, io.SeekCurrent); err == nil {
		return func() {}, nil
	}
	f, err := os.CreateTemp("", "quire-import-*")
	if err != nil {
		return nil, err
	}
	remove = func() { errors.Join(f.Close(), os.Remove(f.Name())) }
	const most = 5 << 30 // more than any bundle that is accepted
	if _, err = io.Copy(f, io.LimitReader(in, most)); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		remove()
		return nil, err
	}
	in.Reader = f
	return remove, nil
}
