package fingerprint_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/fingerprint"
)

func TestCanonical(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"literals", " [ null,true , false ]\n", "[null,true,false]"},
		{"scalar document", " \"a\" ", `"a"`},
		{"empty containers", "[ { } , [ ] ]", "[{},[]]"},
		{"keys sorted at every depth", `{"b":[{"d":1,"c":{"z":{"b":0,"a":0},"y":0}}],"a":2}`, `{"a":2,"b":[{"c":{"y":0,"z":{"a":0,"b":0}},"d":1}]}`},
		{"sorted around unsorted around sorted", `{"a":{"c":{"d":{"f":{"h":1,"g":2}}},"b":[]},"z":{"y":0,"x":0}}`, `{"a":{"b":[],"c":{"d":{"f":{"g":2,"h":1}}}},"z":{"x":0,"y":0}}`},
		{"keys by UTF-16 units", `{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`, "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}"},
		{"a key and its extension", `{"ab":1,"a":2,"":3}`, `{"":3,"a":2,"ab":1}`},
		{"keys by value, not by spelling", `{"b":1,"\u0061":2}`, `{"a":2,"b":1}`},
		{"numeric keys are strings", `{"10":1,"9":2}`, `{"10":1,"9":2}`},
		{"escapes", `"\u0000\u0008\u0009\u000a\u000B\u000c\u000D\u001f\"\\\/\u007f\u00e9\u2028<>&"`, "\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\\\"\\\\/\u007fé\u2028<>&\""},
		{"surrogate pair", `"\uD83D\ude00"`, `"😀"`},
		{"noncharacters are characters", `"\uffff\udbff\udfff"`, "\"\uffff\U0010ffff\""},
		{"a byte order mark inside a string", "\"\ufeff\"", "\"\ufeff\""},
		{"accents are not normalised", "[\"\u00e9\",\"e\u0301\"]", "[\"\u00e9\",\"e\u0301\"]"},
		{"absent is not null", `[{},{"a":null}]`, `[{},{"a":null}]`},
		{"1 is not a string", `[1,"1"]`, `[1,"1"]`},
		{"spellings of 1", "[1,1.0,1e0,10E-1,0.1e1,1.000e+0]", "[1,1,1,1,1,1]"},
		{"spellings of 0", "[0,-0,0.0,-0.0,0e5,-0E-9999999999999999999999,0e9999999999999999999999]", "[0,0,0,0,0,0,0]"},
		{"sample of the RFC", "[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001]", "[333333333.3333333,1e+30,4.5,0.002,1e-27]"},
		{"layout changes at 1e21", "[100000000000000000000,1000000000000000000000]", "[100000000000000000000,1e+21]"},
		{"layout changes at 1e-6", "[0.000001,0.0000001]", "[0.000001,1e-7]"},
		{"fifteen digits", "[999999999999999,-999999999999999]", "[999999999999999,-999999999999999]"},
		{"safe integers", "[9007199254740991,-9007199254740991,9007199254740992]", "[9007199254740991,-9007199254740991,9007199254740992]"},
		{"large integers that doubles print", "[9007199254740994,295147905179352830000,12345678901234567e3,1000000000000000000000e-2,10000000000000000000e1]", "[9007199254740994,295147905179352830000,12345678901234567000,10000000000000000000,100000000000000000000]"},
		{"a double that is an integer in any spelling", "[9007199254740992.0,0.9007199254740994e16]", "[9007199254740992,9007199254740994]"},
		{"extremes", "[1.7976931348623157e308,5e-324,-5e-324]", "[1.7976931348623157e+308,5e-324,-5e-324]"},
		{"below all doubles", "[1e-400,-1e-400,2e-324]", "[0,0,0]"},
		{"far below all doubles", "[1e-401,-1e-402,1e-500,1e-99999999999999999999]", "[0,0,0,0]"},
		{"more digits than a double has", "[0.1000000000000000055511151231257827,3.14159265358979323846]", "[0.1,3.141592653589793]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := fingerprint.Canonical([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if again, err := fingerprint.Canonical(got); string(again) != string(got) || err != nil {
				t.Errorf("not a fixed point: %s, %v", again, err)
			}
		})
	}
}

