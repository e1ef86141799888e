package messages

import (
	"math"

	"github.com/quirehq/quire/tiers"
)

// An item is one candidate: a message, or a tool definition, with all that decides about it. Items stand group by group,
// each group in its own order; in which order they are emitted, and in which they are evicted, is made of them by lower.
type item struct {
	group   Group
	index   int      // in its group
	message *Message // nil: a tool definition
	content string   // canonical JSON
	size    int64    // of the text
	bytes   int64    // of the text
	whole   int64    // of the text before folding, in what the quantum counts; history only

	unit     int32  // of history, tool results and current input: where its unit begins among them, history first
	priority int    // context
	line     int    // skill bodies: the place of their line among the items
	segment  string // the id of its tail segment; "": it stands in its layout's place
	mark     bool   // a breakpoint was asked for
	id       string // for the report
}

// leads reports whether the item may be one of the leading system messages.
func (t *item) leads() bool { return t.message.Role == System || t.message.Role == Developer }

// inPlace reports whether t is a skill's body that stands in the place of its line.
func (t *item) inPlace() bool { return t.group == GroupSkillBodies && t.segment == "" }

// cost returns what the section of an item is charged. A body in the place of its line adds to the line; what a line is
// longer than its body is not given back. The published policy charges a body in the tail in this way too, though its
// line stays where it is.
func (r rules) cost(items []item, i int) tiers.Cost {
	t := &items[i]
	if t.inPlace() || t.group == GroupSkillBodies && r.policy == ByItem {
		line := &items[t.line]
		return tiers.Charged(max(0, t.size-line.size), max(0, t.bytes-line.bytes))
	}
	return tiers.Charged(t.size, t.bytes)
}

// sum adds sizes; what would not fit an int64 stays at its largest value, which no budget reaches.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
