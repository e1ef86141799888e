package sqlite

import (
	"sync"

	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// layerName is the file layer that stores are opened with when the caller names none.
const layerName = "quire"

// registerLayer makes [layer] known to SQLite, once.
var registerLayer = sync.OnceFunc(func() { vfs.Register(layerName, layer{vfs.Find("")}) })

// A layer is the operating system's file layer without memory maps. go-sqlite3 v0.37.0 takes the map of a file away
// when it finds checksums in its header, but SQLite goes on to ask for it at a checkpoint, and the process crashes.
type layer struct{ vfs.VFS }

// Open implements [vfs.VFS].
func (l layer) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpen(l.VFS, name, flags)
	return wrap(f), flags, err
}

// OpenFilename implements [vfs.VFSFilename].
func (l layer) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpenFilename(l.VFS, name, flags)
	return wrap(f), flags, err
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
func (f file) SizeHint(size int64) error      { return vfsutil.WrapSizeHint(f.File, size) }
func (f file) HasMoved() (bool, error)        { return vfsutil.WrapHasMoved(f.File) }
