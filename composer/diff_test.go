package composer_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
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
		{"measure", set(func(c *composer.Config) { c.Measure = measure.Runes() }),
			[]change{{Kind: composer.MeasureChanged, A: "utf16", B: "runes"}}, -1, composer.MeasureChanged, [2]int64{22, 22}},
		{"join", set(func(c *composer.Config) { c.Join = composer.NoJoin }), []change{
			{Kind: composer.JoinChanged, A: "line", B: "none"},
			{Kind: composer.SeparatorChanged, A: "1 (1 bytes)", B: "0 (0 bytes)"},
		}, 5, composer.JoinChanged, [2]int64{5, 5}},
		{"fraction", set(func(c *composer.Config) { c.ActiveFraction, _ = tiers.NewFraction(1, 2) }),
			[]change{{Kind: composer.FractionChanged, A: "19/20", B: "1/2"}}, -1, composer.FractionChanged, [2]int64{22, 22}},
		{"bytes", set(func(c *composer.Config) { c.MaxBytes = tiers.Limit(22) }),
			[]change{{Kind: composer.MaxBytesChanged, A: "unlimited", B: "22"}}, -1, composer.MaxBytesChanged, [2]int64{22, 22}},
		{"reserve", set(func(c *composer.Config) { c.TailReserve = 3 }),
			[]change{{Kind: composer.TailReserveChanged, A: "0", B: "3"}}, -1, composer.TailReserveChanged, [2]int64{22, 22}},
		{"another alternate", edit(func(s []composer.Section) []composer.Section { s[1].Alternates = []string{"b", "c"}; return s }),
			[]change{{Kind: composer.AlternateChanged, Section: "b", A: "1 alternates", B: "2 alternates"}}, -1, composer.AlternateChanged, [2]int64{22, 22}},
		{"the end of an alternate", edit(func(s []composer.Section) []composer.Section { s[1].Alternates = []string{"b!"}; return s }),
			[]change{{Kind: composer.AlternateChanged, Section: "b", A: "alternate 1", B: "alternate 1", At: 1}}, -1, composer.AlternateChanged, [2]int64{22, 22}},
		{"cost", edit(func(s []composer.Section) []composer.Section { s[3].Cost = tiers.Charged(7, 5); return s }),
			[]change{{Kind: composer.CostChanged, Section: "d", A: "5 (5 bytes)", B: "7 (5 bytes)"}}, -1, composer.CostChanged, [2]int64{22, 24}},
		{"chain", edit(func(s []composer.Section) []composer.Section { s[1].Chain = "x"; return s }),
			[]change{{Kind: composer.ChainChanged, Section: "b", B: "x"}}, -1, composer.ChainChanged, [2]int64{22, 22}},
		{"group", edit(func(s []composer.Section) []composer.Section { s[1].Group = "x"; return s }),
			[]change{{Kind: composer.GroupChanged, Section: "b", B: "x"}}, -1, composer.GroupChanged, [2]int64{22, 22}},
		{"breakpoint", edit(func(s []composer.Section) []composer.Section { s[1].Breakpoint = true; return s }),
			[]change{{Kind: composer.BreakpointChanged, Section: "b", A: "false", B: "true"}}, -1, composer.BreakpointChanged, [2]int64{22, 22}},
		{"the first byte, under other settings", composed(t, append([]composer.Section{{ID: "a", Content: "Alpha", Breakpoint: true}}, sections[1:]...),
			composer.Config{Gate: tiers.Reserved, Budget: tiers.Limit(99), Join: composer.Line}), []change{
			{Kind: composer.BudgetChanged, A: "100", B: "99"}, {Kind: composer.ContentChanged, Section: "a"},
		}, 0, composer.ContentChanged, [2]int64{0, 0}},
		{"added, removed and changed", edit(func(s []composer.Section) []composer.Section {
			return []composer.Section{{ID: "n", Content: "new"}, s[0], s[1], {ID: "d", Content: "Delta"}}
		}), []change{
			{Kind: composer.SectionAdded, Section: "n"},
			{Kind: composer.ContentChanged, Section: "d"},
			{Kind: composer.TierChanged, Section: "d", A: "informational", B: "core"},
			{Kind: composer.VerdictChanged, Section: "d", A: "fits", B: "core"},
			{Kind: composer.SectionRemoved, Section: "c"},
		}, 0, composer.SectionAdded, [2]int64{0, 0}},
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

