package messages

import (
	"fmt"
	"slices"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/tiers"
)

// Options say how a prompt is assembled. The zero value is the cache-aware layout without a budget.
type Options struct {
	Layout      Layout
	Budget      *Budget // nil: nothing is evicted
	Policy      Policy
	Quantum     int64 // Quantised: > 0, in tokens, or in bytes where only bytes are capped; 0: a quarter of the budget
	Fold        *Fold // nil: old tool results are left as they are
	Notice      bool  // where history was cut, [OmissionNotice] stands before it as a user message, if there is room
	EagerSkills bool  // every skill with a body brings it, in the place of its line; skills without one are left out
}

// A Budget is what the input of a call may cost. At least one maximum is set.
type Budget struct {
	MaxInputTokens  tiers.Budget     // 1 to [MaxTokens]
	MaxInputBytes   tiers.Budget     // 1 to [MaxBytes], of UTF-8; holds whatever the estimator says
	ReportOmissions bool             // the report lists what was left out; it always counts it
	Estimator       *measure.Measure // counts tokens; nil: [measure.QuarterTokens]
}

// The largest maxima of a [Budget].
const (
	MaxTokens = 2_000_000
	MaxBytes  = 32 << 20
)

// Check returns what is wrong with the budget: [ErrNoMaximum], or [ErrMaximum] and which one it is.
func (b Budget) Check() error { return edge(b.check()) }

func (b Budget) check() error {
	tokens, hasTokens := b.MaxInputTokens.Value()
	bytes, hasBytes := b.MaxInputBytes.Value()
	switch {
	case !hasTokens && !hasBytes:
		return fmt.Errorf("budget: %w", ErrNoMaximum)
	case hasTokens && (tokens < 1 || tokens > MaxTokens):
		return fmt.Errorf("budget: %w: %d input tokens; want 1 to %d", ErrMaximum, tokens, MaxTokens)
	case hasBytes && (bytes < 1 || bytes > MaxBytes):
		return fmt.Errorf("budget: %w: %d input bytes; want 1 to %d", ErrMaximum, bytes, MaxBytes)
	}
	return nil
}

// A Policy says what is evicted at once. The order of eviction is the same under all policies.
type Policy uint8

// The policies.
const (
	// ByUnit evicts tool calls with their results: an answer with its thinking and all its calls, and their results, stay
	// or go together, wherever the results stand and however many messages the answer is spread over ([Units]). A unit
	// takes its place in the order by its first message. A unit that reaches into the current input is never evicted.
	ByUnit Policy = 0

	// ByItem evicts one message at a time, until the rest fits. It is the published policy, and parts calls from their
	// results.
	ByItem Policy = 1

	// Quantised evicts units, but cuts history only on a grid: the cut is the first beginning of a unit at or after
	// k*Quantum, in sizes of the history from its start before anything is folded, for the smallest k that fits. So the
	// cut moves once a quantum instead of once a turn, and what a provider has cached lasts in between. No state is
	// kept: the same history gives the same cut. Where no cut on the grid fits, all history goes.
	//
	// With all else constant, the cut never moves back as a session grows, and a history of n in size has at most
	// n/Quantum + 2 cuts, as long as the quantum is not more than there is room for, and no message answers the calls of
	// two messages that were two units before.
	Quantised Policy = 2
)

var policies = []string{ByUnit: "unit", ByItem: "item", Quantised: "quantised"}

// String returns the policy's name.
func (p Policy) String() string {
	if int(p) >= len(policies) {
		return fmt.Sprint(uint8(p))
	}
	return policies[p]
}

// ParsePolicy reads a name that [Policy.String] writes.
func ParsePolicy(name string) (Policy, error) {
	p, err := parsePolicy(name)
	return p, edge(err)
}

func parsePolicy(name string) (Policy, error) {
	if p := slices.Index(policies, name); p >= 0 {
		return Policy(p), nil
	}
	return 0, fmt.Errorf("unknown policy %q; want unit, item or quantised", name)
}

// check refuses options that mean nothing.
func (o Options) check() error {
	switch {
	case int(o.Layout) >= len(layouts):
		return fmt.Errorf("unknown layout %d", o.Layout)
	case int(o.Policy) >= len(policies):
		return fmt.Errorf("unknown policy %d", o.Policy)
	case o.Quantum < 0:
		return fmt.Errorf("quantum %d; want 1 or more, or 0 for a quarter of the budget", o.Quantum)
	case o.Fold != nil && (o.Fold.Cap < 0 || o.Fold.Recent < 0):
		return fmt.Errorf("fold to %d bytes behind %d messages; want 0 or more of both", o.Fold.Cap, o.Fold.Recent)
	case o.Budget != nil:
		return o.Budget.check()
	}
	return nil
}

// rules are what is left of the options once sizes are known: integers and switches, all of it in the recipe.
type rules struct {
	layout    Layout
	policy    Policy
	tokens    tiers.Budget
	bytes     tiers.Budget
	quantum   int64
	tailOrder []string
}

func (o Options) rules(tail *Tail) (rules, measure.Measure) {
	r, estimator := rules{layout: o.Layout, policy: o.Policy, quantum: o.Quantum}, measure.QuarterTokens()
	if tail != nil {
		r.tailOrder = tail.Order
	}
	if b := o.Budget; b != nil {
		r.tokens, r.bytes = b.MaxInputTokens, b.MaxInputBytes
		if b.Estimator != nil {
			estimator = *b.Estimator
		}
	}
	if r.quantum == 0 {
		limit, _ := r.primary().Value()
		r.quantum = max(1, limit/4)
	}
	return r, estimator
}

// primary returns the budget that the quantum is counted in.
func (r rules) primary() tiers.Budget {
	if _, limited := r.tokens.Value(); limited {
		return r.tokens
	}
	return r.bytes
}

// counted returns the one of two sizes that the quantum is counted in.
func (r rules) counted(size, bytes int64) int64 {
	_, inTokens := r.tokens.Value()
	_, inBytes := r.bytes.Value()
	if inBytes && !inTokens {
		return bytes
	}
	return size
}
