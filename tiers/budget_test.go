package tiers_test

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/tiers"
)

func TestBudgetThatIsNotSetIsNoNumber(t *testing.T) {
	var unset tiers.Budget
	if n, limited := unset.Value(); n != 0 || limited {
		t.Errorf("the zero budget is %d, %v", n, limited)
	}
	if unset == tiers.Limit(0) {
		t.Error("a limit of 0 equals no limit")
	}
	for _, n := range []int64{0, 1, -1, math.MaxInt64, math.MinInt64} {
		if got, limited := tiers.Limit(n).Value(); got != n || !limited {
			t.Errorf("Limit(%d) is %d, %v", n, got, limited)
		}
	}
}

func TestParseBudget(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "1": 1, "60000": 60000, "9223372036854775807": math.MaxInt64} {
		if b, err := tiers.ParseBudget(text); b != tiers.Limit(want) || err != nil || b.String() != text {
			t.Errorf("ParseBudget(%q) = %v, %v", text, b, err)
		}
	}
	for _, text := range []string{"", "-1", "-0", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "1_000", "1,000", "9223372036854775808", "unlimited", "null", "∞"} {
		if b, err := tiers.ParseBudget(text); err == nil || b != (tiers.Budget{}) {
			t.Errorf("ParseBudget(%q) = %v, want an error", text, b)
		}
	}
}

func TestBudgetJSON(t *testing.T) {
	for want, b := range map[string]tiers.Budget{
		"null": {}, "0": tiers.Limit(0), "-5": tiers.Limit(-5), "9223372036854775807": tiers.Limit(math.MaxInt64),
		"-9223372036854775808": tiers.Limit(math.MinInt64),
	} {
		text, err := json.Marshal(b)
		if string(text) != want || err != nil {
			t.Errorf("%v as JSON is %s, %v; want %s", b, text, err, want)
		}
		back := tiers.Limit(7)
		if err := json.Unmarshal(text, &back); back != b || err != nil {
			t.Errorf("%s reads back as %v, %v; want %v", text, back, err, b)
		}
	}
	var absent struct{ Budget tiers.Budget }
	if err := json.Unmarshal([]byte(`{}`), &absent); absent.Budget != (tiers.Budget{}) || err != nil {
		t.Errorf("an absent budget is %v, %v", absent.Budget, err)
	}
	for _, text := range []string{`"5"`, `1.5`, `1e3`, `9223372036854775808`, `true`, `[]`, `{}`} {
		b := tiers.Limit(7)
		if err := json.Unmarshal([]byte(text), &b); err == nil || b != tiers.Limit(7) {
			t.Errorf("%s reads as %v, %v; want an error and no change", text, b, err)
		}
	}
}

func TestBudgetPrints(t *testing.T) {
	for want, b := range map[string]tiers.Budget{"unlimited": {}, "0": tiers.Limit(0), "-3": tiers.Limit(-3)} {
		if got := b.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}

func TestUsedPercent(t *testing.T) {
	for _, tt := range []struct {
		name   string
		budget tiers.Budget
		total  int64
		want   int64
	}{
		{"unlimited", tiers.Budget{}, 1000, 0},
		{"nothing", tiers.Limit(100), 0, 0},
		{"all", tiers.Limit(100), 100, 100},
		{"core overflows", tiers.Limit(100), 150, 150},
		{"just under a half", tiers.Limit(1000), 4, 0},
		{"a half is rounded up", tiers.Limit(1000), 5, 1},
		{"99.5", tiers.Limit(200), 199, 100},
		{"99.4", tiers.Limit(500), 497, 99},
		{"a third", tiers.Limit(3), 1, 33},
		{"two thirds", tiers.Limit(3), 2, 67},
		{"budget 0, nothing in", tiers.Limit(0), 0, 0},
		{"budget 0, something in", tiers.Limit(0), 1, 100},
		{"negative budget, nothing in", tiers.Limit(-5), 0, 0},
		{"negative budget, something in", tiers.Limit(-5), 1, 100},
		{"largest of largest", tiers.Limit(math.MaxInt64), math.MaxInt64, 100},
		{"largest of one saturates", tiers.Limit(1), math.MaxInt64, math.MaxInt64},
		{"largest of 99 saturates", tiers.Limit(99), math.MaxInt64, math.MaxInt64},
		{"largest of 100", tiers.Limit(100), math.MaxInt64, math.MaxInt64},
		{"largest of 101", tiers.Limit(101), math.MaxInt64, 9132051521638391888},
		{"one of largest", tiers.Limit(math.MaxInt64), 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.budget.UsedPercent(tt.total); got != tt.want {
				t.Errorf("UsedPercent(%d) of %v = %d, want %d", tt.total, tt.budget, got, tt.want)
			}
		})
	}
}

