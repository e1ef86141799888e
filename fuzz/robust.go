package fuzz

import (
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
)

// CheckRobust checks that a compile function survives anything: it does not panic, it answers the same each time, its
// error has a message, and what it composes nonetheless is what it says, in valid UTF-8. It is for [HostileInputs]
// and their like; whether they are refused or repaired is up to the compile function.
func CheckRobust[In any](t rapid.TB, inputs *rapid.Generator[In], compile func(In) (composer.Composition, error)) {
	t.Helper()
	check(t, "", func(t *rapid.T, tr *trial) {
		tr.held++
		in := inputs.Draw(t, "input")
		ask := func() outcome[composer.Composition] {
			return run(func() (composer.Composition, error) { return compile(in) })
		}
		first := ask()
		if d := difference(first, ask()); d != "" {
			t.Fatalf("hostile input gave %s", d)
		}
		if first.err != nil {
			if first.err.Error() == "" {
				t.Fatalf("an error without a message: %#v", first.err)
			}
			return
		}
		c := first.answer
		if text := c.Text(); !utf8.ValidString(text) {
			t.Fatalf("the text is not valid UTF-8: %q", text)
		}
		if says := books(c); says != "" {
			t.Fatalf("%s\n%s", says, c.Explain().Table())
		}
	})
}