func TestCanonicalRefuses(t *testing.T) {
	type at = fingerprint.JSONError
	tests := []struct {
		name, in string
		want     at
	}{
		{"nothing", "", at{0, 1, 1, "", fingerprint.ErrSyntax}},
		{"white space", " \n ", at{3, 2, 2, "", fingerprint.ErrSyntax}},
		{"byte order mark", "\ufeff{}", at{0, 1, 1, "", fingerprint.ErrSyntax}},
		{"two values", "{} \n[]", at{4, 2, 1, "", fingerprint.ErrSyntax}},
		{"rubbish behind", "{} x", at{3, 1, 4, "", fingerprint.ErrSyntax}},
		{"NUL behind", "{}\x00", at{2, 1, 3, "", fingerprint.ErrSyntax}},
		{"cut short", `{"a":[1`, at{7, 1, 8, "/a", fingerprint.ErrSyntax}},
		{"trailing comma", "[1,]", at{2, 1, 3, "", fingerprint.ErrSyntax}},
		{"leading zero", "[01]", at{2, 1, 3, "", fingerprint.ErrSyntax}},
		{"plus", "[+1]", at{1, 1, 2, "/0", fingerprint.ErrSyntax}},
		{"NaN", "NaN", at{0, 1, 1, "", fingerprint.ErrSyntax}},
		{"single quotes", "['a']", at{1, 1, 2, "/0", fingerprint.ErrSyntax}},
		{"comment", "[1/**/]", at{2, 1, 3, "", fingerprint.ErrSyntax}},
		{"control character", "[\"a\tb\"]", at{3, 1, 4, "/0", fingerprint.ErrSyntax}},
		{"bad escape", `["é\x"]`, at{4, 1, 4, "/0", fingerprint.ErrSyntax}},
		{"key that is a number", "{1:2}", at{1, 1, 2, "", fingerprint.ErrSyntax}},
		{"U+FFFD outside a string", "[1\ufffd]", at{2, 1, 3, "", fingerprint.ErrSyntax}},
		{"mismatched brackets", "[1}", at{2, 1, 3, "", fingerprint.ErrSyntax}},

		{"invalid byte in a string", "{\"a\":\n[\"é\",\"x\xffy\"]}", at{14, 2, 8, "/a/1", fingerprint.ErrInvalidUTF8}},
		{"invalid byte in a key", "{\"a\xc3\":1}", at{3, 1, 4, "", fingerprint.ErrInvalidUTF8}},
		{"overlong", "\"\xc0\x80\"", at{1, 1, 2, "", fingerprint.ErrInvalidUTF8}},
		{"surrogate in UTF-8", "\"ab\xed\xa0\x80\"", at{3, 1, 4, "", fingerprint.ErrInvalidUTF8}},
		{"beyond Unicode", "\"\xf4\x90\x80\x80\"", at{1, 1, 2, "", fingerprint.ErrInvalidUTF8}},
		{"Latin-1 document", "\xff", at{0, 1, 1, "", fingerprint.ErrInvalidUTF8}},

		{"high surrogate", `["ab\ud83dx"]`, at{4, 1, 5, "/0", fingerprint.ErrLoneSurrogate}},
		{"high surrogate at the end", `"\uD83D"`, at{1, 1, 2, "", fingerprint.ErrLoneSurrogate}},
		{"low surrogate", `["ab\udc00"]`, at{4, 1, 5, "/0", fingerprint.ErrLoneSurrogate}},
		{"surrogates the wrong way round", `"\udE00\ud83D"`, at{1, 1, 2, "", fingerprint.ErrLoneSurrogate}},
		{"high surrogate, then another escape", `"\ud83d\u0041"`, at{1, 1, 2, "", fingerprint.ErrLoneSurrogate}},
		{"high surrogate, then a short escape", `"\ud83d\n"`, at{1, 1, 2, "", fingerprint.ErrLoneSurrogate}},
		{"two high surrogates", `"\ud83d\ud83d\ude00"`, at{1, 1, 2, "", fingerprint.ErrLoneSurrogate}},
		{"the last high surrogate", `"\udbff"`, at{1, 1, 2, "", fingerprint.ErrLoneSurrogate}},
		{"the last low surrogate", `"\uDFFF"`, at{1, 1, 2, "", fingerprint.ErrLoneSurrogate}},
		{"an escape that is none, with the digits of a surrogate", `"\ud8fg"`, at{1, 1, 2, "", fingerprint.ErrSyntax}},
		{"another", `"\ud8g0"`, at{1, 1, 2, "", fingerprint.ErrSyntax}},
		{"and another", `"\udg00"`, at{1, 1, 2, "", fingerprint.ErrSyntax}},
		{"lone surrogate in a key", `{"a":1,"\ud83d":2}`, at{8, 1, 9, "", fingerprint.ErrLoneSurrogate}},

		{"duplicate key", `{"a":1,"b":2,"a":1}`, at{13, 1, 14, "/a", fingerprint.ErrDuplicateKey}},
		{"duplicate key, differently spelled", "{\"x\":[{\"a/b\":1,\n \"\\u0061/b\":2}]}", at{17, 2, 2, "/x/0/a~1b", fingerprint.ErrDuplicateKey}},
		{"duplicate empty key", `[{"":1,"":2}]`, at{7, 1, 8, "/0/", fingerprint.ErrDuplicateKey}},
		{"duplicate before an error", `{"a":1,"a":2,`, at{7, 1, 8, "/a", fingerprint.ErrDuplicateKey}},

		{"too large", `{"a":[0,1e309]}`, at{8, 1, 9, "/a/1", fingerprint.ErrNumberRange}},
		{"too large by rounding", "1.7976931348623159e308", at{0, 1, 1, "", fingerprint.ErrNumberRange}},
		{"far too large", "-1e99999999999999999999999999", at{0, 1, 1, "", fingerprint.ErrNumberRange}},
		{"integer of 310 digits", strings.Repeat("9", 310), at{0, 1, 1, "", fingerprint.ErrNumberRange}},

		{"2^53 + 1", `{"id":9007199254740993}`, at{6, 1, 7, "/id", fingerprint.ErrInexactInteger}},
		{"-(2^53 + 1)", "-9007199254740993", at{0, 1, 1, "", fingerprint.ErrInexactInteger}},
		{"2^53 + 1 with a fraction", "9007199254740993.0", at{0, 1, 1, "", fingerprint.ErrInexactInteger}},
		{"2^53 + 1 with an exponent", "90071992547409.93e2", at{0, 1, 1, "", fingerprint.ErrInexactInteger}},
		{"2^53 + 1 with a zero and an exponent", "90071992547409930e-1", at{0, 1, 1, "", fingerprint.ErrInexactInteger}},
		{"largest int64", "9223372036854775807", at{0, 1, 1, "", fingerprint.ErrInexactInteger}},
		{"largest uint64", "18446744073709551615", at{0, 1, 1, "", fingerprint.ErrInexactInteger}},
		{"2^68, which prints otherwise", "295147905179352825856", at{0, 1, 1, "", fingerprint.ErrInexactInteger}},

		{"one array too many", strings.Repeat("[", 1001) + strings.Repeat("]", 1001), at{1000, 1, 1001, strings.Repeat("/0", 1000), fingerprint.ErrDepth}},
		{"one object too many", strings.Repeat(`{"a":`, 1001) + "1" + strings.Repeat("}", 1001), at{5000, 1, 5001, strings.Repeat("/a", 1000), fingerprint.ErrDepth}},
		{"no end of arrays", strings.Repeat("[", 1_000_000), at{1000, 1, 1001, strings.Repeat("/0", 1000), fingerprint.ErrDepth}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := fingerprint.AppendCanonical([]byte("before"), []byte(tt.in))
			var je *fingerprint.JSONError
			if !errors.As(err, &je) {
				t.Fatalf("got %q and error %v, want a JSONError", got, err)
			}
			if !errors.Is(je, tt.want.Err) {
				t.Errorf("got %v, want %v", je.Err, tt.want.Err)
			}
			where := *je
			where.Err = tt.want.Err
			if diff := cmp.Diff(fmt.Sprintf("%+v", tt.want), fmt.Sprintf("%+v", where)); diff != "" {
				t.Errorf("place (-want +got):\n%s", diff)
			}
			if string(got) != "before" {
				t.Errorf("got %q with the error, want dst as it was", got)
			}
			if got, _ := fingerprint.Canonical([]byte(tt.in)); got != nil {
				t.Errorf("Canonical returned %q with the error", got)
			}
			if len(err.Error()) > 300 {
				t.Errorf("an error of %d bytes: %v", len(err.Error()), err)
			}
		})
	}
}

