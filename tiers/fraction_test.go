package tiers_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/tiers"
)

func TestParseFraction(t *testing.T) {
	accepted := []struct{ text, want string }{
		{"0", "0/1"},
		{"0.0", "0/1"},
		{"1", "1/1"},
		{"1.0", "1/1"},
		{"1.000000000000000000", "1/1"}, // 18 digits
		{"0.95", "19/20"},
		{"0.950", "19/20"},
		{"0.7", "7/10"},
		{"0.333333333333333333", "333333333333333333/1000000000000000000"},
		{"0.999999999999999999", "999999999999999999/1000000000000000000"},
		{"0.000000000000000001", "1/1000000000000000000"},
		{"19/20", "19/20"},
		{"38/40", "19/20"},
		{"0/7", "0/1"},
		{"7/7", "1/1"},
		{"1/3", "1/3"},
		{"1/1000000000000000000", "1/1000000000000000000"},
	}
	for _, tt := range accepted {
		f, err := tiers.ParseFraction(tt.text)
		if err != nil || f.String() != tt.want || !f.IsSet() {
			t.Errorf("ParseFraction(%q) = %v, %v; want %s", tt.text, f, err, tt.want)
			continue
		}
		if again, err := tiers.ParseFraction(f.String()); again != f || err != nil {
			t.Errorf("ParseFraction(%q) = %v, %v; want it back", f.String(), again, err)
		}
	}
	refused := []string{
		"", " ", ".", "1.", "0.", ".5", "1.2", "2", "1.000000000000000001", "-0.5", "-0", "+0.5", " 0.5", "0.5 ", "1e-1",
		"0.5e0", "0,5", "0.5.5", "0.-5", "0.+5", "0._5", "0_0.5", "0x1", "NaN", "Inf", "½", "٠.٥", "50%", "1/2/3", "/", "1/",
		"/2", "1/0", "0/0", "2/1", "-1/2", "1/-2", "+1/2", "1 /2", "0.5/1", "1/1000000000000000001",
		"0.0000000000000000001", // 19 digits
		"0.9500000000000000000", // 19 digits, though they say no more than two
		"1/9223372036854775808", "9223372036854775808/1", "18446744073709551616/1",
	}
	for _, text := range refused {
		if f, err := tiers.ParseFraction(text); err == nil {
			t.Errorf("ParseFraction(%q) = %v, want an error", text, f)
		} else if f.IsSet() || !strings.HasPrefix(err.Error(), "tiers: fraction ") || !strings.Contains(err.Error(), text) {
			t.Errorf("ParseFraction(%q) = %v, %q", text, f, err)
		}
	}
}

func TestNewFraction(t *testing.T) {
	for _, tt := range []struct {
		num, den int64
		want     string
	}{{0, 1, "0/1"}, {0, 1e18, "0/1"}, {1e18, 1e18, "1/1"}, {6, 8, "3/4"}, {1, 1e18, "1/1000000000000000000"}} {
		f, err := tiers.NewFraction(tt.num, tt.den)
		if err != nil || f.String() != tt.want {
			t.Errorf("NewFraction(%d, %d) = %v, %v; want %s", tt.num, tt.den, f, err, tt.want)
		}
	}
	for _, tt := range []struct{ num, den int64 }{
		{0, 0}, {1, 0}, {-1, 2}, {1, -2}, {-1, -2}, {3, 2}, {1, 1e18 + 1}, {math.MinInt64, math.MinInt64}, {math.MaxInt64, math.MaxInt64},
	} {
		if f, err := tiers.NewFraction(tt.num, tt.den); err == nil || f.IsSet() {
			t.Errorf("NewFraction(%d, %d) = %v, want an error", tt.num, tt.den, f)
		}
	}
}

func TestZeroFractionStandsForTheDefault(t *testing.T) {
	var zero tiers.Fraction
	if zero.IsSet() || zero.String() != "19/20" || zero.OrDefault() != tiers.DefaultActiveFraction() || zero.Of(100) != 95 {
		t.Errorf("the zero fraction is set %v, prints %v, of 100 %d", zero.IsSet(), zero, zero.Of(100))
	}
	none, err := tiers.NewFraction(0, 1)
	if err != nil || !none.IsSet() || none.OrDefault() != none || none.Of(100) != 0 {
		t.Errorf("0/1 is %v, %v, of 100 %d; it is a fraction, not the default", none, err, none.Of(100))
	}
}

// floorOf is num/den of n, rounded toward minus infinity, by way of rationals.
func floorOf(n *big.Int, f tiers.Fraction) *big.Int {
	ratio, ok := new(big.Rat).SetString(f.String())
	if !ok {
		panic(f.String())
	}
	product := ratio.Mul(ratio, new(big.Rat).SetInt(n))
	return new(big.Int).Div(product.Num(), product.Denom()) // Euclidean: the floor, as Denom is positive
}

