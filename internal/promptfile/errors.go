package promptfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quirehq/quire/composer"
)

// An Error is a mistake in a prompt file, or in something given in its place.
type Error struct {
	File string // as it was given to [Read]
	Line int    // from 1; 0 where no line is to blame
	What string // what is wrong
	Want string // what would be right; may be empty
	Err  error  // the cause, where there is one
}

// Error writes "FILE:LINE: what is wrong; what would be right", without what is not known.
func (e *Error) Error() string {
	var b strings.Builder
	switch {
	case e.Line > 0:
		fmt.Fprintf(&b, "%s:%d: ", e.File, e.Line)
	case e.File != "":
		b.WriteString(e.File + ": ")
	}
	b.WriteString(e.What)
	if e.Want != "" {
		b.WriteString("; ")
		b.WriteString(e.Want)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Locate turns an error of composer.Compose about the document's sections into an [Error] at the section's line. Any
// other error gets the line of the document.
func (d *Document) Locate(err error) error {
	located := &Error{File: d.Name, Line: d.Line, What: strings.TrimPrefix(err.Error(), "composer: "), Err: err}
	var about *composer.SectionError
	if errors.As(err, &about) && about.Index < len(d.lines) {
		located.Line = d.lines[about.Index]
		located.What = fmt.Sprintf("section %q: %v", about.ID, about.Err)
		if errors.Is(err, composer.ErrDuplicateID) {
			located.What = fmt.Sprintf("section %q: %v", about.ID, composer.ErrDuplicateID)
			located.Want = d.firstOf(about.ID)
		}
	}
	return located
}

// firstOf says where the first section with the id stands.
func (d *Document) firstOf(id string) string {
	for i, s := range d.Sections {
		if s.ID == id {
			return fmt.Sprintf("the section at line %d has it already, and an id names one section", d.lines[i])
		}
	}
	return ""
}