func TestEverySurrogateAloneIsOne(t *testing.T) {
	for unit := 0xd800; unit <= 0xdfff; unit++ {
		for _, spelling := range []string{`"\u%04x"`, `"\u%04X"`} {
			in := fmt.Sprintf(spelling, unit)
			if _, err := fingerprint.Canonical([]byte(in)); !errors.Is(err, fingerprint.ErrLoneSurrogate) {
				t.Errorf("%s: %v", in, err)
			}
		}
	}
}

func TestJSONErrorText(t *testing.T) {
	tests := []struct{ in, want string }{
		{"{\n \"a\": [1, tru]}", "fingerprint: json: line 2, column 14 (byte 15), in \"/a/1\": not JSON: invalid character ']' in literal true (expecting 'e')"},
		{`{"a":1,"a":2}`, `fingerprint: json: line 1, column 8 (byte 7), in "/a": duplicate key "a"`},
		{`{"` + strings.Repeat("k", 40) + `":1,"` + strings.Repeat("k", 40) + `":2}`, `fingerprint: json: line 1, column 47 (byte 46), in "/` + strings.Repeat("k", 40) + `": duplicate key "` + strings.Repeat("k", 40) + `"`},
		{`{"` + strings.Repeat("k", 41) + `":1,"` + strings.Repeat("k", 41) + `":2}`, `fingerprint: json: line 1, column 48 (byte 47), in "/` + strings.Repeat("k", 41) + `": duplicate key "` + strings.Repeat("k", 40) + `…"`},
		{`{"` + strings.Repeat("k", 39) + `é":1,"` + strings.Repeat("k", 39) + `é":2}`, `fingerprint: json: line 1, column 47 (byte 47), in "/` + strings.Repeat("k", 39) + `é": duplicate key "` + strings.Repeat("k", 39) + `…"`},
		{"\ufeff1", "fingerprint: json: line 1, column 1 (byte 0): not JSON: starts with a byte order mark"},
		{"[\ufeff1]", "fingerprint: json: line 1, column 2 (byte 1), in \"/0\": not JSON: invalid character '\\ufeff' at start of value"},
		{`"\ud800"`, `fingerprint: json: line 1, column 2 (byte 1): lone surrogate escape \ud800`},
		{"\"\xff\"", "fingerprint: json: line 1, column 2 (byte 1): invalid UTF-8: byte 0xff"},
		{"9007199254740993", "fingerprint: json: line 1, column 1 (byte 0): integer that a double cannot hold exactly: 9007199254740993 would become 9007199254740992; write it as a string"},
		{strings.Repeat("1", 40), "fingerprint: json: line 1, column 1 (byte 0): integer that a double cannot hold exactly: " + strings.Repeat("1", 40) + " would become 1.1111111111111112e+39; write it as a string"},
		{strings.Repeat("1", 41), "fingerprint: json: line 1, column 1 (byte 0): integer that a double cannot hold exactly: " + strings.Repeat("1", 40) + "… would become 1.111111111111111e+40; write it as a string"},
		{"1e999", "fingerprint: json: line 1, column 1 (byte 0): number too large for a double: 1e999"},
		{"1" + strings.Repeat("0", 400), "fingerprint: json: line 1, column 1 (byte 0): number too large for a double: 1000000000000000000000000000000000000000…"},
		{strings.Repeat("[", 1001), `fingerprint: json: line 1, column 1001 (byte 1000), in "` + strings.Repeat("/0", 50) + `…": nested too deep: the limit is 1000`},
	}
	for _, tt := range tests {
		if _, err := fingerprint.Canonical([]byte(tt.in)); err == nil || err.Error() != tt.want {
			t.Errorf("%.40q\n got: %v\nwant: %s", tt.in, err, tt.want)
		}
	}
}

