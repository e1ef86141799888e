package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/quirehq/quire/replay"
)

// SQLSTATE codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	completionUnknown    = "40003"
	tooManyConnections   = "53300"
	cannotConnectNow     = "57P03" // the server is starting, stopping or recovering
	lockNotAvailable     = "55P03" // only where an administrator set lock_timeout
	queryCanceled        = "57014"
	diskFull             = "53100"
	dataCorrupted        = "XX001"
	indexCorrupted       = "XX002"
	uniqueViolation      = "23505"
	undefinedTable       = "42P01"
	duplicateSchema      = "42P06"
	duplicateTable       = "42P07"
	duplicateObject      = "42710"
)

// code returns the SQLSTATE of an error, "" when no server sent it.
func code(err error) string {
	var answer *pgconn.PgError
	if errors.As(err, &answer) {
		return answer.Code
	}
	return ""
}

// contended reports whether the same, tried again, may succeed as soon as others have finished.
func contended(err error) bool {
	switch code(err) {
	case serializationFailure, deadlockDetected, completionUnknown, tooManyConnections, cannotConnectNow, lockNotAvailable:
		return true
	}
	return false
}

// own reports whether the error is one that the contract of [replay.Store] names.
func own(err error) bool {
	return errors.Is(err, replay.ErrConflict) || errors.Is(err, replay.ErrStale)
}

// explain says in the store's words what the server says in its own.
func (s *Store) explain(ctx context.Context, err error) error {
	var corrupt *replay.CorruptError
	switch {
	case err == nil, own(err):
		return err
	case errors.As(err, &corrupt):
		corrupt.Place = s.place + ": " + corrupt.Place
		return err
	case code(err) == diskFull:
		return fmt.Errorf("postgres: %s: %w (%w)", s.place, replay.ErrFull, err)
	case code(err) == dataCorrupted, code(err) == indexCorrupted:
		return &replay.CorruptError{Place: s.place, Err: err}
	case ctx.Err() != nil:
		return ctx.Err()
	case code(err) == queryCanceled:
		return fmt.Errorf("postgres: %s: the server waited for others, or worked, for %v: %w", s.place, patience, err)
	}
	return fmt.Errorf("postgres: %s: %w", s.place, err)
}
