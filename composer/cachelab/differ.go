package cachelab

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/edits"
)

// A differ finds the reasons in one region. Its lists are the region's pieces, in order.
type differ struct {
	a, b   []*Piece
	region Region
	out    []Change
}

func (d *differ) changes() []Change {
	switch d.region {
	case Tools:
		d.tools()
	case System:
		d.system()
	case Messages:
		d.conversation()
	}
	return d.out
}

// add reports a change between two pieces; one of them may be missing.
func (d *differ) add(code Code, a, b *Piece, note string) {
	c := Change{Code: code, Region: d.region, Note: note}
	place := b
	if b == nil {
		place = a
	}
	c.Place, c.Origin = place.String(), place.Origin
	if a != nil && b != nil {
		c.At = int64(edits.CommonPrefix(a.Text, b.Text))
		at := edits.CommonPrefix(a.content, b.content)
		c.A, c.B = around(a.content, at), around(b.content, at)
	} else if a != nil {
		c.A = shorten(a.content)
	} else {
		c.B = shorten(b.content)
	}
	d.out = append(d.out, c)
}

// tools compares the lists of tools: which are gone, which are new, which differ, and whether the rest is in order. What
// comes first in the list of b comes first among the reasons.
func (d *differ) tools() {
	inA, inB := byOrigin(d.a), byOrigin(d.b)
	var kept []*Piece // of a, that b has too
	for _, t := range d.a {
		if inB[t.Origin] == nil {
			d.add(ToolsRemoved, t, nil, "")
		} else {
			kept = append(kept, t)
		}
	}
	moved := false
	for _, t := range d.b {
		was := inA[t.Origin]
		if was == nil {
			note := ""
			if t != d.b[len(d.b)-1] {
				note = "not behind all others: what follows it moves too"
			}
			d.add(ToolsAdded, nil, t, note)
			continue
		}
		if len(kept) > 0 && kept[0].Origin != t.Origin && !moved {
			moved = true
			d.add(ToolsReordered, kept[0], t, "the tools themselves are the same but for what is said below")
			d.out[len(d.out)-1].At = 0
		}
		if len(kept) > 0 {
			kept = kept[1:]
		}
		if was.Text != t.Text {
			d.tool(was, t)
		}
	}
}

func byOrigin(list []*Piece) map[string]*Piece {
	m := make(map[string]*Piece, len(list))
	for _, p := range list {
		if m[p.Origin] == nil {
			m[p.Origin] = p
		}
	}
	return m
}

func (d *differ) tool(a, b *Piece) {
	code := ToolSchemaChanged
	note := ""
	x, errX := fingerprint.Canonical([]byte(a.Text))
	y, errY := fingerprint.Canonical([]byte(b.Text))
	if errX == nil && errY == nil {
		if string(x) == string(y) {
			code, note = ShapeOnly, "the same value with its members in another order or spelled differently"
		} else if c := sameButFor(decoded(x), decoded(y)); c != "" {
			code = c
		}
	}
	d.add(code, a, b, note)
}

// decoded returns the texts of a JSON value as they are, without escapes, so that line ends and the like can be told.
func decoded(v []byte) string {
	var text strings.Builder
	dec := jsontext.NewDecoder(strings.NewReader(string(v)))
	for {
		t, err := dec.ReadToken()
		if err != nil {
			return text.String()
		}
		text.WriteString(t.String())
		text.WriteByte(0)
	}
}

func (d *differ) system() {
	for i := range max(len(d.a), len(d.b)) {
		switch {
		case i >= len(d.a):
			d.add(SystemChanged, nil, d.b[i], "one more block")
		case i >= len(d.b):
			d.add(SystemChanged, d.a[i], nil, "one block less")
		default:
			d.pair(d.a[i], d.b[i], SystemChanged)
		}
	}
}

// pair compares two pieces that stand for one another. It reports whether they differ.
func (d *differ) pair(a, b *Piece, otherwise Code) bool {
	if a.digest == b.digest {
		// A marker cannot stand on a string: one that moves on leaves a list or a string behind, and services document
		// that the two are one.
		if a.shape != b.shape && a.Block == 0 && !a.Marked && !b.Marked {
			d.add(ShapeOnly, a, b, "the same content as a string and as a list of blocks, or null and absent")
			d.out[len(d.out)-1].At = 0
			return true
		}
		return false
	}
	code, note := otherwise, ""
	switch {
	case a.block != nil && b.block != nil && isMedia(a.block.Kind) && a.block.Kind == b.block.Kind:
		code, note = MediaReencoded, "other bytes for the same kind of media in the same place"
	case a.block != nil && b.block != nil && sameValue(a, b):
		code, note = ShapeOnly, "the same value with its members in another order or spelled differently"
	case a.content == b.content && onlyIDs(a, b):
		code = GeneratedID
	default:
		result := a.block != nil && a.block.Kind == messages.KindToolResult
		if c := sameButFor(a.content, b.content); c != "" && a.content != b.content {
			code = c
		} else if cutElsewhere(a.content, b.content, result) {
			code = TruncationJitter
		}
	}
	d.add(code, a, b, note)
	return true
}

func isMedia(k messages.Kind) bool {
	switch k {
	case messages.KindImage, messages.KindAudio, messages.KindFile, messages.KindDocument:
		return true
	}
	return false
}

