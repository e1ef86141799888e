package composer

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/wellformed"
	"github.com/quirehq/quire/tiers"
)

// What [Compose] refuses, beside what package tiers refuses (tiers.ErrNegative, tiers.ErrTooLarge, tiers.ErrSplitGroup,
// tiers.ErrUnknown). A [SectionError] says which section it was.
var (
	ErrEmptyID     = errors.New("empty id")
	ErrDuplicateID = errors.New("duplicate id")
	ErrInvalidUTF8 = fingerprint.ErrInvalidUTF8
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
	if !wellformed.UTF8(s.Content) {
		return s.encodingError()
	}
	for _, alternate := range s.Alternates {
		if !wellformed.UTF8(alternate) {
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
	if !utf8.ValidString(s.ID) || s.Chain != "" && !utf8.ValidString(s.Chain) || s.Group != "" && !utf8.ValidString(s.Group) {
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
		if offset := wellformed.Invalid(field.text); offset >= 0 {
			return &EncodingError{field.name, offset}
		}
	}
	return nil
}

// A rulesError is an error of package tiers about the rules. It begins with this package's name alone.
type rulesError struct{ error }

func (e rulesError) Error() string {
	return "composer: " + strings.TrimPrefix(e.error.Error(), "tiers: ")
}
func (e rulesError) Unwrap() error { return e.error }
