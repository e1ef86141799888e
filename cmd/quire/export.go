package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

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

// exportFile writes a temporary file and renames it: a bundle is there whole or not at all.
func exportFile(ctx context.Context, store replay.Store, q replay.Query, name string) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return fileError(name, err)
	}
	defer os.Remove(f.Name()) // gone already when all went well
	if err := replay.Export(ctx, store, q, f); err != nil {
		f.Close()
		return storeError(err)
	}
	if err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return fileError(name, err)
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return fileError(name, err)
	}
	return nil
}
