package tiers

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// A Budget is an upper limit, or none. The zero value is "not set", which limits nothing: unlimited is a state, not a
// number. A limit of 0 or less is a limit: only core fits it.
type Budget struct {
	n   int64
	set bool
}

// Limit returns a budget of n. A budget that a caller computed by subtraction may come out negative; it then limits
// like any other and never turns into "no limit".
func Limit(n int64) Budget { return Budget{n, true} }

// ParseBudget reads a limit that a user wrote: a non-negative decimal integer.
func ParseBudget(text string) (Budget, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return Budget{}, fmt.Errorf("tiers: budget %q; want an integer from 0 to %d", text, int64(math.MaxInt64))
	}
	return Limit(int64(n)), nil
}

// Value returns the limit, and whether one is set.
func (b Budget) Value() (n int64, limited bool) { return b.n, b.set }

// String returns the limit in decimal, or "unlimited".
func (b Budget) String() string {
	if !b.set {
		return "unlimited"
	}
	return strconv.FormatInt(b.n, 10)
}

// less returns the budget with n >= 0 taken off it. Unlimited stays unlimited.
func (b Budget) less(n int64) Budget {
	if b.set {
		b.n = saturatingSub(b.n, n)
	}
	return b
}

// Over returns by how much total exceeds the budget: 0 when it does not, or when there is no limit.
func (b Budget) Over(total int64) int64 {
	if !b.set || total <= b.n {
		return 0
	}
	if excess := total - b.n; excess > 0 {
		return excess
	}
	return math.MaxInt64 // a limit far below zero: the difference does not fit
}

// saturatingSub returns a-b for b >= 0, or the least int64 where the difference does not fit.
func saturatingSub(a, b int64) int64 {
	if difference := a - b; difference <= a {
		return difference
	}
	return math.MinInt64
}

// MarshalJSON writes the limit as a number, or null when there is none.
func (b Budget) MarshalJSON() ([]byte, error) {
	if !b.set {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, b.n, 10), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *Budget) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*b = Budget{}
		return nil
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return fmt.Errorf("tiers: budget %s; want an integer or null", text)
	}
	*b = Limit(n)
	return nil
}

// UsedPercent returns 100*total/budget for total >= 0, rounded half up, above 100 where total exceeds the budget, and at
// most the largest int64. It is 0 without a limit; for a limit of 0 or less it is 0 when total is 0, else 100.
func (b Budget) UsedPercent(total int64) int64 {
	switch {
	case !b.set || total <= 0:
		return 0
	case b.n <= 0:
		return 100
	}
	den := 2 * uint64(b.n)
	hi, lo := bits.Mul64(uint64(total), 200)
	lo, carry := bits.Add64(lo, uint64(b.n), 0)
	hi += carry
	if hi >= den {
		return math.MaxInt64
	}
	quo, _ := bits.Div64(hi, lo, den)
	return int64(min(quo, math.MaxInt64))
}

// A Resolver gives the budget for an agent's depth (0 for the main agent, 1 for one it started, and so on) and role. A
// zero [Budget] means that it has no answer.
type Resolver func(depth int, role string) Budget

// ByDepth returns a resolver that gives limits[depth], and the last limit for every greater depth. Without limits it
// has no answer.
func ByDepth(limits ...int64) Resolver {
	limits = slices.Clone(limits) // a caller's slice may change
	return func(depth int, _ string) Budget {
		if len(limits) == 0 {
			return Budget{}
		}
		return Limit(limits[min(max(depth, 0), len(limits)-1)])
	}
}

// EffectiveBudget resolves the budget of one composition: set when it is set, else the resolver's answer when it has
// one, else unlimited. The resolver may be nil and is called at most once.
func EffectiveBudget(set Budget, resolve Resolver, depth int, role string) Budget {
	if !set.set && resolve != nil {
		return resolve(depth, role)
	}
	return set
}

// WouldFit reports whether an item of the given size fits below the limit when total is already spent. Total and size
// are not negative; a sum beyond int64 fits no limit.
func WouldFit(total, size int64, limit Budget) bool {
	return !limit.set || (total <= limit.n && size <= limit.n-total)
}

// The depths from which [ShouldCondense] and [SkipInformational] hold by default.
const (
	DefaultCondenseDepth          = 1
	DefaultSkipInformationalDepth = 2
)

// ShouldCondense reports whether an agent at this depth should be given short forms: depth >= [DefaultCondenseDepth],
// or >= the threshold, where one is passed. It is for callers that build a candidate list; no gate consults it.
func ShouldCondense(depth int, threshold ...int) bool {
	return depth >= firstOr(threshold, DefaultCondenseDepth)
}

// SkipInformational reports whether an agent at this depth should be given no informational items at all: depth >=
// [DefaultSkipInformationalDepth], or >= the threshold, where one is passed. No gate consults it.
func SkipInformational(depth int, threshold ...int) bool {
	return depth >= firstOr(threshold, DefaultSkipInformationalDepth)
}

func firstOr(values []int, otherwise int) int {
	if len(values) > 0 {
		return values[0]
	}
	return otherwise
}
