package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/postgres"
	"github.com/quirehq/quire/replay/sqlite"
)

// defaultStore is where recorded compositions are kept when QUIRE_STORE says nothing.
var defaultStore = filepath.Join(".quire", "store.db")

// A storeFlags are the flags of every command that uses a store.
type storeFlags struct{ store, tenant string }

func addStoreFlags(cmd *cobra.Command) *storeFlags {
	f := new(storeFlags)
	cmd.Flags().StringVar(&f.store, "store", "", "sqlite:PATH or postgres://…; default: $QUIRE_STORE, else sqlite:"+filepath.ToSlash(defaultStore))
	if cmd.Flags().Lookup("tenant") == nil { // else the command knows whose it all is
		cmd.Flags().StringVar(&f.tenant, "tenant", "", "whose records; default: $QUIRE_TENANT")
	}
	return f
}

// open opens the store. Without create, a store that is not there is an error: looking must not make one.
func (f *storeFlags) open(ctx context.Context, create bool) (replay.Store, error) {
	where, tenant := f.store, f.tenant
	if where == "" {
		where = os.Getenv("QUIRE_STORE")
	}
	if where == "" {
		where = "sqlite:" + defaultStore
	}
	if tenant == "" {
		tenant = os.Getenv("QUIRE_TENANT")
	}
	if !utf8.ValidString(tenant) {
		return nil, fmt.Errorf("--tenant %q; want a name in UTF-8", tenant)
	}
	if strings.HasPrefix(where, "postgres://") || strings.HasPrefix(where, "postgresql://") {
		store, err := postgres.Open(ctx, where, postgres.Options{Tenant: tenant})
		if errors.Is(err, postgres.ErrOptions) {
			return nil, fmt.Errorf("store: %s", bare(err))
		}
		if err != nil {
			return nil, storeError(err)
		}
		return store, nil
	}
	path, ok := strings.CutPrefix(where, "sqlite:")
	if ok && path == "" {
		return nil, errors.New("store sqlite: no path; want sqlite:PATH")
	}
	if !ok {
		kind, _, _ := strings.Cut(where, ":") // what follows may hold a password
		if strings.ContainsAny(kind, "= ") {
			kind = "…"
		}
		return nil, fmt.Errorf("store %s: no such kind; want sqlite:PATH or postgres://…", plain(kind))
	}
	if !create {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, &statusError{exitStore, fmt.Errorf("%s: %w; quire record makes one, QUIRE_STORE names another", plain(path), errNoStore)}
		}
	}
	store, err := sqlite.Open(ctx, path, sqlite.Options{Tenant: tenant})
	if err != nil {
		return nil, storeError(err)
	}
	return store, nil
}

var errNoStore = errors.New("no store here")

// storeError gives an error of the store its exit status: damage and failures of the store are 3, what the caller asked
// for in vain is 2.
func storeError(err error) error {
	var status *statusError
	for _, input := range []error{nil, replay.ErrNotFound, replay.ErrAmbiguous, replay.ErrPrefix, replay.ErrBundle, replay.ErrConflict} {
		if errors.Is(err, input) || errors.As(err, &status) {
			return err
		}
	}
	var turn *replay.TurnError
	if errors.As(err, &turn) {
		return err
	}
	return &statusError{exitStore, err}
}

// withStore runs f with the store open.
func (f *storeFlags) withStore(cmd *cobra.Command, create bool, run func(ctx context.Context, store replay.Store) error) (err error) {
	store, err := f.open(cmd.Context(), create)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := store.Close(); err == nil && closeErr != nil {
			err = storeError(closeErr)
		}
	}()
	return run(cmd.Context(), store)
}
