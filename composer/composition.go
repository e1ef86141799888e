package composer

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

// A Composition is what [Compose] decided. It does not change; its methods may be called from several goroutines at
// once. The zero value is the composition of no sections.
type Composition struct {
	candidates
	rules   tiers.Rules
	measure string
	join    Join
	plan    tiers.Plan
	length  int64 // of the text, in bytes
	memo    *memo
}

// A memo keeps what was made on demand, so that nothing is joined or hashed twice.
type memo struct {
	sync.Mutex
	text           string
	digest         fingerprint.Digest
	joined, hashed bool
}

// Pieces yields what the text is made of, in order: the contents, or the alternates chosen, of the included sections
// and the joins between them. It is for callers that write or hash the text themselves.
func (c Composition) Pieces() iter.Seq[string] {
	return func(yield func(string) bool) {
		join := "" // nothing stands before the first
		for i := range c.plan.Verdicts {
			if !c.plan.Verdicts[i].Included() {
				continue
			}
			if join != "" && !yield(join) || !yield(c.form(i)) {
				return
			}
			join = c.join.Text()
		}
	}
}

// form returns the form of a section that its verdict settled on: its content, or an alternate.
func (c *Composition) form(i int) string {
	if k := c.plan.Verdicts[i].Alternate; k > 0 {
		return c.parts[i].alternates[k-1]
	}
	return c.parts[i].content
}

// Text returns the emitted text. It is made at the first call and kept.
func (c Composition) Text() string {
	m := c.memo
	if m == nil {
		return ""
	}
	m.Lock()
	defer m.Unlock()
	if !m.joined {
		var b strings.Builder
		b.Grow(int(c.length))
		for piece := range c.Pieces() {
			b.WriteString(piece)
		}
		m.text, m.joined = b.String(), true
	}
	return m.text
}

// AppendText appends the emitted text to dst and returns the extended buffer. With room in dst it allocates nothing.
func (c Composition) AppendText(dst []byte) []byte {
	dst = slices.Grow(dst, int(c.length))
	for piece := range c.Pieces() {
		dst = append(dst, piece...)
	}
	return dst
}

// Fingerprint returns the digest of the emitted text: plain BLAKE3, what b3sum prints for it. It is computed at the first
// call and kept, and does not make the text.
func (c Composition) Fingerprint() fingerprint.Digest {
	m := c.memo
	if m == nil {
		return fingerprint.Sum(nil)
	}
	m.Lock()
	defer m.Unlock()
	switch {
	case m.hashed:
	case m.joined:
		m.digest = fingerprint.SumString(m.text)
	default:
		var h fingerprint.Hasher
		for piece := range c.Pieces() {
			h.WriteString(piece)
		}
		m.digest = h.Digest()
	}
	m.hashed = true
	return m.digest
}

// Len returns the length of the emitted text in bytes.
func (c Composition) Len() int64 { return c.length }

// EffectiveBudget returns the budget that the sections were held against.
func (c Composition) EffectiveBudget() tiers.Budget { return c.rules.Budget }

// TotalChars returns the sum of the sizes of the included sections in the measure, without separators.
func (c Composition) TotalChars() int64 { return c.plan.Total.Size() }

// measureName returns the name of the measure; the zero composition has the zero measure's.
func (c Composition) measureName() string { return cmp.Or(c.measure, measure.Measure{}.Name()) }

// TotalTokensEst returns the published token estimate: a quarter of TotalChars, rounded up, when the measure counts
// characters (utf16, bytes, runes), else TotalChars itself.
func (c Composition) TotalTokensEst() int64 {
	total := c.TotalChars()
	switch c.measureName() {
	case "utf16", "bytes", "runes":
		return total/4 + min(total%4, 1)
	}
	return total
}

// BudgetUsedPct returns TotalChars in percent of the budget, rounded half up; see tiers.Budget.UsedPercent.
func (c Composition) BudgetUsedPct() int64 { return c.rules.Budget.UsedPercent(c.TotalChars()) }

// Overflow returns by how much the emitted text, separators included, exceeds the budget; 0 when it does not. It is a
// sum of what was charged: nothing is measured again.
func (c Composition) Overflow() int64 { return c.plan.Overflow }

// OverflowBytes returns by how much the emitted text, separators included, exceeds Config.MaxBytes.
func (c Composition) OverflowBytes() int64 { return c.plan.OverflowBytes }

// Rebudget returns the composition of the same sections under another budget. Nothing is measured again.
func (c Composition) Rebudget(budget tiers.Budget) (Composition, error) {
	c.rules.Budget = budget
	return admit(c)
}