func TestOver(t *testing.T) {
	for _, tt := range []struct {
		budget tiers.Budget
		total  int64
		want   int64
	}{
		{tiers.Budget{}, math.MaxInt64, 0},
		{tiers.Limit(100), 99, 0},
		{tiers.Limit(100), 100, 0},
		{tiers.Limit(100), 101, 1},
		{tiers.Limit(0), 0, 0},
		{tiers.Limit(-1), 0, 1},
		{tiers.Limit(0), math.MaxInt64, math.MaxInt64},
		{tiers.Limit(-1), math.MaxInt64, math.MaxInt64},
		{tiers.Limit(math.MinInt64), 0, math.MaxInt64},
		{tiers.Limit(math.MaxInt64), math.MaxInt64, 0},
	} {
		if got := tt.budget.Over(tt.total); got != tt.want {
			t.Errorf("%d is over %v by %d, want %d", tt.total, tt.budget, got, tt.want)
		}
	}
}

func TestUsedPercentIsExact(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, total, budget int64) {
		// floor(100*total/budget + 1/2)
		share := big.NewRat(100, 1)
		share.Mul(share, new(big.Rat).SetFrac(big.NewInt(total), big.NewInt(budget)))
		share.Add(share, big.NewRat(1, 2))
		want := new(big.Int).Div(share.Num(), share.Denom())
		if !want.IsInt64() {
			want.SetInt64(math.MaxInt64)
		}
		if got := tiers.Limit(budget).UsedPercent(total); got != want.Int64() {
			t.Fatalf("UsedPercent(%d) of %d = %d, want %v", total, budget, got, want)
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50_000 {
		check(t, rng.Int64()>>rng.IntN(63), rng.Int64()>>rng.IntN(62)|1)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.Int64Range(0, math.MaxInt64).Draw(t, "total"), rapid.Int64Range(1, math.MaxInt64).Draw(t, "budget"))
	})
}

func TestByDepth(t *testing.T) {
	resolve := tiers.ByDepth(60_000, 40_000, 20_000)
	for depth, want := range map[int]int64{-1: 60_000, 0: 60_000, 1: 40_000, 2: 20_000, 3: 20_000, math.MaxInt: 20_000, math.MinInt: 60_000} {
		if got := resolve(depth, "any role"); got != tiers.Limit(want) {
			t.Errorf("depth %d has %v, want %d", depth, got, want)
		}
	}
	if got := tiers.ByDepth()(0, ""); got != (tiers.Budget{}) {
		t.Errorf("without limits depth 0 has %v, want no answer", got)
	}
	if got := tiers.ByDepth(0)(5, ""); got != tiers.Limit(0) {
		t.Errorf("a limit of 0 resolves to %v", got)
	}
	limits := []int64{1, 2}
	resolve = tiers.ByDepth(limits...)
	limits[0] = 3
	if got := resolve(0, ""); got != tiers.Limit(1) {
		t.Errorf("after its list was changed a resolver gives %v", got)
	}
}

