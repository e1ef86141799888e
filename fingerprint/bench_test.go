package fingerprint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"

	"github.com/quirehq/quire/fingerprint"
)

var sizes = []struct {
	name string
	n    int
}{{"64B", 64}, {"1KiB", 1 << 10}, {"64KiB", 64 << 10}, {"1MiB", 1 << 20}}

func BenchmarkSum(b *testing.B) {
	for _, size := range sizes {
		b.Run("size="+size.name, func(b *testing.B) {
			in := counting(size.n)
			b.SetBytes(int64(size.n))
			b.ReportAllocs()
			for b.Loop() {
				fingerprint.Sum(in)
			}
		})
	}
}

func BenchmarkSumString(b *testing.B) {
	for _, size := range sizes {
		b.Run("size="+size.name, func(b *testing.B) {
			in := string(counting(size.n))
			b.SetBytes(int64(size.n))
			b.ReportAllocs()
			for b.Loop() {
				fingerprint.SumString(in)
			}
		})
	}
}

// BenchmarkHasher takes a digest at the end of each of 100 pieces, as for the prefixes of a text.
func BenchmarkHasher(b *testing.B) {
	for _, size := range sizes[:2] {
		b.Run("prefixes=100/size="+size.name, func(b *testing.B) {
			piece := string(counting(size.n))
			b.SetBytes(int64(100 * size.n))
			b.ReportAllocs()
			var h fingerprint.Hasher
			for b.Loop() {
				h.Reset()
				for range 100 {
					h.WriteString(piece)
					h.Digest()
				}
			}
		})
	}
}

func BenchmarkFrame(b *testing.B) {
	for _, size := range sizes {
		b.Run("parts=4/size="+size.name, func(b *testing.B) {
			part := string(counting(size.n / 4))
			b.SetBytes(int64(size.n))
			b.ReportAllocs()
			for b.Loop() {
				fingerprint.Frame(part, part, part, part)
			}
		})
	}
}

func BenchmarkCacheKey(b *testing.B) {
	for _, size := range sizes {
		b.Run("parts=4/size="+size.name, func(b *testing.B) {
			part := string(counting(size.n / 4))
			b.SetBytes(int64(size.n))
			b.ReportAllocs()
			for b.Loop() {
				fingerprint.CacheKey("tenant", part, part, part, part)
			}
		})
	}
}

// toolSchemas is a list of n tool definitions, with members in the order people write them.
func toolSchemas(n int) []byte {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, `,{"name":"tool_%d","description":"Reads a \"file\"\nand returns its lines, at most as many as asked for.",`+
			`"input_schema":{"type":"object","properties":{"path":{"type":"string","description":"Where it is"},`+
			`"limit":{"type":"integer","default":%d,"minimum":0.5}},"required":["path"]}}`, i, 100+i)
	}
	return []byte("[" + out.String()[1:] + "]")
}

func BenchmarkCanonical(b *testing.B) {
	canonical := func(doc []byte) []byte {
		out, err := fingerprint.Canonical(doc)
		if err != nil {
			b.Fatal(err)
		}
		return out
	}
	docs := []struct {
		name string
		doc  []byte
	}{
		{"tools=1", toolSchemas(1)},
		{"tools=40", toolSchemas(40)},
		{"tools=4000", toolSchemas(4000)},
		{"tools=4000/sorted", canonical(toolSchemas(4000))},
		{"text=1MiB", fingerprint.AppendJSONString(nil, strings.Repeat("some text in many lines\n", 1<<20/24))},
		{"numbers=40000", []byte("[" + strings.Repeat("0.95,123456,", 20000) + "1]")},
		{"nested=500/unsorted", []byte(strings.Repeat(`{"b":0,"a":`, 500) + "1" + strings.Repeat("}", 500))},
		{"nested=1000/unsorted", []byte(strings.Repeat(`{"b":0,"a":`, 1000) + "1" + strings.Repeat("}", 1000))},
	}
	for _, d := range docs {
		b.Run(d.name+"/quire", func(b *testing.B) {
			buf := make([]byte, 0, 2*len(d.doc))
			b.SetBytes(int64(len(d.doc)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := fingerprint.AppendCanonical(buf, d.doc); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(d.name+"/jcs", func(b *testing.B) {
			b.SetBytes(int64(len(d.doc)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := jcs.Transform(d.doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendJSONString(b *testing.B) {
	for name, text := range map[string]string{
		"plain":   strings.Repeat("some text in one long line ", 2000),
		"lines":   strings.Repeat("some text in many lines\n", 2000),
		"escapes": strings.Repeat("\"\\\n\x01", 2000),
	} {
		b.Run(name, func(b *testing.B) {
			buf := make([]byte, 0, 6*len(text)+2)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				fingerprint.AppendJSONString(buf, text)
			}
		})
	}
}
