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
		n           [3]int64
		text, value string
		list        [3][2]string
	}
	want := all{yes: true, limit: tiers.Limit(7), digest: [3]fingerprint.Digest{{1}, {}, {2}}, n: [3]int64{math.MinInt64, 0, 1},
		text: "é\u2028<\"\x1f\\", value: `{"a":[{}]}`, list: [3][2]string{{}, {"a"}, {"a", "b"}}}
	write := func(w *canonical.Writer, a all) {
		w.Bool(`{"a":`, a.yes)
		w.Bool(`,"b":`, a.no)
		w.Budget(`,"c":`, a.none)
		w.Budget(`,"d":`, a.limit)
		w.Digest(`,"e":`, a.digest[0])
		w.DigestOrNull(`,"f":`, a.digest[1])
		w.DigestOrNull(`,"g":`, a.digest[2])
		w.Integer(`,"h":`, a.n[0])
		w.Integer(`,"i":`, a.n[1])
		w.Integer(`,"j":`, a.n[2])
		w.Text(`,"k":`, a.text)
		w.Raw(`,"l":` + a.value + `,"m":[`)
		for i, list := range a.list {
			w.Separate(i)
			w.Raw(`[`)
			for i, text := range list {
				if text != "" {
					w.Separate(i)
					w.Text(``, text)
				}
			}
			w.Raw(`]`)
		}
		w.Raw(`],"n":{"a":true,"b":true}}`)
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
	got.n[0] = r.Integer(`,"h":`)
	got.n[1] = r.AtLeast(0, `,"i":`)
	got.n[2] = r.AtLeast(1, `,"j":`)
	got.text = r.Text(`,"k":`)
	got.value = r.Value(`,"l":`)
	i, names := 0, ""
	for range r.Elements(`,"m":[`) {
		k := 0
		for range r.Elements(`[`) {
			got.list[i][k] = r.Text(``)
			k++
		}
		r.Raw(`]`)
		i++
	}
	for range r.Elements(`],"n":{`) {
		names += r.Text(``)
		r.Bool(`:`)
	}
	r.Raw(`}}`)
	r.End()
	r.RoundTrip(0, func(w *canonical.Writer) { write(w, got) })
	if r.Err() != nil || got != want || i != len(want.list) || names != "ab" || r.Pos() != len(w.Dst) {
		t.Errorf("%v\n got %+v to byte %d\nwant %+v to byte %d", r.Err(), got, r.Pos(), want, len(w.Dst))
	}
}

func TestReaderRefuses(t *testing.T) {
	text := func(r *canonical.Reader) {
		s := r.Text(`x`)
		r.RoundTrip(0, func(w *canonical.Writer) { w.Text(`x`, s) })
		r.End()
	}
	list := func(r *canonical.Reader) {
		for range r.Elements(`[`) {
			r.Text(``)
		}
		r.Raw(`]`)
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
		{"x\"\xff\"", text, `byte 102: invalid UTF-8`},
		{"x\"\ufffdé\xed\xa0\x80\"", text, `byte 107: invalid UTF-8`},
		{`x"a" `, text, `byte 104: want the end`},
		{`x"007"`, func(r *canonical.Reader) {
			n := r.Integer(`x`)
			r.RoundTrip(0, func(w *canonical.Writer) { w.Integer(`x`, n) })
		}, `byte 102: want the canonical form, "7\"" here`},
		{`"9223372036854775808"`, func(r *canonical.Reader) { r.Integer(``) }, `byte 100: want an integer from -9223372036854775808 to 9223372036854775807 in decimal; found "9223372036854775808"`},
		{`x"0"`, func(r *canonical.Reader) { r.AtLeast(1, `x`) }, `byte 101: want an integer from 1 to 9223372036854775807 in decimal; found "0"`},
		{`x{"a":}`, func(r *canonical.Reader) { r.Value(`x`) }, `byte 101: want a JSON value`},
		{`y{}`, func(r *canonical.Reader) { r.Value(`x`) }, `byte 100: want x`},
		{`x{} `, func(r *canonical.Reader) { r.Value(`x`); r.End() }, `byte 103: want the end`},
		{`["a",]`, list, `byte 105: want a string`},
		{`["a""b"]`, list, `byte 104: want ]`},
		{`["a"`, list, `byte 104: want ]`},
		{`{"a"]`, list, `byte 100: want [`},
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
