package composer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

// The digest of a prefix is the hash of so many bytes of the text, nothing else; its size is the sum of what the
// sections and the separators so far were charged.
func TestPrefixesAreHashesOfTheText(t *testing.T) {
	forAll(t, func(t failer, sections []composer.Section, cfg composer.Config, _ draw) {
		c := compose(t, sections, cfg)
		text := c.Text()
		separator := cfg.Measure.Count([...]string{"\n\n", "\n", ""}[cfg.Join])
		want := []composer.Prefix{}
		size := int64(0)
		for _, d := range c.Decisions() {
			if !d.Included {
				continue
			}
			if len(want) > 0 {
				size += separator
			}
			size += d.Size
			want = append(want, composer.Prefix{ID: d.ID, Digest: fingerprint.SumString(text[:d.End]), Bytes: d.End, Size: size})
		}
		// A breakpoint moves back to the nearest section that is in; in front of the first there is none.
		for i, s := range sections {
			if !s.Breakpoint {
				continue
			}
			in := 0
			for _, d := range c.Decisions()[:i+1] {
				if d.Included {
					in++
				}
			}
			if in > 0 {
				want[in-1].Breakpoint = true
			}
		}
		if diff := cmp.Diff(want, c.Prefixes()); diff != "" {
			t.Fatalf("prefixes (-want +got)\n%s", diff)
		}
		marked := []composer.Prefix{}
		for _, p := range want {
			if p.Breakpoint {
				marked = append(marked, p)
			}
		}
		if diff := cmp.Diff(marked, c.Breakpoints()); diff != "" {
			t.Fatalf("breakpoints (-want +got)\n%s", diff)
		}
	})
}

func TestPrefixesDoNotKnowHowTheTextWasCut(t *testing.T) {
	digests := func(contents ...string) map[int64]fingerprint.Digest {
		var sections []composer.Section
		for i, content := range contents {
			sections = append(sections, composer.Section{ID: string(rune('a' + i)), Content: content})
		}
		byLength := map[int64]fingerprint.Digest{}
		for _, p := range compose(t, sections, composer.Config{Join: composer.NoJoin}).Prefixes() {
			byLength[p.Bytes] = p.Digest
		}
		return byLength
	}
	fine := digests("The ", "rules", " are ", "", "these: ", "漢", "字", ".")
	coarse := digests("The rules", " are these: 漢", "字.")
	for length, digest := range coarse {
		if fine[length] != digest {
			t.Errorf("the first %d bytes have two digests", length)
		}
	}
	if len(coarse) != 3 {
		t.Errorf("%d prefixes, want 3", len(coarse))
	}
}

func TestBreakpointsMoveAndMerge(t *testing.T) {
	in, out := composer.Section{Content: "in"}, composer.Section{Content: "out", Tier: tiers.Informational}
	mark := func(s composer.Section) composer.Section { s.Breakpoint = true; return s }
	for _, tt := range []struct {
		name     string
		sections []composer.Section
		want     []string
	}{
		{"none", []composer.Section{in, in}, nil},
		{"stays", []composer.Section{mark(in), in}, []string{"a"}},
		{"moves to the nearest included before it", []composer.Section{in, in, out, mark(out), in}, []string{"b"}},
		{"two meet", []composer.Section{mark(in), mark(out), in}, []string{"a"}},
		{"three meet", []composer.Section{in, mark(out), mark(out), mark(out)}, []string{"a"}},
		{"nothing before it", []composer.Section{mark(out), in}, nil},
		{"two of them", []composer.Section{mark(in), in, mark(in), out}, []string{"a", "c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for i := range tt.sections {
				tt.sections[i].ID = string(rune('a' + i))
			}
			c := compose(t, tt.sections, composer.Config{Budget: tiers.Limit(0)})
			var got []string
			for _, p := range c.Breakpoints() {
				got = append(got, p.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Whatever stands after the last breakpoint, the bytes up to it stay, and so does their digest.
func TestPrefixStableKeepsTheBytesOfTheHead(t *testing.T) {
	forAll(t, func(t failer, sections []composer.Section, cfg composer.Config, draw draw) {
		cfg.Gate = tiers.PrefixStable
		head := 0
		for i := range sections {
			sections[i].Group = ""
			if sections[i].Breakpoint {
				head = i + 1
			}
		}
		other := drawSections(draw)
		for i := range other {
			other[i].ID, other[i].Group, other[i].Breakpoint = "other "+other[i].ID, "", false
		}
		first := compose(t, sections, cfg)
		second := compose(t, append(append([]composer.Section{}, sections[:head]...), other...), cfg)
		if diff := cmp.Diff(first.Decisions()[:head], second.Decisions()[:head], budgets); diff != "" {
			t.Fatalf("another tail changes the head (-first +second)\n%s", diff)
		}
		if diff := cmp.Diff(first.Breakpoints(), second.Breakpoints()); diff != "" {
			t.Fatalf("another tail changes the breakpoints (-first +second)\n%s", diff)
		}
	})
}
