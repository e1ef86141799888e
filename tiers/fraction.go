package tiers

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// A Fraction is an exact ratio in [0, 1], kept reduced. It is read from decimal text and never passes through a
// floating-point number: floor(n*0.7) in doubles is wrong for 149,790 of the first 10,000,000 n, and the same product
// is rounded otherwise on processors that fuse it with an addition.
//
// The zero value is "not set" and stands for [DefaultActiveFraction].
type Fraction struct{ num, den uint64 }

// DefaultActiveFraction returns 0.95, the share of what core leaves that active items may fill.
func DefaultActiveFraction() Fraction { return Fraction{19, 20} }

const maxDen = 1e18 // 18 digits after the point

// NewFraction returns num/den, reduced. It is an error unless 0 <= num <= den and 0 < den <= 10^18.
func NewFraction(num, den int64) (Fraction, error) {
	if num < 0 || den <= 0 || num > den || den > maxDen {
		return Fraction{}, fmt.Errorf("tiers: fraction %d/%d; want a ratio from 0 to 1 with a denominator from 1 to 10^18", num, den)
	}
	return reduced(uint64(num), uint64(den)), nil
}

// ParseFraction reads a decimal from 0 to 1 with at most 18 digits after the point ("0.95", "1"), or a ratio as
// [Fraction.String] writes it ("19/20").
func ParseFraction(text string) (Fraction, error) {
	if num, den, isRatio := strings.Cut(text, "/"); isRatio {
		n, errN := strconv.ParseUint(num, 10, 63)
		d, errD := strconv.ParseUint(den, 10, 63)
		if errN != nil || errD != nil {
			return Fraction{}, fractionError(text)
		}
		return NewFraction(int64(n), int64(d))
	}
	whole, digits, hasPoint := strings.Cut(text, ".")
	if hasPoint && (digits == "" || len(digits) > 18) {
		return Fraction{}, fractionError(text)
	}
	den := uint64(1)
	for range digits {
		den *= 10
	}
	w, errW := strconv.ParseUint(whole, 10, 1)
	n, errN := strconv.ParseUint("0"+digits, 10, 63)
	if errW != nil || errN != nil || (w == 1 && n > 0) {
		return Fraction{}, fractionError(text)
	}
	return reduced(w*den+n, den), nil
}

func fractionError(text string) error {
	return fmt.Errorf("tiers: fraction %q; want a decimal from 0 to 1 with at most 18 digits after the point, such as 0.95", text)
}

func reduced(num, den uint64) Fraction {
	a, b := num, den
	for b != 0 {
		a, b = b, a%b
	}
	return Fraction{num / a, den / a}
}

// String returns the reduced ratio, "19/20".
func (f Fraction) String() string {
	f = f.OrDefault()
	return strconv.FormatUint(f.num, 10) + "/" + strconv.FormatUint(f.den, 10)
}

// IsSet reports whether f was made by [NewFraction] or [ParseFraction].
func (f Fraction) IsSet() bool { return f.den != 0 }

// Of returns floor(n*f), exactly, rounding toward minus infinity also for negative n.
func (f Fraction) Of(n int64) int64 {
	if n < 0 {
		_, up := f.share(-uint64(n))
		return int64(-up)
	}
	down, _ := f.share(uint64(n))
	return int64(down)
}

// share returns n*f, rounded down and rounded up.
func (f Fraction) share(n uint64) (down, up uint64) {
	f = f.OrDefault()
	hi, lo := bits.Mul64(n, f.num)
	down, rest := bits.Div64(hi, lo, f.den) // num <= den, so the quotient is at most n: it does not overflow
	return down, down + min(rest, 1)
}

// OrDefault returns f, or [DefaultActiveFraction] where f is not set.
func (f Fraction) OrDefault() Fraction {
	if f.den == 0 {
		return DefaultActiveFraction()
	}
	return f
}

// Ceiling returns the limit of the active tier: core + floor((budget-core)*f). Where core alone exceeds the budget the
// ceiling lies between the two, so that active items offered before core may still get in: core 100 with budget 0 and
// the default fraction gives 5. Core is not negative.
func Ceiling(core, budget int64, f Fraction) int64 {
	if budget >= core {
		return core + f.Of(budget-core)
	}
	_, up := f.share(uint64(core) - uint64(budget)) // core >= 0: the difference fits 64 bits, also where it exceeds int64
	return int64(uint64(core) - up)
}
