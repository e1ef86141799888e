package request_test

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/quirehq/quire/composer/request"
)

// Real system prompts and prompt templates as a tenant's template: full of braces that are no slots. Nothing of them is
// lost or changed.
func TestRealTemplates(t *testing.T) {
	root := os.Getenv("QUIRE_DATA")
	if root == "" {
		t.Skip("QUIRE_DATA is not set: no real files")
	}
	assembler, err := request.New(request.Config{Model: request.Model{ContextTokens: 1 << 40}, Caching: true})
	if err != nil {
		t.Fatal(err)
	}
	read, unknown := 0, 0
	for _, folder := range []string{"systemprompts", "templates"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			src, err := os.ReadFile(path)
			if err != nil || len(src) > 1<<20 || !utf8.Valid(src) {
				return err
			}
			in := full("")
			for _, template := range []string{string(src), "{output_format}" + string(src) + "{cacheBreakpoint}{memory}" + string(src)} {
				in.Template = request.ParseTemplate(template, nil)
				res, err := assembler.Build(in)
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				if res.Stable+res.PerCall != system(in, template, in.Chunks) {
					t.Errorf("%s: the prompt is another", path)
				}
				for _, w := range res.Warnings {
					if w.Code == request.UnknownSlot {
						unknown++
					}
				}
			}
			read++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d templates, %d names in braces that are no slots", read, unknown)
	if read == 0 {
		t.Error("no template was read")
	}
}
