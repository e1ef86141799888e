package measure_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/quirehq/quire/composer/measure"
	"pgregory.net/rapid"
)

func TestCount(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text                  string
		utf16, bytes, runes, quarts int64
	}{
		{"empty", "", 0, 0, 0, 0},
		{"one", "a", 1, 1, 1, 1},
		{"four ASCII make one quarter token", "abcd", 4, 4, 4, 1},
		{"five make two", "abcde", 5, 5, 5, 2},
		{"NUL counts", "\x00", 1, 1, 1, 1},
		{"two bytes", "é", 1, 2, 1, 1},
		{"combining marks are code points of their own", "e\u0301", 2, 3, 2, 1},
		{"three bytes", "漢字", 2, 6, 2, 1},
		{"last before surrogates", "\uffff", 1, 3, 1, 1},
		{"first after", "\U00010000", 2, 4, 1, 1},
		{"last code point", "\U0010ffff", 2, 4, 1, 1},
		{"joined emoji", "👩‍👩‍👧", 8, 18, 5, 2},
		{"CRLF is two", "\r\n", 2, 2, 2, 1},
		{"one block of ASCII", strings.Repeat("x", 32), 32, 32, 32, 8},
		{"one block of four bytes each", strings.Repeat("😀", 8), 16, 32, 8, 4},
		{"code point over a block border", strings.Repeat("x", 31) + "😀y", 34, 36, 33, 9},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := map[string]int64{"utf16": tt.utf16, "bytes": tt.bytes, "runes": tt.runes, "chars/4": tt.quarts}
			got := map[string]int64{}
			for _, name := range measure.Names() {
				m, _ := measure.ByName(name)
				got[name] = m.Count(tt.text)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("counts of %q (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

// oracle decodes code point by code point and does nothing else.
func oracle(text string) map[string]int64 {
	var utf16, runes int64
	for _, r := range text {
		runes++
		utf16++
		if r > 0xffff {
			utf16++
		}
	}
	quarts := utf16 / 4
	if utf16%4 > 0 {
		quarts++
	}
	return map[string]int64{"utf16": utf16, "bytes": int64(len([]byte(text))), "runes": runes, "chars/4": quarts}
}

func TestCountAgreesWithDecoding(t *testing.T) {
	t.Parallel()
	// Runs of one width make whole blocks alike; single runes of any width make them ragged.
	piece := rapid.OneOf(
		rapid.String(),
		rapid.StringN(0, 100, -1),
		rapid.Custom(func(t *rapid.T) string {
			r := rapid.SampledFrom([]rune{'a', 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff}).Draw(t, "rune")
			return strings.Repeat(string(r), rapid.IntRange(1, 80).Draw(t, "times"))
		}),
	)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "")
		got := map[string]int64{}
		for _, name := range measure.Names() {
			m, _ := measure.ByName(name)
			got[name] = m.Count(text)
		}
		if diff := cmp.Diff(oracle(text), got); diff != "" {
			t.Fatalf("counts of %q (-want +got):\n%s", text, diff)
		}
	})
}

func TestCountOfEveryCodePoint(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		text := string(r)
		want := oracle(text)
		if got := measure.UTF16().Count(text); got != want["utf16"] {
			t.Fatalf("utf16 of %U = %d, want %d", r, got, want["utf16"])
		}
		if got := measure.Runes().Count(text); got != 1 {
			t.Fatalf("runes of %U = %d, want 1", r, got)
		}
	}
}

func TestCountOfInvalidTextStaysInRange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "bytes"))
		for _, name := range measure.Names() {
			m, _ := measure.ByName(name)
			// Every byte could claim to start four bytes, which no valid text can.
			if got := m.Count(text); got < 0 || got > 2*int64(len(text)) {
				t.Fatalf("%s of %q = %d", name, text, got)
			}
		}
	})
}

func TestZeroMeasureIsUTF16(t *testing.T) {
	t.Parallel()
	var zero measure.Measure
	if got, want := zero.Name(), measure.UTF16().Name(); got != want {
		t.Errorf("Name() = %q, want %q", got, want)
	}
	if got := zero.Count("a😀"); got != 3 {
		t.Errorf("Count() = %d, want 3", got)
	}
}

