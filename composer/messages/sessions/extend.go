package sessions

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

// A Change is the kind of a difference.
type Change uint8

// The changes.
const (
	Unchanged       Change = 0
	SystemChanged   Change = 1
	ToolsAdded      Change = 2 // after the tools of before
	ToolsRemoved    Change = 3
	ToolsReordered  Change = 4
	ToolChanged     Change = 5
	MessageChanged  Change = 6
	MessagesRemoved Change = 7 // the second call has fewer, and what it has is the same
)

var changes = [...]string{"unchanged", "system_changed", "tools_added", "tools_removed", "tools_reordered", "tool_changed",
	"message_changed", "messages_removed"}

// String returns the change's name.
func (c Change) String() string {
	if int(c) >= len(changes) {
		return fmt.Sprint(uint8(c))
	}
	return changes[c]
}

// A Difference is why one call does not extend another.
type Difference struct {
	Change Change
	Index  int // of the first tool or message that differs, from 0
}

// String names the change and the place.
func (d Difference) String() string {
	if d.Change == Unchanged || d.Change == SystemChanged {
		return d.Change.String()
	}
	return fmt.Sprintf("%s at %d", d.Change, d.Index)
}

// Extends returns the first difference that keeps b from beginning with all that a consists of: the tools, the system
// prompt and every message, in this order. [Unchanged] means that b extends a. Messages, and tools, are the same when
// their canonical JSON is: spelling, shape, cache markers and the log's own ids make no difference.
func Extends(a, b Call) Difference {
	if d := toolsDiffer(a.Tools, b.Tools); d.Change != Unchanged {
		return d
	}
	if !sameMessage(&a.System, &b.System) {
		return Difference{Change: SystemChanged}
	}
	n := min(len(a.Messages), len(b.Messages))
	if n > 0 && &a.Messages[0] != &b.Messages[0] { // else they share their memory
		for i := range n {
			if !sameMessage(&a.Messages[i], &b.Messages[i]) {
				return Difference{MessageChanged, i}
			}
		}
	}
	if len(b.Messages) < len(a.Messages) {
		return Difference{MessagesRemoved, len(b.Messages)}
	}
	return Difference{}
}

// A Break is a call that does not extend the one before it in its thread.
type Break struct {
	Call int // index in [Session.Calls]
	Last int // index of the one before it
	Difference
}

// Breaks returns where the threads of a session do not grow at the end only. None: every call extends the last of its
// thread with the same tools.
func (s Session) Breaks() []Break {
	var breaks []Break
	last := map[string]int{}
	for i, c := range s.Calls {
		if before, ok := last[c.Thread]; ok {
			if d := Extends(s.Calls[before], c); d.Change != Unchanged {
				breaks = append(breaks, Break{i, before, d})
			}
		}
		last[c.Thread] = i
	}
	return breaks
}

func toolsDiffer(a, b []messages.ToolSpec) Difference {
	n := min(len(a), len(b))
	for i := range n {
		if sameTool(&a[i], &b[i]) {
			continue
		}
		if a[i].Name == b[i].Name {
			return Difference{ToolChanged, i}
		}
		names := map[string]bool{}
		for _, t := range b {
			names[t.Name] = true
		}
		for k := range a {
			if !names[a[k].Name] {
				return Difference{ToolsRemoved, k}
			}
		}
		if len(b) > len(a) {
			return Difference{ToolsAdded, i}
		}
		return Difference{ToolsReordered, i}
	}
	switch {
	case len(a) > n:
		return Difference{ToolsRemoved, n}
	case len(b) > n:
		return Difference{ToolsAdded, n}
	}
	return Difference{}
}

func sameTool(a, b *messages.ToolSpec) bool {
	if a.Definition == b.Definition {
		return a.Definition != "" || *a == *b
	}
	x, errX := wire.Canonical(a.Definition)
	y, errY := wire.Canonical(b.Definition)
	return errX == nil && errY == nil && x == y
}

func sameMessage(a, b *messages.Message) bool {
	if a == b || identical(a, b) {
		return true
	}
	x, errX := a.AppendJSON(nil)
	y, errY := b.AppendJSON(nil)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// identical reports whether two messages are equal in all they hold, what is no part of a message included.
func identical(a, b *messages.Message) bool {
	return a.Role == b.Role && a.ID == b.ID && a.Metadata == b.Metadata && a.Segment == b.Segment && a.Shape == b.Shape &&
		slices.Equal(a.Extra, b.Extra) && slices.EqualFunc(a.Content, b.Content, identicalBlock)
}

func identicalBlock(a, b messages.Block) bool {
	return a.Kind == b.Kind && a.Text == b.Text && a.ID == b.ID && a.Name == b.Name && a.Value == b.Value &&
		a.Error == b.Error && a.Cache == b.Cache && (a.Content == nil) == (b.Content == nil) &&
		slices.Equal(a.Extra, b.Extra) && slices.EqualFunc(a.Content, b.Content, identicalBlock)
}
