package vectors_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/bench/vectors"
)

var update = flag.Bool("update", false, "write the files anew")

// Each line by itself: what is read from it, decided anew and written must be the line. This is what another
// implementation would do, so it uses nothing but the files.
func TestVectors(t *testing.T) {
	for _, file := range vectors.Files() {
		src, err := os.ReadFile(filepath.Join("testdata", file.Name))
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(src, []byte("\n"))
		if lines = lines[:len(lines)-1]; len(lines) == 0 {
			t.Errorf("%s is empty", file.Name)
		}
		seen := map[string]bool{}
		for _, line := range lines {
			var v vectors.Vector
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatalf("%s: %v in %s", file.Name, err, line)
			}
			if seen[v.Name] {
				t.Errorf("%s: two vectors are called %q", file.Name, v.Name)
			}
			seen[v.Name] = true
			decided, err := v.Decide()
			if err != nil {
				t.Errorf("%s: %v", file.Name, err)
				continue
			}
			got, err := decided.Line()
			if err != nil {
				t.Errorf("%s: %q: %v", file.Name, v.Name, err)
			} else if diff := cmp.Diff(string(line), string(got)); diff != "" {
				t.Errorf("%s: %q (-want +got)\n%s", file.Name, v.Name, diff)
			}
		}
	}
}

// The inputs in the files are those of the source, all of them.
func TestFilesAreGenerated(t *testing.T) {
	for _, file := range vectors.Files() {
		got, err := file.Encode()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", file.Name)
		if *update {
			if err := os.WriteFile(path, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, got) {
			t.Errorf("%s is not what go generate ./bench/vectors writes", file.Name)
		}
	}
}

// The drawn vectors are worth having only when they reach everything there is to decide.
func TestDrawnVectorsReachEverything(t *testing.T) {
	reached := map[string]int{}
	for _, input := range vectors.Drawn() {
		v, err := input.Decide()
		if err != nil {
			t.Fatal(err)
		}
		reached[v.Config.Gate]++
		reached[v.Config.Measure]++
		reached[v.Config.Join]++
		if v.Error != "" {
			reached[v.Error]++
			continue
		}
		if v.Overflow > 0 {
			reached["overflow"]++
		}
		if v.OverflowBytes > 0 {
			reached["overflow-bytes"]++
		}
		for _, d := range v.Decisions {
			reached[d.Reason]++
			if d.Alternate > 0 {
				reached["alternate"]++
			}
		}
		for _, p := range v.Prefixes {
			if p.Breakpoint {
				reached["breakpoint"]++
			}
		}
	}
	for _, what := range []string{
		"published", "reserved", "prefix-stable", "utf16", "bytes", "runes", "chars/4", "o200k_base", "cl100k_base", "blank-line", "line", "none",
		"overflow", "overflow-bytes", "split-group", "core", "fits", "over-ceiling", "over-budget", "over-bytes", "group", "chain", "alternate", "breakpoint",
	} {
		if reached[what] < 5 {
			t.Errorf("%s is reached %d times", what, reached[what])
		}
	}
}
