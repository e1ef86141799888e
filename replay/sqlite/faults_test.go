package sqlite_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/sqlite"
)

// A disk is a file layer that fails on command, and that knows what a power cut would leave: the writes since the last
// sync of a file may be there, or not, or in part, in any combination.
type disk struct {
	vfs.VFS
	mu    sync.Mutex
	files map[string]*image
	ops   int // writes, truncations and syncs so far
	cutAt int // at this operation the power goes: the images are frozen
	cut   bool
	room  int64 // bytes that may still be written; negative: as many as you like
	full  error // what a write without room answers
}

// An image is what of a file is certainly on the disk, and what has been done since.
type image struct {
	synced []byte
	since  []change
}

// A change is a write of data at an offset, or, without data, a truncation.
type change struct {
	at   int64
	data []byte
}

func newDisk(t *testing.T) (*disk, string) {
	d := &disk{VFS: vfs.Find("os"), files: map[string]*image{}, cutAt: -1, room: -1}
	name := strings.ReplaceAll(t.Name(), "/", "-")
	vfs.Register(name, d)
	t.Cleanup(func() { vfs.Unregister(name) })
	return d, name
}

func (d *disk) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpen(d.VFS, name, flags)
	return d.wrap(name, f), flags, err
}

func (d *disk) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpenFilename(d.VFS, name, flags)
	return d.wrap(name.String(), f), flags, err
}

func (d *disk) wrap(name string, f vfs.File) vfs.File {
	if f == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files[name] == nil && !d.cut {
		there, _ := os.ReadFile(name) // a new store is linked to its name when it is whole
		d.files[name] = &image{synced: there}
	}
	return &diskFile{f, d, name}
}

func (d *disk) Delete(name string, sync bool) error {
	d.mu.Lock()
	if !d.cut {
		delete(d.files, name)
	}
	d.mu.Unlock()
	return d.VFS.Delete(name, sync)
}

// operation counts, and freezes the images when the time has come.
func (d *disk) operation(name string, do func(*image)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ops == d.cutAt {
		d.cut = true
	}
	d.ops++
	if i := d.files[name]; i != nil && !d.cut {
		do(i)
	}
}

// take reports whether there is room for n more bytes.
func (d *disk) take(n int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.room < 0 {
		return true
	}
	if d.room < int64(n) {
		return false
	}
	d.room -= int64(n)
	return true
}

func (d *disk) setRoom(room int64, full error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room, d.full = room, full
}

// leave writes what the power cut left into a folder.
func (d *disk) leave(rng *rand.Rand, folder string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, i := range d.files {
		if strings.Contains(name, ".new-") {
			continue // nobody looks at what was being made
		}
		data := append([]byte{}, i.synced...)
		for _, c := range i.since {
			switch what := rng.IntN(4); {
			case what == 0:
				continue // lost
			case what == 1 && len(c.data) > 1:
				c.data = c.data[:rng.IntN(len(c.data))] // torn
			}
			data = c.apply(data)
		}
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(name)), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (c change) apply(data []byte) []byte {
	if c.data == nil {
		if int64(len(data)) > c.at {
			data = data[:c.at]
		}
		return data
	}
	if end := c.at + int64(len(c.data)); int64(len(data)) < end {
		data = append(data, make([]byte, end-int64(len(data)))...)
	}
	copy(data[c.at:], c.data)
	return data
}

type diskFile struct {
	vfs.File
	disk *disk
	name string
}

func (f *diskFile) WriteAt(p []byte, off int64) (int, error) {
	if !f.disk.take(len(p)) {
		return 0, f.disk.full
	}
	f.disk.operation(f.name, func(i *image) {
		i.since = append(i.since, change{off, append([]byte{}, p...)})
	})
	return f.File.WriteAt(p, off)
}

func (f *diskFile) Truncate(size int64) error {
	f.disk.operation(f.name, func(i *image) { i.since = append(i.since, change{at: size}) })
	return f.File.Truncate(size)
}

func (f *diskFile) Sync(flags vfs.SyncFlag) error {
	f.disk.operation(f.name, func(i *image) {
		for _, c := range i.since {
			i.synced = c.apply(i.synced)
		}
		i.since = nil
	})
	return f.File.Sync(flags)
}

func (f *diskFile) Unwrap() vfs.File               { return f.File }
func (f *diskFile) SharedMemory() vfs.SharedMemory { return vfsutil.WrapSharedMemory(f.File) }

// The power goes at every operation of the file layer in turn. What was acknowledged before is there afterwards.
func TestPowerCut(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 17
	}
	all := session(t)[:4]
	for cut := 0; ; cut += step {
		d, layer := newDisk(t)
		d.cutAt = cut
		store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), sqlite.Options{VFS: layer})
		if err != nil {
			t.Fatal(err)
		}
		rec := replay.NewRecorder(store, replay.Session{ID: "s"})
		acknowledged := 0
		for i, c := range all {
			if _, err := rec.Record(t.Context(), c, replay.Turn{}); err != nil {
				t.Fatal(err)
			}
			d.mu.Lock()
			if !d.cut {
				acknowledged = i + 1
			}
			d.mu.Unlock()
		}
		if err := store.Close(); err != nil { // the checkpoint of the last connection is cut too
			t.Fatal(err)
		}
		for seed := range uint64(3) {
			folder := t.TempDir()
			if err := d.leave(rand.New(rand.NewPCG(uint64(cut), seed)), folder); err != nil {
				t.Fatal(err)
			}
			after := open(t, filepath.Join(folder, "store.db"))
			report, err := replay.Verify(t.Context(), after, replay.Query{}, replay.Options{})
			if err != nil || !report.OK() || report.Verified < int64(acknowledged) || report.Verified > int64(acknowledged)+1 {
				t.Fatalf("cut at operation %d, seed %d: %d acknowledged, then %v, %v", cut, seed, acknowledged, report, err)
			}
			whole(t, after)
			record(t, after, "after", all[:1]) // and it goes on
			after.Close()
		}
		if !d.cut {
			t.Logf("%d operations", d.ops)
			return
		}
	}
}