func TestDepthUpToTheLimit(t *testing.T) {
	for _, in := range []string{
		strings.Repeat("[", fingerprint.MaxDepth) + strings.Repeat("]", fingerprint.MaxDepth),
		strings.Repeat(`{"a":`, fingerprint.MaxDepth) + "1" + strings.Repeat("}", fingerprint.MaxDepth),
	} {
		if got, err := fingerprint.Canonical([]byte(in)); string(got) != in || err != nil {
			t.Errorf("%.20s…: error %v, or not the same", in, err)
		}
	}
	in := strings.Repeat(`{"b":0,"a":`, fingerprint.MaxDepth) + "1" + strings.Repeat("}", fingerprint.MaxDepth)
	want := strings.Repeat(`{"a":`, fingerprint.MaxDepth) + "1" + strings.Repeat(`,"b":0}`, fingerprint.MaxDepth)
	if got, err := fingerprint.Canonical([]byte(in)); string(got) != want || err != nil {
		t.Errorf("out of order at every depth: error %v, or not sorted", err)
	}
}

// TestCanonicalOfAnySpelling: however a value is spelled, its canonical form is what the oracle prints,
// a document of the same value, and its own canonical form. jcs agrees.
func TestCanonicalOfAnySpelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawValue(4).Draw(t, "value")
		want := canonicalOf(v)
		for range 2 {
			src := anySpelling(t, v)
			input := []byte(src)
			got, err := fingerprint.Canonical(input)
			if err != nil {
				t.Fatalf("%s: %v", src, err)
			}
			if string(got) != want {
				t.Fatalf("%s\n got %s\nwant %s", src, got, want)
			}
			if string(input) != src {
				t.Fatal("the source was written to")
			}
			var in, out any
			if json.Unmarshal([]byte(src), &in) != nil || json.Unmarshal(got, &out) != nil {
				t.Fatalf("encoding/json does not read %s or %s", src, got)
			}
			if diff := cmp.Diff(in, out); diff != "" {
				t.Fatalf("the value changed (-want +got):\n%s", diff)
			}
			if peer, err := jcs.Transform([]byte(src)); err == nil && string(peer) != want {
				t.Fatalf("%s: jcs says %s, we say %s", src, peer, want)
			}
		}
		if got, err := fingerprint.AppendCanonical(nil, []byte(want)); string(got) != want || err != nil {
			t.Fatalf("%s is no fixed point: %s, %v", want, got, err)
		}
	})
}

