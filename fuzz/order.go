package fuzz

import (
	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
)

// CheckOrderFree checks that the order in which things come does not reach the output: a compile function that is given
// the same elements in another order answers the same. That is the law of registries, where who registers first depends
// on what is linked or loaded first; [Registrations] are such elements.
//
// It is for elements whose order means nothing. The order of sections does.
func CheckOrderFree[Element any](t rapid.TB, elements *rapid.Generator[[]Element], compile func([]Element) (composer.Composition, error)) {
	t.Helper()
	check(t, "compile refused every input, or no input had two elements", func(t *rapid.T, tr *trial) {
		in := elements.Draw(t, "elements")
		shuffled := rapid.Permutation(in).Draw(t, "in another order")
		first := run(func() (composer.Composition, error) { return compile(in) })
		other := run(func() (composer.Composition, error) { return compile(shuffled) })
		switch {
		case first.err != nil && other.err != nil && first.panicked+other.panicked == "":
			// Which of several mistakes is told first may depend on the order.
			tr.refusal = first.err
			return
		case len(in) > 1:
			tr.held++
		}
		if d := difference(first, other); d != "" {
			t.Fatalf("the same elements came in another order, and gave %s", d)
		}
	})
}
