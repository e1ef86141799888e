package vectors

import (
	"errors"
	"fmt"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/measure/bpe"
	"github.com/quirehq/quire/tiers"
)

// Decide returns the vector with what this build decides about its input. An error means that the vector itself is
// wrong: it names a gate, a measure or a join that there is none of.
func (v Vector) Decide() (Vector, error) {
	cfg, err := v.Config.lower()
	if err != nil {
		return Vector{}, fmt.Errorf("vector %q: %w", v.Name, err)
	}
	sections, err := lower(expand(v.Sections))
	if err != nil {
		return Vector{}, fmt.Errorf("vector %q: %w", v.Name, err)
	}
	c, err := composer.Compose(sections, cfg)
	if err != nil {
		v.Outcome, err = refusal(err)
		return v, err
	}
	v.Outcome = Outcome{
		Total:         c.TotalChars(),
		Tokens:        c.TotalTokensEst(),
		UsedPercent:   c.BudgetUsedPct(),
		Overflow:      c.Overflow(),
		OverflowBytes: c.OverflowBytes(),
		Length:        c.Len(),
		Fingerprint:   c.Fingerprint(),
		Recipe:        c.Recipe().Key(),
		Decisions:     List[Decision]{},
		Prefixes:      List[Prefix]{},
	}
	for _, d := range c.Decisions() {
		v.Decisions = append(v.Decisions, Decision{d.Reason.String(), d.Alternate, d.Size, number(d.Limit), d.Before, d.Start, d.End})
	}
	for _, p := range c.Prefixes() {
		v.Prefixes = append(v.Prefixes, Prefix{p.Bytes, p.Size, p.Digest, p.Breakpoint})
	}
	return v, nil
}

// refusal gives an error its word.
func refusal(err error) (Outcome, error) {
	for _, known := range []struct {
		err  error
		word string
	}{
		{composer.ErrEmptyID, "empty-id"},
		{composer.ErrDuplicateID, "duplicate-id"},
		{tiers.ErrNegative, "negative"},
		{tiers.ErrTooLarge, "too-large"},
		{tiers.ErrSplitGroup, "split-group"},
	} {
		if errors.Is(err, known.err) {
			outcome := Outcome{Error: known.word}
			var section *composer.SectionError
			if errors.As(err, &section) {
				outcome.ErrorSection = &section.Index
			}
			return outcome, nil
		}
	}
	return Outcome{}, err
}

func (c Config) lower() (cfg composer.Config, err error) {
	if cfg.Gate, err = tiers.ParseGate(c.Gate); err != nil {
		return cfg, err
	}
	if cfg.Join, err = composer.ParseJoin(c.Join); err != nil {
		return cfg, err
	}
	if c.ActiveFraction != "" {
		if cfg.ActiveFraction, err = tiers.ParseFraction(c.ActiveFraction); err != nil {
			return cfg, err
		}
	}
	var known bool
	if cfg.Measure, known = measure.ByName(c.Measure); !known {
		if cfg.Measure, known = bpe.ByName(c.Measure); !known {
			return cfg, fmt.Errorf("unknown measure %q", c.Measure)
		}
	}
	cfg.Budget, cfg.MaxBytes, cfg.TailReserve = limit(c.Budget), limit(c.MaxBytes), c.TailReserve
	return cfg, nil
}

func lower(sections []Section) ([]composer.Section, error) {
	lowered := make([]composer.Section, len(sections))
	for i, s := range sections {
		tier, err := tiers.ParseTier(s.Tier)
		if err != nil {
			return nil, err
		}
		lowered[i] = composer.Section{ID: s.ID, Content: s.Content.String(), Tier: tier, Priority: s.Priority,
			Chain: s.Chain, Group: s.Group, Breakpoint: s.Breakpoint}
		if s.Charged != nil {
			lowered[i].Cost = tiers.Charged(s.Charged.Size, s.Charged.Bytes)
		}
		for _, alternate := range s.Alternates {
			lowered[i].Alternates = append(lowered[i].Alternates, alternate.String())
		}
	}
	return lowered, nil
}

func limit(n *int64) tiers.Budget {
	if n == nil {
		return tiers.Budget{}
	}
	return tiers.Limit(*n)
}

func number(b tiers.Budget) *int64 {
	n, limited := b.Value()
	if !limited {
		return nil
	}
	return &n
}
