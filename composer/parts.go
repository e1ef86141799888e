package composer

import (
	"iter"

	"github.com/quirehq/quire/tiers"
)

// Sections yields the candidates in order, as the caller gave them; those of a recipe have the cost that stands there.
func (c Composition) Sections() iter.Seq[Section] {
	return func(yield func(Section) bool) {
		for _, s := range c.sections {
			if !yield(s) {
				return
			}
		}
	}
}

// Pieces yields what the text is made of, in order: the contents, or the alternates chosen, of the included sections
// and the joins between them. It is for those who write or hash the text on their own.
func (c Composition) Pieces() iter.Seq[string] { return c.pieces() }

// Marks returns what [Composition.Breakpoints] returns without the digests: nothing is hashed.
func (c Composition) Marks() []Prefix {
	var marks []Prefix
	marked := c.breakpoints()
	join, separator := int64(len(joins[c.join].text)), c.rules.Separator.Size()
	bytes, size := -join, -separator // the first section has no separator before it
	for i, v := range c.plan.Verdicts {
		if !v.Included() {
			continue
		}
		bytes += join + int64(len(c.form(i)))
		size += separator + v.Chosen(c.items[i]).Size()
		if marked[i] {
			marks = append(marks, Prefix{ID: c.sections[i].ID, Bytes: bytes, Size: size, Breakpoint: true})
		}
	}
	return marks
}

// Verdicts yields for every candidate whether it is in, why, and which alternate was chosen: what
// [Composition.Decisions] says, without the places.
func (c Composition) Verdicts() iter.Seq[tiers.Verdict] {
	return func(yield func(tiers.Verdict) bool) {
		for _, v := range c.plan.Verdicts {
			if !yield(v) {
				return
			}
		}
	}
}
