package fingerprint_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/fingerprint"
)

// frames writes the documented framing the slow way, one byte of the length at a time.
func frames(parts []string) []byte {
	var out []byte
	for _, p := range parts {
		for shift := 0; shift < 64; shift += 8 {
			out = append(out, byte(uint64(len(p))>>shift))
		}
		out = append(out, p...)
	}
	return out
}

// unframe reads frames back: that it can is why two lists of parts never share their frames.
func unframe(b []byte) ([]string, error) {
	parts := []string{}
	for len(b) > 0 {
		if len(b) < 8 {
			return nil, errors.New("cut short in a length")
		}
		n := binary.LittleEndian.Uint64(b)
		b = b[8:]
		if n > uint64(len(b)) {
			return nil, errors.New("cut short in a part")
		}
		parts = append(parts, string(b[:n]))
		b = b[n:]
	}
	return parts, nil
}

func TestFrameIsTheHashOfTheFrames(t *testing.T) {
	part := rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{"", "\x00", "\x01\x00\x00\x00\x00\x00\x00\x00", "a", "ab"}),
		rapid.Custom(func(t *rapid.T) string { return string(counting(rapid.IntRange(900, 3000).Draw(t, "n"))) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(part, 0, 12).Draw(t, "parts")
		framed := frames(parts)
		back, err := unframe(framed)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append([]string{}, parts...), back); diff != "" {
			t.Fatalf("frames do not read back (-want +got):\n%s", diff)
		}
		if got, want := fingerprint.Frame(parts...), fingerprint.Key(fingerprint.Sum(framed)); got != want {
			t.Fatalf("Frame: got %v, want the hash of the frames %v", got, want)
		}
		var asBytes [][]byte
		for _, p := range parts {
			asBytes = append(asBytes, []byte(p))
		}
		if fingerprint.Frame(parts...) != fingerprint.Frame(asBytes...) {
			t.Fatal("strings and bytes differ")
		}
		if fingerprint.CacheKey("ns", parts...) != fingerprint.CacheKey("ns", asBytes...) {
			t.Fatal("strings and bytes differ in a cache key")
		}
		// What CacheKey hashes has the namespace as its first part, and cannot be had by Frame.
		if fingerprint.CacheKey("ns", parts...) == fingerprint.Frame(slices.Insert(slices.Clone(parts), 0, "ns")...) {
			t.Fatal("a cache key is the key of a frame")
		}
	})
}

// TestPartsAreToldApart tries every list of up to four parts over an alphabet in which joined parts
// collide in every possible way, and parts that look like the lengths of others.
func TestPartsAreToldApart(t *testing.T) {
	alphabet := []string{"", "a", "b", "ab", "ba", "\x00", "\x01\x00\x00\x00\x00\x00\x00\x00a"}
	lists := [][]string{{}}
	for from := 0; len(lists[len(lists)-1]) < 4; {
		to := len(lists)
		for _, list := range lists[from:to] {
			for _, p := range alphabet {
				lists = append(lists, append(slices.Clone(list), p))
			}
		}
		from = to
	}
	if want := 1 + 7 + 7*7 + 7*7*7 + 7*7*7*7; len(lists) != want {
		t.Fatalf("made %d lists, want %d", len(lists), want)
	}
	seen := map[fingerprint.Key][]string{}
	add := func(k fingerprint.Key, what string, parts []string) {
		parts = append([]string{what}, parts...)
		if other, ok := seen[k]; ok {
			t.Errorf("%q and %q share a key", other, parts)
		}
		seen[k] = parts
	}
	for _, parts := range lists {
		add(fingerprint.Frame(parts...), "frame", parts)
		for _, ns := range []string{"", "a", "ab"} {
			add(fingerprint.CacheKey(ns, parts...), "cache key in "+ns, parts)
		}
		add(fingerprint.Key(fingerprint.SumString("digest of "+string(frames(parts)))), "digest", parts)
	}
}

func TestNamedTypesAreTheirBytes(t *testing.T) {
	type id string
	type blob []byte
	want := fingerprint.Frame("ab", "c")
	if fingerprint.Frame(id("ab"), id("c")) != want || fingerprint.Frame(blob("ab"), blob("c")) != want {
		t.Error("the type of a part changes its key")
	}
}

func TestLargePartsAreNotChanged(t *testing.T) {
	part := counting(100_000)
	before := bytes.Clone(part)
	fingerprint.Frame(part)
	fingerprint.CacheKey("ns", part)
	fingerprint.Sum(part)
	if !bytes.Equal(part, before) {
		t.Error("hashing wrote to its input")
	}
}

// TestAllocations: naming things allocates nothing, however long they are.
func TestAllocations(t *testing.T) {
	short, long := "a short text", string(counting(100_000))
	longBytes := []byte(long)
	empty := make([]string, 200)
	var h fingerprint.Hasher
	h.WriteString(long)
	buf := make([]byte, 0, 64)
	for name, f := range map[string]func(){
		"Sum/short":       func() { fingerprint.Sum(longBytes[:10]) },
		"Sum/long":        func() { fingerprint.Sum(longBytes) },
		"SumString/short": func() { fingerprint.SumString(short) },
		"SumString/long":  func() { fingerprint.SumString(long) },
		"Hasher":          func() { var h fingerprint.Hasher; h.WriteString(short); h.Digest() },
		"Hasher.Digest":   func() { h.Digest() },
		"Hasher/copy":     func() { h2 := h; h2.WriteString(short); h2.Digest() },
		"Frame/short":     func() { fingerprint.Frame(short, "b", "c") },
		"Frame/many":      func() { fingerprint.Frame(empty...) },
		"Frame/medium":    func() { fingerprint.Frame(long[:1500], "b") },
		"Frame/long":      func() { fingerprint.Frame(longBytes, longBytes) },
		"CacheKey/short":  func() { fingerprint.CacheKey("tenant", short, "b") },
		"CacheKey/long":   func() { fingerprint.CacheKey("tenant", longBytes) },
		"AppendText":      func() { fingerprint.Digest{}.AppendText(buf) },
	} {
		if got := testing.AllocsPerRun(20, f); got != 0 {
			t.Errorf("%s: %v allocations, want none", name, got)
		}
	}
}
