package promptfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zeebo/blake3"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/internal/promptfile"
	"github.com/quirehq/quire/internal/samples"
	"github.com/quirehq/quire/tiers"
)

// atHeadings cuts a text before every line that begins with #. The pieces joined by nothing are the text.
func atHeadings(content string) []string {
	var pieces []string
	start := 0
	for i := 1; i < len(content); i++ {
		if content[i] == '#' && content[i-1] == '\n' {
			pieces = append(pieces, content[start:i])
			start = i
		}
	}
	return append(pieces, content[start:])
}

// Prompts that are in use, cut into sections at their headings and written as prompt files: composed without a limit
// they are the file again, and under any budget and gate the parts that are in, in order.
func TestSystemPrompts(t *testing.T) {
	for name, whole := range samples.Files(t, "systemprompts") {
		if ext := filepath.Ext(name); ext != ".md" && ext != ".snap" {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			pieces := atHeadings(string(whole))
			dir := t.TempDir()
			src := "join: none\nsections:\n"
			for i, piece := range pieces {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.md", i)), []byte(piece), 0o644); err != nil {
					t.Fatal(err)
				}
				src += fmt.Sprintf("- {id: s%d, file: %d.md, tier: %v}\n", i, i, tiers.Tier(i%3))
			}
			folder := promptfile.NewFolder(dir)
			defer folder.Close()
			for _, gate := range []string{"published", "reserved", "prefix-stable"} {
				for _, budget := range []string{"null", "0", "1000", "5000", "20000"} {
					docs, err := promptfile.Read([]byte(src), "p", promptfile.Options{Open: folder.Open, Set: []promptfile.Setting{
						{Key: "gate", Value: gate}, {Key: "budget", Value: budget}}})
					if err != nil {
						t.Fatal(err)
					}
					c, err := composer.Compose(docs[0].Sections, docs[0].Config)
					if err != nil {
						t.Fatal(err)
					}
					if budget == "null" && c.Text() != string(whole) {
						t.Errorf("gate %s: the text is not the file", gate)
					}
					var want strings.Builder
					for i, d := range c.Decisions() {
						if d.Included {
							want.WriteString(pieces[i])
						}
					}
					if c.Text() != want.String() {
						t.Errorf("gate %s, budget %s: the text is not what was included", gate, budget)
					}
					if sum := blake3.Sum256([]byte(c.Text())); sum != [32]byte(c.Fingerprint()) {
						t.Errorf("gate %s, budget %s: fingerprint %v, want %x", gate, budget, c.Fingerprint(), sum)
					}
					if rows := strings.Count(c.Explain().Table(), "\n"); rows < len(pieces)+3 {
						t.Errorf("gate %s, budget %s: %d rows for %d sections", gate, budget, rows, len(pieces))
					}
				}
			}
		})
	}
}
