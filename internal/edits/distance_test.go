package edits_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/internal/edits"
)

func ExampleDistance() {
	fmt.Println(edits.Distance("bugdet", "budget"), edits.Distance("tier", "tiers"))
	// Output: 2 1
}

// The distance is what the definition says, tried out: the last bytes agree, or one of three edits comes last.
func TestDistance(t *testing.T) {
	var slow func(a, b string) int
	slow = func(a, b string) int {
		if a == "" || b == "" {
			return len(a) + len(b)
		}
		shortA, shortB := a[:len(a)-1], b[:len(b)-1]
		if a[len(a)-1] == b[len(b)-1] {
			return slow(shortA, shortB)
		}
		return 1 + min(slow(shortA, b), slow(a, shortB), slow(shortA, shortB))
	}
	word := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if got, want := edits.Distance(a, b), slow(a, b); got != want {
			t.Errorf("%q to %q: %d, want %d", a, b, got, want)
		}
	})
}

// What two texts begin with in common is found byte by byte, however long it is: blocks are compared at once.
func TestCommonPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 1100).Draw(t, "common")
		common := strings.Repeat("abc", n/3+1)[:n]
		a := common + rapid.StringMatching(`[ax]{0,300}`).Draw(t, "a")
		b := common + rapid.StringMatching(`[ax]{0,300}`).Draw(t, "b")
		want := 0
		for want < len(a) && want < len(b) && a[want] == b[want] {
			want++
		}
		if got := edits.CommonPrefix(a, b); got != want {
			t.Fatalf("%d; want %d", got, want)
		}
		if got := edits.CommonPrefix([]byte(a), []byte(b)); got != want {
			t.Fatalf("of bytes: %d; want %d", got, want)
		}
	})
}
