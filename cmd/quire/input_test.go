package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No input is read beyond its bound, whether it is a file or a pipe, and reading it again counts from its start.
func TestInputBound(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	const want = ": more than 1 MiB; split it, or keep long texts in files of their own"
	for _, test := range []struct {
		size int
		err  string
	}{{1 << 20, ""}, {1<<20 + 1, want}, {3 << 20, want}} {
		content := strings.Repeat("x", test.size)
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"-", name} {
			s := &streams{in: strings.NewReader(content)}
			in, err := s.open(file, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				src, err := io.ReadAll(in)
				switch {
				case test.err == "" && (err != nil || len(src) != test.size):
					t.Errorf("%s of %d bytes: %d read, %v", file, test.size, len(src), err)
				case test.err != "" && (err == nil || err.Error() != in.name+test.err || !errors.Is(in.err, err)):
					t.Errorf("%s of %d bytes: %v, want %s", file, test.size, err, in.name+test.err)
				}
				if _, err := in.Seek(0, io.SeekStart); err != nil {
					t.Fatal(err)
				}
			}
			if err := in.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
