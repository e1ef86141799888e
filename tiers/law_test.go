package tiers_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/tiers"
)

// The laws of the gates, each with an oracle of its own. An input that no law speaks of (it has a group where the law
// has none, say) is made into one that it does speak of, not thrown away.

func admit(t failer, in input) tiers.Plan {
	t.Helper()
	plan, err := tiers.Admit(in.items, in.rules)
	if err != nil {
		t.Fatalf("%v, for %v", err, in)
	}
	return plan
}

// The published pass, word for word, for what it knows: tiers and sizes.
func publishedPass(items []tiers.Item, budget int64, fraction tiers.Fraction) (included []bool, total int64) {
	included = []bool{}
	coreChars := int64(0)
	for _, s := range items {
		if s.Tier == tiers.Core {
			coreChars += s.Cost.Size()
		}
	}
	activeCeiling := coreChars + fraction.Of(budget-coreChars)
	for _, s := range items {
		chars := s.Cost.Size()
		in := s.Tier == tiers.Core ||
			s.Tier == tiers.Active && total+chars <= activeCeiling ||
			s.Tier == tiers.Informational && total+chars <= budget
		if in {
			total += chars
		}
		included = append(included, in)
	}
	return included, total
}

func TestPublishedIsThePublishedPass(t *testing.T) {
	forAll(t, func(t failer, draw draw) {
		in := drawValid(draw)
		for i := range in.items {
			in.items[i] = tiers.Item{Tier: in.items[i].Tier, Cost: in.items[i].Cost}
		}
		in.rules = tiers.Rules{Budget: in.rules.Budget, ActiveFraction: in.rules.ActiveFraction, Separator: in.rules.Separator}
		budget, limited := in.rules.Budget.Value()
		if !limited { // the pass knows no budget that is not set
			budget = int64(draw(256))
			in.rules.Budget = tiers.Limit(budget)
		}
		want, total := publishedPass(in.items, budget, in.rules.ActiveFraction)
		plan := admit(t, in)
		if diff := cmp.Diff(want, included(plan)); diff != "" {
			t.Fatalf("(-want +got)\n%s\nfor %v", diff, in)
		}
		if plan.Total.Size() != total {
			t.Fatalf("total %d, want %d, for %v", plan.Total.Size(), total, in)
		}
	})
}

func included(plan tiers.Plan) []bool {
	in := make([]bool, len(plan.Verdicts))
	for i, v := range plan.Verdicts {
		in[i] = v.Included()
	}
	return in
}

// One chain of all that is not core evicts from the low end until it fits, under both caps: an evict loop that starts
// with everything and knows nothing of offers ends with the same items.
func TestOneChainEvictsFromTheLowEnd(t *testing.T) {
	evicted, kept := 0, 0
	forAll(t, func(t failer, draw draw) {
		in := drawValid(draw)
		distinct := shuffled(len(in.items), draw)
		for i := range in.items {
			item := &in.items[i]
			*item = tiers.Item{Tier: item.Tier, Cost: item.Cost, Priority: distinct[i], Chain: 1}
			if item.Tier == tiers.Core && in.rules.Gate == tiers.Published {
				item.Priority += 1000 // what the published pass charges late it cannot evict for
			}
		}
		if in.rules.Gate == tiers.PrefixStable {
			in.rules.Head = 0
		}
		in.rules.ActiveFraction = fractions[len(fractions)-1] // 1: an evict loop knows one limit
		want := evictLoop(in)
		if diff := cmp.Diff(want, included(admit(t, in))); diff != "" {
			t.Fatalf("(-want +got)\n%s\nfor %v", diff, in)
		}
		for i, keep := range want {
			switch {
			case !keep:
				evicted++
			case in.items[i].Tier != tiers.Core:
				kept++
			}
		}
	})
	if evicted == 0 || kept == 0 {
		t.Errorf("%d evicted, %d kept: this shows nothing", evicted, kept)
	}
}

func evictLoop(in input) []bool {
	keep := make([]bool, len(in.items))
	for i := range keep {
		keep[i] = true
	}
	for !fits(in, keep) {
		lowest := -1
		for i, item := range in.items {
			if keep[i] && item.Tier != tiers.Core && (lowest < 0 || item.Priority < in.items[lowest].Priority) {
				lowest = i
			}
		}
		if lowest < 0 {
			break // only core is left
		}
		keep[lowest] = false
	}
	return keep
}

func fits(in input, keep []bool) bool {
	var n, size, bytes int64
	for i, item := range in.items {
		if keep[i] {
			n++
			size += item.Cost.Size()
			bytes += item.Cost.Bytes()
		}
	}
	if in.rules.Gate != tiers.Published && n > 1 {
		size += (n - 1) * in.rules.Separator.Size()
		bytes += (n - 1) * in.rules.Separator.Bytes()
	}
	budget, limited := in.rules.Budget.Value()
	maxBytes, limitedBytes := in.rules.MaxBytes.Value()
	return (!limited || size <= budget) && (!limitedBytes || bytes <= maxBytes)
}

