package canonical_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/canonical"
	"github.com/quirehq/quire/tiers"
)

// All that can be written comes back.
func TestReader(t *testing.T) {
	type all struct {
		yes, no     bool
		none, limit tiers.Budget
		digest      [3]fingerprint.Digest
		n           int64
		text        string
	}
	want := all{yes: true, limit: tiers.Limit(7), digest: [3]fingerprint.Digest{{1}, {}, {2}}, n: math.MinInt64, text: "é\u2028<\"\x1f\\"}
	write := func(w *canonical.Writer, a all) {
		w.Bool(`{"a":`, a.yes)
		w.Bool(`,"b":`, a.no)
		w.Budget(`,"c":`, a.none)
		w.Budget(`,"d":`, a.limit)
		w.Digest(`,"e":`, a.digest[0])
		w.DigestOrNull(`,"f":`, a.digest[1])
		w.DigestOrNull(`,"g":`, a.digest[2])
		w.Integer(`,"h":`, a.n)
		w.Text(`,"i":`, a.text)
		w.Raw(`}`)
	}
	var w canonical.Writer
	write(&w, want)

	r := canonical.NewReader(string(w.Dst), 0)
	var got all
	got.yes = r.Bool(`{"a":`)
	got.no = r.Bool(`,"b":`)
	got.none = r.Budget(`,"c":`)
	got.limit = r.Budget(`,"d":`)
	got.digest[0] = r.Digest(`,"e":`)
	got.digest[1] = r.DigestOrNull(`,"f":`)
	got.digest[2] = r.DigestOrNull(`,"g":`)
	got.n = r.Integer(`,"h":`)
	got.text = r.Text(`,"i":`)
	r.Raw(`}`)
	r.End()
	r.RoundTrip(0, func(w *canonical.Writer) { write(w, got) })
	if r.Err() != nil || got != want || r.Pos() != len(w.Dst) {
		t.Errorf("%v\n got %+v to byte %d\nwant %+v to byte %d", r.Err(), got, r.Pos(), want, len(w.Dst))
	}
}

func TestReaderRefuses(t *testing.T) {
	text := func(r *canonical.Reader) {
		s := r.Text(`x`)
		r.RoundTrip(0, func(w *canonical.Writer) { w.Text(`x`, s) })
		r.End()
	}
	for _, c := range []struct {
		src  string
		read func(*canonical.Reader)
		want string
	}{
		{`y"a"`, text, `byte 100: want x`},
		{`xnull`, text, `byte 101: want a string`},
		{`x"a`, text, `byte 101: want a string`},
		{`x"\ud800"`, text, `byte 101: want a string`},
		{`x"\u0041"`, text, `byte 102: want the canonical form, "A\"" here`},
		{"x\"\x01\"", text, `byte 102: want the canonical form, "\\u0001\"" here`},
		{"x\"\xff\"", text, `invalid UTF-8`},
		{`x"a" `, text, `byte 104: want the end`},
		{`x"007"`, func(r *canonical.Reader) {
			n := r.Integer(`x`)
			r.RoundTrip(0, func(w *canonical.Writer) { w.Integer(`x`, n) })
		}, `byte 102: want the canonical form, "7\"" here`},
		{`"9223372036854775808"`, func(r *canonical.Reader) { r.Integer(``) }, `byte 100: strconv.ParseInt: parsing "9223372036854775808": value out of range`},
		{`"AB"`, func(r *canonical.Reader) { r.DigestOrNull(``) }, `byte 100: fingerprint: digest: 2 bytes, want 64 lower-case hex digits`},
		{`nul`, func(r *canonical.Reader) { r.Bool(``) }, `byte 100: want false`},
	} {
		r := canonical.NewReader(c.src, 100)
		c.read(r)
		if fmt.Sprint(r.Err()) != c.want {
			t.Errorf("%s: %v; want %s", c.src, r.Err(), c.want)
		}
		if at := r.Pos(); r.Text(``) != `` || r.Pos() != at {
			t.Errorf("%s: it reads on after its error", c.src)
		}
	}
	r := canonical.NewReader("\"\xff\"", 0)
	r.Text(``)
	if r.RoundTrip(0, func(*canonical.Writer) {}); !errors.Is(r.Err(), fingerprint.ErrInvalidUTF8) {
		t.Error(r.Err())
	}
}
