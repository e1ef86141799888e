package composer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

func TestRecipeIsAFixedPoint(t *testing.T) {
	sections := []composer.Section{
		{ID: "a", Content: "Äpfel", Alternates: []string{"A"}, Breakpoint: true},
		{ID: "b\"\n", Content: strings.Repeat("x", 50), Tier: tiers.Active, Alternates: []string{"xx", ""}, Chain: "c", Group: "g"},
		{ID: "c", Content: "tail", Tier: tiers.Informational, Priority: -3, Cost: tiers.Charged(0, 9)},
	}
	c, err := composer.Compose(sections, composer.Config{Gate: tiers.Reserved, Budget: tiers.Limit(20), MaxBytes: tiers.Limit(25)})
	if err != nil {
		t.Fatal(err)
	}
	texts := map[fingerprint.Digest]string{}
	for _, s := range sections {
		for _, text := range append([]string{s.Content}, s.Alternates...) {
			texts[fingerprint.SumString(text)] = text
		}
	}
	canonical := c.Recipe().AppendJSON(nil)
	recipe, err := composer.ParseRecipe(canonical)
	if err != nil {
		t.Fatal(err)
	}
	again, err := recipe.Compose(func(d fingerprint.Digest) (string, error) { return texts[d], nil })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(canonical), string(again.Recipe().AppendJSON(nil))); diff != "" {
		t.Errorf("recipe (-want +got)\n%s", diff)
	}
	if c.Fingerprint() != again.Fingerprint() {
		t.Error("fingerprints differ")
	}
	canon, err := fingerprint.Canonical(canonical)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(canon), string(canonical)); diff != "" {
		t.Errorf("not canonical (-want +got)\n%s", diff)
	}
}

func BenchmarkQuick(b *testing.B) {
	var sections []composer.Section
	for i := range 100 {
		sections = append(sections, composer.Section{ID: fmt.Sprint("section-", i), Content: strings.Repeat("lorem ipsum ", 86)[:1024], Tier: tiers.Tier(i % 3)})
	}
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			buf := make([]byte, 0, 100*1026)
			for i := range sections {
				buf = append(buf, sections[i].Content...)
				buf = append(buf, "\n\n"...)
			}
			fingerprint.Sum(buf)
		}
	})
	b.Run("compose", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c, _ := composer.Compose(sections, composer.Config{})
			c.Fingerprint()
		}
	})
	b.Run("reuse", func(b *testing.B) {
		b.ReportAllocs()
		buf := make([]byte, 0, 200*1026)
		for b.Loop() {
			c, _ := composer.Compose(sections, composer.Config{})
			buf = c.AppendText(buf[:0])
			c.Fingerprint()
		}
	})
}
