package fuzz

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/tiers"
)

// An Input is what [composer.Compose] takes.
type Input struct {
	Sections []composer.Section
	Config   composer.Config
}

// Compose is the compile function of this module: it composes the input as it is.
func (in Input) Compose() (composer.Composition, error) {
	return composer.Compose(in.Sections, in.Config)
}

// Inputs draws at most n sections and a configuration that [composer.Compose] accepts together, under every gate.
func Inputs(n int) *rapid.Generator[Input] {
	return rapid.Custom(func(t *rapid.T) Input {
		in := Input{Sections(n).Draw(t, "sections"), Configs().Draw(t, "config")}
		if in.Config.Gate == tiers.PrefixStable {
			joinHead(in.Sections)
		}
		return in
	})
}

// Heads draws inputs for [CheckPrefixStable]: under the gate prefix-stable, at most n sections, the last of which has a
// breakpoint. [Tails] fit after them.
func Heads(n int) *rapid.Generator[Input] {
	return rapid.Custom(func(t *rapid.T) Input {
		in := Inputs(n).Filter(func(in Input) bool { return len(in.Sections) > 0 }).Draw(t, "head")
		in.Config.Gate = tiers.PrefixStable
		in.Sections[len(in.Sections)-1].Breakpoint = true
		joinHead(in.Sections)
		return in
	})
}

// Tails draws at most n sections without a breakpoint that fit after any of [Heads]: no id and no group is in both,
// though chains are.
func Tails(n int) *rapid.Generator[[]composer.Section] {
	return rapid.Map(Sections(n), func(tail []composer.Section) []composer.Section {
		for i := range tail {
			s := &tail[i]
			s.ID, s.Breakpoint = "tail "+s.ID, false
			if s.Group != "" {
				s.Group = "tail " + s.Group
			}
		}
		return tail
	})
}

// Sections draws at most n sections with ids of their own, in all tiers, with alternates, priorities, chains, groups
// and breakpoints anywhere. Some have a cost that is trusted, now and then a large one; the sum fits an int64. Under
// the gates published and reserved [composer.Compose] accepts them; under prefix-stable a group may be on both sides of
// the last breakpoint, which [Inputs] avoids.
func Sections(n int) *rapid.Generator[[]composer.Section] {
	name := rapid.SampledFrom([]string{"", "", "x", "y", "ü"})
	return rapid.Custom(func(t *rapid.T) []composer.Section {
		sections := make([]composer.Section, rapid.IntRange(0, n).Draw(t, "count"))
		for i := range sections {
			s := &sections[i]
			*s = composer.Section{
				ID:         fmt.Sprint(i, Texts(2).Draw(t, "id")),
				Content:    Texts(5).Draw(t, "content"),
				Tier:       tiers.Tier(rapid.IntRange(0, 2).Draw(t, "tier")),
				Alternates: rapid.SliceOfN(Texts(3), 0, 2).Draw(t, "alternates"),
				Priority:   rapid.IntRange(-2, 2).Draw(t, "priority"),
				Chain:      name.Draw(t, "chain"),
				Group:      name.Draw(t, "group"),
				Breakpoint: rapid.IntRange(0, 3).Draw(t, "breakpoint") == 3,
			}
			if rapid.IntRange(0, 5).Draw(t, "charged") == 5 {
				s.Cost = costs(int64(n)).Draw(t, "cost")
			}
		}
		return sections
	})
}

// costs draws what one of n sections may cost, so that all of them together, with separators and alternates, fit an
// int64.
func costs(n int64) *rapid.Generator[tiers.Cost] {
	share := (math.MaxInt64 - math.MaxInt32) / max(n, 1)
	size := rapid.OneOf(rapid.Int64Range(0, 50), rapid.SampledFrom([]int64{0, 1, share - 1, share}))
	return rapid.Custom(func(t *rapid.T) tiers.Cost { return tiers.Charged(size.Draw(t, "size"), size.Draw(t, "bytes")) })
}

// Configs draws configurations: every gate, measure and join, limits that bind and limits at the edges of int64 (a
// budget below 0, as from a subtraction, among them), fractions from 0 to 1.
func Configs() *rapid.Generator[composer.Config] {
	return rapid.Custom(func(t *rapid.T) composer.Config {
		named, _ := measure.ByName(rapid.SampledFrom(measure.Names()).Draw(t, "measure"))
		cfg := composer.Config{
			Gate:        tiers.Gate(rapid.IntRange(0, 2).Draw(t, "gate")),
			Measure:     named,
			Budget:      limits().Draw(t, "budget"),
			MaxBytes:    limits().Draw(t, "max bytes"),
			TailReserve: rapid.OneOf(rapid.Int64Range(0, 60), rapid.Just[int64](math.MaxInt64)).Draw(t, "tail reserve"),
			Join:        composer.Join(rapid.IntRange(0, 2).Draw(t, "join")),
		}
		if n := rapid.Int64Range(-1, 20).Draw(t, "fraction"); n >= 0 {
			cfg.ActiveFraction, _ = tiers.NewFraction(n, 20) // from 0 to 1: no error
		}
		return cfg
	})
}