func TestEffectiveBudget(t *testing.T) {
	calls := 0
	answer := func(b tiers.Budget) tiers.Resolver {
		return func(depth int, role string) tiers.Budget {
			calls++
			if depth != 3 || role != "reviewer" {
				t.Errorf("the resolver is asked for depth %d, role %q", depth, role)
			}
			return b
		}
	}
	for _, tt := range []struct {
		name    string
		set     tiers.Budget
		resolve tiers.Resolver
		want    tiers.Budget
		calls   int
	}{
		{"set", tiers.Limit(5), answer(tiers.Limit(9)), tiers.Limit(5), 0},
		{"set to 0", tiers.Limit(0), answer(tiers.Limit(9)), tiers.Limit(0), 0},
		{"set below 0", tiers.Limit(-2), answer(tiers.Limit(9)), tiers.Limit(-2), 0},
		{"resolved", tiers.Budget{}, answer(tiers.Limit(9)), tiers.Limit(9), 1},
		{"resolved to 0", tiers.Budget{}, answer(tiers.Limit(0)), tiers.Limit(0), 1},
		{"no answer", tiers.Budget{}, answer(tiers.Budget{}), tiers.Budget{}, 1},
		{"no resolver", tiers.Budget{}, nil, tiers.Budget{}, 0},
		{"set, no resolver", tiers.Limit(5), nil, tiers.Limit(5), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls = 0
			if got := tiers.EffectiveBudget(tt.set, tt.resolve, 3, "reviewer"); got != tt.want {
				t.Errorf("budget %v, want %v", got, tt.want)
			}
			if calls != tt.calls {
				t.Errorf("%d calls of the resolver, want %d", calls, tt.calls)
			}
		})
	}
}

func TestWouldFit(t *testing.T) {
	for _, tt := range []struct {
		total, size int64
		limit       tiers.Budget
		want        bool
	}{
		{60, 40, tiers.Limit(100), true},
		{60, 41, tiers.Limit(100), false},
		{0, 0, tiers.Limit(0), true},
		{0, 1, tiers.Limit(0), false},
		{101, 0, tiers.Limit(100), false},
		{0, 0, tiers.Limit(-1), false},
		{0, 0, tiers.Limit(math.MinInt64), false},
		{math.MaxInt64, math.MaxInt64, tiers.Budget{}, true},
		{math.MaxInt64, 1, tiers.Limit(math.MaxInt64), false},
		{math.MaxInt64, 0, tiers.Limit(math.MaxInt64), true},
		{math.MaxInt64 - 1, 1, tiers.Limit(math.MaxInt64), true},
		{1, math.MaxInt64, tiers.Limit(math.MaxInt64), false},
		{math.MaxInt64, math.MaxInt64, tiers.Limit(math.MinInt64), false},
	} {
		if got := tiers.WouldFit(tt.total, tt.size, tt.limit); got != tt.want {
			t.Errorf("WouldFit(%d, %d, %v) = %v", tt.total, tt.size, tt.limit, got)
		}
	}
}

func TestDepthPredicates(t *testing.T) {
	for _, tt := range []struct {
		depth           int
		condense, skips bool
	}{{-1, false, false}, {0, false, false}, {1, true, false}, {2, true, true}, {3, true, true}} {
		if got := tiers.ShouldCondense(tt.depth); got != tt.condense {
			t.Errorf("ShouldCondense(%d) = %v", tt.depth, got)
		}
		if got := tiers.SkipInformational(tt.depth); got != tt.skips {
			t.Errorf("SkipInformational(%d) = %v", tt.depth, got)
		}
	}
	if tiers.ShouldCondense(3, 4) || !tiers.ShouldCondense(4, 4) || !tiers.ShouldCondense(0, 0) {
		t.Error("ShouldCondense does not hold from the threshold that is passed")
	}
	if tiers.SkipInformational(3, 4) || !tiers.SkipInformational(4, 4) || !tiers.SkipInformational(0, 0) {
		t.Error("SkipInformational does not hold from the threshold that is passed")
	}
}

func TestCost(t *testing.T) {
	var unknown tiers.Cost
	if unknown.Known() || !tiers.Charged(0, 0).Known() {
		t.Error("a cost of nothing is not the same as no known cost")
	}
	if c := tiers.Charged(3, 7); c.Size() != 3 || c.Bytes() != 7 {
		t.Errorf("Charged(3, 7) is %d, %d", c.Size(), c.Bytes())
	}
}
