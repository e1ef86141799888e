package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/ncruces/go-sqlite3"
)

// A frozen is the state of a file that may not be written. To lock the file, or to read its log, SQLite would have to
// write beside it, so the file is read without: as one that nobody changes. Whether somebody did is looked up after each
// reading.
type frozen struct {
	path string
	info fs.FileInfo
}

// mayNotWrite reports whether a file could not be opened because it, or its folder, may not be written.
func mayNotWrite(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, sqlite3.READONLY)
}

// freeze looks at a file that could not be opened for writing. When turns stand in its log alone, the reason is returned:
// without the log, the newest turns would be missing and nobody told.
func freeze(path string, reason error) (*frozen, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, reason
	}
	f := &frozen{path, info}
	if f.logged() {
		return nil, fmt.Errorf("sqlite: %s may not be written, and %s-wal holds turns that must be moved into it: open it once with the right to write", path, path)
	}
	return f, nil
}

func (f *frozen) logged() bool {
	log, err := os.Stat(f.path + "-wal")
	return err == nil && log.Size() > 0
}

// check returns an error when the file was written since it was opened. What was read may then be of two moments.
func (f *frozen) check() error {
	if f == nil {
		return nil
	}
	info, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	if !os.SameFile(info, f.info) || info.Size() != f.info.Size() || !info.ModTime().Equal(f.info.ModTime()) || f.logged() {
		return errors.New("another process wrote to the file while it was read without the right to lock it; try again")
	}
	return nil
}
