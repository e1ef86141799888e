package replay

import (
	"errors"
	"fmt"

	"github.com/quirehq/quire/fingerprint"
)

// ErrNotFound is the answer when nothing of that name was ever stored, or it was cleaned away. It is never the answer
// to damage: that is a [CorruptError].
var ErrNotFound = errors.New("not found")

// A CorruptError says that what is stored is not what was written. The data is never returned in its place, and never
// taken for missing: a miss would be computed anew, and the damage hidden.
type CorruptError struct {
	Name  fingerprint.Digest // of the object; zero when the damage is elsewhere
	Place string             // where: a file and page, a column, a session and seq
	Err   error              // what does not fit
}

// Error names the object and the place.
func (e *CorruptError) Error() string {
	what := "store"
	if !e.Name.IsZero() {
		what = "object " + e.Name.String()
	}
	if e.Place != "" {
		what += " (" + e.Place + ")"
	}
	return fmt.Sprintf("replay: corrupt %s: %v", what, e.Err)
}

// Unwrap returns what did not fit.
func (e *CorruptError) Unwrap() error { return e.Err }

// A NondeterminismError says that one recipe gave two outputs. Both records are kept as evidence.
type NondeterminismError struct {
	Key           fingerprint.Key
	Before, After Entry // the record that was there, and the new one
}

// Error names the recipe and both records.
func (e *NondeterminismError) Error() string {
	return fmt.Sprintf("replay: recipe %s gave output %s in %s@%d and output %s in %s@%d; both are kept",
		e.Key, e.Before.Output, e.Before.Session, e.Before.Turn, e.After.Output, e.After.Session, e.After.Turn)
}

// A TurnError says that a turn is recorded already, with other bytes. Nothing was stored.
type TurnError struct {
	Recorded, Given Record
	Field           string // the first field of the records that differs
}

// Error names the turn, the field and both outputs.
func (e *TurnError) Error() string {
	return fmt.Sprintf("replay: %s@%d is recorded with another %s: output %s, recipe %s; given output %s, recipe %s",
		e.Recorded.Session, e.Recorded.Turn, e.Field, e.Recorded.Output, e.Recorded.Recipe, e.Given.Output, e.Given.Recipe)
}
