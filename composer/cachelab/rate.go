package cachelab

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// A Rate is an exact decimal of up to six places, such as what a cached token costs in input tokens. It counts
// millionths. The zero value is 0.
type Rate int64

// One is the rate of a plain input token.
const One Rate = 1_000_000

const ratePlaces = 6

// ErrRate is what [ParseRate] refuses.
var ErrRate = errors.New("not a decimal from 0 to 1000000 with at most six places")

// ParseRate reads a rate from its decimal text: "0.1", "1.25", "2". Nothing is rounded: a seventh place is an error.
func ParseRate(text string) (Rate, error) {
	whole, places, dotted := strings.Cut(text, ".")
	if len(whole) == 0 || len(whole) > 7 || len(places) > ratePlaces || dotted && len(places) == 0 ||
		len(whole) > 1 && whole[0] == '0' {
		return 0, fmt.Errorf("cachelab: rate %q: %w", text, ErrRate)
	}
	digits := whole + places + strings.Repeat("0", ratePlaces-len(places))
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("cachelab: rate %q: %w", text, ErrRate)
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || Rate(n) > 1_000_000*One {
		return 0, fmt.Errorf("cachelab: rate %q: %w", text, ErrRate)
	}
	return Rate(n), nil
}

// String returns the shortest decimal text of the rate.
func (r Rate) String() string { return decimal(int64(r)) }

// MarshalText writes the decimal text.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what [ParseRate] reads. After an error the rate is what it was.
func (r *Rate) UnmarshalText(text []byte) error {
	rate, err := ParseRate(string(text))
	if err == nil {
		*r = rate
	}
	return err
}

// decimal prints millionths without trailing zeros.
func decimal(millionths int64) string {
	sign, n := "", uint64(millionths)
	if millionths < 0 {
		sign, n = "-", -n
	}
	text := fmt.Sprintf("%s%d.%06d", sign, n/uint64(One), n%uint64(One))
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// A Cost is an amount in input tokens at the plain price, exact to a millionth.
type Cost int64

// String returns the shortest decimal text of the cost.
func (c Cost) String() string { return decimal(int64(c)) }

// MarshalText writes the decimal text.
func (c Cost) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// price returns what tokens cost at a rate, and add their sum; both stop at the largest cost there is.
func price(tokens int64, r Rate) Cost {
	if tokens == 0 || r == 0 {
		return 0
	}
	if tokens > math.MaxInt64/int64(r) {
		return math.MaxInt64
	}
	return Cost(tokens * int64(r))
}

func (c Cost) add(d Cost) Cost {
	if c > math.MaxInt64-d {
		return math.MaxInt64
	}
	return c + d
}

// share returns n*part/whole, rounded down, without overflow; 0 when the whole is 0.
func share(n, part, whole int64) int64 {
	if whole == 0 {
		return 0
	}
	if n < 1<<31 && part < 1<<31 {
		return n * part / whole
	}
	p := new(big.Int).Mul(big.NewInt(n), big.NewInt(part))
	return p.Quo(p, big.NewInt(whole)).Int64()
}
