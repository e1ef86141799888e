package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/replay"
)

// A session of 200 turns that grows from 20 KB to 220 KB costs about its new bytes, not the 24 MB of its prompts.
func TestSize(t *testing.T) {
	all := session(t)
	path := filepath.Join(t.TempDir(), "store.db")
	store := open(t, path)
	record(t, store, "s", all)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	var whole int64
	for _, c := range all {
		whole += c.Len()
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("prompts of %d to %d bytes, %d in all; the store has %d", all[0].Len(), all[len(all)-1].Len(), whole, info.Size())
	if whole < 20e6 || info.Size() > 1_500_000 {
		t.Errorf("%d bytes of prompts take %d; want less than 1500000", whole, info.Size())
	}

	// Once more, as another session: the contents are there already.
	store = open(t, path)
	record(t, store, "again", all)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	twice, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("with the same session again: %d", twice.Size())
	if more := twice.Size() - info.Size(); more > info.Size()/2 {
		t.Errorf("the same contents again take %d bytes more", more)
	}
	report, err := replay.Verify(t.Context(), open(t, path), replay.Query{}, replay.Options{})
	if err != nil || report.Verified != 400 {
		t.Errorf("%v, %v", report, err)
	}
}
