package composer_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

func TestComposeRefuses(t *testing.T) {
	ok := composer.Section{ID: "ok", Content: "fine"}
	split := []composer.Section{{ID: "a", Tier: tiers.Active, Group: "g", Breakpoint: true}, {ID: "b", Tier: tiers.Active, Group: "g"}}
	for _, tt := range []struct {
		name     string
		sections []composer.Section
		cfg      composer.Config
		want     error  // nil: any
		index    int    // of the section, -1: of none
		text     string // the whole message
	}{
		{"no id", []composer.Section{ok, {Content: "x"}}, composer.Config{}, composer.ErrEmptyID, 1,
			`composer: section 2 (""): empty id`},
		{"no id, twice", []composer.Section{{}, {}}, composer.Config{}, composer.ErrEmptyID, 0,
			`composer: section 1 (""): empty id`},
		{"an id twice", []composer.Section{ok, {ID: "x"}, ok}, composer.Config{}, composer.ErrDuplicateID, 2,
			`composer: section 3 ("ok"): duplicate id; section 1 has it already`},
		{"content", []composer.Section{ok, {ID: "x", Content: "ab\xffc"}}, composer.Config{}, composer.ErrInvalidUTF8, 1,
			`composer: section 2 ("x"): content: invalid UTF-8 at byte 2`},
		{"content cut off within a character", []composer.Section{{ID: "x", Content: "é😀"[:5]}}, composer.Config{}, composer.ErrInvalidUTF8, 0,
			`composer: section 1 ("x"): content: invalid UTF-8 at byte 2`},
		{"a surrogate in UTF-8", []composer.Section{{ID: "x", Content: "a\xed\xa0\x80"}}, composer.Config{}, composer.ErrInvalidUTF8, 0,
			`composer: section 1 ("x"): content: invalid UTF-8 at byte 1`},
		{"id", []composer.Section{{ID: "\xc0\x80"}}, composer.Config{}, composer.ErrInvalidUTF8, 0,
			`composer: section 1 ("\xc0\x80"): id: invalid UTF-8 at byte 0`},
		{"chain", []composer.Section{{ID: "x", Chain: "a\x80"}}, composer.Config{}, composer.ErrInvalidUTF8, 0,
			`composer: section 1 ("x"): chain: invalid UTF-8 at byte 1`},
		{"group", []composer.Section{{ID: "x", Group: "ab\x80"}}, composer.Config{}, composer.ErrInvalidUTF8, 0,
			`composer: section 1 ("x"): group: invalid UTF-8 at byte 2`},
		{"alternate", []composer.Section{{ID: "x", Alternates: []string{"fine", "\ufffd\xff"}}}, composer.Config{}, composer.ErrInvalidUTF8, 0,
			`composer: section 1 ("x"): alternate 2: invalid UTF-8 at byte 3`},
		{"size below zero", []composer.Section{{ID: "x", Cost: tiers.Charged(-1, 0)}}, composer.Config{}, tiers.ErrNegative, 0,
			`composer: section 1 ("x"): negative size -1`},
		{"bytes below zero", []composer.Section{{ID: "x", Cost: tiers.Charged(0, -1)}}, composer.Config{}, tiers.ErrNegative, 0,
			`composer: section 1 ("x"): negative byte count -1`},
		{"a measure that has no size for it", []composer.Section{{ID: "x"}}, composer.Config{Measure: measure.New("picky", func(s string) int64 { return int64(len(s)) - 1 })}, tiers.ErrNegative, 0,
			`composer: section 1 ("x"): negative size -1`},
		{"a measure whose name is taken", []composer.Section{{ID: "x"}}, composer.Config{Measure: measure.New("utf16", func(s string) int64 { return int64(len(s)) })}, tiers.ErrNegative, -1,
			`composer: negative separator: size -1, byte count 2; a measure counts from 0, and none may take a built-in name`},
		{"sum beyond int64", []composer.Section{{ID: "x", Cost: tiers.Charged(math.MaxInt64, 0)}, {ID: "y", Content: "1"}}, composer.Config{Join: composer.NoJoin}, tiers.ErrTooLarge, 1,
			`composer: section 2 ("y"): the sum of all sizes and separators exceeds int64`},
		{"tier", []composer.Section{{ID: "x", Tier: 3}}, composer.Config{}, tiers.ErrUnknown, 0,
			`composer: section 1 ("x"): unknown tier 3`},
		{"split group", split, composer.Config{Gate: tiers.PrefixStable}, tiers.ErrSplitGroup, 1,
			`composer: section 2 ("b"): the group has members on both sides of the last breakpoint`},
		{"reserve below zero", nil, composer.Config{TailReserve: -1}, tiers.ErrNegative, -1, `composer: negative tail reserve -1`},
		{"gate", nil, composer.Config{Gate: 3}, tiers.ErrUnknown, -1, `composer: unknown gate 3; want published, reserved or prefix-stable`},
		{"join", nil, composer.Config{Join: 3}, nil, -1, `composer: unknown join 3; want blank-line, line or none`},
		{"a measure without a name", nil, composer.Config{Measure: measure.New("", func(string) int64 { return 0 })}, nil, -1, `composer: measure ""; want a name in valid UTF-8`},
		{"a measure whose name is no text", nil, composer.Config{Measure: measure.New("\xff", func(string) int64 { return 0 })}, nil, -1, `composer: measure "\xff"; want a name in valid UTF-8`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			probed := false
			c, err := composer.Compose(tt.sections, tt.cfg, func(composer.PromptBuilt) { probed = true })
			if err == nil {
				t.Fatalf("no error; composed %q", c.Text())
			}
			if tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("error %q is not %q", err, tt.want)
			}
			if !strings.HasPrefix(err.Error(), "composer: ") || tt.text != "" && err.Error() != tt.text {
				t.Errorf("error %q, want %q", err, tt.text)
			}
			var section *composer.SectionError
			if errors.As(err, &section) != (tt.index >= 0) {
				t.Errorf("error %q is about section %v, want %d", err, section, tt.index)
			} else if section != nil && (section.Index != tt.index || section.ID != tt.sections[tt.index].ID) {
				t.Errorf("error %q is about section %d %q", err, section.Index, section.ID)
			}
			if probed || c.Text() != "" || len(c.Decisions()) != 0 {
				t.Errorf("half a result: probed %v, text %q", probed, c.Text())
			}
		})
	}
}

