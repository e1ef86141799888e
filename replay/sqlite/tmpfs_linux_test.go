package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/sqlite"
)

// A real file system without room: the same as [TestFullDisk], without any layer in between.
func TestFullFileSystem(t *testing.T) {
	folder := t.TempDir()
	if err := syscall.Mount("quire", folder, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, 0); err != nil {
			t.Error(err)
		}
	})
	store, err := sqlite.Open(t.Context(), filepath.Join(folder, "store.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	rec := replay.NewRecorder(store, replay.Session{ID: "s"})
	ballast := filepath.Join(folder, "ballast")
	acknowledged, refused := int64(0), 0
	for i, c := range session(t)[:100] {
		if i%10 == 9 {
			fill(t, ballast)
		}
		switch _, err := rec.Record(t.Context(), c, replay.Turn{}); {
		case err == nil:
			acknowledged++
		case errors.Is(err, replay.ErrFull) && strings.Contains(err.Error(), "disk full"):
			refused++
		default:
			t.Fatalf("turn %d: %v", i+1, err)
		}
		if err := os.Remove(ballast); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		report, err := replay.Verify(t.Context(), store, replay.Query{}, replay.Options{})
		if err != nil || !report.OK() || report.Verified != acknowledged {
			t.Fatalf("after turn %d: %d acknowledged, then %v, %v", i+1, acknowledged, report, err)
		}
	}
	if refused == 0 || acknowledged < 20 {
		t.Errorf("%d acknowledged, %d refused", acknowledged, refused)
	}
	whole(t, store)
}

// fill takes all the room that is left.
func fill(t *testing.T, name string) {
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for chunk := make([]byte, 4096); ; {
		if _, err := f.Write(chunk); err != nil {
			return
		}
	}
}
