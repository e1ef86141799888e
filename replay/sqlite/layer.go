package sqlite

import (
	"errors"
	"os"
	"syscall"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// registerLayer makes a [layer] over the named one known to SQLite, and returns its name.
func registerLayer(base string) string {
	name := "quire:" + base
	vfs.Register(name, layer{vfs.Find(base)}) // the same one again, when it is there already
	return name
}

// A layer is a file layer with three faults of go-sqlite3 v0.37.0 mended.
//
// It has no memory maps: that of a file is taken away when checksums are found in its header, but SQLite goes on to ask
// for it at a checkpoint, and the process crashes.
//
// It says "full" to SQLite when the disk is: otherwise a write without room is an I/O error like any other, and the
// reason is lost on its way.
//
// It makes logs with the permissions of their database: otherwise everybody may read what stands in them.
type layer struct{ vfs.VFS }

// Open implements [vfs.VFS].
func (l layer) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpen(l.VFS, name, flags)
	return wrap(f), flags, full(err)
}

// OpenFilename implements [vfs.VFSFilename].
func (l layer) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, opened, err := vfsutil.WrapOpenFilename(l.VFS, name, flags)
	if err == nil && flags&(vfs.OPEN_WAL|vfs.OPEN_MAIN_JOURNAL) != 0 {
		inherit(name.String(), name.Database())
	}
	return wrap(f), opened, full(err)
}

// inherit lets a log be read by whom its database is: nothing is in it yet when it is new.
func inherit(log, database string) {
	from, err := os.Stat(database)
	if err != nil {
		return // a file layer that keeps its files elsewhere
	}
	if to, err := os.Stat(log); err == nil && to.Mode() != from.Mode() {
		_ = os.Chmod(log, from.Mode()) // another's, which it is theirs to change
	}
}

func wrap(f vfs.File) vfs.File {
	if f == nil {
		return nil
	}
	return file{f}
}

// A file passes on everything SQLite asks of a file of a store, but for its memory map.
type file struct{ vfs.File }

var (
	_ vfs.FileUnwrap       = file{}
	_ vfs.FileSharedMemory = file{}
	_ vfs.FileSizeHint     = file{}
	_ vfs.FileHasMoved     = file{}
)

func (f file) Unwrap() vfs.File               { return f.File }
func (f file) SharedMemory() vfs.SharedMemory { return vfsutil.WrapSharedMemory(f.File) }
func (f file) HasMoved() (bool, error)        { return vfsutil.WrapHasMoved(f.File) }

func (f file) SizeHint(size int64) error     { return full(vfsutil.WrapSizeHint(f.File, size)) }
func (f file) Sync(flags vfs.SyncFlag) error { return full(f.File.Sync(flags)) }

func (f file) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	return n, full(err)
}

// full turns an error that says that there is no room into the one that SQLite understands.
func full(err error) error {
	if isFull(err) {
		return vfs.SystemError(err, sqlite3.FULL)
	}
	return err
}

func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, errQuota) }
