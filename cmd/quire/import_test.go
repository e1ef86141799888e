package main

import (
	"errors"
	"fmt"
	"testing"

	"github.com/quirehq/quire/replay"
)

// A damaged bundle is bad input; a damaged store is none.
func TestImportError(t *testing.T) {
	for _, test := range []struct {
		place, want string
		status      int
	}{
		{"bundle", "b.quire: corrupt store (bundle): other bytes", exitInput},
		{"s.db", "corrupt store (s.db): other bytes", exitStore},
	} {
		err := importError(&input{name: "b.quire"}, fmt.Errorf("replay: import: %w", &replay.CorruptError{Place: test.place, Err: errors.New("other bytes")}))
		got, status := exitInput, new(statusError)
		if errors.As(err, &status) {
			got = status.status
		}
		if bare(err) != test.want || got != test.status {
			t.Errorf("%s: status %d, %q; want %d, %q", test.place, got, bare(err), test.status, test.want)
		}
	}
}