func TestByName(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string{"utf16", "bytes", "runes", "chars/4"}, measure.Names()); diff != "" {
		t.Errorf("Names() (-want +got):\n%s", diff)
	}
	for _, name := range measure.Names() {
		m, ok := measure.ByName(name)
		if !ok || m.Name() != name {
			t.Errorf("ByName(%q) = %q, %v", name, m.Name(), ok)
		}
	}
	for _, name := range []string{"", "UTF16", "utf-16", "o200k_base", "chars"} {
		if m, ok := measure.ByName(name); ok {
			t.Errorf("ByName(%q) = %q, true, want none", name, m.Name())
		}
	}
}

func TestNamesAreTheCallers(t *testing.T) {
	t.Parallel()
	measure.Names()[0] = "changed"
	if got := measure.Names()[0]; got != "utf16" {
		t.Errorf("Names()[0] = %q after a caller's change", got)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	lines := measure.New("lines", func(text string) int64 { return int64(strings.Count(text, "\n")) })
	if got := lines.Name(); got != "lines" {
		t.Errorf("Name() = %q", got)
	}
	if got := lines.Count("a\nb\n"); got != 2 {
		t.Errorf("Count() = %d, want 2", got)
	}
	if got := measure.New("nil", nil).Count("a"); got >= 0 {
		t.Errorf("a measure without a function counted %d, want a failure", got)
	}
	if got := measure.New("", func(string) int64 { return 0 }).Name(); got != "" {
		t.Errorf("an unnamed measure is called %q", got)
	}
	for _, taken := range measure.Names() {
		if got := measure.New(taken, func(string) int64 { return 0 }).Count(""); got >= 0 {
			t.Errorf("another measure named %s counted %d, want a failure", taken, got)
		}
	}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	for _, name := range append(measure.Names(), "lines", "") {
		m := measure.Named(name)
		if m.Name() != name || m.Count("") != 0 || m.Count("a") >= 0 || m.Count("many more") >= 0 || m.IsZero() {
			t.Errorf("Named(%q) is %q and counts %d, %d", name, m.Name(), m.Count(""), m.Count("a"))
		}
	}
	if !(measure.Measure{}).IsZero() || measure.UTF16().IsZero() {
		t.Error("the zero value is what nobody chose, and no other")
	}
}

func TestCountDoesNotAllocate(t *testing.T) {
	text := strings.Repeat("abc é 漢 😀 ", 100)
	for _, name := range measure.Names() {
		m, _ := measure.ByName(name)
		if n := testing.AllocsPerRun(100, func() { m.Count(text); m.CountValid(text) }); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func ExampleNew() {
	words := measure.New("words", func(text string) int64 { return int64(len(strings.Fields(text))) })
	fmt.Println(words.Name(), words.Count("to be or not to be"))
	// Output: words 6
}

func ExampleMeasure_Name() {
	fmt.Println(measure.Measure{}.Name())
	// Output: utf16
}

func ExampleMeasure_Count() {
	fmt.Println(measure.UTF16().Count("naïve 😀"), measure.Bytes().Count("naïve 😀"))
	// Output: 8 11
}

func ExampleUTF16() {
	fmt.Println(measure.UTF16().Count("😀"))
	// Output: 2
}

func ExampleBytes() {
	fmt.Println(measure.Bytes().Count("😀"))
	// Output: 4
}

func ExampleRunes() {
	fmt.Println(measure.Runes().Count("😀"))
	// Output: 1
}

func ExampleQuarterTokens() {
	fmt.Println(measure.QuarterTokens().Count("hello"))
	// Output: 2
}

func ExampleByName() {
	m, ok := measure.ByName("bytes")
	fmt.Println(m.Count("é"), ok)
	_, ok = measure.ByName("stones")
	fmt.Println(ok)
	// Output:
	// 2 true
	// false
}

func ExampleNames() {
	fmt.Println(measure.Names())
	// Output: [utf16 bytes runes chars/4]
}

func BenchmarkCount(b *testing.B) {
	texts := []struct{ name, unit string }{
		{"ascii", "The quick brown fox. "}, {"latin", "Zwölf große Boxkämpfer, äußerst. "}, {"cjk", "我能吞下玻璃而不伤身体。"}, {"emoji", "😀👩‍👩‍👧🎉"},
	}
	for _, name := range measure.Names() {
		m, _ := measure.ByName(name)
		for _, tt := range texts {
			text := strings.Repeat(tt.unit, 1<<20/len(tt.unit))
			b.Run(fmt.Sprintf("measure=%s/text=%s/size=1MiB", name, tt.name), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					m.Count(text)
				}
			})
		}
	}
}

// checkCountValid compares with decoding, under every measure.
func checkCountValid(t rapid.TB, text string) {
	t.Helper()
	valid, want := utf8.ValidString(text), oracle(text)
	thirds := measure.New("thirds", func(text string) int64 { return int64(len(text) / 3) })
	want["thirds"] = int64(len(text) / 3)
	for _, m := range []measure.Measure{{}, measure.Bytes(), measure.Runes(), measure.QuarterTokens(), thirds} {
		size, ok := m.CountValid(text)
		if ok != valid || ok && size != want[m.Name()] {
			t.Fatalf("CountValid of %+q in %s is %d, %v; want %d, %v", text, m.Name(), size, ok, want[m.Name()], valid)
		}
	}
}

func TestCountValidOfSplicedText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.StringN(1, 30, -1).Draw(t, "text"), rapid.IntRange(1, 8).Draw(t, "times"))
		checkCountValid(t, text)
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		cut := rapid.IntRange(0, min(4, len(text)-at)).Draw(t, "cut")
		checkCountValid(t, text[:at]+string(rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(t, "bytes"))+text[at+cut:])
	})
}

