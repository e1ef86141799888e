package request_test

import (
	"testing"
	"unicode/utf8"

	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/internal/samples"
)

// Real system prompts and prompt templates as a tenant's template: full of braces that are no slots. Nothing of them is
// lost or changed.
func TestRealTemplates(t *testing.T) {
	assembler, err := request.New(request.Config{Model: request.Model{ContextTokens: 1 << 40}, Caching: true})
	if err != nil {
		t.Fatal(err)
	}
	read, unknown := 0, 0
	for path, src := range samples.Files(t, "systemprompts", "templates") {
		if len(src) > 1<<20 || !utf8.Valid(src) {
			continue
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
	}
	t.Logf("%d templates, %d names in braces that are no slots", read, unknown)
	if read == 0 {
		t.Error("no template was read")
	}
}