// The byte of an encoding error is where the longest valid beginning ends.
func TestEncodingErrorsSayWhere(t *testing.T) {
	for _, bad := range []string{"\xff", "\x80", "\xc3", "\xe6\xbc", "\xf0\x9f\x98", "\xed\xbf\xbf", "\xc0\xaf", "\xf4\x90\x80\x80"} {
		for _, good := range []string{"", "a", "é", "漢", "😀", "\ufffd", strings.Repeat("0123456789", 20)} {
			_, err := composer.Compose([]composer.Section{{ID: "x", Content: good + bad + good}}, composer.Config{})
			var encoding *composer.EncodingError
			if !errors.As(err, &encoding) || encoding.Field != "content" || encoding.Offset != len(good) {
				t.Errorf("%+q: %v; want content, byte %d", good+bad, err, len(good))
			}
		}
	}
}

func TestFirstDuplicateIsFound(t *testing.T) {
	sections := make([]composer.Section, 3000)
	for i := range sections {
		sections[i].ID = strings.Repeat("s", i+1)
	}
	sections[2500].ID = sections[17].ID
	sections[2999].ID = sections[4].ID
	_, err := composer.Compose(sections, composer.Config{})
	var section *composer.SectionError
	if !errors.As(err, &section) || section.Index != 2500 || !strings.HasSuffix(err.Error(), "section 18 has it already") {
		t.Errorf("%.300v", err)
	}
}

