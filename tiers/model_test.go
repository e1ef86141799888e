package tiers_test

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/tiers"
)

// A model decides as the gates are specified, slowly: every sum is taken anew over all that is charged, numbers have no
// width, a fraction is a rational, the next to be offered is looked for among all that are left.
type model struct {
	items    []tiers.Item
	rules    tiers.Rules
	verdicts []tiers.Verdict
	charged  []tiers.Cost // all that was charged so far, in any order
	closed   []int        // chains
}

// decide returns what Admit must decide about an input that has no refusals.
func decide(in input) tiers.Plan {
	m := &model{items: in.items, rules: in.rules, verdicts: make([]tiers.Verdict, len(in.items))}
	budget := numberOf(in.rules.Budget)
	if in.rules.Gate == tiers.PrefixStable {
		var forHead *big.Int
		if budget != nil {
			forHead = minus(budget, big.NewInt(in.rules.TailReserve))
			if forHead.Cmp(big.NewInt(math.MinInt64)) < 0 {
				forHead.SetInt64(math.MinInt64) // a limit is an int64; nothing fits it either way
			}
		}
		m.region(0, in.rules.Head, forHead)
		m.region(in.rules.Head, len(in.items), budget)
	} else {
		m.region(0, len(in.items), budget)
	}
	return m.plan()
}

// refusals returns every error that is due for an input that drawInput can draw. A sum counts the largest form of every
// item and the separators that can stand between them.
func refusals(in input) (due []error) {
	for _, dimension := range []func(tiers.Cost) int64{tiers.Cost.Size, tiers.Cost.Bytes} {
		sum := new(big.Int)
		for i, item := range in.items {
			if i > 0 {
				sum.Add(sum, big.NewInt(dimension(in.rules.Separator)))
			}
			largest := dimension(item.Cost)
			for _, alternate := range item.Alternates {
				largest = max(largest, dimension(alternate))
			}
			sum.Add(sum, big.NewInt(largest))
		}
		if !sum.IsInt64() {
			due = append(due, tiers.ErrTooLarge)
		}
	}
	if in.rules.Gate == tiers.PrefixStable {
		for i, head := range in.items[:in.rules.Head] {
			for _, tail := range in.items[in.rules.Head:] {
				if in.items[i].Group != 0 && head.Group == tail.Group && head.Tier != tiers.Core && tail.Tier != tiers.Core {
					due = append(due, tiers.ErrSplitGroup)
				}
			}
		}
	}
	return due
}

func numberOf(b tiers.Budget) *big.Int {
	n, limited := b.Value()
	if !limited {
		return nil
	}
	return big.NewInt(n)
}

func plus(a, b *big.Int) *big.Int  { return new(big.Int).Add(a, b) }
func minus(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }

// sizes and byteSizes add up costs in their two dimensions, with the separators between them where the gate counts them.
func (m *model) sizes(costs []tiers.Cost) *big.Int     { return m.sum(costs, tiers.Cost.Size) }
func (m *model) byteSizes(costs []tiers.Cost) *big.Int { return m.sum(costs, tiers.Cost.Bytes) }

func (m *model) sum(costs []tiers.Cost, dimension func(tiers.Cost) int64) *big.Int {
	sum := new(big.Int)
	for i, c := range costs {
		if i > 0 && m.rules.Gate != tiers.Published {
			sum.Add(sum, big.NewInt(dimension(m.rules.Separator)))
		}
		sum.Add(sum, big.NewInt(dimension(c)))
	}
	return sum
}

// region gates the items from start to end against budget (nil: none), on top of what is charged already.
func (m *model) region(start, end int, budget *big.Int) {
	withCore := slices.Clone(m.charged)
	core := m.sizes(m.charged) // the published ceiling: contents of core, without the separators between them
	for i := start; i < end; i++ {
		if m.items[i].Tier == tiers.Core {
			withCore = append(withCore, m.items[i].Cost)
			core = plus(core, big.NewInt(m.items[i].Cost.Size()))
		}
	}
	var ceiling *big.Int
	if budget != nil {
		ceiling = plus(core, floorOf(minus(budget, core), m.rules.ActiveFraction))
	}
	if m.rules.Gate != tiers.Published {
		m.charged = withCore
	}
	order := m.offerOrder(start, end)
	decided := map[int]bool{}
	for _, i := range order {
		if decided[i] {
			continue
		}
		item := m.items[i]
		if item.Tier == tiers.Core {
			m.verdicts[i] = tiers.Verdict{Reason: tiers.IsCore, Before: m.sizes(m.charged).Int64()}
			if m.rules.Gate == tiers.Published {
				m.charged = append(m.charged, item.Cost)
			}
			continue
		}
		members := []int{i}
		if item.Group != 0 {
			members = nil
			for _, j := range order {
				if m.items[j].Group == item.Group && m.items[j].Tier != tiers.Core {
					members = append(members, j)
				}
			}
		}
		for _, j := range members {
			decided[j] = true
		}
		m.offer(members, budget, ceiling)
	}
}

// offerOrder takes, again and again, the first of the highest priority among those that are left.
func (m *model) offerOrder(start, end int) []int {
	var order []int
	for len(order) < end-start {
		best := -1
		for i := start; i < end; i++ {
			if !slices.Contains(order, i) && (best < 0 || m.items[i].Priority > m.items[best].Priority) {
				best = i
			}
		}
		order = append(order, best)
	}
	return order
}

