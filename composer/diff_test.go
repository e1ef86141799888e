package composer_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/tiers"
)

func composed(t *testing.T, sections []composer.Section, cfg composer.Config) composer.Composition {
	t.Helper()
	c, err := composer.Compose(sections, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDiff(t *testing.T) {
	sections := []composer.Section{
		{ID: "a", Content: "alpha", Breakpoint: true},
		{ID: "b", Content: "beta", Tier: tiers.Active, Alternates: []string{"b"}},
		{ID: "c", Content: "gamma", Tier: tiers.Informational},
		{ID: "d", Content: "delta", Tier: tiers.Informational},
	}
	cfg := composer.Config{Gate: tiers.Reserved, Budget: tiers.Limit(100), Join: composer.Line}
	a := composed(t, sections, cfg)
	edit := func(f func([]composer.Section) []composer.Section) composer.Composition {
		return composed(t, f(slices.Clone(sections)), cfg)
	}
	set := func(f func(*composer.Config)) composer.Composition {
		cfg := cfg
		f(&cfg)
		return composed(t, sections, cfg)
	}
	type change = composer.Change
	for _, test := range []struct {
		name    string
		b       composer.Composition
		changes []change
		at      int64
		cause   composer.ChangeKind
		common  [2]int64 // bytes, size
	}{
		{"nothing", composed(t, sections, cfg), nil, -1, "", [2]int64{22, 22}},
		{"a byte", edit(func(s []composer.Section) []composer.Section { s[1].Content = "beTa"; return s }),
			[]change{{Kind: composer.ContentChanged, Section: "b", At: 2}}, 8, composer.ContentChanged, [2]int64{8, 5}},
		{"longer", edit(func(s []composer.Section) []composer.Section { s[3].Content = "delta!"; return s }),
			[]change{{Kind: composer.ContentChanged, Section: "d", At: 5}}, 22, composer.ContentChanged, [2]int64{22, 16}},
		{"added", edit(func(s []composer.Section) []composer.Section {
			return slices.Insert(s, 1, composer.Section{ID: "n", Content: "new"})
		}), []change{{Kind: composer.SectionAdded, Section: "n"}}, 6, composer.SectionAdded, [2]int64{6, 5}},
		{"removed", edit(func(s []composer.Section) []composer.Section { return slices.Delete(s, 1, 2) }),
			[]change{{Kind: composer.SectionRemoved, Section: "b"}}, 6, composer.SectionRemoved, [2]int64{6, 5}},
		{"moved", edit(func(s []composer.Section) []composer.Section { return []composer.Section{s[0], s[2], s[3], s[1]} }),
			[]change{{Kind: composer.Reordered, Section: "b", A: "place 2", B: "place 4"}}, 6, composer.Reordered, [2]int64{6, 5}},
		{"budget", set(func(c *composer.Config) { c.Budget = tiers.Limit(12) }), []change{
			{Kind: composer.BudgetChanged, A: "100", B: "12"},
			{Kind: composer.VerdictChanged, Section: "c", A: "fits", B: "over-budget"},
			{Kind: composer.VerdictChanged, Section: "d", A: "fits", B: "over-budget"},
		}, 10, composer.BudgetChanged, [2]int64{10, 10}},
		{"gate", set(func(c *composer.Config) { c.Gate = tiers.Published }),
			[]change{{Kind: composer.GateChanged, A: "reserved", B: "published"}}, -1, composer.GateChanged, [2]int64{22, 22}},
		{"tier", edit(func(s []composer.Section) []composer.Section { s[3].Tier = tiers.Core; return s }), []change{
			{Kind: composer.TierChanged, Section: "d", A: "informational", B: "core"},
			{Kind: composer.VerdictChanged, Section: "d", A: "fits", B: "core"},
		}, -1, composer.TierChanged, [2]int64{22, 22}},
		{"alternate", edit(func(s []composer.Section) []composer.Section { s[1].Alternates = []string{"B"}; return s }),
			[]change{{Kind: composer.AlternateChanged, Section: "b", A: "alternate 1", B: "alternate 1"}}, -1, composer.AlternateChanged, [2]int64{22, 22}},
		{"priority", edit(func(s []composer.Section) []composer.Section { s[1].Priority = 3; return s }),
			[]change{{Kind: composer.PriorityChanged, Section: "b", A: "0", B: "3"}}, -1, composer.PriorityChanged, [2]int64{22, 22}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := composer.Diff(a, test.b)
			if diff := cmp.Diff(test.changes, d.Changes); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if d.At != test.at || d.CommonBytes != test.common[0] || d.CommonSize != test.common[1] {
				t.Errorf("byte %d, common %d bytes, size %d; want %d, %v", d.At, d.CommonBytes, d.CommonSize, test.at, test.common)
			}
			if cause, told := d.Cause(); told != (test.cause != "") || cause.Kind != test.cause {
				t.Errorf("cause %v; want %s", cause, test.cause)
			}
		})
	}
}

// Without a change, the recipes are equal; with one, they differ. The first differing byte is the first.
func TestDiffSeesEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) composer.Composition {
			n := rapid.IntRange(0, 4).Draw(t, label)
			var sections []composer.Section
			for _, i := range rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "order")[:n] {
				sections = append(sections, composer.Section{
					ID: fmt.Sprint(i), Content: rapid.SampledFrom([]string{"", "x", "xy"}).Draw(t, "content"),
					Tier: tiers.Tier(rapid.IntRange(0, 2).Draw(t, "tier")), Priority: rapid.IntRange(0, 1).Draw(t, "priority"),
					Chain: rapid.SampledFrom([]string{"", "c"}).Draw(t, "chain"), Breakpoint: rapid.Bool().Draw(t, "breakpoint"),
					Alternates: rapid.SampledFrom([][]string{nil, {"a"}, {"b"}, {"a", "b"}}).Draw(t, "alternates"),
				})
			}
			c, err := composer.Compose(sections, composer.Config{
				Gate: tiers.Gate(rapid.IntRange(0, 2).Draw(t, "gate")), Budget: tiers.Limit(rapid.Int64Range(0, 3).Draw(t, "budget")),
				Join: composer.Join(rapid.IntRange(0, 2).Draw(t, "join")), TailReserve: rapid.Int64Range(0, 1).Draw(t, "reserve"),
			})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		a, b := draw("a"), draw("b")
		d := composer.Diff(a, b)
		cause, told := d.Cause()
		if same := a.Recipe().Key() == b.Recipe().Key(); same != (len(d.Changes) == 0) || told == same {
			t.Fatalf("equal recipes: %v; changes %v, cause %v", same, d.Changes, cause)
		}
		x, y := a.Text(), b.Text()
		n := int64(0)
		for n < int64(len(x)) && n < int64(len(y)) && x[n] == y[n] {
			n++
		}
		if d.CommonBytes != n || (d.At == -1) != (x == y) || d.At >= 0 && d.At != n {
			t.Fatalf("%q and %q: byte %d, common %d; want %d", x, y, d.At, d.CommonBytes, n)
		}
	})
}

func TestMarks(t *testing.T) {
	c := composed(t, []composer.Section{{ID: "a", Content: "日本"}, {ID: "b", Content: "x", Tier: tiers.Informational, Breakpoint: true},
		{ID: "c", Content: "", Breakpoint: true}, {ID: "d", Content: "tail"}}, composer.Config{Budget: tiers.Limit(2)})
	marks, want := c.Marks(), c.Breakpoints()
	for i := range want {
		want[i].Digest = [32]byte{}
	}
	if diff := cmp.Diff(want, marks); diff != "" || len(marks) != 2 {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func ExampleDiff() {
	compose := func(note string) composer.Composition {
		c, err := composer.Compose([]composer.Section{{ID: "persona", Content: "You are careful."}, {ID: "note", Content: note}}, composer.Config{})
		if err != nil {
			panic(err)
		}
		return c
	}
	d := composer.Diff(compose("It is fine."), compose("It is wet."))
	cause, _ := d.Cause()
	fmt.Println(cause)
	fmt.Println("byte", d.At, "of the text, common prefix", d.CommonBytes, "bytes")
	// Output:
	// content_changed: section "note", from byte 6 on
	// byte 24 of the text, common prefix 24 bytes
}
