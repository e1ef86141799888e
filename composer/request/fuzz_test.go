package request_test

import (
	"testing"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/fingerprint"
)

// Whatever is taken for a recipe is refused or compiles, to the same composition each time.
func FuzzCompile(f *testing.F) {
	a, err := request.New(config(100))
	if err != nil {
		f.Fatal(err)
	}
	in := full("{skills}{cacheBreakpoint}{memory}{chunks}")
	in.History = []messages.Message{ask("a"), ask("b")}
	res, err := a.Build(in)
	if err != nil {
		f.Fatal(err)
	}
	compiled := res.Compilation()
	texts := store(compiled)
	f.Add(compiled.Recipe)
	f.Add([]byte(`{"kind":"request"}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		load := func(d fingerprint.Digest) (string, error) { return texts(d) }
		one, err := request.CompileRecipe(src, load)
		if err != nil {
			return
		}
		two, err := request.CompileRecipe(src, load)
		if err != nil || one.Fingerprint() != two.Fingerprint() {
			t.Errorf("%v and %v (%v)", one.Fingerprint(), two.Fingerprint(), err)
		}
	})
}
