package messages

import (
	"fmt"
	"slices"
)

// A ModalityError names the block that the model does not read. It matches [ErrUnsupportedModality].
type ModalityError struct {
	Group Group
	Index int // of the message in its group, from 0
	Block int // in the message, from 0
	Kind  Kind
}

// Error names the block by its place, counted from 1.
func (e *ModalityError) Error() string {
	return fmt.Sprintf("messages: %s %d: block %d: %s: %v", e.Group, e.Index+1, e.Block+1, e.Kind, ErrUnsupportedModality)
}

// Is reports whether the target is [ErrUnsupportedModality].
func (e *ModalityError) Is(target error) bool { return target == ErrUnsupportedModality }

// checkModalities looks at all messages, also those that a budget would evict: whether a call can be made does not
// depend on what else fits.
func (p *Prompt) checkModalities() error {
	if p.Model.Modalities == nil {
		return nil
	}
	for _, group := range CacheAware.groups() {
		for i, m := range *p.of(group) {
			if k := p.Model.refuses(m.Content); k >= 0 {
				return &ModalityError{group, i, k, p.Model.refused(m.Content[k])}
			}
		}
	}
	return nil
}

// refuses returns the place of the first block that the model does not read, or -1.
func (m Model) refuses(blocks []Block) int {
	return slices.IndexFunc(blocks, func(b Block) bool { return m.refused(b) != "" })
}

// refused returns the kind that makes the model refuse the block, its own or that of a part of a tool's result, or "".
func (m Model) refused(b Block) Kind {
	switch b.Kind {
	case KindImage, KindAudio, KindFile, KindDocument:
		if !slices.Contains(m.Modalities, b.Kind) {
			return b.Kind
		}
	case KindToolResult:
		if k := m.refuses(b.Content); k >= 0 {
			return m.refused(b.Content[k])
		}
	}
	return ""
}
