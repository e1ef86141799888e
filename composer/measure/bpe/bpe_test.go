package bpe_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/measure/bpe"
	"github.com/quirehq/quire/internal/samples"
)

func TestNames(t *testing.T) {
	t.Parallel()
	want := []string{"utf16", "bytes", "runes", "chars/4", "o200k_base", "cl100k_base"}
	if diff := cmp.Diff(want, bpe.Names()); diff != "" {
		t.Errorf("Names() (-want +got):\n%s", diff)
	}
	for _, name := range bpe.Names() {
		m, ok := bpe.ByName(name)
		if !ok || m.Name() != name {
			t.Errorf("ByName(%q) = %q, %v", name, m.Name(), ok)
		}
		if _, builtin := measure.ByName(name); builtin {
			if _, ok := bpe.EncodingByName(name); ok {
				t.Errorf("EncodingByName(%q) is an encoding", name)
			}
		}
	}
	for _, name := range []string{"", "o200k", "O200K_BASE", "p50k_base", "gpt-4o"} {
		if m, ok := bpe.ByName(name); ok {
			t.Errorf("ByName(%q) = %q, true, want none", name, m.Name())
		}
	}
}

func TestMeasuresCountAsTheirEncodings(t *testing.T) {
	t.Parallel()
	measures := map[string]measure.Measure{"o200k_base": bpe.O200kBase(), "cl100k_base": bpe.CL100kBase()}
	for _, name := range encodingNames() {
		m, e := measures[name], encoding(t, name)
		if got := m.Name(); got != name {
			t.Errorf("Name() = %q, want %q", got, name)
		}
		if got := e.Name(); got != name {
			t.Errorf("Encoding.Name() = %q, want %q", got, name)
		}
		for _, kind := range sampleNames() {
			text := sample(t, kind)
			// About the size from which counts are remembered, and well above; twice, so that the second is remembered.
			for _, size := range []int{0, 1, 511, 512, 513, 4096, len(text)} {
				text := strings.ToValidUTF8(text[:size], "")
				want := e.Count(text)
				for _, when := range []string{"first", "second"} {
					if got := m.Count(text); got != want {
						t.Errorf("%s: %s count of %d bytes of %s = %d, want %d", name, when, size, kind, got, want)
					}
				}
			}
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	m, e := bpe.O200kBase(), encoding(t, "o200k_base")
	text := sample(t, "code")
	const size, texts = 600, 40
	var want [texts]int64
	for i := range want {
		want[i] = e.Count(text[i*size : (i+1)*size])
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 10 * texts {
				i := (i*7 + g) % texts
				if got := m.Count(text[i*size : (i+1)*size]); got != want[i] {
					t.Errorf("count of text %d = %d, want %d", i, got, want[i])
				}
			}
		})
	}
	wg.Wait()
}

func TestCountDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("under the race detector sync.Pool forgets at random")
	}
	text := sample(t, "prose")[:2000] + strings.Repeat("x", 2000) + sample(t, "emoji")[:2000]
	text = strings.ToValidUTF8(text, "")
	for _, name := range encodingNames() {
		e := encoding(t, name)
		m, _ := bpe.ByName(name)
		ids := make([]uint32, 0, len(text))
		for _, tt := range []struct {
			what string
			call func()
		}{
			{"Encoding.Count", func() { e.Count(text) }},
			{"Encoding.AppendTokens", func() { e.AppendTokens(ids, text) }},
			{"Measure.Count", func() { m.Count(text) }},
			{"Measure.Count of a short text", func() { m.Count(text[:100]) }},
		} {
			if n := testing.AllocsPerRun(100, tt.call); n != 0 {
				t.Errorf("%s: %s allocates %v times", name, tt.what, n)
			}
		}
	}
}

// TestLongWords has what makes naive merging quadratic; together these would take longer than go test waits.
func TestLongWords(t *testing.T) {
	t.Parallel()
	e := encoding(t, "o200k_base")
	size := 1 << 20
	if testing.Short() {
		size = 1 << 14
	}
	for _, unit := range []string{"a", " ", "\n", " \n", "語", "-", "\u0301", "Aʰ", "x\u0301"} {
		text := strings.Repeat(unit, size/len(unit))
		back, err := e.AppendText(nil, e.AppendTokens(nil, text)...)
		if err != nil {
			t.Fatal(err)
		}
		if string(back) != text {
			t.Errorf("the tokens of many %q are not their text", unit)
		}
	}
}

func TestAppendTokensAppends(t *testing.T) {
	t.Parallel()
	for _, name := range encodingNames() {
		e := encoding(t, name)
		want := append([]uint32{7, 8}, e.AppendTokens(nil, "hello world")...)
		got := e.AppendTokens([]uint32{7, 8}, "hello world")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got := e.AppendTokens(nil, ""); got != nil {
			t.Errorf("%s: tokens of nothing = %v", name, got)
		}
	}
}