func TestOfIsExact(t *testing.T) {
	edges := []int64{0, 1, -1, 19, 20, 21, -19, -20, -21, 90, 1 << 53, 1<<53 + 1, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, math.MinInt64 + 1}
	check := func(t interface{ Fatalf(string, ...any) }, n int64, f tiers.Fraction) {
		if got, want := f.Of(n), floorOf(big.NewInt(n), f); !want.IsInt64() || want.Int64() != got {
			t.Fatalf("%v of %d is %d, want %v", f, n, got, want)
		}
	}
	for _, text := range []string{"0", "1", "0.95", "0.7", "0.57", "0.29", "1/3", "0.999999999999999999", "0.000000000000000001"} {
		f, err := tiers.ParseFraction(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range edges {
			check(t, n, f)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		den := rng.Int64N(1e18) + 1
		f, err := tiers.NewFraction(rng.Int64N(den+1), den)
		if err != nil {
			t.Fatal(err)
		}
		check(t, int64(rng.Uint64())>>rng.IntN(64), f)
	}
	rapid.Check(t, func(t *rapid.T) {
		den := rapid.Int64Range(1, 1e18).Draw(t, "den")
		f, err := tiers.NewFraction(rapid.Int64Range(0, den).Draw(t, "num"), den)
		if err != nil {
			t.Fatal(err)
		}
		check(t, rapid.Int64().Draw(t, "n"), f)
	})
}

func TestCeilingIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		core := rapid.Int64Range(0, math.MaxInt64).Draw(t, "core")
		budget := rapid.Int64().Draw(t, "budget")
		f := rapid.SampledFrom(fractions).Draw(t, "fraction")
		want := plus(big.NewInt(core), floorOf(minus(big.NewInt(budget), big.NewInt(core)), f))
		if got := tiers.Ceiling(core, budget, f); !want.IsInt64() || got != want.Int64() {
			t.Fatalf("Ceiling(%d, %d, %v) = %d, want %v", core, budget, f, got, want)
		}
	})
}

// A decimal is read as what its digits say, never as the nearest double: the sevenths of these n differ there.
func TestDecimalsAreNotDoubles(t *testing.T) {
	seventy, err := tiers.ParseFraction("0.7")
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for n := range int64(10_000) {
		if got, want := seventy.Of(n), n*7/10; got != want {
			t.Fatalf("0.7 of %d is %d, want %d", n, got, want)
		}
		if double := 0.7; int64(math.Floor(float64(n)*double)) != n*7/10 {
			wrong++
		}
	}
	if seventy.Of(90) != 63 {
		t.Errorf("0.7 of 90 is %d, want 63", seventy.Of(90))
	}
	if wrong == 0 {
		t.Error("doubles were right for every n: this test shows nothing")
	}
}

func TestCeiling(t *testing.T) {
	for _, tt := range []struct {
		name         string
		core, budget int64
		fraction     string
		want         int64
	}{
		{"the issue's example", 60, 100, "0.95", 98},
		{"core over a budget of zero", 100, 0, "0.95", 5},
		{"0.7 with 90 left", 0, 90, "0.7", 63},
		{"0.7 with 90 left after core", 10, 100, "0.7", 73},
		{"no core", 0, 100, "0.95", 95},
		{"core is the budget", 100, 100, "0.95", 100},
		{"core one over: floor(-0.95) is -1", 101, 100, "0.95", 100},
		{"nothing for active beyond core", 60, 100, "0", 60},
		{"all that core leaves", 60, 100, "1", 100},
		{"nothing at all", 0, 0, "0.95", 0},
		{"a negative budget", 10, -10, "0.5", 0},
		{"largest budget", 0, math.MaxInt64, "1", math.MaxInt64},
		{"largest core, no budget", math.MaxInt64, 0, "1", 0},
		{"the remainder does not fit an int64", math.MaxInt64, math.MinInt64, "1", math.MinInt64},
		{"half of a remainder that does not fit", math.MaxInt64, math.MinInt64, "0.5", -1}, // floor(-1/2)
		{"none of a remainder that does not fit", math.MaxInt64, math.MinInt64, "0", math.MaxInt64},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := tiers.ParseFraction(tt.fraction)
			if err != nil {
				t.Fatal(err)
			}
			if got := tiers.Ceiling(tt.core, tt.budget, f); got != tt.want {
				t.Errorf("Ceiling(%d, %d, %s) = %d, want %d", tt.core, tt.budget, tt.fraction, got, tt.want)
			}
		})
	}
}
