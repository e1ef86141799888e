package composer

import (
	"errors"
	"fmt"
	"hash/maphash"
	"unicode/utf8"

	"github.com/quirehq/quire/tiers"
)

// What [Compose] refuses, beside what package tiers refuses (tiers.ErrNegative, tiers.ErrTooLarge, tiers.ErrSplitGroup,
// tiers.ErrUnknown). A [SectionError] says which section it was.
var (
	ErrEmptyID     = errors.New("empty id")
	ErrDuplicateID = errors.New("duplicate id")
	ErrInvalidUTF8 = errors.New("invalid UTF-8")
)

// A SectionError is an error about one section.
type SectionError struct {
	Index int    // its place among the candidates, from 0
	ID    string // may be empty
	Err   error
}

// Error names the section by its place, counted from 1, and its id.
func (e *SectionError) Error() string {
	return fmt.Sprintf("composer: section %d (%q): %v", e.Index+1, e.ID, e.Err)
}

// Unwrap returns the cause.
func (e *SectionError) Unwrap() error { return e.Err }

// An EncodingError says where a text stops being UTF-8. It matches [ErrInvalidUTF8].
type EncodingError struct {
	Field  string // "id", "content", "chain", "group", or "alternate 1" and so on
	Offset int    // of the first byte that is wrong
}

// Error names the field and the byte.
func (e *EncodingError) Error() string {
	return fmt.Sprintf("%s: invalid UTF-8 at byte %d", e.Field, e.Offset)
}

// Is reports whether the target is [ErrInvalidUTF8].
func (e *EncodingError) Is(target error) bool { return target == ErrInvalidUTF8 }

// checkIDs refuses sections that could not be told apart.
func checkIDs(sections []Section) error {
	if i, first := duplicateID(sections); i >= 0 {
		return duplicateError(i, first, sections[i].ID)
	}
	return nil
}

func duplicateError(i, first int, id string) error {
	return &SectionError{i, id, fmt.Errorf("%w; section %d has it already", ErrDuplicateID, first+1)}
}

// checkNames refuses a measure that a recipe could not name and a join that has no text.
func checkNames(measure string, join Join) error {
	if measure == "" || !utf8.ValidString(measure) {
		return fmt.Errorf("composer: measure %q; want a name in valid UTF-8", measure)
	}
	if int(join) >= len(joins) {
		return fmt.Errorf("composer: %w join %d; want blank-line, line or none", tiers.ErrUnknown, join)
	}
	return nil
}

// check refuses a section without an id, or with a text that is not UTF-8.
func (s *Section) check() error {
	if !utf8.ValidString(s.Content) {
		return s.encodingError()
	}
	for _, alternate := range s.Alternates {
		if !utf8.ValidString(alternate) {
			return s.encodingError()
		}
	}
	return s.checkNames()
}

// checkNames is the part of check that is not about contents.
func (s *Section) checkNames() error {
	if s.ID == "" {
		return ErrEmptyID
	}
	if !utf8.ValidString(s.ID) || !utf8.ValidString(s.Chain) || !utf8.ValidString(s.Group) {
		return s.encodingError()
	}
	return nil
}

func (s *Section) encodingError() error {
	fields := []struct{ name, text string }{{"id", s.ID}, {"content", s.Content}, {"chain", s.Chain}, {"group", s.Group}}
	for k, alternate := range s.Alternates {
		fields = append(fields, struct{ name, text string }{fmt.Sprintf("alternate %d", k+1), alternate})
	}
	for _, field := range fields {
		for offset := 0; offset < len(field.text); {
			r, size := utf8.DecodeRuneInString(field.text[offset:])
			if r == utf8.RuneError && size == 1 {
				return &EncodingError{field.name, offset}
			}
			offset += size
		}
	}
	return nil
}

// duplicateID returns the first section whose id an earlier one has, and that one; -1 when all differ. It is an open
// hash table, 16 to 32 bytes a section, of places and the upper half of their ids' hashes, which tell apart nearly all
// ids without a look at them: at a million sections a map costs more than composing them. The seed decides where an id
// is filed, never what is found.
func duplicateID(sections []Section) (i, first int) {
	size := 4
	for size < 2*len(sections) {
		size *= 2
	}
	table := make([]uint64, size) // upper half: of the hash; lower half: place+1; 0 is free
	seed := maphash.MakeSeed()
	for i := range sections {
		id := sections[i].ID
		hash := maphash.String(seed, id)
		slot := int(hash & uint64(size-1))
		for table[slot] != 0 {
			if j := int(uint32(table[slot])) - 1; table[slot]>>32 == hash>>32 && sections[j].ID == id {
				return i, j
			}
			slot = (slot + 1) & (size - 1)
		}
		table[slot] = hash>>32<<32 | uint64(i+1)
	}
	return -1, -1
}
