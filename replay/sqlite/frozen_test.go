package sqlite_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/sqlite"
)

// A readOnly is a file layer under which a file, or what stands beside it, may not be written. Unlike the permissions of
// a file, it holds for root too.
type readOnly struct {
	vfs.VFS
	folder bool // only the folder is read-only
}

func (l readOnly) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	switch {
	case l.folder && flags&(vfs.OPEN_WAL|vfs.OPEN_MAIN_JOURNAL) != 0:
		return nil, flags, vfs.SystemError(syscall.EACCES, sqlite3.READONLY_DIRECTORY)
	case !l.folder && flags&vfs.OPEN_READWRITE != 0:
		return nil, flags, &fs.PathError{Op: "open", Path: name.String(), Err: syscall.EACCES}
	}
	return vfsutil.WrapOpenFilename(l.VFS, name, flags)
}

// What is recorded can be read by whoever may read the file, and by no other way than whole.
func TestReadOnly(t *testing.T) {
	for _, kind := range []struct {
		name   string
		folder bool
	}{{"file", false}, {"folder", true}} {
		t.Run(kind.name, func(t *testing.T) {
			layer := "read-only-" + kind.name
			vfs.Register(layer, readOnly{vfs.Find("os"), kind.folder})
			t.Cleanup(func() { vfs.Unregister(layer) })
			path := filepath.Join(t.TempDir(), "store.db")
			whole := open(t, path)
			all := session(t)[:3]
			record(t, whole, "s", all[:2])

			// While the log holds turns, the file alone does not say what was recorded.
			_, err := sqlite.Open(t.Context(), path, sqlite.Options{VFS: layer})
			if err == nil || !strings.Contains(err.Error(), "-wal holds turns that must be moved into it") {
				t.Fatalf("open beside a log: %v", err)
			}
			if err := whole.Close(); err != nil {
				t.Fatal(err)
			}

			before, err := os.ReadDir(filepath.Dir(path))
			if err != nil {
				t.Fatal(err)
			}
			store, err := sqlite.Open(t.Context(), path, sqlite.Options{VFS: layer})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			report, err := replay.Verify(t.Context(), store, replay.Query{}, replay.Options{})
			if err != nil || report.Verified != 2 {
				t.Errorf("verified %v, %v", report, err)
			}
			if _, err := replay.Check(t.Context(), store, replay.CheckOptions{}); err != nil {
				t.Error(err)
			}
			_, err = replay.NewRecorder(store, replay.Session{ID: "s"}).Record(t.Context(), all[2], replay.Turn{})
			if err == nil || !strings.Contains(err.Error(), "may not be written") {
				t.Errorf("record: %v", err)
			}
			if after, err := os.ReadDir(filepath.Dir(path)); err != nil || len(after) != len(before) {
				t.Errorf("the folder had %v, has %v, %v", before, after, err)
			}

			// A file that others write meanwhile is not read as if they had not.
			other := open(t, path)
			record(t, other, "t", all[2:])
			if err := other.Close(); err != nil {
				t.Fatal(err)
			}
			later := time.Now().Add(time.Second) // whatever the file system's clock resolves
			if err := os.Chtimes(path, later, later); err != nil {
				t.Fatal(err)
			}
			_, err = replay.Verify(t.Context(), store, replay.Query{}, replay.Options{})
			if err == nil || !strings.Contains(err.Error(), "another process wrote to the file") {
				t.Errorf("verify while others write: %v", err)
			}
		})
	}
}
