// Package postgres keeps replay stores in a PostgreSQL database, for teams and fleets: any number of processes on any
// number of machines record into one schema, and each tenant is a store of its own.
//
// [Open] makes the schema when it is not there, and brings an older one up to date; any number of processes may do so
// at once. Who opens a schema that is current needs no right but to read and write its tables.
//
// What Append acknowledged is as durable as the server's commits: leave fsync and synchronous_commit on. A server
// whose data checksums are on (initdb --data-checksums) also tells damage that hides a row; without them that is found
// where a record names what is gone.
//
// A server that restarts, a connection that breaks, a deadlock and a serialization failure are tried again, for up to a
// minute. When a connection breaks while a batch is being committed, Append finds out whether the batch is there before
// it stores it again. A context that ends cancels the statement in the server; when it ends during a commit, the answer
// is still waited for, a few seconds. An error that is none of the store's own ([replay.ErrConflict],
// [replay.ErrStale], [replay.ErrFull]) leaves open whether the batch is there.
//
// The statements are plain: no sequences, no advisory locks, no triggers, no types of PostgreSQL's own but text, bytea
// and bigint. Every transaction is right at the isolation level READ COMMITTED, which it asks for, and at SERIALIZABLE,
// which some engines that speak PostgreSQL's protocol run in its place. It is not right on an engine that runs a
// snapshot in its place. The tests run on PostgreSQL, at both levels.
package postgres
