package composer_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/tiers"
)

func TestCausesAddUpToTheOverflow(t *testing.T) {
	seen := map[composer.CauseCode]int{}
	forAll(t, func(t failer, sections []composer.Section, cfg composer.Config, draw draw) {
		if draw(20) == 0 {
			cfg.Budget = tiers.Limit(math.MinInt64 + int64(draw(3)))
		}
		c := compose(t, sections, cfg)
		e := c.Explain()
		var sum int64
		for _, cause := range e.Causes {
			if cause.Amount <= 0 {
				t.Fatalf("cause %+v", cause)
			}
			seen[cause.Code]++
			sum += cause.Amount
		}
		if sum != e.Overflow || e.Overflow != c.Overflow() || e.OverflowBytes != c.OverflowBytes() {
			t.Fatalf("causes %+v add up to %d, overflow %d, for %+v under %+v", e.Causes, sum, e.Overflow, sections, cfg)
		}
		if e.Gate == tiers.Reserved && len(e.Causes) > 1 {
			t.Fatalf("under the reserved gate core alone can overflow, not %+v", e.Causes)
		}
		var contents int64
		included := 0
		for _, d := range e.Decisions {
			if d.Included {
				contents += d.Size
				included++
			}
		}
		if contents != e.Contents || included != e.Included || e.Contents != c.TotalChars() {
			t.Fatalf("%d sections of %d, want %d of %d", e.Included, e.Contents, included, contents)
		}
		if limited, ok := e.Budget.Value(); ok && limited >= 0 && max(0, e.Contents+e.Separators-limited) != e.Overflow {
			t.Fatalf("contents %d and separators %d overflow %d by %d", e.Contents, e.Separators, limited, e.Overflow)
		}
		for _, line := range strings.Split(strings.TrimSuffix(e.Table(), "\n"), "\n") {
			if strings.ContainsAny(line, "\r\x00\t") {
				t.Fatalf("the table holds a control character: %q", line)
			}
		}
	})
	for _, code := range []composer.CauseCode{composer.CoreTooLarge, composer.CoreLate, composer.SeparatorsUncharged, composer.TailCoreTooLarge} {
		if seen[code] == 0 {
			t.Errorf("no overflow came from %s: this shows nothing about it", code)
		}
	}
}

func sized(id string, tier tiers.Tier, n int) composer.Section {
	return composer.Section{ID: id, Tier: tier, Content: strings.Repeat("x", n)}
}

