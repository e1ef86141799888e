package composer

import "github.com/quirehq/quire/fingerprint"

// A Prefix is the text up to the end of one included section.
type Prefix struct {
	ID         string             `json:"id"`     // of that section
	Digest     fingerprint.Digest `json:"digest"` // of the bytes: the same bytes have the same digest however they were cut
	Bytes      int64              `json:"bytes"`
	Size       int64              `json:"size"` // in the measure: the sum of what was charged, separators included
	Breakpoint bool               `json:"breakpoint"`
}

// Prefixes returns the prefix that ends at every included section. It hashes the text once, with a digest taken at
// every boundary; where only cacheable prefixes matter, [Composition.Breakpoints] is cheaper.
func (c Composition) Prefixes() []Prefix { return c.prefixes(false, new(fingerprint.Hasher)) }

// Breakpoints returns the prefixes that end at a breakpoint. The breakpoint of a section that is not in moves to the
// nearest included section before it, if there is one; two that meet are one.
func (c Composition) Breakpoints() []Prefix { return c.prefixes(true, new(fingerprint.Hasher)) }

// Marks returns what [Composition.Breakpoints] returns without the digests: nothing is hashed.
func (c Composition) Marks() []Prefix { return c.prefixes(true, nil) }

// prefixes fills in digests where it is given a hasher.
func (c Composition) prefixes(breakpointsOnly bool, hash *fingerprint.Hasher) []Prefix {
	marked, ends := c.breakpoints()
	if !breakpointsOnly {
		ends = c.plan.Included
	}
	prefixes := make([]Prefix, 0, ends)
	join := c.join.Text()
	var p Prefix
	for i, v := range c.plan.Verdicts {
		if !v.Included() {
			continue
		}
		separator := ""
		if p.ID != "" {
			separator = join
			p.Size += c.rules.Separator.Size()
		}
		form := c.form(i)
		p.ID = c.parts[i].id
		p.Bytes += int64(len(separator) + len(form))
		p.Size += v.Chosen(c.items[i]).Size()
		p.Breakpoint = marked[i]
		wanted := p.Breakpoint || !breakpointsOnly
		if hash != nil {
			hash.WriteString(separator)
			hash.WriteString(form)
			if wanted {
				p.Digest = hash.Digest()
			}
		}
		if wanted {
			prefixes = append(prefixes, p)
		}
	}
	return prefixes
}

// breakpoints reports for every candidate whether a cacheable prefix ends with it, and for how many.
func (c Composition) breakpoints() (marked []bool, ends int) {
	marked = make([]bool, len(c.parts))
	last := -1
	for i, v := range c.plan.Verdicts {
		if v.Included() {
			last = i
		}
		if c.parts[i].breakpoint && last >= 0 && !marked[last] {
			marked[last] = true
			ends++
		}
	}
	return marked, ends
}
