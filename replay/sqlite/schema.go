package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// applicationID is in the header of every file of ours: "Quir" in ASCII.
const applicationID = 0x51756972

// migrations brings a file from one version of the schema to the next; its length is the current version, which
// PRAGMA user_version holds. Entries are never changed, only added.
//
// Objects have a rowid, so that their data is written at the end of the table, in pages that fill up; random digests as
// the clustering key would leave a third of every page empty. The log is clustered by what it is read by, and its
// indexes end in session and seq (a table without rowid appends its key), so each span is read in order.
var migrations = []string{
	0: `
CREATE TABLE tenants (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,
	epoch INTEGER NOT NULL
) STRICT;
CREATE TABLE objects (
	id INTEGER PRIMARY KEY,
	tenant INTEGER NOT NULL,
	name BLOB NOT NULL,
	form INTEGER NOT NULL,
	size INTEGER NOT NULL,
	data BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX objects_name ON objects (tenant, name);
CREATE TABLE sessions (
	tenant INTEGER NOT NULL,
	session TEXT NOT NULL,
	first INTEGER NOT NULL,
	last INTEGER NOT NULL,
	record BLOB NOT NULL,
	PRIMARY KEY (tenant, session)
) STRICT, WITHOUT ROWID;
CREATE TABLE log (
	tenant INTEGER NOT NULL,
	session TEXT NOT NULL,
	seq INTEGER NOT NULL,
	turn INTEGER NOT NULL,
	record BLOB NOT NULL,
	key BLOB NOT NULL,
	output BLOB NOT NULL,
	PRIMARY KEY (tenant, session, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX log_turn ON log (tenant, session, turn);
CREATE INDEX log_key ON log (tenant, key);
CREATE INDEX log_output ON log (tenant, output);
`,
}

// create makes a new store under path, unless there is one. It is made whole under another name and then linked to its
// own, so nobody ever opens a file that is being made: a connection that did would not know that pages carry checksums,
// and would write some without.
func create(path string, uri func(path string) string) (err error) {
	temporary := fmt.Sprintf("%s.new-%d-%d", path, os.Getpid(), time.Now().UnixNano())
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(temporary)
	if err := f.Close(); err != nil {
		return err
	}
	c, err := sqlite3.Open(uri(temporary))
	if err != nil {
		return err
	}
	// These stand in the header of the file, and must come before its first table.
	err = c.Exec(fmt.Sprintf(`PRAGMA auto_vacuum = incremental; PRAGMA application_id = %d`, applicationID))
	if err == nil {
		err = c.EnableChecksums("main")
	}
	if err == nil {
		err = migrate(c)
	}
	if err == nil {
		err = c.Exec(`PRAGMA journal_mode = wal`)
	}
	if err := errors.Join(err, c.Close()); err != nil {
		return err
	}
	err = os.Link(temporary, path)
	if errors.Is(err, fs.ErrExist) {
		return nil // another process was faster
	}
	if err != nil {
		// A file system without links. Two processes that make one store at the same moment would be in each other's way.
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return err
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil { // where folders cannot be opened, they need no sync
		defer dir.Close()
		dir.Sync()
	}
	return nil
}

// prepare brings a file that was just opened to the current schema.
func prepare(c *sqlite3.Conn) error {
	id, err := pragma(c, "application_id")
	if err != nil {
		return err
	}
	if id != applicationID {
		return errors.New("an SQLite file of something else: not a quire store")
	}
	if err := checksummed(c); err != nil {
		return err
	}
	version, err := pragma(c, "user_version")
	if err != nil {
		return err
	}
	if version > int64(len(migrations)) {
		return fmt.Errorf("schema version %d: written by a newer quire; this one knows %d", version, len(migrations))
	}
	if version < int64(len(migrations)) {
		return migrate(c)
	}
	return nil
}

func migrate(c *sqlite3.Conn) (err error) {
	tx, err := c.BeginImmediate()
	if err != nil {
		return err
	}
	defer tx.End(&err)
	version, err := pragma(c, "user_version") // another process may have been faster
	if err != nil {
		return err
	}
	for ; version < int64(len(migrations)); version++ {
		if err := c.Exec(migrations[version]); err != nil {
			return err
		}
	}
	return c.Exec(fmt.Sprintf(`PRAGMA user_version = %d`, version))
}

// checksummed wants the checksums of pages switched on. Whether they are is one byte in the header of the file: with
// that byte flipped, SQLite would read on without them.
func checksummed(c *sqlite3.Conn) error {
	if on, err := pragma(c, "checksum_verification"); err != nil {
		return err
	} else if on != 1 {
		return sqlite3.CORRUPT
	}
	return nil
}

func pragma(c *sqlite3.Conn, name string) (int64, error) { return number(c, `PRAGMA `+name) }

// number returns the first column of a query's first row.
func number(c *sqlite3.Conn, query string) (n int64, err error) {
	stmt, _, err := c.Prepare(query)
	if err != nil {
		return 0, err
	}
	defer stmt.Close()
	if stmt.Step() {
		n = stmt.ColumnInt64(0)
	}
	return n, stmt.Err()
}
