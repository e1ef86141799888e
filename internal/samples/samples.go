// Package samples holds what the tests of several packages try things on: real files, where there are some, and made-up
// prose.
package samples

import (
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Folder returns the folder of real prompts, sessions and vectors that QUIRE_DATA names. Without one the test is skipped.
func Folder(t testing.TB) string {
	t.Helper()
	folder := os.Getenv("QUIRE_DATA")
	if folder == "" {
		t.Skip("QUIRE_DATA is not set: no real files")
	}
	return folder
}

// Files yields path and bytes of every file below some folders of [Folder], in the order of their names. What cannot be
// read, and folders without a file, fail the test.
func Files(t testing.TB, folders ...string) iter.Seq2[string, []byte] {
	t.Helper()
	root := Folder(t)
	return func(yield func(string, []byte) bool) {
		t.Helper()
		n := 0
		for _, folder := range folders {
			err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				src, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				n++
				if !yield(path, src) {
					return fs.SkipAll
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if n == 0 {
			t.Fatalf("QUIRE_DATA has no file below %s", strings.Join(folders, ", "))
		}
	}
}

// Prose returns about n bytes of text that compress as prose does.
func Prose(rng *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		word := rng.IntN(3000)
		for range 2 + word%4 {
			b.WriteByte("etaoinshrdlucmfw"[word%16])
			b.WriteByte("aeiouy"[word%6])
			word = word*7 + 3
		}
		b.WriteByte(' ')
	}
	return b.String()
}