func TestJoins(t *testing.T) {
	contents := func(contents ...string) (sections []composer.Section) {
		for i, content := range contents {
			sections = append(sections, composer.Section{ID: string(rune('a' + i)), Content: content})
		}
		return sections
	}
	for _, tt := range []struct {
		name     string
		join     composer.Join
		sections []composer.Section
		want     string
	}{
		{"blank lines", composer.BlankLine, contents("one", "two", "three"), "one\n\ntwo\n\nthree"},
		{"lines", composer.Line, contents("one", "two"), "one\ntwo"},
		{"nothing", composer.NoJoin, contents("one", "two"), "onetwo"},
		{"one section", composer.BlankLine, contents("one"), "one"},
		{"no section", composer.BlankLine, nil, ""},
		{"an empty content takes part", composer.BlankLine, contents("", "two", "", "four", ""), "\n\ntwo\n\n\n\nfour\n\n"},
		{"only empty contents", composer.Line, contents("", "", ""), "\n\n"},
		{"ends of lines are left as they are", composer.Line, contents("one\r\n", " two \n", "\x00\r"), "one\r\n\n two \n\n\x00\r"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := compose(t, tt.sections, composer.Config{Join: tt.join})
			if diff := cmp.Diff(tt.want, c.Text()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if c.Fingerprint() != fingerprint.SumString(tt.want) || c.Len() != int64(len(tt.want)) {
				t.Errorf("fingerprint %v, length %d", c.Fingerprint(), c.Len())
			}
		})
	}
	for j, name := range []string{"blank-line", "line", "none"} {
		join, err := composer.ParseJoin(name)
		if between := []string{"\n\n", "\n", ""}[j]; join.Text() != between {
			t.Errorf("%v puts %q between sections, want %q", join, join.Text(), between)
		}
		if join != composer.Join(j) || err != nil || join.String() != name {
			t.Errorf("ParseJoin(%q) = %v, %v", name, join, err)
		}
		text, err := join.MarshalText()
		var back composer.Join
		if string(text) != name || err != nil || back.UnmarshalText(text) != nil || back != join {
			t.Errorf("%v marshals to %q, %v and back to %v", join, text, err, back)
		}
	}
	kept := composer.Line
	if err := kept.UnmarshalText([]byte("Line")); err == nil || kept != composer.Line {
		t.Errorf("a name that is none: %v, and the join is %v", err, kept)
	}
	if _, err := composer.ParseJoin("Line"); err == nil {
		t.Error("ParseJoin takes capitals")
	}
	if text, err := composer.Join(3).MarshalText(); err == nil || composer.Join(3).String() != "3" || composer.Join(3).Text() != "" {
		t.Errorf("join 3 marshals to %q and prints as %v", text, composer.Join(3))
	}
}

func TestIssueExampleEndToEnd(t *testing.T) {
	sized := func(id string, tier tiers.Tier, n int) composer.Section {
		return composer.Section{ID: id, Tier: tier, Content: strings.Repeat("x", n)}
	}
	for _, tt := range []struct {
		name       string
		sections   []composer.Section
		budget     tiers.Budget
		included   []string
		total      int64
		overflow   int64
		budgetUsed int64
	}{
		{"38 fits below the ceiling of 98", []composer.Section{sized("c", tiers.Core, 60), sized("a", tiers.Active, 38)}, tiers.Limit(100), []string{"c", "a"}, 98, 0, 98},
		{"39 does not", []composer.Section{sized("c", tiers.Core, 60), sized("a", tiers.Active, 39)}, tiers.Limit(100), []string{"c"}, 60, 0, 60},
		{"late core: both are in", []composer.Section{sized("a", tiers.Active, 90), sized("c", tiers.Core, 60)}, tiers.Limit(100), []string{"a", "c"}, 150, 52, 150},
		{"budget 0 keeps core", []composer.Section{sized("a", tiers.Active, 1), sized("c", tiers.Core, 6), sized("i", tiers.Informational, 1)}, tiers.Limit(0), []string{"c"}, 6, 6, 100},
		{"budget 0, nothing in", []composer.Section{sized("i", tiers.Informational, 1)}, tiers.Limit(0), []string{}, 0, 0, 0},
		{"no budget keeps all", []composer.Section{sized("i", tiers.Informational, 1000), sized("a", tiers.Active, 1000)}, tiers.Budget{}, []string{"i", "a"}, 2000, 0, 0},
		{"rounded half up", []composer.Section{sized("c", tiers.Core, 199)}, tiers.Limit(200), []string{"c"}, 199, 0, 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := compose(t, tt.sections, composer.Config{Budget: tt.budget})
			if diff := cmp.Diff(tt.included, c.Included()); diff != "" {
				t.Errorf("included (-want +got)\n%s", diff)
			}
			if c.TotalChars() != tt.total || c.Overflow() != tt.overflow || c.BudgetUsedPct() != tt.budgetUsed {
				t.Errorf("total %d, overflow %d, used %d %%", c.TotalChars(), c.Overflow(), c.BudgetUsedPct())
			}
		})
	}
}

