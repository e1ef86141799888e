package promptfile

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer/request"
)

// tableRows returns the rows of the tables below a heading, and the keys in their first columns.
func tableRows(t *testing.T, page, heading string) (keys []string, rows map[string]string) {
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
	rows = make(map[string]string)
	for line := range strings.Lines(rest) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for _, key := range inQuotes.FindAllStringSubmatch(cells[1], -1) {
			keys = append(keys, key[1])
			rows[key[1]] = line
		}
	}
	return keys, rows
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
		got, _ := tableRows(t, test.page, test.heading)
		slices.Sort(got)
		slices.Sort(test.keys)
		if !slices.Equal(got, test.keys) {
			t.Errorf("%s, %s:\n the page has %q\nthe reader has %q", test.page, test.heading, got, test.keys)
		}
	}
}

// A row has every name that its key takes, and every key of the mapping.
func TestDocumentedNames(t *testing.T) {
	for _, test := range []struct {
		heading, key string
		names        []string
	}{
		{"## The prompt", "measure", measureNames()},
		{"## The prompt", "gate", gateNames()},
		{"## The prompt", "join", joinNames()},
		{"## A section", "tier", tierNames()},
		{"## Request files", "ttl", namesOf(request.ParseTTL)},
		{"## Request files", "model", keysOf(modelFields())},
		{"## Request files", "skills", keysOf(skillFields())},
		{"## Request files", "chunks", keysOf(chunkFields())},
		{"## Request files", "tools", keysOf(toolFields())},
		{"## Request files", "files", keysOf(fileFields())},
	} {
		_, rows := tableRows(t, "prompt-files.md", test.heading)
		for _, name := range test.names {
			if !regexp.MustCompile("[`{ ]" + regexp.QuoteMeta(name) + "[`,}]").MatchString(rows[test.key]) {
				t.Errorf("the row of %s does not have %s: %s", test.key, name, rows[test.key])
			}
		}
	}
}
