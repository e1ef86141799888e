package tiers_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/tiers"
)

func core(size int64) tiers.Item {
	return tiers.Item{Tier: tiers.Core, Cost: tiers.Charged(size, size)}
}
func active(size int64) tiers.Item {
	return tiers.Item{Tier: tiers.Active, Cost: tiers.Charged(size, size)}
}
func informational(size int64) tiers.Item {
	return tiers.Item{Tier: tiers.Informational, Cost: tiers.Charged(size, size)}
}

func priority(p int, item tiers.Item) tiers.Item    { item.Priority = p; return item }
func chained(chain int, item tiers.Item) tiers.Item { item.Chain = chain; return item }
func grouped(group int, item tiers.Item) tiers.Item { item.Group = group; return item }
func wide(bytes int64, item tiers.Item) tiers.Item {
	item.Cost = tiers.Charged(item.Cost.Size(), bytes)
	return item
}
func or(item tiers.Item, sizes ...int64) tiers.Item {
	for _, size := range sizes {
		item.Alternates = append(item.Alternates, tiers.Charged(size, size))
	}
	return item
}

// An admitTest says what becomes of items: a word each, "core", "fits", "alternate 1" or the reason of a refusal, with
// what was charged before it and the limit where there is one.
type admitTest struct {
	name     string
	rules    tiers.Rules
	fraction string
	items    []tiers.Item
	want     []string
	total    int64
	overflow int64
}

func (tt admitTest) input() input {
	rules := tt.rules
	if tt.fraction != "" {
		rules.ActiveFraction = fractionsOf(tt.fraction)[1]
	}
	return input{tt.items, rules}
}

