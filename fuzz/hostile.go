package fuzz

import (
	"math"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/tiers"
)

// A HostileInput is an input that [composer.Compose] refuses.
type HostileInput struct {
	Input
	Flaw string // what is wrong with it
	Want error  // what the error of composer.Compose matches
}

// HostileInputs draws inputs of [Inputs] with one flaw: an id that is empty or used twice, bytes that are not UTF-8 in
// any of the texts, negative costs and reserves, a sum beyond int64, an unknown tier or gate, a group on both
// sides of the last breakpoint.
func HostileInputs(n int) *rapid.Generator[HostileInput] {
	return rapid.Custom(func(t *rapid.T) HostileInput {
		in := HostileInput{Input: Inputs(max(n, 2)).Filter(func(in Input) bool { return len(in.Sections) > 1 }).Draw(t, "input")}
		i := rapid.IntRange(0, len(in.Sections)-1).Draw(t, "where")
		s, other := &in.Sections[i], &in.Sections[(i+1)%len(in.Sections)]
		flaw := rapid.SampledFrom(flaws).Draw(t, "flaw")
		in.Flaw, in.Want = flaw.name, flaw.want
		flaw.make(t, &in.Input, s, other)
		return in
	})
}

// GoString returns the flaw and the input.
func (in HostileInput) GoString() string { return "// " + in.Flaw + "\n" + in.Input.GoString() }

// flaws are what can be wrong, each with the change that makes it so, to the input or to two sections of it.
var flaws = []struct {
	name string
	want error
	make func(t *rapid.T, in *Input, s, other *composer.Section)
}{
	{"an empty id", composer.ErrEmptyID, func(_ *rapid.T, _ *Input, s, _ *composer.Section) { s.ID = "" }},
	{"a duplicate id", composer.ErrDuplicateID, func(_ *rapid.T, _ *Input, s, other *composer.Section) { s.ID = other.ID }},
	{"an id that is not UTF-8", composer.ErrInvalidUTF8, func(t *rapid.T, _ *Input, s, _ *composer.Section) {
		s.ID = HostileTexts(1).Draw(t, "id")
	}},
	{"a content that is not UTF-8", composer.ErrInvalidUTF8, func(t *rapid.T, _ *Input, s, _ *composer.Section) {
		s.Content = HostileTexts(3).Draw(t, "content")
	}},
	{"an alternate that is not UTF-8", composer.ErrInvalidUTF8, func(t *rapid.T, _ *Input, s, _ *composer.Section) {
		s.Alternates = []string{"fine", HostileTexts(3).Draw(t, "alternate")}
	}},
	{"a chain that is not UTF-8", composer.ErrInvalidUTF8, func(t *rapid.T, _ *Input, s, _ *composer.Section) {
		s.Chain = HostileTexts(1).Draw(t, "chain")
	}},
	{"a group that is not UTF-8", composer.ErrInvalidUTF8, func(t *rapid.T, _ *Input, s, _ *composer.Section) {
		s.Group = HostileTexts(1).Draw(t, "group")
	}},
	{"a negative size", tiers.ErrNegative, func(t *rapid.T, _ *Input, s, _ *composer.Section) {
		s.Cost = tiers.Charged(negative.Draw(t, "size"), 0)
	}},
	{"a negative byte count", tiers.ErrNegative, func(t *rapid.T, _ *Input, s, _ *composer.Section) {
		s.Cost = tiers.Charged(0, negative.Draw(t, "bytes"))
	}},
	{"a negative reserve", tiers.ErrNegative, func(t *rapid.T, in *Input, _, _ *composer.Section) {
		in.Config.TailReserve = negative.Draw(t, "reserve")
	}},
	{"sizes beyond int64", tiers.ErrTooLarge, func(_ *rapid.T, _ *Input, s, other *composer.Section) {
		s.Cost, other.Cost = tiers.Charged(math.MaxInt64, 0), tiers.Charged(1, 0)
	}},
	{"byte counts beyond int64", tiers.ErrTooLarge, func(_ *rapid.T, _ *Input, s, other *composer.Section) {
		s.Cost, other.Cost = tiers.Charged(0, 1), tiers.Charged(0, math.MaxInt64)
	}},
	{"a tier that is none", tiers.ErrUnknown, func(t *rapid.T, _ *Input, s, _ *composer.Section) {
		s.Tier = tiers.Tier(rapid.Uint8Range(3, math.MaxUint8).Draw(t, "tier"))
	}},
	{"a gate that is none", tiers.ErrUnknown, func(t *rapid.T, in *Input, _, _ *composer.Section) {
		in.Config.Gate = tiers.Gate(rapid.Uint8Range(3, math.MaxUint8).Draw(t, "gate"))
	}},
	{"a join that is none", tiers.ErrUnknown, func(t *rapid.T, in *Input, _, _ *composer.Section) {
		in.Config.Join = composer.Join(rapid.Uint8Range(3, math.MaxUint8).Draw(t, "join"))
	}},
	{"a group on both sides of the last breakpoint", tiers.ErrSplitGroup, func(_ *rapid.T, in *Input, _, _ *composer.Section) {
		first, last := &in.Sections[0], &in.Sections[len(in.Sections)-1]
		for i := range in.Sections {
			in.Sections[i].Breakpoint = i == 0
		}
		first.Tier, last.Tier = tiers.Active, tiers.Informational
		first.Group, last.Group = "split", "split"
		in.Config.Gate = tiers.PrefixStable
	}},
}

var negative = rapid.SampledFrom([]int64{-1, -2, math.MinInt64 + 1, math.MinInt64})
