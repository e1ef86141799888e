package messages

import (
	"errors"
	"fmt"
)

// What [Prompt.Assemble] refuses, beside malformed messages and what package composer refuses.
var (
	ErrNoMaximum           = errors.New("no maximum is set; want input tokens, input bytes or both")
	ErrMaximum             = errors.New("maximum out of range")
	ErrEstimator           = errors.New("the estimator has no size for a text")
	ErrContextBudget       = errors.New("what is never evicted exceeds the budget")
	ErrUnsupportedModality = errors.New("the model does not read this modality")
	ErrDuplicateSegment    = errors.New("two texts for one tail segment in one turn")
)

// A BudgetError says by how much what is never evicted (instructions, current input, tools) exceeds the budget. It
// matches [ErrContextBudget].
type BudgetError struct {
	Tokens int64 // above the maximum of tokens, >= 0
	Bytes  int64 // above the maximum of bytes, >= 0
}

// Error names the amount.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("messages: %v by %d tokens and %d bytes", ErrContextBudget, e.Tokens, e.Bytes)
}

// Is reports whether the target is [ErrContextBudget].
func (e *BudgetError) Is(target error) bool { return target == ErrContextBudget }

// A MessageError is an error about one message, or another section that [Group] names.
type MessageError struct {
	Group Group
	Index int // in its group, from 0
	Err   error
}

// Error names the message by its group and its place there, counted from 1.
func (e *MessageError) Error() string {
	return fmt.Sprintf("messages: %s %d: %v", e.Group, e.Index+1, e.Err)
}

// Unwrap returns the cause.
func (e *MessageError) Unwrap() error { return e.Err }

// edge says which package an error comes from, where it leaves it.
func edge(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("messages: %w", err)
}