var admitTable = []admitTest{
	{
		name:  "nothing",
		rules: tiers.Rules{Budget: tiers.Limit(10)},
	},
	{
		name:  "the issue's example: the ceiling is 98 and 38 more fit",
		rules: tiers.Rules{Budget: tiers.Limit(100)},
		items: []tiers.Item{core(60), active(38)},
		want:  []string{"core 0", "fits 60/98"},
		total: 98,
	},
	{
		name:  "39 do not",
		rules: tiers.Rules{Budget: tiers.Limit(100)},
		items: []tiers.Item{core(60), active(39)},
		want:  []string{"core 0", "over-ceiling 60/98"},
		total: 60,
	},
	{
		name:  "informational may go up to the budget itself",
		rules: tiers.Rules{Budget: tiers.Limit(100)},
		items: []tiers.Item{core(60), informational(40), informational(1)},
		want:  []string{"core 0", "fits 60/100", "over-budget 100/100"},
		total: 100,
	},
	{
		name:  "core over a budget of zero: the ceiling is 5, and active before core fits below it",
		rules: tiers.Rules{Budget: tiers.Limit(0)},
		items: []tiers.Item{active(5), active(1), informational(1), core(100)},
		want:  []string{"fits 0/5", "over-ceiling 5/5", "over-budget 5/0", "core 5"},
		total: 105, overflow: 105,
	},
	{
		name:     "0.7 with 90 left: 63",
		rules:    tiers.Rules{Budget: tiers.Limit(90)},
		fraction: "0.7",
		items:    []tiers.Item{active(64), active(63)},
		want:     []string{"over-ceiling 0/63", "fits 0/63"},
		total:    63,
	},
	{
		name:  "late core makes the published pass overflow",
		rules: tiers.Rules{Budget: tiers.Limit(100)},
		items: []tiers.Item{active(90), core(60)},
		want:  []string{"fits 0/98", "core 90"},
		total: 150, overflow: 50,
	},
	{
		name:  "reserved charges late core first",
		rules: tiers.Rules{Gate: tiers.Reserved, Budget: tiers.Limit(100)},
		items: []tiers.Item{active(90), core(60)},
		want:  []string{"over-ceiling 60/98", "core 60"},
		total: 60,
	},
	{
		name:  "a budget of 0 keeps core only",
		rules: tiers.Rules{Budget: tiers.Limit(0)},
		items: []tiers.Item{core(0), active(1), informational(1), core(3)},
		want:  []string{"core 0", "over-ceiling 0/0", "over-budget 0/0", "core 0"},
		total: 3, overflow: 3,
	},
	{
		name:  "no budget keeps all",
		items: []tiers.Item{core(255), active(255), informational(255)},
		want:  []string{"core 0", "fits 255", "fits 510"},
		total: 765,
	},
	{
		name:  "what does not fit is skipped and a later smaller one may fit",
		rules: tiers.Rules{Budget: tiers.Limit(10)},
		items: []tiers.Item{informational(6), informational(5), informational(4), informational(0)},
		want:  []string{"fits 0/10", "over-budget 6/10", "fits 6/10", "fits 10/10"},
		total: 10,
	},
	{
		name:  "the published gate does not charge separators, and says what they overflow by",
		rules: tiers.Rules{Budget: tiers.Limit(10), Separator: tiers.Charged(2, 2)},
		items: []tiers.Item{informational(5), informational(5)},
		want:  []string{"fits 0/10", "fits 5/10"},
		total: 10, overflow: 2,
	},
	{
		name:  "reserved charges them: the first item brings none",
		rules: tiers.Rules{Gate: tiers.Reserved, Budget: tiers.Limit(12), Separator: tiers.Charged(2, 2)},
		items: []tiers.Item{informational(5), informational(6), informational(5)},
		want:  []string{"fits 0/12", "over-budget 5/12", "fits 5/12"},
		total: 10,
	},
	{
		name:     "reserved charges core's own separators before the pass; the ceiling is the published one, without them",
		rules:    tiers.Rules{Gate: tiers.Reserved, Budget: tiers.Limit(32), Separator: tiers.Charged(2, 2)},
		fraction: "0.5",
		items:    []tiers.Item{active(4), core(5), active(3), core(5)},
		want:     []string{"fits 12/21", "core 18", "over-ceiling 18/21", "core 18"},
		total:    14,
	},
	{
		name:  "the second cap holds too, in bytes and without a ceiling",
		rules: tiers.Rules{Budget: tiers.Limit(100), MaxBytes: tiers.Limit(20)},
		items: []tiers.Item{wide(12, core(4)), wide(9, active(3)), wide(8, active(3)), wide(4, informational(3))},
		want:  []string{"core 0", "over-bytes 12/20", "fits 4/95", "over-bytes 20/20"},
		total: 7,
	},
	{
		name:  "a limit that is not met comes before the bytes",
		rules: tiers.Rules{Budget: tiers.Limit(5), MaxBytes: tiers.Limit(5)},
		items: []tiers.Item{informational(6)},
		want:  []string{"over-budget 0/5"},
	},
	{
		name:  "core is charged against the bytes but never refused",
		rules: tiers.Rules{MaxBytes: tiers.Limit(5)},
		items: []tiers.Item{core(6), active(0), active(1)},
		want:  []string{"core 0", "over-bytes 6/5", "over-bytes 6/5"},
		total: 6,
	},
	{
		name:  "the first alternate that fits is used",
		rules: tiers.Rules{Budget: tiers.Limit(10)},
		items: []tiers.Item{or(informational(12), 11, 7, 3), or(informational(4), 5), or(core(20), 1)},
		want:  []string{"alternate 2 0/10", "over-budget 7/10", "core 7"},
		total: 27, overflow: 17,
	},
	{
		name:  "an alternate must keep within both caps",
		rules: tiers.Rules{Budget: tiers.Limit(10), MaxBytes: tiers.Limit(10)},
		items: []tiers.Item{{Tier: tiers.Informational, Cost: tiers.Charged(5, 11),
			Alternates: []tiers.Cost{tiers.Charged(11, 11), tiers.Charged(10, 11), tiers.Charged(10, 10)}}},
		want:  []string{"alternate 3 0/10"},
		total: 10,
	},
	{
		name:  "priority decides who is offered room first, and the order stays the caller's",
		rules: tiers.Rules{Budget: tiers.Limit(10)},
		items: []tiers.Item{informational(6), priority(2, informational(5)), priority(3, informational(4)), priority(2, informational(1))},
		want:  []string{"over-budget 10/10", "fits 4/10", "fits 0/10", "fits 9/10"},
		total: 10,
	},
	{
		name:  "core with a low priority is charged late by the published gate",
		rules: tiers.Rules{Budget: tiers.Limit(10)},
		items: []tiers.Item{core(8), priority(1, informational(9))},
		want:  []string{"core 9", "fits 0/10"},
		total: 17, overflow: 7,
	},
	{
		name:  "a chain is closed by its first refusal",
		rules: tiers.Rules{Budget: tiers.Limit(10)},
		items: []tiers.Item{chained(1, informational(4)), chained(1, informational(7)), chained(1, informational(1)), chained(2, informational(1)), chained(1, core(1))},
		want:  []string{"fits 0/10", "over-budget 4/10", "chain 4/10", "fits 4/10", "core 5"},
		total: 6,
	},
	{
		name:  "one chain in order of age evicts from the old end until it fits",
		rules: tiers.Rules{Budget: tiers.Limit(10)},
		items: []tiers.Item{
			chained(1, informational(1)), priority(1, chained(1, informational(4))),
			priority(2, chained(1, informational(4))), priority(3, chained(1, informational(4))),
		},
		want:  []string{"chain 8/10", "over-budget 8/10", "fits 4/10", "fits 0/10"},
		total: 8,
	},
	{
		name:  "a chain is closed by an alternate too",
		rules: tiers.Rules{Budget: tiers.Limit(10)},
		items: []tiers.Item{chained(1, or(informational(11), 3)), chained(1, informational(1))},
		want:  []string{"alternate 1 0/10", "chain 3/10"},
		total: 3,
	},
	{
		name:  "a group is in as a whole, at the place of its first member",
		rules: tiers.Rules{Budget: tiers.Limit(10)},
		items: []tiers.Item{grouped(1, informational(3)), informational(4), grouped(1, informational(5))},
		want:  []string{"fits 0/10", "over-budget 8/10", "fits 3/10"},
		total: 8,
	},
	{
		name:  "or out as a whole, and closes the chains of all its members",
		rules: tiers.Rules{Budget: tiers.Limit(10)},
		items: []tiers.Item{
			chained(1, grouped(1, informational(3))), chained(1, informational(1)), chained(2, grouped(1, informational(8))),
			chained(2, informational(1)), informational(1), grouped(1, core(1)),
		},
		want:  []string{"group 0/10", "chain 0/10", "group 0/10", "chain 0/10", "fits 0/10", "core 1"},
		total: 2,
	},
	{
		name:  "the members of a group keep their own limits",
		rules: tiers.Rules{Budget: tiers.Limit(10)},
		items: []tiers.Item{grouped(1, informational(5)), grouped(1, active(5))},
		want:  []string{"group 0/10", "group 0/9"},
	},
	{
		name:  "and their alternates",
		rules: tiers.Rules{Budget: tiers.Limit(10)},
		items: []tiers.Item{grouped(1, informational(5)), grouped(1, or(active(5), 4))},
		want:  []string{"fits 0/10", "alternate 1 5/9"},
		total: 9,
	},
	{
		name:  "one closed chain keeps a group out",
		rules: tiers.Rules{Budget: tiers.Limit(10)},
		items: []tiers.Item{chained(1, informational(11)), grouped(1, informational(1)), chained(1, grouped(1, informational(1)))},
		want:  []string{"over-budget 0/10", "group 0/10", "group 0/10"},
	},
	{
		name:  "an alternate inside a group closes its chain after the group, not within it",
		rules: tiers.Rules{Budget: tiers.Limit(10)},
		items: []tiers.Item{chained(1, grouped(1, or(informational(11), 3))), chained(1, grouped(1, informational(2))), chained(1, informational(1))},
		want:  []string{"alternate 1 0/10", "fits 3/10", "chain 5/10"},
		total: 5,
	},
	{
		name:  "a group of one is a group",
		rules: tiers.Rules{Budget: tiers.Limit(10)},
		items: []tiers.Item{grouped(1, informational(11))},
		want:  []string{"group 0/10"},
	},
	{
		name:  "core ignores its group",
		rules: tiers.Rules{Budget: tiers.Limit(10)},
		items: []tiers.Item{grouped(1, core(4)), grouped(1, informational(7)), grouped(1, core(1))},
		want:  []string{"core 0", "group 4/10", "core 4"},
		total: 5,
	},
	{
		name:  "the head leaves the reserve to the tail",
		rules: tiers.Rules{Gate: tiers.PrefixStable, Budget: tiers.Limit(100), Head: 2, TailReserve: 30},
		items: []tiers.Item{core(40), informational(31), core(20), informational(40), informational(41)},
		want:  []string{"core 40", "over-budget 40/70", "core 60", "fits 60/100", "over-budget 100/100"},
		total: 100,
	},
	{
		name: "the separator between head and tail is the tail's",
		rules: tiers.Rules{Gate: tiers.PrefixStable, Budget: tiers.Limit(20), Separator: tiers.Charged(2, 2), Head: 2,
			TailReserve: 6},
		items: []tiers.Item{informational(6), informational(6), core(4), informational(0)},
		want:  []string{"fits 0/14", "fits 6/14", "core 20", "over-budget 20/20"},
		total: 16,
	},
	{
		name:  "the tail's ceiling is of what the head left",
		rules: tiers.Rules{Gate: tiers.PrefixStable, Budget: tiers.Limit(100), Head: 1, TailReserve: 40},
		items: []tiers.Item{informational(60), active(39), active(38)},
		want:  []string{"fits 0/60", "over-ceiling 60/98", "fits 60/98"},
		total: 98,
	},
	{
		name:  "a reserve that is too small for the tail's core overflows",
		rules: tiers.Rules{Gate: tiers.PrefixStable, Budget: tiers.Limit(20), Head: 1, TailReserve: 5},
		items: []tiers.Item{informational(15), core(7), active(0)},
		want:  []string{"fits 0/15", "core 22", "over-ceiling 22/20"}, // 22 + floor(-2*0.95)
		total: 22, overflow: 2,
	},
	{
		name:  "a chain goes on from the head into the tail",
		rules: tiers.Rules{Gate: tiers.PrefixStable, Budget: tiers.Limit(20), Head: 1},
		items: []tiers.Item{chained(1, informational(21)), chained(1, informational(1)), informational(1)},
		want:  []string{"over-budget 0/20", "chain 0/20", "fits 0/20"},
		total: 1,
	},
	{
		name:  "the head is gated first, whatever the priorities",
		rules: tiers.Rules{Gate: tiers.PrefixStable, Budget: tiers.Limit(20), Head: 1},
		items: []tiers.Item{informational(20), priority(3, informational(1))},
		want:  []string{"fits 0/20", "over-budget 20/20"},
		total: 20,
	},
	{
		name:  "without a head all is tail and the reserve is free",
		rules: tiers.Rules{Gate: tiers.PrefixStable, Budget: tiers.Limit(20), TailReserve: 15},
		items: []tiers.Item{informational(20)},
		want:  []string{"fits 0/20"},
		total: 20,
	},
	{
		name:  "the other gates know neither head nor reserve",
		rules: tiers.Rules{Gate: tiers.Reserved, Budget: tiers.Limit(20), Head: 1, TailReserve: 15},
		items: []tiers.Item{grouped(1, informational(8)), grouped(1, informational(12))},
		want:  []string{"fits 0/20", "fits 8/20"},
		total: 20,
	},
}

