package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

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
		in, err := s.open(args[0], maxBundle)
		if err != nil {
			return err
		}
		defer in.Close()
		bundle, remove, err := spool(in)
		if err != nil {
			return err
		}
		defer remove()
		store := func(ctx context.Context, store replay.Store) error {
			imported, err := replay.Import(ctx, store, bundle, replay.Limits{})
			if err != nil {
				return importError(bundle, err)
			}
			_, err = fmt.Fprintf(s.out, "%s, %s, %d new; %s\n", plural(int(imported.Sessions), "session"), plural(int(imported.Records), "record"), imported.New, plural(int(imported.Objects), "object"))
			return err
		}
		err = flags.withStore(cmd, false, store)
		if errors.Is(err, errNoStore) {
			if err = check(cmd.Context(), bundle); err == nil { // a bundle that is refused makes no store
				err = flags.withStore(cmd, true, store)
			}
		}
		return err
	}
	return cmd
}

// spool makes sure that a bundle can be read twice: first to check it, then to store it. A pipe is read into a temporary
// file.
func spool(in *input) (_ *input, remove func(), err error) {
	if _, err := in.Seek(0, io.SeekCurrent); err == nil {
		return in, func() {}, nil
	}
	f, err := os.CreateTemp("", "quire-import-*")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { errors.Join(f.Close(), os.Remove(f.Name())) }
	if _, err = io.Copy(f, in); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		remove()
		return nil, nil, err
	}
	return &input{in: f, name: in.name, most: in.most}, remove, nil
}

// errGood says that a bundle was checked and found good.
var errGood = errors.New("the bundle is good")

// A trial is a store that is empty and stays so: what [replay.Import] stores into it was checked before.
type trial struct{ replay.Memory }

func (*trial) Append(context.Context, replay.Batch) error { return errGood }

// check reads a bundle that can be read again as if into an empty store.
func check(ctx context.Context, bundle *input) error {
	_, err := replay.Import(ctx, new(trial), bundle, replay.Limits{})
	if errors.Is(err, errGood) {
		_, err = bundle.Seek(0, io.SeekStart)
	}
	return importError(bundle, err)
}

// importError tells an error of the bundle from one of the store.
func importError(bundle *input, err error) error {
	var corrupt *replay.CorruptError
	switch {
	case bundle.err != nil:
		return bundle.err
	case errors.Is(err, replay.ErrBundle), errors.As(err, &corrupt) && corrupt.Place == "bundle":
		return fmt.Errorf("%s: %s", plain(bundle.name), bare(err))
	}
	return storeError(err)
}
