package tiers_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/tiers"
)

// An input is what Admit is given.
type input struct {
	items []tiers.Item
	rules tiers.Rules
}

func (in input) String() string {
	s := fmt.Sprintf("%v budget %v, max bytes %v, active %v, separator %v, head %d, reserve %d\n", in.rules.Gate, in.rules.Budget,
		in.rules.MaxBytes, in.rules.ActiveFraction, in.rules.Separator, in.rules.Head, in.rules.TailReserve)
	for i, item := range in.items {
		s += fmt.Sprintf("%3d: %v %v priority %d, chain %d, group %d, alternates %v\n", i, item.Tier, item.Cost,
			item.Priority, item.Chain, item.Group, item.Alternates)
	}
	return s
}

// A draw returns the next choice, from 0 to n-1 for n <= 256. Inputs are drawn from three sources through it: rapid,
// which shrinks; a seeded generator, which is fast; and the bytes of a fuzz target.
type draw func(n int) int

var (
	fractions = fractionsOf("0.95", "0", "0.5", "0.7", "1/3", "1")
	units     = []int64{1, 1, 1, 1, 1, 1, 1 << 40, 1 << 53} // what sizes are multiplied by; the last makes sums overflow
)

func fractionsOf(texts ...string) []tiers.Fraction {
	fractions := make([]tiers.Fraction, 1, 1+len(texts)) // the first is not set
	for _, text := range texts {
		f, err := tiers.ParseFraction(text)
		if err != nil {
			panic(err)
		}
		fractions = append(fractions, f)
	}
	return fractions
}

// drawInput draws an input of at most 12 items; encodeInput writes the choices that lead to a given one.
func drawInput(draw draw) input { return drawScaled(draw, units[draw(len(units))]) }

// drawValid draws an input that is not refused: no sum is too large, and no group is on both sides of the head's end.
func drawValid(draw draw) input {
	in := drawScaled(draw, 1)
	if len(refusals(in)) > 0 {
		for i := range in.items[:in.rules.Head] {
			if in.items[i].Group != 0 {
				in.items[i].Group += 10
			}
		}
	}
	return in
}

func drawScaled(draw draw, unit int64) input {
	cost := func() tiers.Cost {
		size := int64(draw(256))
		return tiers.Charged(size*unit, (size+int64(draw(32)))*unit)
	}
	limit := func() tiers.Budget {
		if draw(5) == 0 {
			return tiers.Budget{}
		}
		return tiers.Limit((int64(draw(256)) + 256*int64(draw(6)) - int64(draw(20))) * unit)
	}
	var in input
	in.rules.Gate = tiers.Gate(draw(3))
	in.rules.Budget, in.rules.MaxBytes = limit(), limit()
	in.rules.ActiveFraction = fractions[draw(len(fractions))]
	in.rules.Separator = tiers.Charged(int64(draw(4))*unit, int64(draw(4))*unit)
	in.items = make([]tiers.Item, draw(13))
	if len(in.items) > 0 {
		in.rules.Head = draw(len(in.items) + 1)
	}
	in.rules.TailReserve = int64(draw(256)) * unit
	for i := range in.items {
		item := &in.items[i]
		*item = tiers.Item{Tier: tiers.Tier(draw(3)), Cost: cost(), Priority: draw(4), Chain: draw(4), Group: draw(4)}
		for range draw(4) {
			item.Alternates = append(item.Alternates, cost())
		}
	}
	return in
}

// seeded draws from a generator that favours small numbers, since those collide.
func seeded(rng *rand.Rand) draw {
	return func(n int) int {
		if rng.IntN(2) == 0 {
			n = min(n, 20)
		}
		return rng.IntN(n)
	}
}

// fromBytes draws from data, and zeros after its end.
func fromBytes(data []byte) draw {
	return func(n int) int {
		if len(data) == 0 {
			return 0
		}
		v := int(data[0]) % n
		data = data[1:]
		return v
	}
}

// encodeInput returns bytes from which drawInput draws the input. It handles what the tables hold: unit 1, limits of
// 0 to 1535, sizes and separators in range, bytes of at least the size.
func encodeInput(in input) []byte {
	data := []byte{0}
	put := func(values ...int64) {
		for _, v := range values {
			data = append(data, byte(v))
		}
	}
	cost := func(c tiers.Cost) { put(c.Size(), c.Bytes()-c.Size()) }
	limit := func(b tiers.Budget) {
		n, limited := b.Value()
		if !limited {
			put(0)
			return
		}
		put(1, n%256, n/256, 0)
	}
	put(int64(in.rules.Gate))
	limit(in.rules.Budget)
	limit(in.rules.MaxBytes)
	for i, f := range fractions {
		if f == in.rules.ActiveFraction {
			put(int64(i))
			break
		}
	}
	put(in.rules.Separator.Size(), in.rules.Separator.Bytes(), int64(len(in.items)))
	if len(in.items) > 0 {
		put(int64(in.rules.Head))
	}
	put(in.rules.TailReserve)
	for _, item := range in.items {
		put(int64(item.Tier))
		cost(item.Cost)
		put(int64(item.Priority), int64(item.Chain), int64(item.Group), int64(len(item.Alternates)))
		for _, alternate := range item.Alternates {
			cost(alternate)
		}
	}
	return data
}

// A failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// forAll checks a law on inputs that rapid draws, and on many more from a seeded generator.
func forAll(t *testing.T, law func(t failer, draw draw)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		law(t, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
	})
	cases := 30_000
	if testing.Short() {
		cases = 3_000
	}
	for seed := range uint64(cases) {
		law(t, seeded(rand.New(rand.NewPCG(seed, 0))))
	}
}