func TestAdmit(t *testing.T) {
	for _, tt := range admitTable {
		t.Run(tt.name, func(t *testing.T) {
			in := tt.input()
			plan, err := tiers.Admit(in.items, in.rules)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range plan.Verdicts {
				got = append(got, describe(v))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("verdicts (-want +got)\n%s", diff)
			}
			if plan.Total.Size() != tt.total || plan.Overflow != tt.overflow {
				t.Errorf("total %d, overflow %d; want %d and %d", plan.Total.Size(), plan.Overflow, tt.total, tt.overflow)
			}
		})
	}
}

func describe(v tiers.Verdict) string {
	s := v.Reason.String()
	if v.Alternate > 0 {
		s = fmt.Sprint("alternate ", v.Alternate)
	}
	s += fmt.Sprint(" ", v.Before)
	if n, limited := v.Limit.Value(); limited {
		s += fmt.Sprint("/", n)
	}
	return s
}

// The table seeds the fuzz target, so it must survive the encoding.
func TestTableEncodes(t *testing.T) {
	everything := []cmp.Option{
		cmp.AllowUnexported(input{}),
		cmp.Comparer(func(a, b tiers.Cost) bool { return a.Size() == b.Size() && a.Bytes() == b.Bytes() }),
		cmp.Comparer(func(a, b tiers.Budget) bool { return a == b }),
		cmp.Comparer(func(a, b tiers.Fraction) bool { return a == b }),
	}
	for _, tt := range admitTable {
		in := tt.input()
		back := drawInput(fromBytes(encodeInput(in)))
		if len(back.items) == 0 {
			back.items = in.items
		}
		if diff := cmp.Diff(in, back, everything...); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
}

func TestAdmitLeavesItsInputAlone(t *testing.T) {
	items := []tiers.Item{informational(3), priority(2, or(grouped(1, active(9)), 4)), core(1)}
	want := []tiers.Item{informational(3), priority(2, or(grouped(1, active(9)), 4)), core(1)}
	if _, err := tiers.Admit(items, tiers.Rules{Gate: tiers.Reserved, Budget: tiers.Limit(6)}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, items, opaque...); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAdmitRefuses(t *testing.T) {
	half := int64(1 << 62)
	for _, tt := range []struct {
		name  string
		items []tiers.Item
		rules tiers.Rules
		want  error
		index int // -1: not about one item
		text  string
	}{
		{"size below zero", []tiers.Item{core(1), {Cost: tiers.Charged(-1, 1)}}, tiers.Rules{}, tiers.ErrNegative, 1, "tiers: item 1: negative size -1"},
		{"bytes below zero", []tiers.Item{{Cost: tiers.Charged(1, -7)}}, tiers.Rules{}, tiers.ErrNegative, 0, "tiers: item 0: negative byte count -7"},
		{"alternate below zero", []tiers.Item{{Cost: tiers.Charged(1, 1), Alternates: []tiers.Cost{tiers.Charged(0, -1)}}}, tiers.Rules{}, tiers.ErrNegative, 0, "negative byte count"},
		{"cost not known", []tiers.Item{{}}, tiers.Rules{}, tiers.ErrUnknown, 0, "unknown cost"},
		{"alternate's cost not known", []tiers.Item{core(1), {Cost: tiers.Charged(1, 1), Alternates: make([]tiers.Cost, 1)}}, tiers.Rules{}, tiers.ErrUnknown, 1, "unknown cost"},
		{"tier not known", []tiers.Item{{Tier: 3, Cost: tiers.Charged(1, 1)}}, tiers.Rules{}, tiers.ErrUnknown, 0, "unknown tier 3"},
		{"gate not known", nil, tiers.Rules{Gate: 3}, tiers.ErrUnknown, -1, "tiers: unknown gate 3; want published, reserved or prefix-stable"},
		{"reserve below zero", nil, tiers.Rules{TailReserve: -1}, tiers.ErrNegative, -1, "tiers: negative tail reserve -1"},
		{"separator below zero", nil, tiers.Rules{Separator: tiers.Charged(-1, 0)}, tiers.ErrNegative, -1, "negative separator"},
		{"separator's bytes below zero", nil, tiers.Rules{Separator: tiers.Charged(0, -1)}, tiers.ErrNegative, -1, "negative separator"},
		{"head below zero", nil, tiers.Rules{Gate: tiers.PrefixStable, Head: -1}, nil, -1, "tiers: head of -1 among 0 items"},
		{"head too long", []tiers.Item{core(1)}, tiers.Rules{Gate: tiers.PrefixStable, Head: 2}, nil, -1, "tiers: head of 2 among 1 items"},
		{"sum of sizes beyond int64", []tiers.Item{wide(1, core(half)), wide(1, active(half))}, tiers.Rules{}, tiers.ErrTooLarge, 1, "exceeds int64"},
		{"sum of bytes beyond int64", []tiers.Item{wide(math.MaxInt64, core(1)), wide(1, core(1))}, tiers.Rules{}, tiers.ErrTooLarge, 1, "exceeds int64"},
		{"separators make it too large", []tiers.Item{core(half), core(half - 1)}, tiers.Rules{Separator: tiers.Charged(1, 0)}, tiers.ErrTooLarge, 1, "exceeds int64"},
		{"an alternate makes it too large", []tiers.Item{core(1), or(active(1), math.MaxInt64)}, tiers.Rules{}, tiers.ErrTooLarge, 1, "exceeds int64"},
		{"a group on both sides of a head of one", []tiers.Item{grouped(4, active(1)), grouped(4, active(1))}, tiers.Rules{Gate: tiers.PrefixStable, Head: 1}, tiers.ErrSplitGroup, 1, "both sides"},
		{"a group on both sides", []tiers.Item{grouped(4, active(1)), core(1), grouped(4, active(1))}, tiers.Rules{Gate: tiers.PrefixStable, Head: 2}, tiers.ErrSplitGroup, 2, "both sides"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan, err := tiers.Admit(tt.items, tt.rules)
			if err == nil || plan.Verdicts != nil {
				t.Fatalf("plan %v, error %v", plan, err)
			}
			if tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("error %v is not %v", err, tt.want)
			}
			if !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %q does not say %q", err, tt.text)
			}
			var item *tiers.ItemError
			if about := errors.As(err, &item); about != (tt.index >= 0) || about && item.Index != tt.index {
				t.Errorf("error %v is about item %v, want %d", err, item, tt.index)
			}
		})
	}
}