func FuzzCountValid(f *testing.F) {
	for _, text := range []string{"", "plain", "naïve 漢字 😀", strings.Repeat("x", 31) + "😀", strings.Repeat("漢", 22) + "\xe6\xbc", "\xed\xa0\x80"} {
		f.Add(text, uint8(1))
	}
	f.Fuzz(func(t *testing.T, text string, times uint8) {
		checkCountValid(t, strings.Repeat(text, int(times%8))) // repeated, so that short texts fill blocks too
	})
}

func BenchmarkCountValid(b *testing.B) {
	texts := []struct{ name, unit string }{
		{"ascii", "The quick brown fox. "}, {"code", strings.Repeat("if s.Cost.Known() {\n\treturn nil\n}\n", 4) + "// größer → nil\n"},
		{"latin", "Zwölf große Boxkämpfer, äußerst. "}, {"cyrillic", "Съешь же ещё этих булок. "}, {"cjk", "我能吞下玻璃而不伤身体。"}, {"emoji", "😀👩‍👩‍👧🎉"},
	}
	for _, tt := range texts {
		for _, size := range []int{30, 100 << 10} {
			text := strings.ToValidUTF8(strings.Repeat(tt.unit, size/len(tt.unit)+1)[:size], "")
			b.Run(fmt.Sprintf("text=%s/size=%d", tt.name, size), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					measure.UTF16().CountValid(text)
				}
			})
		}
	}
}

func TestCountJoinedIsJoiningAndCounting(t *testing.T) {
	measures := []measure.Measure{{}, measure.New("vowels", func(text string) int64 {
		return int64(strings.Count(text, "a") + 10*strings.Count(text, "a\n"))
	}), measure.Named("nobody's")}
	for _, name := range measure.Names() {
		m, _ := measure.ByName(name)
		measures = append(measures, m)
	}
	for _, texts := range [][]string{nil, {""}, {"", ""}, {"abc"}, {"a", "é"}, {"日本", "", "a😀"}, {"abc", "abcde", "ab"}} {
		for _, separator := range []string{"", "\n", " – "} {
			for _, m := range measures {
				if got, want := m.CountJoined(texts, separator), m.Count(strings.Join(texts, separator)); got != want {
					t.Errorf("%s: %q joined by %q: %d, want %d", m.Name(), texts, separator, got, want)
				}
			}
		}
	}
}
