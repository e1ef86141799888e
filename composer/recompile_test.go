package composer_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

// A recompiler that has seen other recipes, good and bad, gives what a new one gives; so does a recipe writer.
func TestRecompilerForgetsNothingAndKeepsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		contents := map[fingerprint.Digest]string{}
		load := func(d fingerprint.Digest) (string, error) {
			if content, there := contents[d]; there {
				return content, nil
			}
			return "", errors.New("gone")
		}
		var old composer.Recompiler
		var writer composer.RecipeWriter
		sections := []composer.Section{}
		cfg := composer.Config{Gate: tiers.Reserved}
		for range rapid.IntRange(1, 12).Draw(t, "turns") {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				cfg.Budget = tiers.Limit(rapid.Int64Range(0, 40).Draw(t, "budget"))
			case 1:
				sections = sections[:rapid.IntRange(0, len(sections)).Draw(t, "cut")]
			case 2:
				if len(sections) > 0 {
					i := rapid.IntRange(0, len(sections)-1).Draw(t, "place")
					sections[i].Content = rapid.StringN(0, 6, 20).Draw(t, "content")
				}
			default:
				sections = append(sections, composer.Section{
					ID: fmt.Sprint("section ", len(sections)), Content: rapid.StringN(0, 6, 20).Draw(t, "content"),
					Tier: tiers.Tier(rapid.IntRange(0, 2).Draw(t, "tier")), Chain: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "chain"),
					Alternates: rapid.SliceOfN(rapid.StringN(0, 3, 9), 0, 2).Draw(t, "alternates"),
				})
			}
			c, err := composer.Compose(sections, cfg)
			if err != nil {
				t.Fatal(err)
			}
			recipe := c.Recipe()
			for _, s := range sections {
				for _, text := range append(s.Alternates, s.Content) {
					contents[fingerprint.SumString(text)] = text
				}
			}
			src := recipe.AppendJSON(nil)
			if again, written := writer.Write(c); string(written) != string(src) || again.Key() != recipe.Key() {
				t.Fatalf("a recipe writer that has seen other compositions wrote %s; want %s", written, src)
			}
			lost := rapid.IntRange(0, 4).Draw(t, "lose") == 0 && len(sections) > 0
			var name fingerprint.Digest
			if lost {
				name = recipe.Sections[rapid.IntRange(0, len(sections)-1).Draw(t, "lost")].Content.Digest
				delete(contents, name)
			}
			if !lost && rapid.IntRange(0, 6).Draw(t, "spoil") == 0 {
				at := rapid.IntRange(0, len(src)-1).Draw(t, "byte")
				src[at] = '~'
			}
			want, wantErr := new(composer.Recompiler).Compose(src, load)
			got, gotErr := old.Compose(src, load)
			if lost && wantErr != nil {
				// The old one may still have what was lost, from the turn before: then it gives what was recorded, or
				// misses something else.
				if gotErr != nil {
					continue
				}
				want, wantErr = c, nil
			}
			if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
				t.Fatalf("error %v; want %v", gotErr, wantErr)
			}
			if gotErr == nil && (got.Text() != want.Text() || got.Recipe().Key() != want.Recipe().Key() || fmt.Sprint(got.Decisions()) != fmt.Sprint(want.Decisions())) {
				t.Fatalf("%q; want %q", got.Text(), want.Text())
			}
		}
	})
}