func TestTotalTokensEst(t *testing.T) {
	words := measure.New("words", func(s string) int64 { return int64(len(strings.Fields(s))) })
	for _, tt := range []struct {
		measure measure.Measure
		text    string
		want    int64
	}{
		{measure.UTF16(), "", 0}, {measure.UTF16(), "1", 1}, {measure.UTF16(), "1234", 1}, {measure.UTF16(), "12345", 2},
		{measure.UTF16(), "😀😀", 1}, {measure.Bytes(), "😀😀", 2}, {measure.Runes(), "😀😀", 1},
		{measure.QuarterTokens(), "12345678", 2}, {words, "one two three four five", 5},
	} {
		c := compose(t, []composer.Section{{ID: "x", Content: tt.text}}, composer.Config{Measure: tt.measure})
		if got := c.TotalTokensEst(); got != tt.want {
			t.Errorf("%s of %q is %d tokens, want %d", tt.measure.Name(), tt.text, got, tt.want)
		}
	}
	largest := compose(t, []composer.Section{{ID: "x", Cost: tiers.Charged(math.MaxInt64, 0)}}, composer.Config{})
	if got := largest.TotalTokensEst(); got != math.MaxInt64/4+1 {
		t.Errorf("the largest total is %d tokens", got)
	}
}

func TestResolverIsAskedOnceAndOnlyWhenNeeded(t *testing.T) {
	for _, tt := range []struct {
		name   string
		budget tiers.Budget
		answer tiers.Budget
		want   tiers.Budget
		calls  int
	}{
		{"a budget that is set", tiers.Limit(0), tiers.Limit(9), tiers.Limit(0), 0},
		{"an answer", tiers.Budget{}, tiers.Limit(9), tiers.Limit(9), 1},
		{"no answer", tiers.Budget{}, tiers.Budget{}, tiers.Budget{}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls := 0
			c := compose(t, []composer.Section{{ID: "a"}, {ID: "b"}}, composer.Config{
				Budget: tt.budget, Depth: 2, Role: "scout",
				Resolver: func(depth int, role string) tiers.Budget {
					if calls++; depth != 2 || role != "scout" {
						t.Errorf("asked for %d, %q", depth, role)
					}
					return tt.answer
				},
			})
			c.Explain()
			c.Recipe()
			if c.EffectiveBudget() != tt.want || calls != tt.calls {
				t.Errorf("budget %v after %d calls, want %v after %d", c.EffectiveBudget(), calls, tt.want, tt.calls)
			}
		})
	}
}

