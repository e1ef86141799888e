package utf16order_test

import (
	"fmt"
	"slices"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/internal/utf16order"
)

func ExampleCompare() {
	names := []string{"\U00010000", "\uE000", "b", "ab", "a"}
	slices.SortFunc(names, utf16order.Compare[string])
	fmt.Printf("%+q\n", names)
	// Output: ["a" "ab" "b" "\U00010000" "\ue000"]
}

// The order is that of the code units, once they are written out.
func TestCompare(t *testing.T) {
	char := rapid.SampledFrom([]rune{'a', 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xefff, 0xf000, 0xfffd, 0xffff, 0x10000, 0x3ffff, 0x40000, 0x10ffff})
	text := rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(char, 0, 4).Draw(t, "characters")) })
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		want := slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		if got := utf16order.Compare(a, b); sign(got) != want {
			t.Errorf("%+q and %+q: %d, want %d", a, b, got, want)
		}
		if got := utf16order.Compare([]byte(a), []byte(b)); sign(got) != want {
			t.Errorf("bytes of %+q and %+q: %d, want %d", a, b, got, want)
		}
	})
}

func sign(n int) int { return max(-1, min(n, 1)) }
