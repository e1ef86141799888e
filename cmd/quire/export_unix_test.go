//go:build unix

package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/quirehq/quire/replay"
)

// What is no regular file is written to, and not replaced: a device would be gone.
func TestExportPipe(t *testing.T) {
	store, pipe := recorded(t), filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	var want bytes.Buffer
	if err := replay.Export(t.Context(), store, replay.Query{}, &want); err != nil {
		t.Fatal(err)
	}
	got := make(chan []byte)
	go func() {
		read, _ := os.ReadFile(pipe)
		got <- read
	}()
	if err := exportFile(t.Context(), store, replay.Query{}, pipe); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(<-got, want.Bytes()) {
		t.Error("another bundle came out of the pipe")
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Errorf("the pipe is %v, %v", info.Mode(), err)
	}
}

// A new bundle is its owner's alone; one that is replaced keeps its permissions.
func TestExportMode(t *testing.T) {
	store, name := recorded(t), filepath.Join(t.TempDir(), "b.quire")
	for _, mode := range []fs.FileMode{0o600, 0o640} {
		if err := exportFile(t.Context(), store, replay.Query{}, name); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != mode {
			t.Errorf("%v; want %v", info.Mode(), mode)
		}
		if err := os.Chmod(name, 0o640); err != nil {
			t.Fatal(err)
		}
	}
}
