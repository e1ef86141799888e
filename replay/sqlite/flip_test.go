package sqlite_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/sqlite"
)

// shown is everything that can be read from a store, as one string, and what it cost to read it.
func shown(ctx context.Context, path string) (all string, err error) {
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return "", err
	}
	defer store.Close()
	reader := replay.NewReader(store)
	var last fingerprint.Digest
	for i := range last {
		last[i] = 0xff
	}
	for s, err := range store.Names(ctx, fingerprint.Digest{}, last) {
		if err != nil {
			return "", err
		}
		content, err := reader.Content(ctx, s.Name)
		if err != nil {
			return "", err
		}
		all += s.Name.String() + content
	}
	for head, err := range store.Heads(ctx, "") {
		if err != nil {
			return "", err
		}
		all += fmt.Sprint(head)
	}
	missing, epoch, err := store.Missing(ctx, []fingerprint.Digest{last})
	if err != nil {
		return "", err
	}
	all += fmt.Sprint(missing, epoch)
	var entries []replay.Entry
	for e, err := range store.Entries(ctx, replay.Span{}) {
		if err != nil {
			return "", err
		}
		entries = append(entries, e)
	}
	for _, e := range entries {
		rec, err := reader.Record(ctx, e)
		if err != nil {
			return "", err
		}
		all += string(rec.AppendJSON(nil))
		for _, span := range []replay.Span{{Session: e.Session, Turn: e.Turn}, {Key: e.Key}, {Output: e.Output}} {
			for found, err := range store.Entries(ctx, span) {
				if err != nil {
					return "", err
				}
				all += fmt.Sprint(found)
			}
		}
	}
	return all, nil
}

// With any bit of a store flipped, what is read is what was written, or the error says that the store is corrupt: never
// other data, never less of it.
//
// Every page carries a checksum that no single flipped bit survives, which is tried here for every bit. That a store
// with a flipped bit is refused is tried for every bit with QUIRE_FLIP=all (some minutes), else for a part of them.
func TestFlip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rec := replay.NewRecorder(store, replay.Session{ID: "s", Labels: map[string]string{"model": "m"}})
	for i := range 3 {
		c, err := composer.Compose([]composer.Section{{ID: "a", Content: "the same"}, {ID: "b", Content: fmt.Sprint("turn ", i)}}, composer.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rec.Record(t.Context(), c, replay.Turn{Response: []byte("answer")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	want, err := shown(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	const pageSize = 4096
	survived := 0
	for start := 0; start < len(good); start += pageSize {
		page := append([]byte{}, good[start:start+pageSize]...)
		for bit := range 8 * pageSize {
			page[bit/8] ^= 1 << (bit % 8)
			if checksum(page[:pageSize-8]) == [8]byte(page[pageSize-8:]) {
				survived++
			}
			page[bit/8] ^= 1 << (bit % 8)
		}
		if checksum(page[:pageSize-8]) != [8]byte(page[pageSize-8:]) {
			t.Errorf("page %d has no checksum as it was written", 1+start/pageSize)
		}
	}
	if survived > 0 {
		t.Errorf("%d flipped bits leave the checksum of their page right", survived)
	}

	header, step := 1, 8*13+3 // prime to 8 and to the size of a page
	if testing.Short() {
		header, step = 11, 8*101+5
	}
	if os.Getenv("QUIRE_FLIP") == "all" {
		step = 1
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	refused, harmless := 0, 0
	for bit := 0; bit < 8*len(good); {
		at := int64(bit / 8)
		flipped := []byte{good[at] ^ 1<<(bit%8)}
		if _, err := f.WriteAt(flipped, at); err != nil {
			t.Fatal(err)
		}
		got, err := shown(t.Context(), path)
		var corrupt *replay.CorruptError
		switch {
		case errors.As(err, &corrupt):
			refused++
		case err != nil:
			t.Errorf("byte %d, bit %d: an error that does not say corrupt: %v", at, bit%8, err)
		case got != want:
			t.Errorf("byte %d, bit %d: other data, and no error", at, bit%8)
		default:
			harmless++
		}
		if _, err := f.WriteAt(good[at:at+1], at); err != nil {
			t.Fatal(err)
		}
		if bit < 8*100 {
			bit += header // the header of the file decides how everything else is read
		} else {
			bit += step
		}
	}
	if got, err := shown(t.Context(), path); err != nil || got != want {
		t.Fatalf("after all bits were put back: %v", err)
	}
	if harmless > refused/2 {
		t.Errorf("%d refused, %d harmless", refused, harmless)
	}
	t.Logf("%d bytes; %d bits flipped and read: %d refused, %d harmless", len(good), refused+harmless, refused, harmless)
}

// checksum is that of SQLite's checksum VFS (https://sqlite.org/cksumvfs.html), computed anew.
func checksum(page []byte) (sum [8]byte) {
	var a, b uint32
	for i := 0; i < len(page); i += 8 {
		a += binary.LittleEndian.Uint32(page[i:]) + b
		b += binary.LittleEndian.Uint32(page[i+4:]) + a
	}
	binary.LittleEndian.PutUint32(sum[:4], a)
	binary.LittleEndian.PutUint32(sum[4:], b)
	return sum
}
