package main

import (
	"bytes"
	"testing"
	"time"
)

// The line counts, is written seldom, and is gone when it is cleared; without a terminal there is none.
func TestProgress(t *testing.T) {
	var terminal bytes.Buffer
	p := &progress{w: &terminal, verb: "replayed", total: 120}
	p.step()
	p.step() // too soon to be written
	p.written = time.Now().Add(-time.Second)
	p.step()
	p.clear()
	p.clear() // nothing stands there
	if got, want := terminal.String(), "\rreplayed 1 of 120\rreplayed 3 of 120\r                  \r"; got != want {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	none := (&streams{err: &terminal}).newProgress("replayed")
	if none != nil {
		t.Error("a line for a buffer")
	}
	none.step()
	none.clear()
}