func TestAdmitAtTheEdgesOfInt64(t *testing.T) {
	for _, tt := range []struct {
		name     string
		rules    tiers.Rules
		items    []tiers.Item
		want     []string
		overflow int64
	}{
		{"the largest item alone brings no separator", tiers.Rules{Gate: tiers.Reserved, Budget: tiers.Limit(math.MaxInt64), Separator: tiers.Charged(2, 2)},
			[]tiers.Item{informational(math.MaxInt64)}, []string{"fits 0/9223372036854775807"}, 0},
		{"the largest sum", tiers.Rules{Budget: tiers.Limit(math.MaxInt64)},
			[]tiers.Item{informational(math.MaxInt64 - 1), informational(1), informational(0)},
			[]string{"fits 0/9223372036854775807", "fits 9223372036854775806/9223372036854775807", "fits 9223372036854775807/9223372036854775807"}, 0},
		{"the largest core under the least budget saturates", tiers.Rules{Budget: tiers.Limit(math.MinInt64)},
			[]tiers.Item{core(math.MaxInt64), informational(0)}, []string{"core 0", "over-budget 9223372036854775807/-9223372036854775808"}, math.MaxInt64},
		{"nothing fits a budget below zero, not even nothing", tiers.Rules{Budget: tiers.Limit(-1)},
			[]tiers.Item{informational(0), active(0)}, []string{"over-budget 0/-1", "over-ceiling 0/-1"}, 1},
		{"the largest reserve under the least budget", tiers.Rules{Gate: tiers.PrefixStable, Budget: tiers.Limit(math.MinInt64), Head: 1, TailReserve: math.MaxInt64},
			[]tiers.Item{informational(0), informational(0)}, []string{"over-budget 0/-9223372036854775808", "over-budget 0/-9223372036854775808"}, math.MaxInt64},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan, err := tiers.Admit(tt.items, tt.rules)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range plan.Verdicts {
				got = append(got, describe(v))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("verdicts (-want +got)\n%s", diff)
			}
			if plan.Overflow != tt.overflow {
				t.Errorf("overflow %d, want %d", plan.Overflow, tt.overflow)
			}
		})
	}
}
