package fingerprint_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// The oracle: JSON values as plain Go values, drawn at random, printed canonically in the slow and
// obvious way, and printed with every freedom that JSON allows.

// A number, a string, nil, a bool, a list or a members.
type (
	list    []any
	members []pair
	pair    struct {
		key   string
		value any
	}
)

func drawValue(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil),
		rapid.Bool().AsAny(),
		drawString().AsAny(),
		drawFloat().AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	inner := rapid.Deferred(func() *rapid.Generator[any] { return drawValue(depth - 1) })
	return rapid.OneOf(append(scalars,
		rapid.Map(rapid.SliceOfN(inner, 0, 5), func(v []any) any { return list(v) }),
		rapid.Custom(func(t *rapid.T) any {
			object := members{}
			for _, key := range rapid.SliceOfNDistinct(drawString(), 0, 8, rapid.ID).Draw(t, "keys") {
				object = append(object, pair{key, inner.Draw(t, "value")})
			}
			return object
		}),
	)...)
}

// drawString prefers short strings of characters at which orders and escapes change.
func drawString() *rapid.Generator[string] {
	edge := rapid.SampledFrom([]rune("\x00\x01\b\t\n\x0b\f\r\x1f !\"#/09<>AZ[\\]^az{}~\x7f\u0080éß\u0130\u2028\u2029日\ud7ff\ue000\ufb33\ufeff\uffff\U00010000\U0001f600\U0010ffff"))
	return rapid.OneOf(rapid.StringOfN(edge, 0, 4, -1), rapid.String())
}

// drawFloat draws finite doubles whose canonical form is exact: integers and others, of all sizes.
func drawFloat() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Map(rapid.Int64Range(-1<<53, 1<<53), func(n int64) float64 { return float64(n) }),
		rapid.Map(rapid.IntRange(-1000, 1000), func(n int) float64 { return float64(n) / 100 }),
		rapid.Float64(),
		rapid.Map(rapid.Uint64(), math.Float64frombits),
	).Filter(func(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) })
}

// canonicalOf prints a value by the text of RFC 8785.
func canonicalOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return canonicalString(v)
	case float64:
		return ecmaNumber(v)
	case list:
		var parts []string
		for _, e := range v {
			parts = append(parts, canonicalOf(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case members:
		sorted := slices.Clone(v)
		slices.SortFunc(sorted, func(a, b pair) int {
			return slices.Compare(utf16.Encode([]rune(a.key)), utf16.Encode([]rune(b.key)))
		})
		var parts []string
		for _, m := range sorted {
			parts = append(parts, canonicalString(m.key)+":"+canonicalOf(m.value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	panic(fmt.Sprintf("no JSON value: %T", v))
}

func canonicalString(s string) string {
	escapes := map[rune]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`, '"': `\"`, '\\': `\\`}
	out := ""
	for _, r := range s {
		if e, ok := escapes[r]; ok {
			out += e
		} else if r < 0x20 {
			out += fmt.Sprintf(`\u%04x`, r)
		} else {
			out += string(r)
		}
	}
	return `"` + out + `"`
}

// ecmaNumber follows the steps of Number::toString in ECMA-262, with its names: the value is
// s × 10^(n-k), where s has k digits.
func ecmaNumber(f float64) string {
	if f == 0 {
		return "0"
	}
	if f < 0 {
		return "-" + ecmaNumber(-f)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	s := strings.Replace(mantissa, ".", "", 1)
	e, _ := strconv.Atoi(exponent)
	k, n := len(s), e+1
	switch {
	case k <= n && n <= 21:
		return s + strings.Repeat("0", n-k)
	case 0 < n && n <= 21:
		return s[:n] + "." + s[n:]
	case -6 < n && n <= 0:
		return "0." + strings.Repeat("0", -n) + s
	}
	sign := "+"
	if n-1 < 0 {
		sign = "-"
	}
	exponent = sign + strconv.Itoa(max(n-1, 1-n))
	if k == 1 {
		return s + "e" + exponent
	}
	return s[:1] + "." + s[1:] + "e" + exponent
}

// anySpelling prints a value with members in any order, white space anywhere, any character escaped and
// numbers spelled in any way.
func anySpelling(t *rapid.T, v any) string {
	space := func() string {
		return rapid.SampledFrom([]string{"", "", "", " ", "\n", "\t\r\n "}).Draw(t, "space")
	}
	switch v := v.(type) {
	case string:
		return space() + spellString(t, v) + space()
	case float64:
		return space() + spellNumber(t, v) + space()
	case list:
		var parts []string
		for _, e := range v {
			parts = append(parts, anySpelling(t, e))
		}
		return space() + "[" + space() + strings.Join(parts, ",") + "]" + space()
	case members:
		var parts []string
		for _, m := range v {
			parts = append(parts, anySpelling(t, m.key)+":"+anySpelling(t, m.value))
		}
		if len(parts) > 1 {
			parts = rapid.Permutation(parts).Draw(t, "order")
		}
		return space() + "{" + space() + strings.Join(parts, ",") + "}" + space()
	}
	return space() + canonicalOf(v) + space()
}

func spellString(t *rapid.T, s string) string {
	out := `"`
	for _, r := range s {
		must := r < 0x20 || r == '"' || r == '\\'
		if !must && rapid.IntRange(0, 3).Draw(t, "plain") > 0 {
			out += string(r)
			continue
		}
		if i := strings.IndexRune("\b\t\n\f\r\"\\/", r); i >= 0 && rapid.Bool().Draw(t, "short") {
			out += `\` + `btnfr"\/`[i:i+1]
			continue
		}
		format := rapid.SampledFrom([]string{`\u%04x`, `\u%04X`}).Draw(t, "case")
		for _, unit := range utf16.Encode([]rune{r}) {
			out += fmt.Sprintf(format, unit)
		}
	}
	return out + `"`
}

// spellNumber spells the shortest digits of f, which denote f however they are laid out.
func spellNumber(t *rapid.T, f float64) string {
	if f == 0 {
		return rapid.SampledFrom([]string{"0", "-0", "0.0", "-0.000", "0e0", "0E+99999999999999999999", "-0.0e-5"}).Draw(t, "zero")
	}
	sign := ""
	if f < 0 {
		sign, f = "-", -f
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	digits := strings.Replace(mantissa, ".", "", 1) + strings.Repeat("0", rapid.IntRange(0, 3).Draw(t, "zeros"))
	e, _ := strconv.Atoi(exponent)
	e++ // 0.digits × 10^e
	switch point := rapid.IntRange(-3, len(digits)).Draw(t, "point"); {
	case point <= 0:
		mantissa, e = "0."+strings.Repeat("0", -point)+digits, e-point
	case point == len(digits):
		mantissa, e = digits, e-point
	default:
		mantissa, e = digits[:point]+"."+digits[point:], e-point
	}
	if e == 0 && rapid.Bool().Draw(t, "no exponent") {
		return sign + mantissa
	}
	plus := ""
	if e >= 0 && rapid.Bool().Draw(t, "plus") {
		plus = "+"
	}
	return sign + mantissa + rapid.SampledFrom([]string{"e", "E"}).Draw(t, "e") + plus + strconv.Itoa(e)
}