// shuffled returns the numbers below n in a drawn order.
func shuffled(n int, draw draw) []int {
	order := make([]int, n)
	for i := range order {
		j := draw(i + 1)
		order[i] = order[j]
		order[j] = i
	}
	return order
}

// coreCost returns what the core of items costs with the separators between them, in one dimension.
func coreCost(items []tiers.Item, rules tiers.Rules, dimension func(tiers.Cost) int64) int64 {
	var n, sum int64
	for _, item := range items {
		if item.Tier == tiers.Core {
			n++
			sum += dimension(item.Cost)
		}
	}
	return sum + max(n-1, 0)*dimension(rules.Separator)
}

func TestReservedNeverExceedsWhenCoreFits(t *testing.T) {
	held := 0
	forAll(t, func(t failer, draw draw) {
		in := drawValid(draw)
		in.rules.Gate = tiers.Reserved
		order := shuffled(len(in.items), draw)
		reordered := make([]tiers.Item, len(order))
		for i, j := range order {
			reordered[i] = in.items[j]
		}
		for _, in.items = range [][]tiers.Item{in.items, reordered} {
			plan := admit(t, in)
			if budget, limited := in.rules.Budget.Value(); limited && coreCost(in.items, in.rules, tiers.Cost.Size) <= budget {
				held++
				if plan.Overflow != 0 || plan.Emitted.Size() > budget {
					t.Fatalf("emitted %d, overflow %d, for %v", plan.Emitted.Size(), plan.Overflow, in)
				}
			}
			if maxBytes, limited := in.rules.MaxBytes.Value(); limited && coreCost(in.items, in.rules, tiers.Cost.Bytes) <= maxBytes {
				if plan.OverflowBytes != 0 || plan.Emitted.Bytes() > maxBytes {
					t.Fatalf("emitted %d bytes, overflow %d, for %v", plan.Emitted.Bytes(), plan.OverflowBytes, in)
				}
			}
		}
	})
	if held == 0 {
		t.Error("core never fitted: this shows nothing")
	}
}

func TestReservedIsPublishedWhereCoreIsFirstAndSeparatorsAreFree(t *testing.T) {
	forAll(t, func(t failer, draw draw) {
		in := drawValid(draw)
		in.rules.Separator = tiers.Charged(0, 0)
		slices.SortStableFunc(in.items, func(a, b tiers.Item) int { return min(int(a.Tier), 1) - min(int(b.Tier), 1) })
		for i := range in.items {
			if in.items[i].Tier == tiers.Core {
				in.items[i].Priority += 1000
			}
		}
		in.rules.Gate = tiers.Published
		published := admit(t, in)
		in.rules.Gate = tiers.Reserved
		reserved := admit(t, in)
		for i := range in.items {
			if in.items[i].Tier == tiers.Core {
				published.Verdicts[i].Before = reserved.Verdicts[i].Before // core is charged at another moment
			}
		}
		if diff := cmp.Diff(published, reserved, opaque...); diff != "" {
			t.Fatalf("(-published +reserved)\n%s\nfor %v", diff, in)
		}
	})
}

// Only the order of the priorities matters, however far apart they are.
func TestPrioritiesAreCompared(t *testing.T) {
	apart := []int{math.MinInt, -1 << 16, -1, 0, 255, 256, 1<<24 + 1, math.MaxInt}
	forAll(t, func(t failer, draw draw) {
		in := drawValid(draw)
		near := admit(t, in)
		var farther [4]int // in place of 0 to 3
		for p := range farther {
			farther[p] = apart[2*p+draw(2)]
		}
		for i := range in.items {
			in.items[i].Priority = farther[in.items[i].Priority]
		}
		if diff := cmp.Diff(near, admit(t, in), opaque...); diff != "" {
			t.Fatalf("(-near +far)\n%s\nfor %v", diff, in)
		}
	})
}

func TestNoTailChangesTheHead(t *testing.T) {
	forAll(t, func(t failer, draw draw) {
		in, other := drawValid(draw), drawValid(draw)
		in.rules.Gate = tiers.PrefixStable
		head := in.items[:in.rules.Head]
		tails := [][]tiers.Item{in.items[in.rules.Head:], other.items, nil}
		var verdicts [][]tiers.Verdict
		for _, tail := range tails {
			items := slices.Concat(head, tail)
			for i := range items[len(head):] {
				if item := &items[len(head)+i]; item.Group != 0 {
					item.Group += 100 // a group may not have members on both sides; a chain may
				}
			}
			verdicts = append(verdicts, admit(t, input{items, in.rules}).Verdicts[:len(head)])
		}
		for _, got := range verdicts[1:] {
			if diff := cmp.Diff(verdicts[0], got, opaque...); diff != "" {
				t.Fatalf("another tail changes the head (-want +got)\n%s\nfor %v", diff, in)
			}
		}
	})
}

