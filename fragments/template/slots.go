package template

import (
	"iter"
	"slices"
	"strings"
)

// Slots are a text with slots, {name}, that was parsed. The zero value is the empty text.
//
// It is the language of templates that someone keeps apart from the program: only the names that the program knows are
// slots, and every other brace is text, for such templates hold JSON. Nothing in it is an error. What looks like a slot
// and is none is told by [Slots.Unknown].
type Slots struct{ pieces []SlotPiece }

// A SlotPiece is a run of text, or a slot.
type SlotPiece struct {
	Text   string // as it stands; of a slot, its name
	Offset int    // in the text that was parsed, in bytes
	Slot   bool

	unknown bool // text that reads like a slot
}

// ParseSlots reads a text. A slot is "{", one of the names, "}". Where one slot stands in further braces, as in {{name}},
// the others are text.
func ParseSlots(text string, names ...string) Slots {
	var s Slots
	start := 0
	add := func(end int) {
		if end > start {
			s.pieces = append(s.pieces, SlotPiece{Text: text[start:end], Offset: start})
		}
	}
	for at := 0; at < len(text); {
		brace := strings.IndexByte(text[at:], '{')
		if brace < 0 {
			break
		}
		open := at + brace
		length := identifier(text[open+1:])
		end := open + 1 + length
		if length == 0 || end == len(text) || text[end] != '}' {
			at = end
			continue
		}
		at = end + 1
		name := text[open+1 : end]
		known := slices.Contains(names, name)
		add(open)
		piece := SlotPiece{Text: name, Offset: open, Slot: known, unknown: !known}
		if !known {
			piece.Text = text[open:at]
		}
		s.pieces = append(s.pieces, piece)
		start = at
	}
	add(len(text))
	return s
}

// identifier returns how many bytes at the start of s are letters, digits and _, if the first is no digit.
func identifier(s string) int {
	n := 0
	for n < len(s) {
		c := s[n] | 0x20
		if (c < 'a' || c > 'z') && s[n] != '_' && (n == 0 || s[n] < '0' || s[n] > '9') {
			break
		}
		n++
	}
	return n
}

// Pieces yields what the text is made of, in order. The texts of all pieces, slots with their braces, are the text.
func (s Slots) Pieces() iter.Seq[SlotPiece] { return slices.Values(s.pieces) }

// Unknown returns the names in braces that read like slots and are none, in the order of their first appearance, each
// once. They are text.
func (s Slots) Unknown() []string {
	var names []string
	for _, p := range s.pieces {
		if name := strings.Trim(p.Text, "{}"); p.unknown && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Has reports whether there is a slot of the name.
func (s Slots) Has(name string) bool {
	return slices.ContainsFunc(s.pieces, func(p SlotPiece) bool { return p.Slot && p.Text == name })
}

// Split cuts at the first slot of the name, which is in neither half. Further ones stay in the second half. Without one,
// all is in the first half.
func (s Slots) Split(name string) (before, after Slots, found bool) {
	i := slices.IndexFunc(s.pieces, func(p SlotPiece) bool { return p.Slot && p.Text == name })
	if i < 0 {
		return s, Slots{}, false
	}
	return Slots{s.pieces[:i:i]}, Slots{s.pieces[i+1:]}, true
}

// Append appends the text with every slot replaced by its value; a slot without one leaves nothing. Values are exact
// bytes and are never scanned: a value that contains {name} stays {name}.
func (s Slots) Append(dst []byte, values map[string]string) []byte {
	for _, p := range s.pieces {
		if p.Slot {
			dst = append(dst, values[p.Text]...)
		} else {
			dst = append(dst, p.Text...)
		}
	}
	return dst
}
