package replay

import (
	"context"
	"errors"
	"iter"

	"github.com/quirehq/quire/fingerprint"
)

// A Store keeps the objects and the log of one tenant. It is what a driver implements (replay/sqlite, replay/postgres);
// users open one and hand it to [NewRecorder], [NewReader] and [Verify], which do all hashing and encoding. The suite
// in replay/storetest says in code what this comment says in words.
//
// A driver moves bytes. It never looks into Data, never hashes, and never repairs: what it can no longer read as it was
// written it reports as a [CorruptError].
//
// Everything is within the tenant that the store was opened for. Nothing that a method returns, no count, size, order,
// number or error, depends on what another tenant stores; the same object of two tenants is stored twice.
//
// All methods are safe for concurrent use, by goroutines and by processes. Contention is the driver's business: it waits
// and tries again, and no lock error reaches the caller while others make progress. The iterators read page by page;
// they see everything that was acknowledged before they began, and may see what comes later.
type Store interface {
	// Append stores the objects and then the entries of a batch, all or nothing. When it returns nil, the batch
	// survives the end of the process and of the machine. An object that is there already stays as it is.
	//
	// The entries of one session stand in ascending order of Seq. A session's first entry ever may have any Seq >= 1;
	// every other must have the one that follows the session's last: else, or when its Turn is taken in the session, the
	// error is [ErrConflict]. When the store's epoch is not the batch's, the error is [ErrStale], whatever else is wrong. A
	// full disk is [ErrFull]. A batch of nothing does nothing.
	Append(ctx context.Context, batch Batch) error

	// Missing returns those of the names that no object has, in the order given, and the epoch that this answer
	// belongs to. What is not in the answer stays in the store at least until the epoch changes.
	Missing(ctx context.Context, names []fingerprint.Digest) (missing []fingerprint.Digest, epoch int64, err error)

	// Objects returns the objects of the given names, in the order given, leaving out those that are not there.
	Objects(ctx context.Context, names []fingerprint.Digest) ([]Object, error)

	// Names yields what is stored under the names from..to, both included, in ascending order.
	Names(ctx context.Context, from, to fingerprint.Digest) iter.Seq2[Stored, error]

	// Heads yields the ends of the sessions, in ascending byte order of their names; with a session, at most that one.
	Heads(ctx context.Context, session string) iter.Seq2[Head, error]

	// Entries yields the entries that a span asks for, by session in byte order, then by Seq.
	Entries(ctx context.Context, span Span) iter.Seq2[Entry, error]

	// Delete carries out a deletion, all or nothing, and begins a new epoch. It is refused with [ErrStale] when the
	// sessions of the store are no longer exactly those that the deletion was decided on.
	Delete(ctx context.Context, deletion Deletion) error

	Close() error
}

// What a driver answers; test with errors.Is.
var (
	ErrConflict = errors.New("session has moved on")   // [Store.Append]: another one wrote this Seq or this Turn
	ErrStale    = errors.New("store has been cleaned") // objects believed to be there may be gone: ask again
	ErrFull     = errors.New("disk full")              // nothing of the batch is stored, everything before it is
)

// An Object is content under its digest, encoded.
type Object struct {
	Name fingerprint.Digest // of the content, as it was before it was encoded
	Form Form               // how Data holds it: the driver keeps it and does not look at it
	Size int64              // of the content in bytes
	Data []byte             // the driver does not keep the slice after it returns; the caller does not change it before
}

// A Form says how the data of an object holds its content.
type Form uint8

// The forms.
const (
	Plain  Form = 0 // as it is
	Zstd   Form = 1 // one zstd frame
	Pieces Form = 2 // the names of other objects, 32 bytes each, whose contents stand one after the other
)

// Stored says what is stored under a name, without the data.
type Stored struct {
	Name  fingerprint.Digest
	Form  Form
	Size  int64 // of the content
	Bytes int64 // of the data
}

// An Entry is the place of one record in the log, and what it is found by. All of it is repeated in the record, which
// is an object: a damaged entry is noticed.
type Entry struct {
	Session string // not empty, valid UTF-8 without NUL
	Seq     int64  // 1, 2, 3 … within the session
	Turn    int64  // the caller's, unique within the session
	Record  fingerprint.Digest
	Key     fingerprint.Key    // of the recipe
	Output  fingerprint.Digest // of the text
}

// A Batch is what [Store.Append] stores.
type Batch struct {
	Epoch   int64 // of the answer of [Store.Missing] that decided which objects need not be in the batch
	Objects []Object
	Entries []Entry
}

// A Head is the range of a session's entries, which has no gaps, and the record of the last one.
type Head struct {
	Session     string
	First, Last int64 // Seq
	Record      fingerprint.Digest
}

// A Span selects entries. Fields that are zero restrict nothing.
type Span struct {
	Session  string
	From, To int64 // Seq, both included
	Turn     int64
	Key      fingerprint.Key
	Output   fingerprint.Digest
}

// A Deletion says what [Store.Delete] removes.
type Deletion struct {
	Heads   []Head           // all sessions of the store, in order, as they were when the deletion was decided
	Through map[string]int64 // by session: entries up to and including this Seq go; a session without entries goes too
	Objects []fingerprint.Digest
}