// TestCanonicalOfNested: objects in order and out of it, in each other in any way, come out as encoding/json sorts them.
func TestCanonicalOfNested(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := []string{"1", "{}"}
		for range rapid.IntRange(1, 12).Draw(t, "depth") {
			shape := rapid.SampledFrom([]string{`{"b":0,"a":%s}`, `{"a":%s,"b":0}`, `{"c":0,"b":%s,"a":%s}`, `{"a":%s,"b":%s}`, `[%s]`}).Draw(t, "shape")
			last := docs[len(docs)-1]
			other := docs[rapid.IntRange(max(0, len(docs)-5), len(docs)-1).Draw(t, "other")]
			if len(last)+len(other) > 2000 {
				other = "{}"
			}
			docs = append(docs, strings.Replace(strings.Replace(shape, "%s", last, 1), "%s", other, 1))
		}
		src := docs[len(docs)-1]
		var v any
		if err := json.Unmarshal([]byte(src), &v); err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := fingerprint.Canonical([]byte(src)); string(got) != string(want) || err != nil {
			t.Fatalf("%s\n got %s, %v\nwant %s", src, got, err, want)
		}
	})
}

// TestDifferentValuesDiffer: a change anywhere in a value changes its canonical form.
func TestDifferentValuesDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawValue(3).Draw(t, "a"), drawValue(3).Draw(t, "b")
		ca, errA := fingerprint.Canonical([]byte(anySpelling(t, a)))
		cb, errB := fingerprint.Canonical([]byte(anySpelling(t, b)))
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		var va, vb any
		if json.Unmarshal(ca, &va) != nil || json.Unmarshal(cb, &vb) != nil {
			t.Fatalf("encoding/json does not read %s or %s", ca, cb)
		}
		if same := cmp.Equal(va, vb); same != bytes.Equal(ca, cb) {
			t.Fatalf("same value: %v, but the forms are %s and %s", same, ca, cb)
		}
	})
}

