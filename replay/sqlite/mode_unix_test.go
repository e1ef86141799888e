//go:build unix

package sqlite_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/replay/sqlite"
)

// A new store is its owner's alone, folder and log too; one that is there keeps its permissions, and its log has the same.
func TestModes(t *testing.T) {
	folder := filepath.Join(t.TempDir(), ".quire")
	path := filepath.Join(folder, "store.db")
	want := func(name string, mode fs.FileMode) {
		t.Helper()
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != mode {
			t.Errorf("%s: %v; want %v", filepath.Base(name), got, mode)
		}
	}
	for _, mode := range []fs.FileMode{0o600, 0o640} {
		store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		record(t, store, mode.String(), session(t)[:2])
		want(folder, 0o700)
		want(path, mode)
		want(path+"-wal", mode)
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
	}
}
