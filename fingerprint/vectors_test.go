package fingerprint_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/blake3"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/samples"
)

// Public test vectors are read from the folder vectors in QUIRE_DATA, every file that is there.

func vectorFiles(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(samples.Folder(t), "vectors", pattern))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("QUIRE_DATA has no vectors/%s", pattern)
	}
	return files
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	if err := json.Unmarshal(readFile(t, path), into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// TestVectorsBLAKE3 are the official vectors. Their derive_key context is not that of CacheKey, so that
// mode is checked on the hash alone; testdata/blake3.txt has vectors for the context of CacheKey.
func TestVectorsBLAKE3(t *testing.T) {
	for _, path := range vectorFiles(t, "blake3/*.json") {
		var file struct {
			Context string `json:"context_string"`
			Cases   []struct {
				Len       int    `json:"input_len"`
				Hash      string `json:"hash"`
				DeriveKey string `json:"derive_key"`
			}
		}
		readJSON(t, path, &file)
		if len(file.Cases) == 0 {
			t.Errorf("%s: no cases", path)
		}
		for _, c := range file.Cases {
			in := counting(c.Len)
			var h fingerprint.Hasher
			for _, b := range in {
				h.Write([]byte{b})
			}
			want := c.Hash[:64]
			for how, got := range map[string]fingerprint.Digest{
				"Sum":       fingerprint.Sum(in),
				"SumString": fingerprint.SumString(string(in)),
				"Hasher":    h.Digest(),
			} {
				if got.String() != want {
					t.Errorf("%d bytes by %s: got %v, want %s", c.Len, how, got, want)
				}
			}
			derived := make([]byte, 32)
			blake3.DeriveKey(file.Context, in, derived)
			if got, want := hex.EncodeToString(derived), c.DeriveKey[:64]; got != want {
				t.Errorf("key derived from %d bytes: got %s, want %s", c.Len, got, want)
			}
		}
	}
}

// TestVectorsJCS are the vectors of RFC 8785: input, output, and the output in hex.
func TestVectorsJCS(t *testing.T) {
	for _, path := range vectorFiles(t, "jcs/input/*.json") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			got, err := fingerprint.Canonical(readFile(t, path))
			if err != nil {
				t.Fatal(err)
			}
			folder, name := filepath.Dir(filepath.Dir(path)), filepath.Base(path)
			compared := false
			if want, err := os.ReadFile(filepath.Join(folder, "output", name)); err == nil {
				compared = true
				if diff := cmp.Diff(string(bytes.TrimRight(want, "\n")), string(got)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
			if text, err := os.ReadFile(filepath.Join(folder, "outhex", strings.TrimSuffix(name, ".json")+".txt")); err == nil {
				compared = true
				want, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), string(got)); diff != "" {
					t.Errorf("outhex (-want +got):\n%s", diff)
				}
			}
			if !compared {
				t.Error("no output to compare with")
			}
		})
	}
}

// TestVectorsJSON is the parsing suite: what must be refused is, what must be accepted is or breaks one
// of the rules in which Canonical is stricter than the grammar.
func TestVectorsJSON(t *testing.T) {
	stricter := []error{fingerprint.ErrDuplicateKey, fingerprint.ErrLoneSurrogate, fingerprint.ErrNumberRange,
		fingerprint.ErrInexactInteger, fingerprint.ErrDepth}
	for _, path := range vectorFiles(t, "json/*.json") {
		var cases []struct {
			Name, Expect string
			B64          []byte
		}
		readJSON(t, path, &cases)
		if len(cases) == 0 {
			t.Errorf("%s: no cases", path)
		}
		for _, c := range cases {
			got, err := fingerprint.Canonical(c.B64)
			if err == nil {
				checkCanonical(t, c.B64, got)
			}
			switch c.Name[:2] {
			case "y_":
				isStricter := false
				for _, rule := range stricter {
					isStricter = isStricter || errors.Is(err, rule)
				}
				if err != nil && !isStricter {
					t.Errorf("%s: refused: %v", c.Name, err)
				}
				if isStricter {
					t.Logf("%s: refused by a stricter rule: %v", c.Name, err)
				}
			case "n_":
				if err == nil {
					t.Errorf("%s: accepted as %s", c.Name, got)
				}
			case "i_": // either, without a panic
			default:
				t.Errorf("%s: what is expected of it?", c.Name)
			}
		}
	}
}

// TestVectorsText: naughty strings survive as JSON, for others and in canonical form.
func TestVectorsText(t *testing.T) {
	for _, path := range vectorFiles(t, "text/*.json") {
		var texts []string
		readJSON(t, path, &texts)
		if len(texts) == 0 {
			t.Errorf("%s: no texts", path)
		}
		for _, want := range texts {
			b := fingerprint.AppendJSONString(nil, want)
			var got string
			if err := json.Unmarshal(b, &got); err != nil || got != want {
				t.Errorf("%q: reads back as %q, %v", want, got, err)
			}
			checkCanonical(t, b, b)
			if d := fingerprint.SumString(want); d != fingerprint.Sum([]byte(want)) {
				t.Errorf("%q: two digests", want)
			}
		}
	}
}

// checkCanonical fails unless got is the canonical form of src as far as that can be told without it:
// JSON of the same value that is its own canonical form.
func checkCanonical(t *testing.T, src, got []byte) {
	t.Helper()
	if again, err := fingerprint.Canonical(got); !bytes.Equal(again, got) || err != nil {
		t.Errorf("%q: its canonical form %q has the form %q, %v", src, got, again, err)
	}
	var in, out any
	if err := json.Unmarshal(src, &in); err != nil {
		t.Errorf("%q: accepted, but not by encoding/json: %v", src, err)
	}
	if err := json.Unmarshal(got, &out); err != nil {
		t.Errorf("%q: its canonical form %q is refused by encoding/json: %v", src, got, err)
	}
	if !reflect.DeepEqual(in, out) { // cmp.Diff takes time exponential in the depth of nested lists
		t.Errorf("%q: its canonical form is another value: %q", src, got)
	}
}