func TestAppendCanonical(t *testing.T) {
	src := []byte(`{"b":[2,{"d":0,"c":{"f":{"h":0,"g":0},"e":0}}],"a":"\u0061"}`)
	const want = `{"a":"a","b":[2,{"c":{"e":0,"f":{"g":0,"h":0}},"d":0}]}`
	for _, spare := range []int{0, 1, 20, 1000} {
		dst := append(make([]byte, 0, 3+spare), "xyz"...)
		got, err := fingerprint.AppendCanonical(dst, src)
		if string(got) != "xyz"+want || err != nil {
			t.Errorf("spare capacity %d: got %s, %v", spare, got, err)
		}
		if string(dst) != "xyz" {
			t.Errorf("spare capacity %d: dst became %s", spare, dst)
		}
	}
	got, _ := fingerprint.Canonical(src)
	clear(src)
	if string(got) != want {
		t.Errorf("shares memory with src: %q", got)
	}
}

// TestDoubles compares every double of testdata/doubles.txt with what ECMAScript prints, in three
// spellings, and the oracle of this test with both.
func TestDoubles(t *testing.T) {
	text, err := os.ReadFile("testdata/doubles.txt")
	if err != nil {
		t.Fatal(err)
	}
	var n int
	for line := range strings.Lines(string(text)) {
		hex, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		bits, err := strconv.ParseUint(hex, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		checkDouble(t, math.Float64frombits(bits), want)
		n++
	}
	if n < 5000 {
		t.Errorf("only %d doubles", n)
	}
}

// TestDoublesOfTheRFC are the samples of RFC 8785, appendix B.
func TestDoublesOfTheRFC(t *testing.T) {
	for bits, want := range map[uint64]string{
		0x0000000000000000: "0",
		0x8000000000000000: "0",
		0x0000000000000001: "5e-324",
		0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308",
		0xffefffffffffffff: "-1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992",
		0xc340000000000000: "-9007199254740992",
		0x4430000000000000: "295147905179352830000",
		0x44b52d02c7e14af5: "9.999999999999997e+22",
		0x44b52d02c7e14af6: "1e+23",
		0x44b52d02c7e14af7: "1.0000000000000001e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000",
		0x444b1ae4d6e2ef4f: "999999999999999900000",
		0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7",
		0x3eb0c6f7a0b5ed8d: "0.000001",
		0x41b3de4355555553: "333333333.3333332",
		0x41b3de4355555554: "333333333.33333325",
		0x41b3de4355555555: "333333333.3333333",
		0x41b3de4355555556: "333333333.3333334",
		0x41b3de4355555557: "333333333.33333343",
		0xbecbf647612f3696: "-0.0000033333333333333333",
		0x43143ff3c1cb0959: "1424953923781206.2",
	} {
		checkDouble(t, math.Float64frombits(bits), want)
	}
}

func checkDouble(t *testing.T, f float64, want string) {
	t.Helper()
	if got := ecmaNumber(f); got != want {
		t.Errorf("the oracle prints %s as %s", want, got)
	}
	spellings := []string{want, strconv.FormatFloat(f, 'e', -1, 64)}
	if f != math.Trunc(f) {
		// all digits of the binary fraction, and 17, which are enough to tell any double
		spellings = append(spellings, strconv.FormatFloat(f, 'f', 1074, 64), strconv.FormatFloat(f, 'E', 16, 64))
	}
	for _, in := range spellings {
		if got, err := fingerprint.Canonical([]byte(in)); string(got) != want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", in, got, err, want)
		}
	}
}