// The disk is full after any number of bytes: the error says so, nothing acknowledged is lost, and with room again the
// same store goes on.
func TestFullDisk(t *testing.T) {
	for _, full := range []struct {
		name string
		err  error
	}{
		{"FULL", sqlite3.FULL},
		{"ENOSPC", &fs.PathError{Op: "write", Path: "store", Err: syscall.ENOSPC}},
	} {
		t.Run(full.name, func(t *testing.T) {
			d, layer := newDisk(t)
			all := session(t)[:60]
			store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), sqlite.Options{VFS: layer})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			rec := replay.NewRecorder(store, replay.Session{ID: "s"})
			refused := 0
			for i, c := range all {
				if i%2 == 1 {
					d.setRoom(int64(i)*997, full.err)
				}
				_, err := rec.Record(t.Context(), c, replay.Turn{})
				if err != nil {
					refused++
					if !errors.Is(err, replay.ErrFull) || !strings.Contains(err.Error(), "disk full") {
						t.Fatalf("turn %d: %v", i+1, err)
					}
				}
				report, verifyErr := replay.Verify(t.Context(), store, replay.Query{}, replay.Options{})
				if verifyErr != nil || !report.OK() || report.Verified != int64(i+1) && err == nil || report.Verified != int64(i) && err != nil {
					t.Fatalf("turn %d (%v): %v, %v", i+1, err, report, verifyErr)
				}
				d.setRoom(-1, nil)
				if err != nil {
					if _, err := rec.Record(t.Context(), c, replay.Turn{}); err != nil {
						t.Fatalf("turn %d, with room again: %v", i+1, err)
					}
				}
			}
			if refused < 5 {
				t.Errorf("only %d turns met a full disk", refused)
			}
			whole(t, store)
		})
	}
}

// whole wants a store without damage.
func whole(t testing.TB, store replay.Store) {
	t.Helper()
	if _, err := replay.Check(t.Context(), store, replay.CheckOptions{Damage: func(err error) { t.Error(err) }}); err != nil {
		t.Fatal(err)
	}
}

// Delete returns an error where nothing was deleted, and only there: a disk that is full behind it, when the file gives
// pages back, is none.
func TestDeleteOnFullDisk(t *testing.T) {
	content, rng := make([]byte, 100_000), rand.New(rand.NewPCG(1, 2)) // nothing that compresses: pages have to be freed
	for i := range content {
		content[i] = byte(' ' + rng.IntN(95))
	}
	c, err := composer.Compose([]composer.Section{{ID: "a", Content: string(content)}}, composer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	d, layer := newDisk(t)
	outcomes := map[bool]int{}
	for room := int64(0); outcomes[true] < 3; room += 8000 {
		store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), sqlite.Options{VFS: layer})
		if err != nil {
			t.Fatal(err)
		}
		record(t, store, "s", []composer.Composition{c})
		deletion := replay.Deletion{Through: map[string]int64{"s": 1}}
		for head, err := range store.Heads(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			deletion.Heads = append(deletion.Heads, head)
		}
		for s, err := range store.Names(t.Context(), fingerprint.Digest{}, fingerprint.Digest(bytes.Repeat([]byte{0xff}, 32))) {
			if err != nil {
				t.Fatal(err)
			}
			deletion.Objects = append(deletion.Objects, s.Name)
		}
		d.setRoom(room, sqlite3.FULL)
		err = store.Delete(t.Context(), deletion)
		d.setRoom(-1, nil)
		if err != nil && !errors.Is(err, replay.ErrFull) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
		left := 0
		for range store.Heads(t.Context(), "") {
			left++
		}
		if deleted := err == nil; deleted != (left == 0) {
			t.Errorf("room for %d bytes: %d sessions left, %v", room, left, err)
		}
		outcomes[err == nil]++
		store.Close()
	}
	if outcomes[false] == 0 {
		t.Error("no deletion met a full disk")
	}
}
