package bpe_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer/measure/bpe"
)

// sampleNames are the texts that scripts/tokens/samples writes.
func sampleNames() []string { return []string{"code", "prose", "cjk", "emoji"} }

func sample(tb testing.TB, name string) string {
	tb.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".txt.gz"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		tb.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

func BenchmarkCount(b *testing.B) {
	for _, name := range encodingNames() {
		e := encoding(b, name)
		for _, kind := range sampleNames() {
			text := sample(b, kind)
			for _, size := range []int{1 << 10, 256 << 10} {
				text := strings.ToValidUTF8(text[:size], "")
				b.Run(fmt.Sprintf("encoding=%s/text=%s/size=%dKiB", name, kind, size>>10), func(b *testing.B) {
					benchmark(b, text, e.Count)
				})
			}
		}
	}
}

// BenchmarkCountOneWord shows that no text makes counting quadratic.
func BenchmarkCountOneWord(b *testing.B) {
	e := encoding(b, "o200k_base")
	for _, tt := range []struct{ name, unit string }{
		{"a", "a"}, {"ab", "ab"}, {"han", "語"}, {"dash", "-"}, {"space", " "}, {"line", " \n"},
	} {
		text := strings.Repeat(tt.unit, 1<<20/len(tt.unit))
		b.Run(fmt.Sprintf("text=%s/size=1MiB", tt.name), func(b *testing.B) {
			benchmark(b, text, e.Count)
		})
	}
}

// BenchmarkMeasure counts a text that the measure knows.
func BenchmarkMeasure(b *testing.B) {
	m := bpe.O200kBase()
	for _, size := range []int{1 << 10, 16 << 10, 256 << 10} {
		text := sample(b, "code")[:size]
		b.Run(fmt.Sprintf("text=code/size=%dKiB", size>>10), func(b *testing.B) {
			benchmark(b, text, m.Count)
		})
	}
}

func benchmark(b *testing.B, text string, count func(string) int64) {
	count(text) // unpacks the vocabulary
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		count(text)
	}
}
