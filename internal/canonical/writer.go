// Package canonical writes and reads the canonical JSON of recipes and records: RFC 8785, with every integer a decimal
// string, because a number of RFC 8785 is a double.
package canonical

import (
	"encoding/hex"
	"strconv"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

// A Writer appends to Dst. Its methods take what stands before a value, punctuation and name, and then the value; that
// the members of an object come in their order is up to the caller.
type Writer struct{ Dst []byte }

// Raw appends JSON as it is.
func (w *Writer) Raw(json string) { w.Dst = append(w.Dst, json...) }

// Separate appends the comma before element i of an array.
func (w *Writer) Separate(i int) {
	if i > 0 {
		w.Dst = append(w.Dst, ',')
	}
}

// Text appends a string, which should be valid UTF-8.
func (w *Writer) Text(before, s string) {
	w.Raw(before)
	w.Dst = fingerprint.AppendJSONString(w.Dst, s)
}

// Bool appends true or false.
func (w *Writer) Bool(before string, b bool) {
	w.Raw(before)
	w.Dst = strconv.AppendBool(w.Dst, b)
}

// Integer appends an integer as a string.
func (w *Writer) Integer(before string, n int64) {
	w.Raw(before)
	w.Dst = append(strconv.AppendInt(append(w.Dst, '"'), n, 10), '"')
}

// Budget appends a limit as an integer, and null where there is none.
func (w *Writer) Budget(before string, b tiers.Budget) {
	if n, limited := b.Value(); limited {
		w.Integer(before, n)
		return
	}
	w.Raw(before)
	w.Raw(`null`)
}

// Digest appends 64 hex digits.
func (w *Writer) Digest(before string, d fingerprint.Digest) {
	w.Raw(before)
	w.Dst = append(hex.AppendEncode(append(w.Dst, '"'), d[:]), '"')
}

// DigestOrNull appends a digest, and null for the zero one, which names nothing.
func (w *Writer) DigestOrNull(before string, d fingerprint.Digest) {
	if d.IsZero() {
		w.Raw(before)
		w.Raw(`null`)
		return
	}
	w.Digest(before, d)
}
