package request

import (
	"slices"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments/template"
)

// A slot is a place in a template.
type slot int

const (
	slotOutputFormat slot = iota
	slotAddendum
	slotSkills
	slotToday
	slotLocale
	slotTimezone
	slotInstructions
	slotContext
	slotMemory
	slotChunks
	slotCount
)

var slotNames = [slotCount]string{
	"output_format", "addendum", "skills", "today", "locale", "timezone", "instructions", "context", "memory", "chunks",
}

// slotTexts are what the slots stand for; memory and chunks are not among them.
type slotTexts [slotCount]string

const breakpointName = "cacheBreakpoint"

// SlotNames returns the names of the slots that a template may have, without {cacheBreakpoint}.
func SlotNames() []string { return slices.Clone(slotNames[:]) }

// StableSlots returns the names of the slots that are stable unless a template declares otherwise: output_format,
// addendum, skills.
func StableSlots() []string { return []string{"output_format", "addendum", "skills"} }

// A Template is a tenant's template, parsed and split. It is immutable. The zero value is the empty one.
//
// The slots of [SlotNames] and one {cacheBreakpoint} are replaced; every other brace is text. The first breakpoint counts,
// further ones leave nothing.
type Template struct {
	text     string
	stable   []string // sorted, each once, known slots alone
	version  fingerprint.Digest
	pieces   []piece
	cut      int // the pieces before the breakpoint
	split    bool
	volatile bool // a per-call slot stands before the breakpoint
	hasSkill bool
	problems []Warning
}

// A piece is a run of text, or a slot.
type piece struct {
	text string
	slot slot // -1: text
}

// ParseTemplate reads a template. Nothing in it is an error; what is wrong with it is told by the warnings of each call.
// The slots in stable do not change from call to call; nil stands for [StableSlots].
func ParseTemplate(text string, stable []string) Template {
	t := Template{text: text, version: fingerprint.SumString(text)}
	if stable == nil {
		stable = StableSlots()
	}
	t.stable = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(stable))), func(name string) bool {
		return !slices.Contains(slotNames[:], name)
	})
	parsed := template.ParseSlots(text, append(SlotNames(), breakpointName)...)
	unknown := parsed.Unknown()
	for _, name := range stable {
		if !slices.Contains(slotNames[:], name) && !slices.Contains(unknown, name) {
			unknown = append(unknown, name)
		}
	}
	for _, name := range unknown {
		t.problems = append(t.problems, Warning{Code: UnknownSlot, Name: name})
	}
	before, after, split := parsed.Split(breakpointName)
	t.split = split
	for p := range before.Pieces() {
		t.add(p)
	}
	t.cut = len(t.pieces)
	for p := range after.Pieces() {
		t.add(p)
	}
	t.hasSkill = parsed.Has(slotNames[slotSkills])
	if split {
		t.misplaced()
	}
	return t
}

func (t *Template) add(p template.SlotPiece) {
	switch {
	case !p.Slot:
		t.pieces = append(t.pieces, piece{p.Text, -1})
	case p.Text != breakpointName:
		t.pieces = append(t.pieces, piece{"", slot(slices.Index(slotNames[:], p.Text))})
	}
}

// misplaced warns of the per-call slots before the breakpoint.
func (t *Template) misplaced() {
	var told []slot
	for _, p := range t.pieces[:t.cut] {
		if p.slot < 0 || slices.Contains(t.stable, slotNames[p.slot]) || slices.Contains(told, p.slot) {
			continue
		}
		told = append(told, p.slot)
		t.problems = append(t.problems, Warning{Code: PerCallSlotBeforeBreakpoint, Name: slotNames[p.slot]})
	}
	t.volatile = len(told) > 0
}

// Version returns the digest of the template's text.
func (t Template) Version() fingerprint.Digest {
	if t.version.IsZero() {
		return fingerprint.SumString(t.text)
	}
	return t.version
}

// warnings returns what is wrong with the template in a call.
func (t *Template) warnings(caching bool, skills int) []Warning {
	list := slices.Clone(t.problems)
	if caching && !t.split {
		list = append(list, Warning{Code: CacheBreakpointMissing})
	}
	if skills > 0 && !t.hasSkill {
		list = append(list, Warning{Code: SkillsSlotMissing, Count: int64(skills)})
	}
	return list
}
