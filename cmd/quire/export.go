package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/replay"
)

func exportCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Write sessions and all they refer to into one file",
		Long: `Write a bundle: the records of one session, or of all, and every object that they refer to. The same records give the
same bytes. FILE may be - for standard output.`,
		Example: `  quire export --session build-42 build-42.quire
  quire export - | ssh elsewhere quire import -`,
		Args: takes(1, "FILE"),
	}
	flags := addStoreFlags(cmd)
	session := cmd.Flags().String("session", "", "only this session")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		return flags.withStore(cmd, false, func(ctx context.Context, store replay.Store) error {
			q := replay.Query{Session: *session}
			if args[0] == "-" {
				return storeError(replay.Export(ctx, store, q, s.out))
			}
			return exportFile(ctx, store, q, args[0])
		})
	}
	return cmd
}

// exportFile writes a temporary file and renames it: a bundle is there whole or not at all, also when the export is
// interrupted. A link stays one, and a pipe or a device is written to as it is.
func exportFile(ctx context.Context, store replay.Store, q replay.Query, name string) error {
	if at, err := filepath.EvalSymlinks(name); err == nil {
		name = at
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: a folder; want the name of a file", plain(name))
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return fileError(name, err)
		}
		return errors.Join(exported(name, replay.Export(ctx, store, q, f)), f.Close())
	}
	mode := fs.FileMode(0o600) // a bundle holds prompts
	if err == nil {
		mode = info.Mode().Perm()
	}
	temporary := fmt.Sprintf("%s.new-%d-%d", name, os.Getpid(), time.Now().UnixNano())
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fileError(name, err)
	}
	defer os.Remove(temporary) // gone already when all went well
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := exported(name, replay.Export(ctx, store, q, f)); err != nil {
		f.Close()
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fileError(name, err)
	}
	if err := os.Rename(temporary, name); err != nil {
		return fileError(name, err)
	}
	return nil
}

// exported tells an error of the file from one of the store.
func exported(name string, err error) error {
	var file *fs.PathError
	switch {
	case errors.As(err, &file):
		return fileError(name, err)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: interrupted; nothing was written", plain(name))
	}
	return storeError(err)
}
