package canonical_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/canonical"
	"github.com/quirehq/quire/tiers"
)

func Example() {
	var w canonical.Writer
	w.Raw(`{"list":[`)
	for i, name := range []string{"a", "b\n"} {
		w.Separate(i)
		w.Text(``, name)
	}
	w.Integer(`],"size":`, 12)
	w.Raw(`}`)
	fmt.Println(string(w.Dst))
	// Output: {"list":["a","b\n"],"size":"12"}
}

// What is written is canonical already, and is appended.
func TestWriter(t *testing.T) {
	w := canonical.Writer{Dst: []byte("x")}
	w.Bool(`{"a":`, true)
	w.Budget(`,"b":`, tiers.Budget{})
	w.Budget(`,"c":`, tiers.Limit(0))
	w.Digest(`,"d":`, fingerprint.Digest{0xab})
	w.DigestOrNull(`,"e":`, fingerprint.Digest{})
	w.DigestOrNull(`,"f":`, fingerprint.Digest{31: 0xf0})
	w.Integer(`,"g":`, math.MinInt64)
	w.Text(`,"h":`, "\u2028<\"\x1f")
	w.Raw(`}`)
	const zeros = "00000000000000000000000000000000000000000000000000000000000000"
	want := `{"a":true,"b":null,"c":"0","d":"ab` + zeros + `","e":null,"f":"` + zeros + `f0","g":"-9223372036854775808","h":"` + "\u2028" + `<\"\u001f"}`
	if got := string(w.Dst); got != "x"+want {
		t.Errorf("\n got %s\nwant x%s", got, want)
	}
	if got, err := fingerprint.Canonical([]byte(want)); err != nil || string(got) != want {
		t.Errorf("%v, canonical %s", err, got)
	}
}