// TestNumbers draws literals, most of which no double holds, and works out with exact fractions what
// must become of them.
func TestNumbers(t *testing.T) {
	limit := new(big.Rat).SetFloat64(math.MaxFloat64)
	rapid.Check(t, func(t *rapid.T) {
		literal := rapid.OneOf(
			rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,2})?`),
			rapid.StringMatching(`-?(0|[1-9][0-9]{14,18})([eE]\+?[0-9])?`),
			rapid.StringMatching(`-?[0-9]\.[0-9]{0,20}[0-9]([eE][+-]?(30[0-9]|32[0-9]))?`),
			rapid.StringMatching(`0\.0{300,400}[1-9]{1,5}e[3-4][0-9][0-9]`),
			rapid.Map(rapid.Int64(), func(n int64) string { return strconv.FormatInt(n, 10) }),
		).Draw(t, "literal")
		exact, ok := new(big.Rat).SetString(literal)
		if !ok {
			t.Fatalf("math/big does not read %s", literal)
		}
		nearest, _ := exact.Float64()
		got, err := fingerprint.Canonical([]byte(literal))
		if math.IsInf(nearest, 0) {
			if new(big.Rat).Abs(exact).Cmp(limit) <= 0 || !errors.Is(err, fingerprint.ErrNumberRange) {
				t.Fatalf("%s: got %s, %v, want %v", literal, got, err, fingerprint.ErrNumberRange)
			}
			return
		}
		want := ecmaNumber(nearest)
		if exact.IsInt() {
			printed, _ := new(big.Rat).SetString(want)
			if printed.Cmp(exact) != 0 {
				if !errors.Is(err, fingerprint.ErrInexactInteger) {
					t.Fatalf("%s: got %s, %v, want %v", literal, got, err, fingerprint.ErrInexactInteger)
				}
				return
			}
		}
		if string(got) != want || err != nil {
			t.Fatalf("%s: got %s, %v, want %s", literal, got, err, want)
		}
	})
}

// TestLongNumbers: strconv stops reading exponents at 10,000; what a literal denotes does not depend on
// how many zeros it is written with.
func TestLongNumbers(t *testing.T) {
	zeros := strings.Repeat("0", 200_000)
	for name, tt := range map[string]struct{ in, want string }{
		"one":                      {"0." + zeros + "1e200001", "1"},
		"one from above":           {"1" + zeros + "e-200000", "1"},
		"a fraction":               {"0." + zeros + "15e200001", "1.5"},
		"zero":                     {"0." + zeros + "e200001", "0"},
		"tail of zeros":            {"1." + zeros, "1"},
		"small for all its digits": {"1" + zeros + "e-200400", "0"},
	} {
		if got, err := fingerprint.Canonical([]byte(tt.in)); string(got) != tt.want || err != nil {
			t.Errorf("%s: got %.40s, %v, want %s", name, got, err, tt.want)
		}
	}
	if _, err := fingerprint.Canonical([]byte("1." + zeros + "1e200001")); !errors.Is(err, fingerprint.ErrNumberRange) {
		t.Errorf("got error %v, want %v", err, fingerprint.ErrNumberRange)
	}
	if _, err := fingerprint.Canonical([]byte("1" + zeros + "1e-200000")); err != nil {
		t.Errorf("a fraction of many digits is rounded, but: %v", err)
	}
}

// TestWorkIsLinear counts what is allocated, which grows with the work: twice the document, in length
// or in depth, out of order everywhere, must not take much more than twice.
func TestWorkIsLinear(t *testing.T) {
	nested := func(n int) string {
		return strings.Repeat(`{"b":0,"a":`, n) + "1" + strings.Repeat("}", n)
	}
	wide := func(n int) string {
		return "[" + strings.Repeat(`{"b":0,"a":"\n"},`, n) + "1]"
	}
	members := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"%06d":0`, n-i)
		}
		return "{" + b.String()[1:] + "}"
	}
	for name, tt := range map[string]struct {
		doc func(int) string
		n   int
	}{"nested": {nested, 450}, "wide": {wide, 5000}, "members": {members, 5000}} {
		bytesFor := func(n int) uint64 {
			doc := []byte(tt.doc(n))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 20 {
				if _, err := fingerprint.Canonical(doc); err != nil {
					t.Fatal(err)
				}
			}
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		small, large := bytesFor(tt.n), bytesFor(2*tt.n)
		if small == 0 || large > 3*small {
			t.Errorf("%s: %d bytes allocated, and %d for twice the document", name, small, large)
		}
	}
}

