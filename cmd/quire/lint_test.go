package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer/cachelab"
)

// Silences are read behind a line of any length, and errors name the right one.
func TestSilencesOfLongLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "agent.md")
	write := func(last string) {
		t.Helper()
		if err := os.WriteFile(file, []byte("quire:silence clock@a\r\n"+strings.Repeat("long ", 1<<16)+"\n"+last), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("<!-- quire:silence date@footer -->")
	want := []cachelab.Silence{{Code: "clock", Section: "a"}, {Code: "date", Section: "footer"}}
	if got, err := silencesOf(file); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	write("quire:silence nothing@footer\n")
	if _, err := silencesOf(file); err == nil || !strings.HasPrefix(err.Error(), file+":3: ") {
		t.Errorf("a code that is none: %v", err)
	}
}
