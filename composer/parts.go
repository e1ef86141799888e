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
	for p := range c.walk() {
		if p.Breakpoint {
			marks = append(marks, p)
		}
	}
	return marks
}

// walk yields where every included section ends.
func (c Composition) walk() iter.Seq[Prefix] {
	return func(yield func(Prefix) bool) {
		marked := c.breakpoints()
		join := int64(len(joins[c.join].text))
		var p Prefix
		for i, v := range c.plan.Verdicts {
			if !v.Included() {
				continue
			}
			if p.ID != "" {
				p.Bytes += join
				p.Size += c.rules.Separator.Size()
			}
			p.ID = c.sections[i].ID
			p.Bytes += int64(len(c.form(i)))
			p.Size += v.Chosen(c.items[i]).Size()
			if p.Breakpoint = marked[i]; !yield(p) {
				return
			}
		}
	}
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
