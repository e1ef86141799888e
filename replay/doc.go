// Package replay records compositions, and proves later that the same inputs still give the same bytes, or says what
// changed.
//
// Everything recorded is an object: bytes under their BLAKE3 digest. A section's content is one, so is a recipe, so is
// the list of decisions, so is the [Record] that names them all. A log lists, session by session, which record follows
// which. What turns repeat is stored once.
//
//	NewRecorder(store, session).Record   stores a composition
//	Verify                               compiles what is recorded again and compares
//	Reader                               reads objects and records, each checked against its name
//	Diff                                 tells two records or compositions apart
//
// The contract:
//   - Whatever a call acknowledged is there, also after kill -9 or a full disk; nothing half-written is ever visible.
//   - Every read is hashed and compared. Damage is a [CorruptError]: never data, and never a miss.
//   - The same recipe with another output is a [NondeterminismError]; both records are kept.
//   - Each record names the one before it in its session, so a record that vanished is noticed.
//   - A store is opened for one tenant; nothing of another can be read, counted or detected.
//   - Nothing here uses a network, but for a driver whose store is reached over one.
//
// It does not promise that nobody rewrites a store: who can write to it can also replace a whole session. Digests that
// were noted elsewhere tell.
package replay