func TestCauses(t *testing.T) {
	for _, tt := range []struct {
		name     string
		sections []composer.Section
		cfg      composer.Config
		want     []composer.Cause
		warns    bool
	}{
		{"none", []composer.Section{sized("a", tiers.Core, 9)}, composer.Config{Budget: tiers.Limit(9)}, nil, false},
		{"no budget", []composer.Section{sized("a", tiers.Core, 9)}, composer.Config{}, nil, false},
		{"core alone", []composer.Section{sized("a", tiers.Core, 9)}, composer.Config{Budget: tiers.Limit(5)},
			[]composer.Cause{{Code: composer.CoreTooLarge, Amount: 4}}, false},
		{"core's own separators", []composer.Section{sized("a", tiers.Core, 4), sized("b", tiers.Core, 5)}, composer.Config{Budget: tiers.Limit(9)},
			[]composer.Cause{{Code: composer.CoreTooLarge, Amount: 2}}, false},
		{"late core and a separator", []composer.Section{sized("a", tiers.Active, 90), sized("b", tiers.Core, 60)}, composer.Config{Budget: tiers.Limit(100)},
			[]composer.Cause{{Code: composer.CoreLate, Amount: 50}, {Code: composer.SeparatorsUncharged, Amount: 2}}, true},
		{"late core that fits to the byte", []composer.Section{sized("a", tiers.Informational, 5), sized("b", tiers.Core, 10)}, composer.Config{Budget: tiers.Limit(10)},
			[]composer.Cause{{Code: composer.CoreLate, Amount: 5}, {Code: composer.SeparatorsUncharged, Amount: 2}}, true},
		{"separators alone", []composer.Section{sized("a", tiers.Core, 5), sized("b", tiers.Informational, 5)}, composer.Config{Budget: tiers.Limit(11)},
			[]composer.Cause{{Code: composer.SeparatorsUncharged, Amount: 1}}, true},
		{"reserved keeps within", []composer.Section{sized("a", tiers.Active, 90), sized("b", tiers.Core, 60)}, composer.Config{Gate: tiers.Reserved, Budget: tiers.Limit(100)},
			nil, false},
		{"the tail's core", []composer.Section{{ID: "a", Content: "12345", Tier: tiers.Informational, Breakpoint: true}, sized("b", tiers.Core, 6)},
			composer.Config{Gate: tiers.PrefixStable, Budget: tiers.Limit(10), TailReserve: 5},
			[]composer.Cause{{Code: composer.TailCoreTooLarge, Amount: 3}}, false},
		{"late core above the limit in bytes", []composer.Section{sized("a", tiers.Active, 90), sized("b", tiers.Core, 60)}, composer.Config{MaxBytes: tiers.Limit(100)},
			nil, true},
		{"one byte above the limit in bytes", []composer.Section{sized("a", tiers.Informational, 5), sized("b", tiers.Core, 5)}, composer.Config{MaxBytes: tiers.Limit(11)},
			nil, true},
		{"core alone above the limit in bytes", []composer.Section{sized("a", tiers.Core, 4), sized("b", tiers.Core, 5)}, composer.Config{MaxBytes: tiers.Limit(10)},
			nil, false},
		{"reserved keeps within the limit in bytes", []composer.Section{sized("a", tiers.Active, 90), sized("b", tiers.Core, 60)},
			composer.Config{Gate: tiers.Reserved, MaxBytes: tiers.Limit(100)}, nil, false},
		{"a limit far below zero", []composer.Section{sized("a", tiers.Core, 1)}, composer.Config{Budget: tiers.Limit(math.MinInt64)},
			[]composer.Cause{{Code: composer.CoreTooLarge, Amount: math.MaxInt64}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := compose(t, tt.sections, tt.cfg).Explain()
			if diff := cmp.Diff(tt.want, e.Causes); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if warning := e.Warning(); (warning != "") != tt.warns || tt.warns && !strings.Contains(warning, "reserved") {
				t.Errorf("warning %q", warning)
			}
		})
	}
}

