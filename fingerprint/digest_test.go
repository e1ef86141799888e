package fingerprint_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/fingerprint"
)

// counting returns the input of the BLAKE3 test vectors: 0, 1, …, 250, 0, 1, …
func counting(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

// TestReference compares every kind of name with what b3sum printed (testdata/blake3.sh).
func TestReference(t *testing.T) {
	text, err := os.ReadFile("testdata/blake3.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var what, want string
		var n int
		if _, err := fmt.Sscan(line, &what, &n, &want); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		in := counting(n)
		got := map[string]string{}
		switch what {
		case "hash":
			got["Sum"] = fingerprint.Sum(in).String()
			got["SumString"] = fingerprint.SumString(string(in)).String()
			var h fingerprint.Hasher
			h.Write(in)
			got["Hasher"] = h.Digest().String()
		case "frame":
			got["bytes"] = fingerprint.Frame(in, []byte("ab")).String()
			got["strings"] = fingerprint.Frame(string(in), "ab").String()
		case "cache_key":
			got["bytes"] = fingerprint.CacheKey("tenant", in, []byte("ab")).String()
			got["strings"] = fingerprint.CacheKey("tenant", string(in), "ab").String()
		default:
			t.Fatalf("unknown case %q", line)
		}
		for how, got := range got {
			if got != want {
				t.Errorf("%s of %d bytes by %s: got %s, want %s", what, n, how, got, want)
			}
		}
	}
}

func TestParse(t *testing.T) {
	good := strings.Repeat("0123456789abcdef", 4)
	tests := []struct{ name, in, err string }{
		{"good", good, ""},
		{"zero", strings.Repeat("0", 64), ""},
		{"empty", "", "0 bytes, want 64 lower-case hex digits"},
		{"short", good[1:], "63 bytes, want 64 lower-case hex digits"},
		{"long", good + "0", "65 bytes, want 64 lower-case hex digits"},
		{"capital", good[:10] + "A" + good[11:], `byte 10 is "A", want 64 lower-case hex digits`},
		{"last", good[:63] + "g", `byte 63 is "g", want 64 lower-case hex digits`},
		{"newline of b3sum", good[:63] + "\n", `byte 63 is "\n", want 64 lower-case hex digits`},
		{"not ASCII", "é" + good[2:], `byte 0 is "\xc3", want 64 lower-case hex digits`},
		{"prefix", "0x" + good[2:], `byte 1 is "x", want 64 lower-case hex digits`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, derr := fingerprint.ParseDigest(tt.in)
			k, kerr := fingerprint.ParseKey(tt.in)
			if tt.err == "" {
				if derr != nil || kerr != nil || d.String() != tt.in || k.String() != tt.in {
					t.Fatalf("got %v (%v) and %v (%v), want %s twice", d, derr, k, kerr, tt.in)
				}
				return
			}
			if derr == nil || derr.Error() != "fingerprint: digest: "+tt.err {
				t.Errorf("digest: got error %v, want %s", derr, tt.err)
			}
			if kerr == nil || kerr.Error() != "fingerprint: key: "+tt.err {
				t.Errorf("key: got error %v, want %s", kerr, tt.err)
			}
			if !d.IsZero() || !k.IsZero() {
				t.Errorf("got %v and %v with the error, want zero", d, k)
			}
		})
	}
}

func TestText(t *testing.T) {
	type record struct {
		Digest fingerprint.Digest
		Key    fingerprint.Key
		Parts  map[fingerprint.Digest]fingerprint.Key
	}
	want := record{
		Digest: fingerprint.SumString("a"),
		Key:    fingerprint.Frame("a"),
		Parts:  map[fingerprint.Digest]fingerprint.Key{fingerprint.SumString("b"): fingerprint.Frame("b")},
	}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"Digest":"%v","Key":"%v","Parts":{"%v":"%v"}}`,
		want.Digest, want.Key, fingerprint.SumString("b"), fingerprint.Frame("b"))
	if string(b) != text {
		t.Errorf("got %s, want %s", b, text)
	}
	var got record
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	d, k := want.Digest, want.Key
	if d.UnmarshalText([]byte("nonsense")) == nil || d != want.Digest {
		t.Errorf("a digest became %v on an error, or there was none", d)
	}
	if k.UnmarshalText([]byte("nonsense")) == nil || k != want.Key {
		t.Errorf("a key became %v on an error, or there was none", k)
	}
	if got, _ := d.AppendText([]byte("x")); string(got) != "x"+d.String() {
		t.Errorf("AppendText: got %s", got)
	}
	if got, _ := k.AppendText([]byte("x")); string(got) != "x"+k.String() {
		t.Errorf("AppendText: got %s", got)
	}
}

func TestIsZero(t *testing.T) {
	if !(fingerprint.Digest{}).IsZero() || !(fingerprint.Key{}).IsZero() {
		t.Error("the zero values are not zero")
	}
	if fingerprint.Sum(nil).IsZero() || fingerprint.Frame[string]().IsZero() {
		t.Error("the names of nothing are zero")
	}
	if (fingerprint.Digest{31: 1}).IsZero() || (fingerprint.Key{31: 1}).IsZero() {
		t.Error("the last byte does not count")
	}
}

// TestHasher drives hashers by random writes, digests, copies and resets; the oracle keeps all bytes
// and hashes them from the start.
func TestHasher(t *testing.T) {
	source := counting(1 << 17)
	rapid.Check(t, func(t *rapid.T) {
		var h, copied fingerprint.Hasher
		var wrote, copiedWrote []byte
		// around chunk, buffer and stack sizes of the hash
		piece := rapid.OneOf(rapid.IntRange(0, 100), rapid.IntRange(1000, 1050), rapid.IntRange(8100, 8300), rapid.IntRange(0, 40000))
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				p := source[:piece.Draw(t, "n")]
				if n, err := h.Write(p); n != len(p) || err != nil {
					t.Fatalf("Write of %d bytes: got %d, %v", len(p), n, err)
				}
				wrote = append(wrote, p...)
			},
			"write string": func(t *rapid.T) {
				s := string(source[:piece.Draw(t, "n")])
				if n, err := h.WriteString(s); n != len(s) || err != nil {
					t.Fatalf("WriteString of %d bytes: got %d, %v", len(s), n, err)
				}
				wrote = append(wrote, s...)
			},
			"copy":   func(*rapid.T) { copied, copiedWrote = h, append([]byte(nil), wrote...) },
			"return": func(*rapid.T) { h, wrote = copied, append([]byte(nil), copiedWrote...) },
			"reset":  func(*rapid.T) { h.Reset(); wrote = nil },
			"": func(t *rapid.T) {
				if got, want := h.Digest(), fingerprint.Sum(wrote); got != want {
					t.Fatalf("after %d bytes: got %v, want %v", len(wrote), got, want)
				}
			},
		})
	})
}
