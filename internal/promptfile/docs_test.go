package promptfile

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tableKeys returns the keys in the first column of the table below a heading.
func tableKeys(t *testing.T, page, heading string) (keys []string) {
	t.Helper()
	src, err := os.ReadFile("../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(src), "\n"+heading+"\n")
	if !found {
		t.Fatalf("%s has no heading %q", page, heading)
	}
	if end := strings.Index(rest, "\n#"); end >= 0 {
		rest = rest[:end]
	}
	inQuotes := regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(rest) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for _, key := range inQuotes.FindAllStringSubmatch(cells[1], -1) {
			keys = append(keys, key[1])
		}
	}
	return keys
}

// The documentation has the keys that the reader takes, all of them and no other.
func TestDocumentedKeys(t *testing.T) {
	registryOnly := slices.DeleteFunc(append(keysOf(registryFields()), "channel", "tenant"), func(key string) bool {
		return slices.Contains(keysOf(configFields()), key) && key != "budget" && key != "gate" && key != "role"
	})
	for _, test := range []struct {
		page, heading string
		keys          []string
	}{
		{"prompt-files.md", "## The prompt", keysOf(promptFields())},
		{"prompt-files.md", "## A section", keysOf(sectionFields())},
		{"fragments.md", "## On the command line", registryOnly},
		{"prompt-files.md", "## Request files", keysOf(requestFields())},
	} {
		got := tableKeys(t, test.page, test.heading)
		slices.Sort(got)
		slices.Sort(test.keys)
		if !slices.Equal(got, test.keys) {
			t.Errorf("%s, %s:\n the page has %q\nthe reader has %q", test.page, test.heading, got, test.keys)
		}
	}
}