func (m *model) offer(members []int, budget, ceiling *big.Int) {
	tried := slices.Clone(m.charged)
	for _, i := range members {
		limit := budget
		if m.items[i].Tier == tiers.Active {
			limit = ceiling
		}
		verdict := m.test(m.items[i], limit, tried)
		m.verdicts[i] = verdict
		if !verdict.Included() {
			m.refuse(members, budget, ceiling)
			return
		}
		tried = append(tried, verdict.Chosen(m.items[i]))
	}
	m.charged = tried
	for _, i := range members {
		if m.verdicts[i].Alternate > 0 {
			m.close(m.items[i].Chain)
		}
	}
}

// refuse gives every member of a group the same reason; one that has no group keeps its own.
func (m *model) refuse(members []int, budget, ceiling *big.Int) {
	for _, i := range members {
		if m.items[i].Group != 0 {
			limit := budget
			if m.items[i].Tier == tiers.Active {
				limit = ceiling
			}
			m.verdicts[i] = tiers.Verdict{Reason: tiers.InGroup, Limit: limitOf(limit), Before: m.sizes(m.charged).Int64()}
		}
		m.close(m.items[i].Chain)
	}
}

func (m *model) close(chain int) {
	if chain != 0 {
		m.closed = append(m.closed, chain)
	}
}

func (m *model) test(item tiers.Item, limit *big.Int, charged []tiers.Cost) tiers.Verdict {
	verdict := tiers.Verdict{Limit: limitOf(limit), Before: m.sizes(charged).Int64()}
	if slices.Contains(m.closed, item.Chain) {
		verdict.Reason = tiers.InChain
		return verdict
	}
	forms := append([]tiers.Cost{item.Cost}, item.Alternates...)
	for k, form := range forms {
		if m.fits(form, limit, charged) && m.fitsBytes(form, charged) {
			verdict.Reason, verdict.Alternate = tiers.Fits, k
			return verdict
		}
	}
	switch {
	case m.fits(item.Cost, limit, charged):
		return tiers.Verdict{Reason: tiers.OverBytes, Limit: m.rules.MaxBytes, Before: m.byteSizes(charged).Int64()}
	case item.Tier == tiers.Active:
		verdict.Reason = tiers.OverCeiling
	default:
		verdict.Reason = tiers.OverBudget
	}
	return verdict
}

func (m *model) fits(form tiers.Cost, limit *big.Int, charged []tiers.Cost) bool {
	return limit == nil || m.sizes(append(slices.Clone(charged), form)).Cmp(limit) <= 0
}

func (m *model) fitsBytes(form tiers.Cost, charged []tiers.Cost) bool {
	maxBytes := numberOf(m.rules.MaxBytes)
	return maxBytes == nil || m.byteSizes(append(slices.Clone(charged), form)).Cmp(maxBytes) <= 0
}

func limitOf(n *big.Int) tiers.Budget {
	if n == nil {
		return tiers.Budget{}
	}
	return tiers.Limit(n.Int64())
}

func (m *model) plan() tiers.Plan {
	var size, bytes, sepSize, sepBytes int64 // refusals have shown that the sums fit
	plan := tiers.Plan{Verdicts: m.verdicts}
	for i, verdict := range m.verdicts {
		if !verdict.Included() {
			continue
		}
		if plan.Included++; plan.Included > 1 {
			sepSize += m.rules.Separator.Size()
			sepBytes += m.rules.Separator.Bytes()
		}
		form := m.items[i].Cost
		if verdict.Alternate > 0 {
			form = m.items[i].Alternates[verdict.Alternate-1]
		}
		size += form.Size()
		bytes += form.Bytes()
	}
	plan.Total = tiers.Charged(size, bytes)
	plan.Emitted = tiers.Charged(size+sepSize, bytes+sepBytes)
	plan.Overflow = overflow(m.rules.Budget, size+sepSize)
	plan.OverflowBytes = overflow(m.rules.MaxBytes, bytes+sepBytes)
	return plan
}

func overflow(limit tiers.Budget, total int64) int64 {
	n := numberOf(limit)
	if n == nil {
		return 0
	}
	excess := minus(big.NewInt(total), n)
	if !excess.IsInt64() {
		return math.MaxInt64
	}
	return max(0, excess.Int64())
}

// opaque lets cmp look into the package's values, which are comparable.
var opaque = []cmp.Option{
	cmp.Comparer(func(a, b tiers.Cost) bool { return a == b }),
	cmp.Comparer(func(a, b tiers.Budget) bool { return a == b }),
}

func compareWithModel(t failer, in input) {
	t.Helper()
	got, err := tiers.Admit(in.items, in.rules)
	if due := refusals(in); err != nil || len(due) > 0 {
		if !slices.ContainsFunc(due, func(want error) bool { return errors.Is(err, want) }) {
			t.Fatalf("error %v, want one of %v, for\n%v", err, due, in)
		}
		return
	}
	if diff := cmp.Diff(decide(in), got, opaque...); diff != "" {
		t.Fatalf("(-want +got)\n%s\nfor %v", diff, in)
	}
}

func TestAdmitDecidesAsTheModel(t *testing.T) {
	refused, total := 0, 0
	forAll(t, func(t failer, draw draw) {
		in := drawInput(draw)
		total++
		if len(refusals(in)) > 0 {
			refused++
		}
		compareWithModel(t, in)
	})
	if refused == 0 || refused > total/2 {
		t.Errorf("%d of %d inputs are refused: too few or too many to show something", refused, total)
	}
}

func FuzzAdmit(f *testing.F) {
	for _, tt := range admitTable {
		f.Add(encodeInput(tt.input()))
	}
	f.Fuzz(func(t *testing.T, data []byte) { compareWithModel(t, drawInput(fromBytes(data))) })
}
