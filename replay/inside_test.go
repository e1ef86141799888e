package replay

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/fingerprint"
)

// Texts that are hashed one after the other have the digests that each has alone, prefixes included.
func TestRolling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r rolling
		text, joined := []byte{}, []byte{}
		for range rapid.IntRange(1, 12).Draw(t, "texts") {
			keep := rapid.IntRange(0, len(text)).Draw(t, "keep")
			add := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "add")
			text = slicesConcat(text[:keep], bytes.Repeat(add, rapid.SampledFrom([]int{1, 1, 300}).Draw(t, "times")), text[keep:])
			if rapid.Bool().Draw(t, "cut") {
				text = text[:rapid.IntRange(0, len(text)).Draw(t, "end")]
			}
			var lengths []int64
			for n := 0; n <= len(text) && len(lengths) < 5; n++ {
				if n = rapid.IntRange(n, len(text)).Draw(t, "prefix"); rapid.Bool().Draw(t, "take") {
					lengths = append(lengths, int64(n))
				}
			}
			r.begin()
			for rest := text; len(rest) > 0; {
				n := rapid.IntRange(0, len(rest)).Draw(t, "piece")
				r.add(string(rest[:n]))
				rest = rest[n:]
			}
			sum := r.sum(lengths)
			if joined = r.text(joined); sum != fingerprint.Sum(text) || string(joined) != string(text) {
				t.Fatalf("%q, digest of %q is %s", joined, text, sum)
			}
			for i, length := range lengths {
				if r.cuts[i].n != length || r.cuts[i].sum != fingerprint.Sum(text[:length]) {
					t.Fatalf("digest of %q is %+v", text[:length], r.cuts[i])
				}
			}
		}
	})
}

func slicesConcat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// Recipes that are cut one after the other are cut as each is alone.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var last turned
		text := ""
		for range rapid.IntRange(1, 8).Draw(t, "texts") {
			keep := rapid.IntRange(0, len(text)).Draw(t, "keep")
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
			more := make([]byte, rapid.SampledFrom([]int{0, 10, 5_000, 40_000}).Draw(t, "more"))
			for i := range more {
				more[i] = "abcdefgh"[rng.IntN(8)]
			}
			text = text[:keep] + string(more)
			name, got := last.split(text)
			if name != fingerprint.SumString(text) {
				t.Fatalf("%d bytes have the name %s", len(text), name)
			}
			var want []piece
			if len(text) > maxPiece {
				want = new(splitter).split(text, 0)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d bytes, %d of them as before: %d pieces; want %d", len(text), keep, len(got), len(want))
			}
		}
	})
}

// Pieces are within their bounds and make up the content; contents that differ in one place share all pieces but a few.
func TestCuts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abcdefgh \n"[rng.IntN(10)]
		}
		return string(b)
	}
	list := func(content string) (names []fingerprint.Digest) {
		var all strings.Builder
		for piece := range cuts(content) {
			if len(piece) > maxPiece || len(piece) <= minPiece && all.Len()+len(piece) < len(content) {
				t.Errorf("a piece of %d bytes", len(piece))
			}
			all.WriteString(piece)
			names = append(names, fingerprint.SumString(piece))
		}
		if all.String() != content {
			t.Error("the pieces are not the content")
		}
		return names
	}
	content := random(300_000)
	for what, edited := range map[string]string{ // in any order
		"appended": content + "more",
		"inserted": content[:100_000] + "in the middle" + content[100_000:],
		"removed":  content[50:],
		"changed":  content[:7] + "X" + content[8:],
		"constant": content + strings.Repeat("a", 100_000),
	} {
		was := map[fingerprint.Digest]bool{}
		for _, name := range list(content) {
			was[name] = true
		}
		fresh := 0
		for _, name := range list(edited) {
			if !was[name] {
				fresh++
			}
		}
		if fresh > 4 && what != "constant" || fresh == 0 {
			t.Errorf("%s: %d new pieces of %d", what, fresh, len(list(edited)))
		}
	}
}

// Content comes back from its objects, whatever it is, and a changed object gives an error or the same.
func TestObjects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := strings.Repeat(rapid.StringN(0, 30, 90).Draw(t, "text"), rapid.IntRange(0, 900).Draw(t, "times")) + rapid.String().Draw(t, "tail")
		name := fingerprint.SumString(content)
		var store Memory
		objects := appendObjects(nil, name, content)
		if err := store.Append(t.Context(), Batch{Objects: objects}); err != nil {
			t.Fatal(err)
		}
		got, err := NewReader(&store).Content(t.Context(), name)
		if err != nil || got != content {
			t.Fatalf("%d bytes, %v; want %d", len(got), err, len(content))
		}
		spoiled := &objects[rapid.IntRange(0, len(objects)-1).Draw(t, "object")]
		if len(spoiled.Data) == 0 {
			return
		}
		bit := rapid.IntRange(0, 8*len(spoiled.Data)-1).Draw(t, "bit")
		spoiled.Data[bit/8] ^= 1 << (bit % 8)
		var other Memory
		if err := other.Append(t.Context(), Batch{Objects: objects}); err != nil {
			t.Fatal(err)
		}
		if got, err := NewReader(&other).Content(t.Context(), name); err == nil && got != content {
			t.Fatalf("with bit %d of object %s flipped: other content", bit, spoiled.Name)
		}
	})
}

// The cache keeps what is asked for, and no more bytes than it may.
func TestCache(t *testing.T) {
	c := newCache(10_000)
	name := func(i int) fingerprint.Digest { return fingerprint.SumString(fmt.Sprint(i)) }
	hot := name(-1)
	c.keep(hot, "hot")
	for i := range 1000 {
		c.keep(name(i), strings.Repeat("x", 100))
		if _, there := c.find(hot); !there {
			t.Fatalf("what is asked for all the time is gone after %d", i)
		}
	}
	size := 0
	for _, generation := range []map[fingerprint.Digest]string{c.young, c.old} {
		for _, content := range generation { // a sum does not care about the order
			size += len(content)
		}
	}
	if size > 10_000 {
		t.Errorf("%d bytes are kept", size)
	}
}

func TestDecisions(t *testing.T) {
	for src, want := range map[string]int{`[]`: 0, `["core"]`: 1, `["fits 2","over-budget"]`: 2, `["12 core","3 fits 2","fits"]`: 3} { // in any order
		if got, err := parseDecisions(src); err != nil || len(got) != want {
			t.Errorf("%s: %v, %v", src, got, err)
		}
	}
	for _, src := range []string{``, `[`, `["core",]`, `["corE"]`, `["fits 0"]`, `["fits x"]`, `[core]`, `["core" ]`, `{"core"}`, `["0 core"]`, `["-1 core"]`, `["2 3 core"]`, `["2"]`, `["2 fits 0"]`} {
		if got, err := parseDecisions(src); err == nil {
			t.Errorf("%s: %v", src, got)
		}
	}
}