func TestDiffOfWhatAlternatesCost(t *testing.T) {
	compose := func(m measure.Measure) composer.Composition {
		return composed(t, []composer.Section{{ID: "a", Content: "a", Alternates: []string{"b", "😀"}}}, composer.Config{Measure: m})
	}
	want := []composer.Change{
		{Kind: composer.MeasureChanged, A: "utf16", B: "runes"},
		{Kind: composer.CostChanged, Section: "a", A: "2 (4 bytes)", B: "1 (4 bytes)"},
	}
	if diff := cmp.Diff(want, composer.Diff(compose(measure.UTF16()), compose(measure.Runes())).Changes); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Of several changes the cause is the one that explains best: of the section at the first differing byte what changed its
// text itself, then its place, then whether and how it is in; else the first of all that is no mere consequence.
func TestCause(t *testing.T) {
	ranks := [][]composer.ChangeKind{
		{composer.ContentChanged, composer.SectionAdded, composer.SectionRemoved},
		{composer.Reordered},
		{composer.AlternateChanged, composer.TierChanged, composer.CostChanged},
		{composer.PriorityChanged, composer.ChainChanged, composer.GroupChanged, composer.BreakpointChanged, composer.VerdictChanged},
	}
	budget := composer.Change{Kind: composer.BudgetChanged}
	consequence := composer.Change{Kind: composer.VerdictChanged, Section: "b"}
	if cause, told := (composer.Difference{Changes: []composer.Change{consequence}}).Cause(); cause != consequence || !told {
		t.Errorf("a consequence alone: cause %v", cause)
	}
	for rank, kinds := range ranks {
		for _, kind := range kinds {
			changes := []composer.Change{consequence, budget, {Kind: kind, Section: "a"}}
			for _, later := range ranks[min(rank+1, 3)] {
				changes = append([]composer.Change{changes[0], changes[1], {Kind: later, Section: "a"}}, changes[2:]...)
			}
			for _, d := range []composer.Difference{
				{Changes: changes, B: composer.Spot{Section: "a"}}, {Changes: changes, A: composer.Spot{Section: "a"}},
				{Changes: changes, At: 3, A: composer.Spot{Section: "a"}, B: composer.Spot{Section: "b"}},
			} {
				want := kind
				if rank == 3 {
					want = composer.BudgetChanged
				}
				if cause, told := d.Cause(); cause.Kind != want || !told {
					t.Errorf("%v: cause %v, want %s", d, cause, want)
				}
				d.At = -1
				if cause, _ := d.Cause(); cause != budget {
					t.Errorf("equal texts, %v: cause %v, want %v", d, cause, budget)
				}
			}
		}
	}
}

func TestDiffOfWhatIsCondensed(t *testing.T) {
	compose := func(budget tiers.Budget) composer.Composition {
		return composed(t, []composer.Section{{ID: "a", Content: "long", Tier: tiers.Informational, Alternates: []string{"abc", "b"}}},
			composer.Config{Budget: budget})
	}
	var got []string
	for _, budget := range []int64{3, 1, 0} {
		for _, c := range composer.Diff(compose(tiers.Budget{}), compose(tiers.Limit(budget))).Changes[1:] {
			got = append(got, c.String())
		}
	}
	want := []string{
		`verdict_changed: section "a": fits, alternate 1, was fits`,
		`verdict_changed: section "a": fits, alternate 2, was fits`,
		`verdict_changed: section "a": over-budget, was fits`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What is not in is passed over, wherever it stands, when sizes are added up.
func TestDiffAddsUpWhatIsIn(t *testing.T) {
	c := composed(t, []composer.Section{{ID: "a", Content: "aa"}, {ID: "b", Content: "bbb", Tier: tiers.Informational}, {ID: "c", Content: "cccc"}},
		composer.Config{Gate: tiers.Reserved, Budget: tiers.Limit(8), Join: composer.Line})
	if d := composer.Diff(c, c); d.CommonBytes != 7 || d.CommonSize != 7 {
		t.Errorf("%d bytes, size %d; want 7 and 7", d.CommonBytes, d.CommonSize)
	}
}

func TestDiffSaysWhere(t *testing.T) {
	compose := func(join composer.Join, contents ...string) composer.Composition {
		var sections []composer.Section
		for i, content := range contents {
			sections = append(sections, composer.Section{ID: fmt.Sprint(i), Content: content})
		}
		return composed(t, sections, composer.Config{Join: join})
	}
	a := compose(composer.BlankLine, "alpha", "", "beta")
	for _, test := range []struct {
		name  string
		b     composer.Composition
		a, at composer.Spot // what stands there in a, and in b
	}{
		{"nowhere", compose(composer.BlankLine, "alpha", "", "beta"), composer.Spot{}, composer.Spot{}},
		{"in a text", compose(composer.BlankLine, "alpha", "", "beTa"), composer.Spot{Section: "2", Offset: 2}, composer.Spot{Section: "2", Offset: 2}},
		{"in the separator before a text", compose(composer.Line, "alpha", "", "beta"), composer.Spot{Section: "2", Offset: -2}, composer.Spot{Section: "2", Offset: 0}},
		{"in a text, where the other has a separator", compose(composer.BlankLine, "alpha!", "", "beta"), composer.Spot{Section: "1", Offset: -2}, composer.Spot{Section: "0", Offset: 5}},
		{"at the end", compose(composer.BlankLine, "alpha", "", "bet"), composer.Spot{Section: "2", Offset: 3}, composer.Spot{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := composer.Diff(a, test.b)
			if d.A != test.a || d.B != test.at {
				t.Errorf("%+v and %+v; want %+v and %+v", d.A, d.B, test.a, test.at)
			}
		})
	}
}

// The sections that are told to have moved are the fewest without which both orders agree.
func TestDiffMovesTheFewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 7).Draw(t, "sections")
		ids := make([]string, n)
		for i := range ids {
			ids[i] = string(rune('a' + i))
		}
		compose := func(ids []string) composer.Composition {
			var sections []composer.Section
			for _, id := range ids {
				sections = append(sections, composer.Section{ID: id})
			}
			c, err := composer.Compose(sections, composer.Config{})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		shuffled := slices.Clone(ids)
		if n > 1 {
			shuffled = rapid.Permutation(ids).Draw(t, "order")
		}
		moved := map[string]bool{}
		for _, c := range composer.Diff(compose(ids), compose(shuffled)).Changes {
			if c.Kind != composer.Reordered {
				t.Fatalf("change %v", c)
			}
			moved[c.Section] = true
		}
		if left := slices.DeleteFunc(slices.Clone(shuffled), func(id string) bool { return moved[id] }); !slices.IsSorted(left) {
			t.Fatalf("of %v, %v have moved; that leaves %v", shuffled, moved, left)
		}
		for set := range 1 << n { // all choices of what stays
			var stay []string
			for i, id := range shuffled {
				if set&(1<<i) != 0 {
					stay = append(stay, id)
				}
			}
			if slices.IsSorted(stay) && len(stay) > n-len(moved) {
				t.Fatalf("of %v, %v have moved; but %v could stay", shuffled, moved, stay)
			}
		}
	})
}

func TestChangeIsToldInOneLine(t *testing.T) {
	for want, change := range map[string]composer.Change{
		`budget_changed: 12, was unlimited`:                              {Kind: composer.BudgetChanged, A: "unlimited", B: "12"},
		`section_added: section "a"`:                                     {Kind: composer.SectionAdded, Section: "a"},
		`content_changed: section "a", from byte 0 on`:                   {Kind: composer.ContentChanged, Section: "a"},
		`alternate_changed: section "a", alternate 2, from byte 7 on`:    {Kind: composer.AlternateChanged, Section: "a", A: "alternate 2", B: "alternate 2", At: 7},
		`alternate_changed: section "a": 2 alternates, was 1 alternates`: {Kind: composer.AlternateChanged, Section: "a", A: "1 alternates", B: "2 alternates"},
		`reordered: section "a": place 3, was place 1`:                   {Kind: composer.Reordered, Section: "a", A: "place 1", B: "place 3"},
		`chain_changed: section "a": x, was `:                            {Kind: composer.ChainChanged, Section: "a", B: "x"},
		`group_changed: section "a": , was x`:                            {Kind: composer.GroupChanged, Section: "a", A: "x"},
	} {
		if got := change.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
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