func TestPrefixStableFitsWhenItsCoreDoes(t *testing.T) {
	held := 0
	forAll(t, func(t failer, draw draw) {
		in := drawValid(draw)
		in.rules.Gate = tiers.PrefixStable
		for i := range in.items[:in.rules.Head] {
			if in.items[i].Group != 0 {
				in.items[i].Group += 100 // no group on both sides
			}
		}
		budget, limited := in.rules.Budget.Value()
		if !limited || in.rules.TailReserve > budget {
			return
		}
		head, tail := in.items[:in.rules.Head], in.items[in.rules.Head:]
		tailCore := coreCost(tail, in.rules, tiers.Cost.Size)
		if tailHasCore := slices.ContainsFunc(tail, func(item tiers.Item) bool { return item.Tier == tiers.Core }); tailHasCore {
			tailCore += in.rules.Separator.Size() // the one between head and tail
		}
		if coreCost(head, in.rules, tiers.Cost.Size) > budget-in.rules.TailReserve || tailCore > in.rules.TailReserve {
			return
		}
		held++
		if plan := admit(t, in); plan.Overflow != 0 || plan.Emitted.Size() > budget {
			t.Fatalf("emitted %d, overflow %d, for %v", plan.Emitted.Size(), plan.Overflow, in)
		}
	})
	if held == 0 {
		t.Error("the premise never held: this shows nothing")
	}
}

// Of all that is not core in one chain, without alternates, a larger budget keeps what a smaller one kept, under every
// gate, with groups too. Nothing else is monotone.
func TestOneChainIsMonotoneInTheBudget(t *testing.T) {
	forAll(t, func(t failer, draw draw) {
		in := drawValid(draw)
		for i := range in.items {
			in.items[i].Chain, in.items[i].Alternates = 1, nil
		}
		low := int64(draw(256)) + 256*int64(draw(4))
		in.rules.Budget = tiers.Limit(low)
		smaller := included(admit(t, in))
		in.rules.Budget = tiers.Limit(low + int64(draw(256)))
		larger := included(admit(t, in))
		for i := range smaller {
			if smaller[i] && !larger[i] {
				t.Fatalf("item %d is lost when the budget grows from %d, for %v", i, low, in)
			}
		}
	})
}

// Whatever happens, the books balance.
func TestPlansAddUp(t *testing.T) {
	forAll(t, func(t failer, draw draw) {
		in := drawValid(draw)
		plan := admit(t, in)
		var n, size, bytes int64
		for i, v := range plan.Verdicts {
			if in.items[i].Tier == tiers.Core && v.Reason != tiers.IsCore {
				t.Fatalf("core item %d is %v, for %v", i, v.Reason, in)
			}
			if v.Included() {
				n++
				size += v.Chosen(in.items[i]).Size()
				bytes += v.Chosen(in.items[i]).Bytes()
			}
		}
		if int64(plan.Included) != n || plan.Total != tiers.Charged(size, bytes) {
			t.Fatalf("%d items of %v, want %d of %d and %d, for %v", plan.Included, plan.Total, n, size, bytes, in)
		}
		sep := in.rules.Separator
		gaps := max(n-1, 0)
		if plan.Emitted != tiers.Charged(size+gaps*sep.Size(), bytes+gaps*sep.Bytes()) {
			t.Fatalf("emitted %v, for %v", plan.Emitted, in)
		}
		whole := map[int]bool{} // by group
		for i, item := range in.items {
			if item.Group == 0 || item.Tier == tiers.Core {
				continue
			}
			in := plan.Verdicts[i].Included()
			if first, seen := whole[item.Group]; seen && in != first {
				t.Fatalf("group %d is split at item %d", item.Group, i)
			}
			whole[item.Group] = in
		}
	})
}

// Chains and groups are names: any number but 0 will do, also one below it.
func TestChainsAndGroupsAreNames(t *testing.T) {
	forAll(t, func(t failer, draw draw) {
		in := drawValid(draw)
		want := admit(t, in)
		for i := range in.items {
			in.items[i].Chain, in.items[i].Group = -in.items[i].Chain, -in.items[i].Group
		}
		if diff := cmp.Diff(want, admit(t, in), opaque...); diff != "" {
			t.Fatalf("numbers below zero (-want +got)\n%s\nfor %v", diff, in)
		}
	})
}
