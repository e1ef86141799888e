package fuzz

import (
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
)

// CheckAccounted checks that a compile function loses nothing on the way: every id that an input stands for has exactly
// one decision, and nothing else has one. It also looks whether the composition is what it says: the text is the texts
// that were chosen, in order, with the join between them; the fingerprint and the prefixes are of that text.
//
// The ids of an input are told by the caller. For a compile function whose sections are those of [Input], that is
// [Input.IDs].
func CheckAccounted[In any](t rapid.TB, inputs *rapid.Generator[In], ids func(In) []string, compile func(In) (composer.Composition, error)) {
	t.Helper()
	check(t, "compile refused every input", func(t *rapid.T, tr *trial) {
		in := inputs.Draw(t, "input")
		want := slices.Clone(ids(in))
		c, ok := compiled(t, tr, func() (composer.Composition, error) { return compile(in) })
		if !ok {
			return
		}
		tr.held++
		var got []string
		for _, d := range c.Decisions() {
			got = append(got, d.ID)
		}
		slices.Sort(want)
		slices.Sort(got)
		for _, id := range want {
			if _, found := slices.BinarySearch(got, id); !found {
				t.Fatalf("section %q was dropped without a decision; there are decisions about %q", id, got)
			}
		}
		for _, id := range got {
			if _, found := slices.BinarySearch(want, id); !found {
				t.Fatalf("section %q has a decision, and is none of the input's: %q", id, want)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d decisions about %d sections: %q", len(got), len(want), got)
		}
		if says := books(c); says != "" {
			t.Fatalf("%s\n%s", says, c.Explain().Table())
		}
	})
}

// books looks whether a composition is what it says; "" when it is.
func books(c composer.Composition) string {
	decisions := c.Decisions()
	var text strings.Builder
	var prefixes []composer.Prefix
	i := 0
	for s := range c.Sections() {
		d := decisions[i]
		i++
		if d.ID != s.ID {
			return "decision " + d.ID + " stands at section " + s.ID
		}
		if !d.Included {
			continue
		}
		if len(prefixes) > 0 {
			text.WriteString(c.Recipe().Join.Text())
		}
		chosen := s.Content
		if d.Alternate > 0 {
			chosen = s.Alternates[d.Alternate-1]
		}
		text.WriteString(chosen)
		prefixes = append(prefixes, composer.Prefix{ID: s.ID, Digest: fingerprint.SumString(text.String()), Bytes: int64(text.Len())})
	}
	switch {
	case c.Text() != text.String():
		return "the text is not what was decided"
	case c.Fingerprint() != fingerprint.SumString(text.String()):
		return "the fingerprint is of another text"
	case c.Len() != int64(text.Len()):
		return "the length is of another text"
	}
	for i, got := range c.Prefixes() {
		if i >= len(prefixes) || got.ID != prefixes[i].ID || got.Digest != prefixes[i].Digest || got.Bytes != prefixes[i].Bytes {
			return "the prefix of section " + got.ID + " is of other bytes"
		}
	}
	return ""
}
