package messages

import (
	"slices"

	"github.com/rivo/uniseg"
)

// FoldNotice stands at the end of a result that was shortened. It is constant text.
const FoldNotice = "\n(output shortened)"

// A Fold shortens old tool results. What a result becomes depends on nothing but the result itself, never on what is
// left of a budget; and a result that is old stays old while the session grows. So it is cut once, and then has the
// same bytes in every turn.
type Fold struct {
	// Cap is how many bytes of UTF-8 of a result's text are kept at most, before [FoldNotice]. The cut falls on a
	// grapheme boundary: no character is cut, nor an emoji of several. A result that would not become shorter stays as
	// it is; one that is a JSON value is cut as the text of its canonical form.
	Cap int

	// Recent is how many messages at the end of the history are left whole, at least. The border moves in steps of as
	// many messages, so that it does not change a prompt in every turn: between Recent and 2*Recent-1 are whole.
	Recent int
}

// border returns how many messages of a history of n are old.
func (f Fold) border(n int) int {
	if f.Recent == 0 {
		return n
	}
	return max(0, (n/f.Recent-1)*f.Recent)
}

// FoldToolResults returns the message with its tool results cut to at most limit bytes of text each, and whether any
// was. Blocks that are no text stay. Folding again changes nothing. The message itself is not changed; a result that
// cannot be written stays as it is.
func FoldToolResults(m Message, limit int) (folded Message, cut bool) {
	for i := range m.Content {
		if m.Content[i].Kind != KindToolResult {
			continue
		}
		b, ok := foldResult(m.Content[i], limit)
		if !ok {
			continue
		}
		if !cut {
			m.Content = slices.Clone(m.Content)
			cut = true
		}
		m.Content[i] = b
	}
	return m, cut
}

func foldResult(b Block, limit int) (folded Block, cut bool) {
	room := limit + len(FoldNotice)
	switch {
	case b.Value != "":
		// No spelling grows more than sixfold: 1e20 becomes 100000000000000000000.
		if len(b.Value) <= room/6 {
			return b, false
		}
		text, err := b.Value.text()
		if err != nil || len(text) <= room {
			return b, false
		}
		b.Text, b.Value = beginning(text, limit)+FoldNotice, ""
	case b.Text != "" || len(b.Content) == 0:
		if len(b.Text) <= room {
			return b, false
		}
		b.Text = beginning(b.Text, limit) + FoldNotice
	default:
		total := 0
		for i := range b.Content {
			total += len(b.Content[i].Text)
		}
		if total <= room {
			return b, false
		}
		b.Content = foldBlocks(b.Content, limit)
	}
	return b, true
}

// foldBlocks cuts texts of more than limit bytes together where the limit falls, and drops the texts after it.
func foldBlocks(blocks []Block, limit int) []Block {
	var out []Block
	for _, b := range blocks {
		switch {
		case b.Text == "":
			out = append(out, b)
		case limit < 0:
		case len(b.Text) <= limit:
			limit -= len(b.Text)
			out = append(out, b)
		default:
			b.Text = beginning(b.Text, limit) + FoldNotice
			limit = -1
			out = append(out, b)
		}
	}
	return out
}

// beginning returns the longest beginning of text that ends on a grapheme boundary and has at most limit bytes; text
// has more.
func beginning(text string, limit int) string {
	kept, rest, state := 0, text, -1
	for {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if kept+len(cluster) > limit {
			return text[:kept]
		}
		kept += len(cluster)
	}
}
