package fingerprint_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"

	"github.com/quirehq/quire/fingerprint"
)

// FuzzCanonical: what is accepted has one form, of the same value, on which every peer that accepts the
// document agrees. What is refused is refused for a reason that a peer confirms.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		`{"b":[{"d":1,"c":{"z":{"b":0,"a":0},"y":0}}],"a":2}`, `{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5}`,
		`[1.0,-0,1e21,1E-7,333333333.33333329,9007199254740993,1e309,1e-400]`, `"\u0000\b\/\ud83d\ude00"`, `{"a":1,"\u0061":2}`,
		`"\ud83d"`, "\"\xff\"", "\ufeff1", "1 2", "[1,]", `{"a":{"a":{"a":[[[]]]}}}`, "[\"\u2028\x7f\"]", "", "nul", `{"":{"":null},"a":true}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		before := bytes.Clone(src)
		got, err := fingerprint.Canonical(src)
		if !bytes.Equal(src, before) {
			t.Fatal("the source was written to")
		}
		if err != nil {
			checkRefusal(t, src, err)
			return
		}
		checkCanonical(t, src, got)
		if peer, err := jcs.Transform(src); err == nil && !bytes.Equal(peer, got) {
			t.Errorf("%q: jcs says %q, we say %q", src, peer, got)
		}
		peer := jsontext.Value(bytes.Clone(src))
		if err := peer.Canonicalize(); err != nil || !bytes.Equal(peer, got) {
			t.Errorf("%q: jsontext says %q (%v), we say %q", src, peer, err, got)
		}
	})
}

func checkRefusal(t *testing.T, src []byte, err error) {
	t.Helper()
	var je *fingerprint.JSONError
	if !errors.As(err, &je) || je.Offset < 0 || je.Offset > int64(len(src)) {
		t.Fatalf("%q: error without a place: %v", src, err)
	}
	if je.Line < 1 || je.Column < 1 || je.Line > 1+bytes.Count(src, []byte("\n")) {
		t.Errorf("%q: error at line %d, column %d", src, je.Line, je.Column)
	}
	kinds := 0
	for _, kind := range []error{fingerprint.ErrSyntax, fingerprint.ErrInvalidUTF8, fingerprint.ErrLoneSurrogate,
		fingerprint.ErrDuplicateKey, fingerprint.ErrNumberRange, fingerprint.ErrInexactInteger, fingerprint.ErrDepth} {
		if errors.Is(err, kind) {
			kinds++
		}
	}
	if kinds != 1 {
		t.Errorf("%q: %d kinds of error in %v", src, kinds, err)
	}
	switch {
	case errors.Is(err, fingerprint.ErrSyntax):
		if json.Valid(src) {
			t.Errorf("%q: valid for encoding/json, but: %v", src, err)
		}
	case errors.Is(err, fingerprint.ErrInvalidUTF8):
		// the first bad byte, and the one that is named
		for i := 0; ; {
			r, size := utf8.DecodeRune(src[i:])
			if r == utf8.RuneError && size <= 1 {
				if int64(i) != je.Offset {
					t.Errorf("%q: invalid UTF-8 at byte %d, but: %v", src, i, err)
				}
				return
			}
			i += size
		}
	case errors.Is(err, fingerprint.ErrInexactInteger), errors.Is(err, fingerprint.ErrNumberRange):
		if c := src[je.Offset]; c != '-' && (c < '0' || c > '9') {
			t.Errorf("%q: no number at the place of: %v", src, err)
		}
	case errors.Is(err, fingerprint.ErrLoneSurrogate):
		if src[je.Offset] != '\\' {
			t.Errorf("%q: no escape at the place of: %v", src, err)
		}
	case errors.Is(err, fingerprint.ErrDuplicateKey):
		if src[je.Offset] != '"' {
			t.Errorf("%q: no key at the place of: %v", src, err)
		}
	}
}

// FuzzJSONString: JSON strings lose nothing, whatever the bytes.
func FuzzJSONString(f *testing.F) {
	for _, seed := range []string{"", "a", "\"\\\b\f\n\r\t\x00\x1f", "é😀\u2028", "\xff", "\xed\xa0\x80"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b := fingerprint.AppendJSONString(nil, s)
		fixed, err := fingerprint.Canonical(b)
		if !utf8.ValidString(s) {
			if !errors.Is(err, fingerprint.ErrInvalidUTF8) {
				t.Errorf("%q: got %q, %v, want %v", s, fixed, err, fingerprint.ErrInvalidUTF8)
			}
			return
		}
		if !bytes.Equal(fixed, b) || err != nil {
			t.Errorf("%q: %q is not canonical: %q, %v", s, b, fixed, err)
		}
		var got string
		if err := json.Unmarshal(b, &got); err != nil || got != s {
			t.Errorf("%q: reads back as %q, %v", s, got, err)
		}
	})
}

// FuzzParse: a name has one spelling.
func FuzzParse(f *testing.F) {
	f.Add(fingerprint.Sum(nil).String())
	f.Add("AF1349B9F5F9A1A6A0404DEA36DCC9499BCB25C9ADC112B7CC9A93CAE41F3262")
	f.Fuzz(func(t *testing.T, s string) {
		if d, err := fingerprint.ParseDigest(s); err == nil && d.String() != s {
			t.Errorf("%q is read as %v", s, d)
		}
		if k, err := fingerprint.ParseKey(s); err == nil && k.String() != s {
			t.Errorf("%q is read as %v", s, k)
		}
	})
}
