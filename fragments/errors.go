package fragments

import (
	"errors"
	"fmt"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/internal/wellformed"
)

// What a registry refuses when it is made.
var (
	ErrToolOrderRest      = errors.New("a tool order has exactly one " + UnlistedTools)
	ErrToolOrderDuplicate = errors.New("a tool order names a tool once")
)

// Why a registration is refused. An [Error] says which it was.
var (
	ErrName          = errors.New("bad name")
	ErrDuplicateName = errors.New("duplicate name") // also of sections that transforms return
	ErrOwnerFinal    = errors.New("a global owner-final section cannot be shadowed")
	ErrUnknownCore   = errors.New("unknown core template")
	ErrIncomplete    = errors.New("incomplete")
)

// Why an assembly is refused, beside the errors of providers and transforms, and beside what package template
// refuses (template.ErrMalformed, template.ErrUnknown, template.ErrNoValue) when it is rendered.
var (
	ErrReservedTool     = errors.New("reserved tool name")
	ErrDuplicateTool    = errors.New("duplicate tool name")
	ErrUnregisteredTool = errors.New("the tool order names a tool that no provider knows")
)

// A Kind says what was registered.
type Kind uint8

// The kinds.
const (
	KindSection   Kind = 0
	KindVariable  Kind = 1
	KindTools     Kind = 2 // a provider of tools
	KindTransform Kind = 3

	kinds = 4
)

// String returns the kind as errors spell it.
func (k Kind) String() string {
	if k < kinds {
		return [kinds]string{"section", "variable", "tools", "transform"}[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// An Error is an error about one thing that was registered, or about one section of an assembly.
type Error struct {
	Kind  Kind
	Name  string
	Owner string // empty where the error is about an assembly, which knows no owners
	Scope Scope
	Err   error
}

// Error names the thing, its owner and its scope.
func (e *Error) Error() string {
	if e.Owner == "" {
		return fmt.Sprintf("fragments: %v %q: %v", e.Kind, e.Name, e.Err)
	}
	return fmt.Sprintf("fragments: %v %q of %q in scope %v: %v", e.Kind, e.Name, e.Owner, e.Scope, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// checkUTF8 returns a [*composer.EncodingError] that names the field when the text is not UTF-8.
func checkUTF8(field, text string) error {
	if offset := wellformed.Invalid(text); offset >= 0 {
		return &composer.EncodingError{Field: field, Offset: offset}
	}
	return nil
}