// TestCanonicalAllocations: into a buffer with room, what is allocated for a document in order is the
// decoder's and does not grow with the document.
func TestCanonicalAllocations(t *testing.T) {
	canonical := func(doc []byte) []byte {
		out, err := fingerprint.Canonical(doc)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	tests := []struct {
		name string
		doc  []byte
		most float64
	}{
		{"scalar", []byte("1"), 3},
		{"small object", []byte(`{"a":1,"b":"two","c":[true]}`), 14},
		{"tools=1", toolSchemas(1), 50},
		{"tools=400/sorted", canonical(toolSchemas(400)), 40},
		{"numbers", []byte("[" + strings.Repeat("0.95,123456,", 1000) + "1]"), 5},
	}
	for _, tt := range tests {
		buf := make([]byte, 0, 2*len(tt.doc))
		got := testing.AllocsPerRun(20, func() { fingerprint.AppendCanonical(buf, tt.doc) })
		if got > tt.most {
			t.Errorf("%s: %v allocations, want at most %v", tt.name, got, tt.most)
		}
	}
}

func TestAppendJSONString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawString().Draw(t, "s")
		got := fingerprint.AppendJSONString([]byte("x"), s)
		if want := "x" + canonicalString(s); string(got) != want {
			t.Fatalf("got %s, want %s", got, want)
		}
		if fixed, err := fingerprint.Canonical(got[1:]); !bytes.Equal(fixed, got[1:]) || err != nil {
			t.Fatalf("%s is not canonical: %s, %v", got[1:], fixed, err)
		}
	})
}

// TestAppendJSONStringLooksAtEveryByte: several bytes are looked at together, and none hides another, whatever the
// bytes beside it are.
func TestAppendJSONStringLooksAtEveryByte(t *testing.T) {
	const length = 19 // two words and a rest
	for _, around := range []string{"a", " ", "!", "\x7f", "\n", `"`, "é", "\U0010ffff"} {
		for c := rune(0); c <= 0x80; c++ {
			for before := range length {
				s := strings.Repeat(around, before) + string(c) + strings.Repeat(around, length-before)
				if got, want := string(fingerprint.AppendJSONString(nil, s)), canonicalString(s); got != want {
					t.Fatalf("%q: got %s, want %s", s, got, want)
				}
			}
		}
	}
}

// TestAppendJSONStringOfInvalidUTF8: such bytes are neither lost nor replaced, and do not pass for JSON.
func TestAppendJSONStringOfInvalidUTF8(t *testing.T) {
	seen := map[string]string{}
	for _, s := range []string{"\xff", "\xfe", "\ufffd", "a\xff", "\xed\xa0\x80", "\xc0\x80", "\xc3", "\xc3\n"} {
		got := string(fingerprint.AppendJSONString(nil, s))
		if other, ok := seen[got]; ok {
			t.Errorf("%q and %q give the same JSON", other, s)
		}
		seen[got] = s
		_, err := fingerprint.Canonical([]byte(got))
		if utf8.ValidString(s) != (err == nil) || err != nil && !errors.Is(err, fingerprint.ErrInvalidUTF8) {
			t.Errorf("%q: got error %v", s, err)
		}
	}
}