func limits() *rapid.Generator[tiers.Budget] {
	return rapid.OneOf(
		rapid.Map(rapid.Int64Range(-3, 200), tiers.Limit), // such that some fit and some do not
		rapid.Map(rapid.Int64Range(0, 200), tiers.Limit),
		rapid.Just(tiers.Budget{}),
		rapid.Map(rapid.SampledFrom([]int64{math.MinInt64, math.MinInt64 + 1, -1, 0, math.MaxInt64 - 1, math.MaxInt64}), tiers.Limit),
	)
}

// joinHead renames the groups up to the last breakpoint, so that no group is on both sides of it.
func joinHead(sections []composer.Section) {
	inHead := false
	for i := len(sections) - 1; i >= 0; i-- {
		inHead = inHead || sections[i].Breakpoint
		if inHead && sections[i].Group != "" {
			sections[i].Group += " of the head"
		}
	}
}

// IDs returns the ids of the sections, in order, as [CheckAccounted] asks for them.
func (in Input) IDs() []string {
	ids := make([]string, len(in.Sections))
	for i, s := range in.Sections {
		ids[i] = s.ID
	}
	return ids
}

// GoString returns the input as Go source, without what has its zero value: this is how rapid prints a counterexample. A
// fraction, which no expression makes, stands in a comment.
func (in Input) GoString() string {
	var b strings.Builder
	b.WriteString("fuzz.Input{\nSections: []composer.Section{\n")
	for _, s := range in.Sections {
		f := fields{&b, "\t{"}
		f.add(true, "ID: %q", s.ID)
		f.add(s.Content != "", "Content: %q", s.Content)
		f.add(s.Tier != tiers.Core, "Tier: %s", constant("tiers", tierNames, uint8(s.Tier)))
		f.add(s.Cost.Known(), "Cost: tiers.Charged(%d, %d)", s.Cost.Size(), s.Cost.Bytes())
		f.add(len(s.Alternates) > 0, "Alternates: %#v", s.Alternates)
		f.add(s.Priority != 0, "Priority: %d", s.Priority)
		f.add(s.Chain != "", "Chain: %q", s.Chain)
		f.add(s.Group != "", "Group: %q", s.Group)
		f.add(s.Breakpoint, "Breakpoint: true")
		b.WriteString("},\n")
	}
	b.WriteString("},\nConfig: composer.Config{")
	cfg, f := in.Config, fields{&b, ""}
	f.add(cfg.Gate != tiers.Published, "Gate: %s", constant("tiers", gateNames, uint8(cfg.Gate)))
	f.add(cfg.Measure.Name() != measure.UTF16().Name(), "Measure: %s", cmp.Or(measures[cfg.Measure.Name()], cfg.Measure.Name()))
	budget, limited := cfg.Budget.Value()
	f.add(limited, "Budget: tiers.Limit(%d)", budget)
	bytes, limited := cfg.MaxBytes.Value()
	f.add(limited, "MaxBytes: tiers.Limit(%d)", bytes)
	f.add(cfg.TailReserve != 0, "TailReserve: %d", cfg.TailReserve)
	f.add(cfg.Join != composer.BlankLine, "Join: %s", constant("composer", joinNames, uint8(cfg.Join)))
	b.WriteString("}")
	if cfg.ActiveFraction.IsSet() {
		fmt.Fprintf(&b, " /* ActiveFraction: %v */", cfg.ActiveFraction)
	}
	b.WriteString("}")
	return b.String()
}

// How constants and measures are spelled in Go.
var (
	tierNames = []string{"Core", "Active", "Informational"}
	gateNames = []string{"Published", "Reserved", "PrefixStable"}
	joinNames = []string{"BlankLine", "Line", "NoJoin"}
	measures  = map[string]string{"bytes": "measure.Bytes()", "runes": "measure.Runes()", "chars/4": "measure.QuarterTokens()"}
)

// constant returns the name of a value, or, of one that has none, the number.
func constant(pkg string, names []string, v uint8) string {
	if int(v) < len(names) {
		return pkg + "." + names[v]
	}
	return strconv.Itoa(int(v))
}

// fields writes those fields of a literal that have something in them.
type fields struct {
	to   *strings.Builder
	lead string // what stands before the next field
}

func (f *fields) add(there bool, format string, args ...any) {
	if there {
		f.to.WriteString(f.lead)
		fmt.Fprintf(f.to, format, args...)
		f.lead = ", "
	}
}