// readVectors reads every file of a folder of vectors.
func readVectors[vectors any](t *testing.T, folder string) []vectors {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(samples.Folder(t), "vectors", folder, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Skipf("QUIRE_DATA has no vectors/%s", folder)
	}
	files := make([]vectors, len(names))
	for i, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &files[i]); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return files
}

// TestCountsOfRealFiles compares with counts of js-tiktoken. Where a text has U+FEFF or U+0085 that package is wrong
// about what is white space, so such rows prove nothing for the encodings and are left to the other tests.
func TestCountsOfRealFiles(t *testing.T) {
	t.Parallel()
	folder := samples.Folder(t)
	type row struct {
		Path, SHA256             string
		UTF16, Bytes, Codepoints int64
		CL100k                   int64 `json:"cl100k_base"`
		O200k                    int64 `json:"o200k_base"`
	}
	var rows []row
	for _, file := range readVectors[struct{ Rows []row }](t, "token-counts") {
		rows = append(rows, file.Rows...)
	}
	compared, absent, doubtful := 0, 0, 0
	for _, row := range rows {
		data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(row.Path)))
		if os.IsNotExist(err) {
			absent++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:]); got != row.SHA256 {
			t.Errorf("%s: SHA-256 %s, want %s", row.Path, got, row.SHA256)
			continue
		}
		text := string(data)
		want := map[string]int64{"utf16": row.UTF16, "bytes": row.Bytes, "runes": row.Codepoints, "chars/4": (row.UTF16 + 3) / 4,
			"o200k_base": row.O200k, "cl100k_base": row.CL100k}
		if strings.ContainsAny(text, "\ufeff\u0085") {
			doubtful++
			for _, name := range encodingNames() {
				delete(want, name)
			}
		}
		got := map[string]int64{}
		for name := range want {
			m, _ := bpe.ByName(name)
			got[name] = m.Count(text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.Path, diff)
		}
		compared++
	}
	t.Logf("%d files compared, %d of them without encodings, %d absent", compared, doubtful, absent)
	if compared == 0 {
		t.Skip("none of the files is there")
	}
}

func TestNaughtyStrings(t *testing.T) {
	t.Parallel()
	naughty := slices.Concat(readVectors[[]string](t, "text")...)
	if len(naughty) == 0 {
		t.Fatal("no strings")
	}
	for _, name := range encodingNames() {
		e := encoding(t, name)
		for _, text := range naughty {
			ids := e.AppendTokens(nil, text)
			if got := e.Count(text); got != int64(len(ids)) {
				t.Errorf("%s: count of %q = %d, but there are %d ids", name, text, got, len(ids))
			}
			back, err := e.AppendText(nil, ids...)
			if err != nil || string(back) != text {
				t.Errorf("%s: the tokens of %q are %q, %v", name, text, back, err)
			}
		}
	}
}

func ExampleO200kBase() {
	m := bpe.O200kBase()
	fmt.Println(m.Name(), m.Count("How many tokens is this?"))
	// Output: o200k_base 6
}

func ExampleCL100kBase() {
	m := bpe.CL100kBase()
	fmt.Println(m.Name(), m.Count("こんにちは"))
	// Output: cl100k_base 1
}

func ExampleByName() {
	for _, name := range []string{"utf16", "o200k_base", "furlongs"} {
		if m, ok := bpe.ByName(name); ok {
			fmt.Println(name, m.Count("antidisestablishmentarianism"))
		} else {
			fmt.Println("no", name)
		}
	}
	// Output:
	// utf16 28
	// o200k_base 6
	// no furlongs
}

func ExampleNames() {
	fmt.Println(bpe.Names())
	// Output: [utf16 bytes runes chars/4 o200k_base cl100k_base]
}

func ExampleEncodingByName() {
	e, ok := bpe.EncodingByName("cl100k_base")
	fmt.Println(e.Name(), ok)
	// Output: cl100k_base true
}

func ExampleEncoding_Name() {
	e, _ := bpe.EncodingByName("o200k_base")
	fmt.Println(e.Name())
	// Output: o200k_base
}

func ExampleEncoding_Count() {
	e, _ := bpe.EncodingByName("o200k_base")
	fmt.Println(e.Count("hello world"), e.Count("<|endoftext|>"))
	// Output: 2 7
}

func ExampleEncoding_AppendTokens() {
	e, _ := bpe.EncodingByName("o200k_base")
	fmt.Println(e.AppendTokens(nil, "hello world"))
	// Output: [24912 2375]
}

func ExampleEncoding_AppendText() {
	e, _ := bpe.EncodingByName("o200k_base")
	for _, id := range e.AppendTokens(nil, "unbelievable 😀") {
		token, err := e.AppendText(nil, id)
		fmt.Printf("%q %v\n", token, err)
	}
	// Output:
	// "un" <nil>
	// "bel" <nil>
	// "ievable" <nil>
	// " 😀" <nil>
}
