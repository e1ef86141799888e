// Package sqlite keeps a replay store in one SQLite file, without cgo and without a server.
//
// The file is in WAL mode with synchronous=FULL: what Append acknowledged survives the end of the process and of the
// machine. Many processes may use one file at once; there is one writer at a time, and the others wait. Every page
// carries a checksum (SQLite's checksum VFS), so a flipped bit is an error and no missing row.
//
// What it does not promise: after a crash, until the next time the store is closed, the newest turns stand in the log
// NAME-wal alone. SQLite ends that log at the first page whose checksum is wrong, for it cannot tell a bit that flipped
// there from a write that the crash tore. Then the turns after it are gone, and what was before is whole.
//
// Where the file or its folder may not be written, the store can be read and Append and Delete are errors. SQLite cannot
// lock such a file, so a reading during which another process wrote is an error too, and so is a log NAME-wal that only
// a process that may write can read.
//
// Beside the file stand, while it is open or after a crash, the files NAME-wal and NAME-shm: copy them along, or copy
// the file when nothing has it open. The file must be on a local file system.
package sqlite