func TestProbeIsToldOnce(t *testing.T) {
	sections := []composer.Section{
		{ID: "z", Content: "core"},
		{ID: "big", Content: strings.Repeat("x", 99), Tier: tiers.Active},
		{ID: "a", Content: "short", Tier: tiers.Informational},
		{ID: "also big", Content: strings.Repeat("y", 50), Tier: tiers.Informational},
	}
	for _, tt := range []struct {
		name   string
		budget tiers.Budget
		want   string
	}{
		{"dropped", tiers.Limit(20), `{"sections":2,"totalChars":9,"totalTokensEst":3,"budgetUsedPct":45,"effectiveBudget":20,` +
			`"sectionChars":{"a":5,"z":4},"dropped":["big","also big"],"droppedChars":{"also big":50,"big":99}}`},
		{"nothing dropped: the fields are left out", tiers.Budget{}, `{"sections":4,"totalChars":158,"totalTokensEst":40,"budgetUsedPct":0,` +
			`"effectiveBudget":null,"sectionChars":{"a":5,"also big":50,"big":99,"z":4}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var events []composer.PromptBuilt
			probe := func(e composer.PromptBuilt) { events = append(events, e) }
			spoiler := func(e composer.PromptBuilt) { clear(e.SectionChars); clear(e.Dropped); clear(e.DroppedChars) }
			c, err := composer.Compose(sections, composer.Config{Budget: tt.budget}, spoiler, probe, nil, probe)
			if err != nil || len(events) != 2 {
				t.Fatalf("%v; two probes were told %d times", err, len(events))
			}
			for _, event := range append(events, composer.BuildPromptBuiltEvent(c)) {
				got, err := json.Marshal(event)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, string(got)); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			}
		})
	}
	got, err := json.Marshal(composer.BuildPromptBuiltEvent(compose(t, nil, composer.Config{})))
	if want := `{"sections":0,"totalChars":0,"totalTokensEst":0,"budgetUsedPct":0,"effectiveBudget":null,"sectionChars":{}}`; string(got) != want || err != nil {
		t.Errorf("of nothing: %s, %v; want %s", got, err, want)
	}
}

// The text is the contents that the decisions speak of, joined, and each stands where its decision says. Which those are
// is what Admit decides of sizes that are measured here once more, by decoding.
func TestTextIsWhatTheDecisionsSay(t *testing.T) {
	forAll(t, func(t failer, sections []composer.Section, cfg composer.Config, _ draw) {
		c := compose(t, sections, cfg)
		text, decisions := c.Text(), c.Decisions()
		if len(decisions) != len(sections) {
			t.Fatalf("%d decisions about %d sections", len(decisions), len(sections))
		}
		plan := independentPlan(t, sections, cfg)
		var forms []string
		for i, d := range decisions {
			v := plan.Verdicts[i]
			if d.ID != sections[i].ID || d.Tier != sections[i].Tier || d.Reason != v.Reason || d.Included != v.Included() ||
				d.Alternate != v.Alternate || d.Limit != v.Limit || d.Before != v.Before {
				t.Fatalf("section %d: %+v, want %+v", i, d, v)
			}
			form := sections[i].Content
			if d.Alternate > 0 {
				form = sections[i].Alternates[d.Alternate-1]
			}
			if !d.Included {
				form = ""
			} else {
				forms = append(forms, form)
			}
			if text[d.Start:d.End] != form {
				t.Fatalf("section %d is not at %d to %d of %q", i, d.Start, d.End, text)
			}
		}
		want := strings.Join(forms, [...]string{"\n\n", "\n", ""}[cfg.Join])
		if text != want || c.Len() != int64(len(want)) || string(c.AppendText(nil)) != want || c.Fingerprint() != fingerprint.SumString(want) {
			t.Fatalf("text %q, length %d, fingerprint %v; want %q", text, c.Len(), c.Fingerprint(), want)
		}
		if c.TotalChars() != plan.Total.Size() || c.Overflow() != plan.Overflow || c.OverflowBytes() != plan.OverflowBytes {
			t.Fatalf("total %d, overflow %d and %d; want %+v", c.TotalChars(), c.Overflow(), c.OverflowBytes(), plan)
		}
	})
}

func independentPlan(t failer, sections []composer.Section, cfg composer.Config) tiers.Plan {
	t.Helper()
	size := func(s string) int64 {
		var n, wide int64
		for _, r := range s {
			n++
			if r > 0xffff {
				wide++
			}
		}
		switch cfg.Measure.Name() {
		case "bytes":
			return int64(len(s))
		case "runes":
			return n
		case "chars/4":
			return (n + wide + 3) / 4
		}
		return n + wide
	}
	charge := func(s string) tiers.Cost { return tiers.Charged(size(s), int64(len(s))) }
	chainNames, groupNames := []string{""}, []string{""}
	number := func(names *[]string, name string) int {
		if !slices.Contains(*names, name) {
			*names = append(*names, name)
		}
		return slices.Index(*names, name)
	}
	items := make([]tiers.Item, len(sections))
	head := 0
	for i, s := range sections {
		items[i] = tiers.Item{Tier: s.Tier, Cost: s.Cost, Priority: s.Priority,
			Chain: number(&chainNames, s.Chain), Group: number(&groupNames, s.Group)}
		if s.Cost == (tiers.Cost{}) {
			items[i].Cost = charge(s.Content)
		}
		for _, alternate := range s.Alternates {
			items[i].Alternates = append(items[i].Alternates, charge(alternate))
		}
		if s.Breakpoint {
			head = i + 1
		}
	}
	plan, err := tiers.Admit(items, tiers.Rules{Gate: cfg.Gate, Budget: cfg.Budget, MaxBytes: cfg.MaxBytes, ActiveFraction: cfg.ActiveFraction,
		Separator: charge([...]string{"\n\n", "\n", ""}[cfg.Join]), Head: head, TailReserve: cfg.TailReserve})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return plan
}

// With sizes that were measured, what the reserved gate keeps to the budget is the emitted text itself.
func TestReservedTextFitsTheBudget(t *testing.T) {
	held := 0
	forAll(t, func(t failer, sections []composer.Section, cfg composer.Config, _ draw) {
		cfg.Gate = tiers.Reserved
		var core []composer.Section
		for i := range sections {
			sections[i].Cost = tiers.Cost{}
			if sections[i].Tier == tiers.Core {
				core = append(core, sections[i])
			}
		}
		budget, limited := cfg.Budget.Value()
		if cfg.Measure.Name() == "chars/4" || !limited || cfg.Measure.Count(compose(t, core, composer.Config{Join: cfg.Join}).Text()) > budget {
			return // quarter tokens of parts add up to more than those of the whole; the law below is about sums
		}
		held++
		if c := compose(t, sections, cfg); cfg.Measure.Count(c.Text()) > budget || c.Overflow() != 0 {
			t.Fatalf("%q is %d, overflow %d, budget %d", c.Text(), cfg.Measure.Count(c.Text()), c.Overflow(), budget)
		}
	})
	if held == 0 {
		t.Error("core never fitted: this shows nothing")
	}
}

func TestIncludedAndDroppedAreInOrder(t *testing.T) {
	forAll(t, func(t failer, sections []composer.Section, cfg composer.Config, _ draw) {
		c := compose(t, sections, cfg)
		included, dropped := []string{}, []string{}
		for _, d := range c.Decisions() {
			if d.Included {
				included = append(included, d.ID)
			} else {
				dropped = append(dropped, d.ID)
			}
		}
		if diff := cmp.Diff([][]string{included, dropped}, [][]string{c.Included(), c.Dropped()}); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
		event := composer.BuildPromptBuiltEvent(c)
		if event.Sections != len(included) || len(event.SectionChars) != len(included) || len(event.DroppedChars) != len(dropped) || !slices.Equal(event.Dropped, dropped) {
			t.Fatalf("event %+v", event)
		}
	})
}

func TestTheCallerMayReuseTheSections(t *testing.T) {
	forAll(t, func(t failer, sections []composer.Section, cfg composer.Config, _ draw) {
		want := compose(t, slices.Clone(sections), cfg)
		wantText, wantRecipe := want.Text(), string(want.Recipe().AppendJSON(nil))
		c := compose(t, sections, cfg)
		for i := range sections {
			for k := range sections[i].Alternates {
				sections[i].Alternates[k] = "changed"
			}
			sections[i] = composer.Section{ID: "changed", Content: "changed", Breakpoint: true}
		}
		if c.Text() != wantText || string(c.Recipe().AppendJSON(nil)) != wantRecipe {
			t.Fatalf("text %q, want %q", c.Text(), wantText)
		}
	})
}

// Sections come back as they were given, with a verdict each, for as long as they are asked for.
func TestSectionsAndVerdicts(t *testing.T) {
	sections := []composer.Section{
		{ID: "a", Content: "aa"},
		{ID: "b", Content: "bbb", Tier: tiers.Active, Alternates: []string{"bb", "b"}, Chain: "c", Group: "g", Priority: 2, Breakpoint: true},
		{ID: "c", Content: "c", Tier: tiers.Informational, Cost: tiers.Charged(9, 9)},
	}
	c := compose(t, sections, composer.Config{Gate: tiers.Reserved, Budget: tiers.Limit(4), Join: composer.NoJoin})
	sameCost := cmp.Comparer(func(a, b tiers.Cost) bool { return a == b })
	if diff := cmp.Diff(sections, slices.Collect(c.Sections()), sameCost); diff != "" {
		t.Errorf("sections (-want +got)\n%s", diff)
	}
	var got []string
	for v := range c.Verdicts() {
		got = append(got, fmt.Sprint(v.Reason, " ", v.Alternate))
	}
	if diff := cmp.Diff([]string{"core 0", "fits 2", "over-budget 0"}, got); diff != "" {
		t.Errorf("verdicts (-want +got)\n%s", diff)
	}
	seen := 0
	for range c.Sections() {
		seen++
		break
	}
	for range c.Verdicts() {
		seen++
		break
	}
	if seen != 2 {
		t.Errorf("%d seen", seen)
	}
}

func TestRebudgetIsAFreshCompose(t *testing.T) {
	forAll(t, func(t failer, sections []composer.Section, cfg composer.Config, draw draw) {
		c := compose(t, sections, cfg)
		before := c.Text()
		cfg.Budget = tiers.Limit(int64(draw(100)))
		if draw(5) == 0 {
			cfg.Budget = tiers.Budget{}
		}
		fresh := compose(t, sections, cfg)
		again, err := c.Rebudget(cfg.Budget)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if diff := cmp.Diff(fresh.Decisions(), again.Decisions(), budgets); diff != "" {
			t.Fatalf("decisions (-fresh +rebudget)\n%s", diff)
		}
		if again.Text() != fresh.Text() || again.Fingerprint() != fresh.Fingerprint() || again.Recipe().Key() != fresh.Recipe().Key() || again.Len() != fresh.Len() {
			t.Fatalf("%q, want %q", again.Text(), fresh.Text())
		}
		if c.Text() != before {
			t.Fatalf("the first composition changed from %q to %q", before, c.Text())
		}
	})
}

// budgets lets cmp compare limits, whose fields are their own.
var budgets = cmp.Comparer(func(a, b tiers.Budget) bool { return a == b })

func TestAppendTextKeepsWhatIsThere(t *testing.T) {
	c := compose(t, []composer.Section{{ID: "a", Content: "one"}, {ID: "b", Content: "two"}}, composer.Config{})
	for range 2 {
		if got := string(c.AppendText([]byte("before "))); got != "before one\n\ntwo" {
			t.Errorf("%q", got)
		}
	}
	if want := fingerprint.SumString("one\n\ntwo"); c.Fingerprint() != want {
		t.Error("the fingerprint is of the whole buffer")
	}
}

func TestAllocationsDoNotGrowWithSections(t *testing.T) {
	measured := func(n int) (appending, composing float64) {
		sections := make([]composer.Section, n)
		for i := range sections {
			sections[i] = composer.Section{ID: strings.Repeat("i", i+1), Content: "some text", Tier: tiers.Tier(i % 3)}
		}
		cfg := composer.Config{Gate: tiers.Reserved, Budget: tiers.Limit(int64(7 * n))}
		c := compose(t, sections, cfg)
		buf := make([]byte, 0, c.Len())
		appending = testing.AllocsPerRun(20, func() { buf = c.AppendText(buf[:0]) })
		composing = testing.AllocsPerRun(20, func() {
			if _, err := composer.Compose(sections, cfg); err != nil {
				t.Fatal(err)
			}
		})
		return appending, composing
	}
	few, composeFew := measured(10)
	many, composeMany := measured(1000)
	if few != 0 || many != 0 {
		t.Errorf("AppendText into a buffer with room allocates %v times for 10 sections, %v for 1000", few, many)
	}
	if composeMany > composeFew {
		t.Errorf("Compose allocates %v times for 10 sections, %v for 1000", composeFew, composeMany)
	}
	if composeFew > 12 {
		t.Errorf("Compose allocates %v times", composeFew)
	}
}

func TestCompositionsServeManyGoroutines(t *testing.T) {
	sections := []composer.Section{{ID: "a", Content: "alpha", Breakpoint: true}, {ID: "b", Content: "beta", Tier: tiers.Active}, {ID: "c", Content: "gamma", Tier: tiers.Informational}}
	for range 50 {
		c := compose(t, sections, composer.Config{Budget: tiers.Limit(12)})
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for k := range 5 {
					switch (i + k) % 5 {
					case 0:
						if c.Text() != "alpha\n\nbeta" {
							t.Errorf("text %q", c.Text())
						}
					case 1:
						if c.Fingerprint() != fingerprint.SumString("alpha\n\nbeta") {
							t.Errorf("fingerprint %v", c.Fingerprint())
						}
					case 2:
						if got := string(c.AppendText(nil)); got != "alpha\n\nbeta" {
							t.Errorf("appended %q", got)
						}
					case 3:
						if p := c.Prefixes(); len(p) != 2 {
							t.Errorf("prefixes %v", p)
						}
					case 4:
						if r, err := c.Rebudget(tiers.Limit(5)); err != nil || r.Text() != "alpha" {
							t.Errorf("under a budget of 5 %q, %v", r.Text(), err)
						}
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestZeroCompositionIsOfNoSections(t *testing.T) {
	var c composer.Composition
	if c.Text() != "" || c.Len() != 0 || len(c.AppendText(nil)) != 0 || c.Fingerprint() != fingerprint.Sum(nil) || len(c.Decisions()) != 0 ||
		len(c.Prefixes()) != 0 || len(c.Included()) != 0 || c.TotalChars() != 0 || c.Overflow() != 0 || c.BudgetUsedPct() != 0 {
		t.Error("the zero composition has something in it")
	}
	if _, limited := c.EffectiveBudget().Value(); limited {
		t.Error("the zero composition is limited")
	}
	again, err := c.Recipe().Compose(func(fingerprint.Digest) (string, error) { return "", errors.New("nothing to load") })
	if err != nil || again.Recipe().Key() != c.Recipe().Key() {
		t.Errorf("the recipe of the zero composition gives %v, error %v", again.Recipe(), err)
	}
}

func TestSectionsAreTheCallers(t *testing.T) {
	c, err := composer.Compose([]composer.Section{{ID: "a", Content: "long", Tier: tiers.Active, Alternates: []string{"s"}}},
		composer.Config{Budget: tiers.Limit(1), ActiveFraction: tiers.Fraction{}})
	if err != nil {
		t.Fatal(err)
	}
	for s := range c.Sections() {
		s.Alternates[0] = "changed"
	}
	for s := range c.Sections() {
		if s.Alternates[0] != "s" {
			t.Errorf("an alternate that was written to: %q", s.Alternates[0])
		}
	}
}

func FuzzCompose(f *testing.F) {
	f.Add("id", "content", "alternate", uint8(1), int64(5))
	f.Add("", "", "", uint8(0), int64(0))
	f.Add("é", "a\r\n\x00😀", "漢", uint8(77), int64(-1))
	f.Add("\xff", "\xc3\x28", "\xed\xa0\x80", uint8(255), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, id, content, alternate string, bits uint8, budget int64) {
		sections := []composer.Section{
			{ID: "first", Content: content, Tier: tiers.Tier(bits % 4), Breakpoint: bits&8 != 0},
			{ID: id, Content: content, Alternates: []string{alternate}, Tier: tiers.Tier(bits / 4 % 4), Chain: alternate, Group: content},
			{ID: "last", Content: alternate, Tier: tiers.Informational, Group: content},
		}
		cfg := composer.Config{Gate: tiers.Gate(bits / 16 % 4), Join: composer.Join(bits / 64), Budget: tiers.Limit(budget)}
		c, err := composer.Compose(sections, cfg)
		valid := utf8.ValidString(id) && utf8.ValidString(content) && utf8.ValidString(alternate)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "composer: ") {
				t.Errorf("error %q", err)
			}
			if valid && errors.Is(err, composer.ErrInvalidUTF8) {
				t.Errorf("valid %v, error %v", valid, err)
			}
			return
		}
		if !valid || id == "" || id == "first" || id == "last" {
			t.Fatalf("accepted id %q", id)
		}
		if c.Fingerprint() != fingerprint.SumString(c.Text()) || !utf8.ValidString(c.Text()) {
			t.Errorf("text %q", c.Text())
		}
	})
}
