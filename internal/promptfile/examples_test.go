package promptfile_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/promptfile"
)

// exampleFiles lists the prompt files of the folder examples.
func exampleFiles(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob("../../examples/*.yaml")
	names = slices.DeleteFunc(names, func(name string) bool {
		return filepath.Base(name) == "registry.yaml" || filepath.Base(name) == "request.yaml"
	})
	if err != nil || len(names) < 5 {
		t.Fatalf("examples: %v, %v", names, err)
	}
	return names
}

func TestExamplesCompile(t *testing.T) {
	for _, name := range exampleFiles(t) {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		folder := promptfile.NewFolder(filepath.Dir(name))
		docs, err := promptfile.Read(src, name, promptfile.Options{Open: folder.Open})
		if err != nil {
			t.Error(err)
			continue
		}
		for i := range docs {
			c, err := composer.Compose(docs[i].Sections, docs[i].Config)
			if err != nil {
				t.Error(docs[i].Locate(err))
				continue
			}
			if c.Overflow() > 0 || c.Fingerprint() != fingerprint.SumString(c.Text()) || c.Text() == "" {
				t.Errorf("%s:%d: overflow %d, %d bytes", name, docs[i].Line, c.Overflow(), c.Len())
			}
		}
		folder.Close()
	}
}
