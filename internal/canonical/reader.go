package canonical

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/edits"
	"github.com/quirehq/quire/internal/wellformed"
	"github.com/quirehq/quire/tiers"
)

// A Reader reads what a [Writer] wrote: its methods, called in the same order, take the same beginnings, and return the
// values. The first error stays, and after it every method returns a zero value. An error names the byte of the text, and
// has no prefix: that is the caller's.
//
// That a value was not written in another way ("007", an escape that is not needed) only [Reader.RoundTrip] tells.
type Reader struct {
	src     string
	base    int // where src begins in the whole text
	pos     int
	err     error
	scratch []byte // of RoundTrip
}

// NewReader returns a reader of a text that begins at byte base of a longer one.
func NewReader(src string, base int) *Reader { return &Reader{src: src, base: base} }

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// Pos returns how far the reader has come, in bytes of its text.
func (r *Reader) Pos() int { return r.pos }

func (r *Reader) fail(want string) {
	if r.err == nil {
		r.err = fmt.Errorf("byte %d: want %s", r.base+r.pos, want)
	}
}

// At reports whether this is what comes next.
func (r *Reader) At(json string) bool { return strings.HasPrefix(r.src[r.pos:], json) }

// Skip reads this if it comes next, and reports whether it does.
func (r *Reader) Skip(json string) bool {
	found := r.err == nil && r.At(json)
	if found {
		r.pos += len(json)
	}
	return found
}

// Raw reads JSON as it is.
func (r *Reader) Raw(json string) {
	if !r.Skip(json) {
		r.fail(json)
	}
}

// End wants the text to end here.
func (r *Reader) End() {
	if r.pos < len(r.src) {
		r.fail("the end")
	}
}

// Elements reads how an array or an object begins, and yields once for each thing in it, for the caller to read. The
// bracket at its end belongs to what comes next.
func (r *Reader) Elements(before string) func(yield func() bool) {
	return func(yield func() bool) {
		r.Raw(before)
		for more := !r.At(`]`) && !r.At(`}`); more && r.err == nil && yield(); more = r.Skip(`,`) {
		}
	}
}

// Text reads a string.
func (r *Reader) Text(before string) string {
	r.Raw(before)
	if r.err != nil {
		return ""
	}
	rest := r.src[r.pos:]
	if !strings.HasPrefix(rest, `"`) {
		r.fail("a string")
		return ""
	}
	end := 1 + strings.IndexByte(rest[1:], '"')
	if end > 0 && strings.IndexByte(rest[1:end], '\\') < 0 {
		r.pos += end + 1
		return rest[1:end] // whether its characters may stand unescaped, RoundTrip tells
	}
	dec := jsontext.NewDecoder(strings.NewReader(rest))
	token, err := dec.ReadToken()
	if err != nil || token.Kind() != '"' {
		r.fail("a string")
		return ""
	}
	r.pos += int(dec.InputOffset())
	return token.String()
}

// Bool reads true or false.
func (r *Reader) Bool(before string) bool {
	r.Raw(before)
	if r.Skip(`true`) {
		return true
	}
	r.Raw(`false`)
	return false
}

// Integer reads an integer that is written as a string.
func (r *Reader) Integer(before string) int64 { return r.AtLeast(math.MinInt64, before) }

// AtLeast reads an integer that is not below least.
func (r *Reader) AtLeast(least int64, before string) int64 {
	start := r.base + r.pos + len(before)
	s := r.Text(before)
	if r.err != nil {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < least {
		r.err = fmt.Errorf("byte %d: want an integer from %d to %d in decimal; found %q", start, least, int64(math.MaxInt64), s)
		return 0
	}
	return n
}

// Budget reads a limit, or null where there is none.
func (r *Reader) Budget(before string) tiers.Budget {
	r.Raw(before)
	if r.Skip(`null`) {
		return tiers.Budget{}
	}
	n := r.Integer(``)
	if r.err != nil {
		return tiers.Budget{}
	}
	return tiers.Limit(n)
}

// Digest reads 64 hex digits.
func (r *Reader) Digest(before string) fingerprint.Digest {
	return Parse(r, before, fingerprint.ParseDigest)
}

// DigestOrNull reads a digest, or null for the zero one.
func (r *Reader) DigestOrNull(before string) fingerprint.Digest {
	r.Raw(before)
	if r.Skip(`null`) {
		return fingerprint.Digest{}
	}
	return r.Digest(``)
}

// Value reads any JSON value and returns it as it stands.
func (r *Reader) Value(before string) string {
	r.Raw(before)
	if r.err != nil {
		return ""
	}
	dec := jsontext.NewDecoder(strings.NewReader(r.src[r.pos:]))
	if _, err := dec.ReadValue(); err != nil {
		r.fail("a JSON value")
		return ""
	}
	start := r.pos
	r.pos += int(dec.InputOffset())
	return r.src[start:r.pos]
}

// Parse reads a string and gives it its meaning.
func Parse[T any](r *Reader, before string, parse func(string) (T, error)) (v T) {
	start := r.base + r.pos + len(before)
	s := r.Text(before)
	if r.err != nil {
		return v
	}
	v, err := parse(s)
	if err != nil {
		r.err = fmt.Errorf("byte %d: %w", start, err)
	}
	return v
}

// RoundTrip wants what was read since start to be what write writes.
func (r *Reader) RoundTrip(start int, write func(*Writer)) {
	if r.err != nil {
		return
	}
	said := r.src[start:r.pos]
	if at := wellformed.Invalid(said); at >= 0 {
		r.err = fmt.Errorf("byte %d: %w", r.base+start+at, fingerprint.ErrInvalidUTF8)
		return
	}
	w := Writer{Dst: slices.Grow(r.scratch[:0], len(said))}
	write(&w)
	if r.scratch = w.Dst; string(w.Dst) != said {
		form := string(w.Dst)
		at := edits.CommonPrefix(form, said)
		r.pos = start + at
		r.fail(fmt.Sprintf("the canonical form, %.40q here", form[at:]))
	}
}
