package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"

	"github.com/quirehq/quire/replay"
)

// explain says in the store's words what SQLite says in its own.
func (s *Store) explain(ctx context.Context, err error) error {
	var corrupt *replay.CorruptError
	switch {
	case errors.As(err, &corrupt):
		corrupt.Place = s.path + ": " + corrupt.Place
		return err
	case errors.Is(err, sqlite3.INTERRUPT) && ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, sqlite3.FULL), isFull(err):
		return fmt.Errorf("sqlite: %s: %w (%w)", s.path, replay.ErrFull, err)
	case errors.Is(err, sqlite3.IOERR_DATA): // which SQLite calls a "disk I/O error"
		return &replay.CorruptError{Place: s.path, Err: errors.New("a page is not what its checksum says")}
	case errors.Is(err, sqlite3.CORRUPT), errors.Is(err, sqlite3.NOTADB):
		return &replay.CorruptError{Place: s.path, Err: err}
	case errors.Is(err, sqlite3.IOERR) && noRoom(filepath.Dir(s.path)):
		return fmt.Errorf("sqlite: %s: %w (%w)", s.path, replay.ErrFull, err)
	case errors.Is(err, sqlite3.READONLY):
		return fmt.Errorf("sqlite: %s: the file or its folder may not be written: %w", s.path, err)
	case errors.Is(err, sqlite3.BUSY):
		return fmt.Errorf("sqlite: %s: another process has held the file for %v: %w", s.path, patience, err)
	case errors.Is(err, replay.ErrConflict), errors.Is(err, replay.ErrStale), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fmt.Errorf("sqlite: %s: %w", s.path, err)
}

// noRoom reports whether a folder's file system has no room left. What SQLite does beside the file layer (the memory
// that processes share grows in a file too) fails with "disk I/O error" and no reason, so it is tried out.
func noRoom(dir string) bool {
	probe, err := os.CreateTemp(dir, "quire-probe-*")
	if err != nil {
		return isFull(err)
	}
	defer os.Remove(probe.Name())
	defer probe.Close()
	_, err = probe.Write(make([]byte, 64<<10))
	return isFull(err) || isFull(probe.Sync())
}