// sameValue reports whether two blocks are the same message once all JSON is canonical.
func sameValue(a, b *Piece) bool {
	x, errX := (messages.Message{Content: []messages.Block{*a.block}}).AppendJSON(nil)
	y, errY := (messages.Message{Content: []messages.Block{*b.block}}).AppendJSON(nil)
	return errX == nil && errY == nil && string(x) == string(y) && a.Origin == b.Origin
}

// onlyIDs reports whether two blocks are the same but for the id of the call.
func onlyIDs(a, b *Piece) bool {
	if a.block == nil || b.block == nil || a.block.ID == b.block.ID {
		return false
	}
	x, y := *a.block, *b.block
	x.ID, y.ID = "", ""
	return sameValue(&Piece{block: &x}, &Piece{block: &y})
}

// conversation aligns the messages of a and b: where one of a is not the next of b, it looks whether b goes on with a
// later one of a (some were removed) or a with a later one of b (some were put in), and else compares the two.
func (d *differ) conversation() {
	a, b := group(d.a), group(d.b)
	nextInA, nextInB := places(a), places(b)
	i, k := 0, 0
	for i < len(a) && k < len(b) {
		if sameTexts(a[i], b[k]) {
			d.pairs(a[i], b[k])
			i, k = i+1, k+1
			continue
		}
		if n := merged(a[i:], b[k]); n > 0 {
			d.add(MessagesMerged, a[i][0], b[k][0], "two messages became one")
			i, k = i+n, k+1
			continue
		}
		if n := merged(b[k:], a[i]); n > 0 {
			d.add(MessagesMerged, a[i][0], b[k][0], "one message became two")
			i, k = i+1, k+n
			continue
		}
		gone, goneOK := after(nextInA[textOf(b[k])], i)
		put, putOK := after(nextInB[textOf(a[i])], k)
		switch {
		case goneOK && (!putOK || gone-i <= put-k):
			d.add(MessageRemoved, a[i][0], nil, removedNote(a[i:gone], b[k:]))
			i = gone
		case putOK:
			d.add(MessageEdited, nil, b[k][0], "put in before what was there")
			k = put
		default:
			d.pairs(a[i], b[k])
			i, k = i+1, k+1
		}
	}
	if i < len(a) {
		d.add(MessageRemoved, a[i][0], nil, "the end of the conversation")
	}
}

// pairs compares the blocks of two messages.
func (d *differ) pairs(a, b []*Piece) {
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			if i > 0 && a[i-1].digest != b[i-1].digest {
				return // said already
			}
			d.add(MessageEdited, nil, b[i], "one more block")
			return
		case i >= len(b):
			d.add(MessageEdited, a[i], nil, "one block less")
			return
		}
		d.pair(a[i], b[i], MessageEdited)
	}
}

func group(list []*Piece) (out [][]*Piece) {
	for i, p := range list {
		if i == 0 || list[i-1].Index != p.Index {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], p)
	}
	return out
}

func sameTexts(a, b []*Piece) bool {
	return slices.EqualFunc(a, b, func(x, y *Piece) bool { return x.digest == y.digest })
}

// textOf names a message by what stands in it.
func textOf(m []*Piece) fingerprint.Key {
	parts := make([][]byte, len(m))
	for i, p := range m {
		parts[i] = p.digest[:]
	}
	return fingerprint.Frame(parts...)
}

func places(list [][]*Piece) map[fingerprint.Key][]int {
	m := map[fingerprint.Key][]int{}
	for i, x := range list {
		k := textOf(x)
		m[k] = append(m[k], i)
	}
	return m
}

// after returns the first place that is after i.
func after(places []int, i int) (int, bool) {
	k, _ := slices.BinarySearch(places, i+1)
	if k == len(places) {
		return 0, false
	}
	return places[k], true
}

// merged returns how many of the messages make up the one, two or more, all of one role; else 0.
func merged(list [][]*Piece, one []*Piece) int {
	role := roleOf(one[0])
	whole := contents(one)
	text := ""
	for n, m := range list {
		if roleOf(m[0]) != role {
			return 0
		}
		text += contents(m)
		if n > 0 && text == whole {
			return n + 1
		}
		if len(text) >= len(whole) {
			return 0
		}
		// Whoever merges puts something between, or nothing.
		if rest := whole[len(text):]; !strings.HasPrefix(whole, text) {
			return 0
		} else if trimmed := strings.TrimLeft(rest, "\n "); len(trimmed) < len(rest) {
			text += rest[:len(rest)-len(trimmed)]
		}
	}
	return 0
}

func roleOf(p *Piece) string {
	role, _, _ := strings.Cut(p.Origin, ":")
	return role
}

func contents(m []*Piece) string {
	var b strings.Builder
	for _, p := range m {
		b.WriteString(p.content)
	}
	return b.String()
}

// removedNote says when a removal parts a result from its call.
func removedNote(gone, left [][]*Piece) string {
	calls := map[string]bool{}
	for _, m := range gone {
		for _, p := range m {
			if p.block != nil && p.block.Kind == messages.KindToolCall {
				calls[p.block.ID] = true
			}
			if p.block != nil && p.block.Kind == messages.KindToolResult {
				delete(calls, p.block.ID)
			}
		}
	}
	for _, m := range left {
		for _, p := range m {
			if p.block != nil && p.block.Kind == messages.KindToolResult && calls[p.block.ID] {
				return "a result is left whose call is gone: the provider refuses that"
			}
		}
	}
	return ""
}
