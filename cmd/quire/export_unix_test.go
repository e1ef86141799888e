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
