package fuzz

import (
	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
)

// CheckPrefixStable checks that nothing after the last breakpoint changes what stands before it: with one head and two
// tails, the last breakpoint is after the same bytes. What a provider has cached of one call is then read in the next.
//
// The heads decide where the breakpoint stands; tails make none. [Heads] and [Tails] are such. For a conversation, the
// head may be all that was said, and the tail the message that is new.
//
// The gates published and reserved do not keep this law: a core section of the tail takes room from the head. See
// [tiers.PrefixStable].
//
// [tiers.PrefixStable]: https://pkg.go.dev/github.com/quirehq/quire/tiers#PrefixStable
func CheckPrefixStable[Head, Tail any](t rapid.TB, heads *rapid.Generator[Head], tails *rapid.Generator[Tail],
	compile func(Head, Tail) (composer.Composition, error),
) {
	t.Helper()
	check(t, "compile refused every input, or no composition had a breakpoint", func(t *rapid.T, tr *trial) {
		head := heads.Draw(t, "head")
		one, other := tails.Draw(t, "a tail"), tails.Draw(t, "another tail")
		a, ok := compiled(t, tr, func() (composer.Composition, error) { return compile(head, one) })
		if !ok {
			return
		}
		b, ok := compiled(t, tr, func() (composer.Composition, error) { return compile(head, other) })
		if !ok {
			return
		}
		x, y := stable(a), stable(b)
		if x != "" || y != "" {
			tr.held++
		}
		if x != y {
			t.Fatalf("another tail changes what stands before the last breakpoint, from\n\t%q\nto\n\t%q\nwith one tail\n%s\nwith the other\n%s",
				x, y, a.Explain().Table(), b.Explain().Table())
		}
	})
}

// stable returns the text up to the last breakpoint.
func stable(c composer.Composition) string {
	marks := c.Marks()
	if len(marks) == 0 {
		return ""
	}
	return c.Text()[:marks[len(marks)-1].Bytes]
}