// A session of many turns does not fill the memory: what is known of turns before is forgotten, the names of their groups too.
func TestRecompilerForgetsNames(t *testing.T) {
	load := func(fingerprint.Digest) (string, error) { return "x", nil }
	var c composer.Recompiler
	heap := func(from, to int) uint64 {
		for turn := from; turn < to; turn++ {
			sections := []composer.Section{{ID: "system", Content: "x"}}
			for i := turn; i < turn+100; i++ {
				sections = append(sections, composer.Section{ID: fmt.Sprint("m", i), Content: "x", Tier: tiers.Active,
					Chain: fmt.Sprint("chain ", i), Group: fmt.Sprint("group ", i)})
			}
			composition, err := composer.Compose(sections, composer.Config{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Compose(composition.Recipe().AppendJSON(nil), load); err != nil {
				t.Fatal(err)
			}
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		runtime.KeepAlive(&c)
		return m.HeapAlloc
	}
	if early, late := heap(0, 50), heap(50, 450); late > early+2<<20 {
		t.Errorf("%d bytes after 50 turns, %d after 450", early, late)
	}
}

// An id that stands twice is found wherever the recipe before ended, and whatever it failed of.
func TestRecompilerDuplicateID(t *testing.T) {
	recipe := func(ids ...string) []byte {
		c, err := composer.Compose([]composer.Section{{ID: "x", Content: "x"}}, composer.Config{})
		if err != nil {
			t.Fatal(err)
		}
		r := c.Recipe()
		one := r.Sections[0]
		r.Sections = nil
		for _, id := range ids {
			one.ID = id
			r.Sections = append(r.Sections, one)
		}
		return r.AppendJSON(nil)
	}
	left := 0
	load := func(fingerprint.Digest) (string, error) {
		if left--; left < 0 {
			return "", errors.New("gone")
		}
		return "x", nil
	}
	var c composer.Recompiler
	for _, step := range []struct {
		ids   []string
		loads int
		want  string
	}{
		{[]string{"a", "b"}, 9, ""},
		{[]string{"a", "b", "a"}, 9, "section 1 has it already"},
		{[]string{"a", "b", "c"}, 9, ""},
		{[]string{"a", "b", "c", "b", "d"}, 1, "gone"},
		{[]string{"a", "b", "c", "b", "d"}, 9, "section 2 has it already"},
		{[]string{"a", "c", "b"}, 9, ""},
		{[]string{"a", "c", "b", "b"}, 9, "section 3 has it already"},
		{[]string{"b", "b"}, 9, "section 1 has it already"},
		{[]string{"b", "a"}, 9, ""},
	} {
		left = step.loads
		_, err := c.Compose(recipe(step.ids...), load)
		if got := fmt.Sprint(err); err == nil && step.want != "" || err != nil && (step.want == "" || !strings.Contains(got, step.want)) {
			t.Errorf("%v: %v; want %q", step.ids, err, step.want)
		}
	}
}

// A recipe writer that has written the same composition but for one field of one section writes that field, wherever the section stands.
func TestRecipeWriterSeesEveryField(t *testing.T) {
	base := []composer.Section{{ID: "a", Content: "text"}, {ID: "b", Content: "text", Alternates: []string{"t"}, Tier: tiers.Active}, {ID: "c"}}
	for field, change := range changeSection {
		for place := range base {
			changed := slices.Clone(base)
			change(&changed[place])
			var w composer.RecipeWriter
			for _, sections := range [][]composer.Section{base, changed, base, changed[:2], base[:1], changed} {
				c := compose(t, sections, composer.Config{})
				want := c.Recipe().AppendJSON(nil)
				if _, got := w.Write(c); string(got) != string(want) {
					t.Errorf("%s of section %d changed: wrote %s, want %s", field, place+1, got, want)
				}
			}
		}
	}
}

// What a recipe that is cut short had before its end is not taken for what stood there in the one before.
func TestRecompilerAfterARecipeCutShort(t *testing.T) {
	contents := map[fingerprint.Digest]string{}
	recipe := func(texts ...string) string {
		var sections []composer.Section
		for i, text := range texts {
			sections = append(sections, composer.Section{ID: fmt.Sprint(i), Content: text})
			contents[fingerprint.SumString(text)] = text
		}
		return string(compose(t, sections, composer.Config{Join: composer.NoJoin}).Recipe().AppendJSON(nil))
	}
	good, other := recipe("a", "b", "c"), recipe("a", "x", "y")
	var c composer.Recompiler
	for _, src := range []string{good, other[:len(other)-1], good, other, good + " ", other} {
		got, err := c.Compose([]byte(src), func(d fingerprint.Digest) (string, error) { return contents[d], nil })
		want := map[string]string{good: "abc", other: "axy"}[src]
		if got.Text() != want || (err == nil) != (want != "") {
			t.Errorf("%q, %v; want %q", got.Text(), err, want)
		}
	}
}
