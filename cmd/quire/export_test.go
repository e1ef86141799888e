package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

func recorded(t *testing.T) replay.Store {
	t.Helper()
	c, err := composer.Compose([]composer.Section{{ID: "persona", Content: "You are careful."}}, composer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var store replay.Memory
	if _, err := replay.NewRecorder(&store, replay.Session{ID: "s"}).Record(t.Context(), c, replay.Turn{}); err != nil {
		t.Fatal(err)
	}
	return &store
}

// A bundle replaces what a link points to, and not the link; the old one stays until the new one is whole.
func TestExportFile(t *testing.T) {
	store, folder := recorded(t), t.TempDir()
	file, link := filepath.Join(folder, "b.quire"), filepath.Join(folder, "link")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("b.quire", link); err != nil {
		t.Skip(err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := exportFile(canceled, interrupted{store}, replay.Query{}, link); err == nil || !strings.HasSuffix(err.Error(), "b.quire: interrupted; nothing was written") {
		t.Errorf("interrupted: %v", err)
	}
	if got, _ := os.ReadFile(file); string(got) != "old" {
		t.Errorf("the old file holds %q", got)
	}
	if err := exportFile(t.Context(), store, replay.Query{}, link); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if got, _ := os.ReadFile(file); len(got) < 100 {
		t.Errorf("the bundle has %d bytes", len(got))
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 2 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
	for _, name := range []string{"", folder} {
		if err := exportFile(t.Context(), store, replay.Query{}, name); err == nil || !strings.HasSuffix(err.Error(), ": a folder; want the name of a file") {
			t.Errorf("export to %q: %v", name, err)
		}
	}
}

// interrupted fails as a store does whose caller was told to stop.
type interrupted struct{ replay.Store }

func (interrupted) Objects(ctx context.Context, _ []fingerprint.Digest) ([]replay.Object, error) {
	return nil, ctx.Err()
}
