package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
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
		var address *pgconn.ParseConfigError
		if errors.As(err, &address) {
			return nil, fmt.Errorf("store: %s; want postgres://USER@HOST:PORT/DATABASE", bare(err)) // the password is not in it
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

// unknown tells of an argument that names neither a file nor, since there is no store, a session.
func unknown(what string, err error) error {
	if _, _, turn := parseTurn(what); turn || !errors.Is(err, errNoStore) {
		return err
	}
	return fmt.Errorf("%s: no such file, and no session: %v", plain(what), err)
}

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

// queryFlags are the flags that select records.
type queryFlags struct {
	session, since, until, shard string
	labels                       []string
}

func addQueryFlags(cmd *cobra.Command) *queryFlags {
	f := new(queryFlags)
	cmd.Flags().StringVar(&f.session, "session", "", "only this session")
	cmd.Flags().StringVar(&f.since, "since", "", "only records of this time or later: 2026-01-31, 2026-01-31T12:00:00Z, or 36h and 7d back")
	cmd.Flags().StringVar(&f.until, "until", "", "only records before this time")
	cmd.Flags().StringArrayVar(&f.labels, "label", nil, "only records with this label, NAME=VALUE; may be repeated")
	return f
}

func (f *queryFlags) query() (q replay.Query, err error) {
	q.Session = f.session
	if q.Since, err = parseTime("--since", f.since); err != nil {
		return q, err
	}
	if q.Until, err = parseTime("--until", f.until); err != nil {
		return q, err
	}
	if q.Labels, err = parseLabels(f.labels); err != nil {
		return q, err
	}
	if f.shard != "" {
		if q.Shard, err = replay.ParseShard(f.shard); err != nil {
			err = fmt.Errorf("--%s", bare(err))
		}
	}
	return q, err
}

func parseLabels(list []string) (map[string]string, error) {
	var labels map[string]string
	for _, label := range list {
		name, value, ok := strings.Cut(label, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--label %q; want NAME=VALUE", label)
		}
		if !utf8.ValidString(label) {
			return nil, fmt.Errorf("--label %q; want text in UTF-8", label)
		}
		if before, twice := labels[name]; twice && before != value {
			return nil, fmt.Errorf("--label %s is given as %q and as %q; want one value for a name", plain(name), before, value)
		}
		if labels == nil {
			labels = map[string]string{}
		}
		labels[name] = value
	}
	return labels, nil
}

// parseTime reads a date, a time, or how long ago.
func parseTime(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 32); err == nil && n <= maxDays {
			return daysAgo(int(n)), nil
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return time.Now().Add(-ago), nil
	}
	return time.Time{}, fmt.Errorf("%s %q; want 2026-01-31, 2026-01-31T12:00:00Z, 36h or 7d", flag, text)
}

// maxDays is how far back days are counted: a thousand years, which a duration could not hold.
const maxDays = 365_250

func daysAgo(n int) time.Time { return time.Now().UTC().AddDate(0, 0, -n) }

// parseTurn reads SESSION@TURN.
func parseTurn(text string) (session string, turn int64, ok bool) {
	at := strings.LastIndexByte(text, '@')
	if at < 1 {
		return "", 0, false
	}
	turn, err := strconv.ParseInt(text[at+1:], 10, 64)
	return text[:at], turn, err == nil && turn > 0
}