func TestTable(t *testing.T) {
	sections := []composer.Section{
		{ID: "persona", Content: strings.Repeat("p", 30)},
		{ID: "an id\n", Content: strings.Repeat("r", 50), Tier: tiers.Active},
		{ID: "notes", Content: strings.Repeat("n", 500), Tier: tiers.Informational, Alternates: []string{strings.Repeat("n", 100), "n"}},
		{ID: "log", Content: strings.Repeat("l", 40), Tier: tiers.Active, Chain: "old"},
		{ID: "older", Content: "l", Tier: tiers.Active, Chain: "old"},
		{ID: "rules", Content: strings.Repeat("c", 250)},
	}
	for _, tt := range []struct {
		name string
		cfg  composer.Config
		want string
	}{
		{"published", composer.Config{Budget: tiers.Limit(100), MaxBytes: tiers.Limit(300)}, `
SECTION    TIER           SIZE  VERDICT                LIMIT  BEFORE  SHARE
persona    core           30    in: core               -      0       ######
"an id\n"  active         50    in: fits               109    30      ##########
notes      informational  1     in: alternate 2        100    80      .
log        active         40    dropped: over-ceiling  109    81
older      active         1     dropped: chain         109    81
rules      core           250   in: core               -      81      ########################################

4 of 6 sections, 331 utf16 + 6 of separators; budget 100, gate published
overflow: 237
  182: core with its separators is larger than the budget
  49: core was charged after other sections had been let in
  6: separators, which the published gate does not charge
overflow: 37 bytes above max-bytes 300
`},
		{"unlimited", composer.Config{Gate: tiers.Reserved, Join: composer.NoJoin}, `
SECTION    TIER           SIZE  VERDICT   LIMIT  BEFORE  SHARE
persona    core           30    in: core  -      280     .
"an id\n"  active         50    in: fits  -      280     #
notes      informational  500   in: fits  -      330     ###########
log        active         40    in: fits  -      830     .
older      active         1     in: fits  -      870     .
rules      core           250   in: core  -      871     #####

6 of 6 sections, 871 utf16 + 0 of separators; budget unlimited, gate reserved
`},
		{"over by one", composer.Config{Gate: tiers.Reserved, Budget: tiers.Limit(281), MaxBytes: tiers.Limit(281)}, `
SECTION    TIER           SIZE  VERDICT                LIMIT  BEFORE  SHARE
persona    core           30    in: core               -      282     ##
"an id\n"  active         50    dropped: over-ceiling  280    282
notes      informational  500   dropped: over-budget   281    282
log        active         40    dropped: over-ceiling  280    282
older      active         1     dropped: chain         280    282
rules      core           250   in: core               -      282     #################

2 of 6 sections, 280 utf16 + 2 of separators; budget 281, gate reserved
overflow: 1
  1: core with its separators is larger than the budget
overflow: 1 bytes above max-bytes 281
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := "\n" + compose(t, sections, tt.cfg).Explain().Table()
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A bar is a section's share of the budget, twice the width at most; where there is no budget to share there is none.
func TestBars(t *testing.T) {
	for _, tt := range []struct {
		budget int64
		want   []int // by section
	}{{200, []int{0, 1, 2, 10, 20}}, {100, []int{0, 1, 4, 20, 40}}, {50, []int{0, 1, 8, 40, 40}}, {0, []int{0, 0, 0, 0, 0}}, {-1, []int{0, 0, 0, 0, 0}}} {
		var sections []composer.Section
		for _, n := range []int{0, 1, 20, 100, 200} {
			sections = append(sections, sized(fmt.Sprint(n), tiers.Core, n))
		}
		var got []int
		for i, row := range strings.Split(compose(t, sections, composer.Config{Budget: tiers.Limit(tt.budget)}).Explain().Table(), "\n") {
			if 0 < i && i <= len(sections) {
				got = append(got, strings.Count(row, "#")+strings.Count(row, "."))
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("budget %d (-want +got)\n%s", tt.budget, diff)
		}
	}
}

func TestTableSaysWhichAlternate(t *testing.T) {
	sections := []composer.Section{{ID: "a", Content: "long", Tier: tiers.Informational, Alternates: []string{"abc", "b"}}}
	for budget, want := range map[int64]string{4: "in: fits ", 3: "in: alternate 1 ", 1: "in: alternate 2 ", 0: "dropped: over-budget "} {
		if table := compose(t, sections, composer.Config{Budget: tiers.Limit(budget)}).Explain().Table(); !strings.Contains(table, want) {
			t.Errorf("budget %d: no %q in\n%s", budget, want, table)
		}
	}
}

func TestBarOfTheLargestSize(t *testing.T) {
	for budget := range int64(12) {
		table := compose(t, []composer.Section{{ID: "a", Cost: tiers.Charged(math.MaxInt64, 0)}}, composer.Config{Budget: tiers.Limit(budget + 1)}).Explain().Table()
		if n := strings.Count(table, "#"); n != 40 {
			t.Errorf("budget %d: a bar of %d", budget+1, n)
		}
	}
}

func TestPrintable(t *testing.T) {
	for id, want := range map[string]string{
		"persona": "persona", "über/漢字": "über/漢字", "two words": `"two words"`, "a\x1b[31m": `"a\x1b[31m"`, "": `""`, `say "x"`: `"say \"x\""`,
		"a\u202eb": `"a\u202eb"`, "\x00": `"\x00"`,
	} {
		if got := composer.Printable(id); id != "" && got != want {
			t.Errorf("Printable(%q) = %s, want %s", id, got, want)
		}
	}
}
