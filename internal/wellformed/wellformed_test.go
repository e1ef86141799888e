package wellformed_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quirehq/quire/internal/wellformed"
)

// check compares with package utf8, and with looking at every byte.
func check(t *testing.T, text string) {
	t.Helper()
	if got, want := wellformed.UTF8(text), utf8.ValidString(text); got != want {
		t.Fatalf("UTF8(%+q) = %v, want %v", text, got, want)
	}
	ascii := true
	for i := range len(text) {
		ascii = ascii && text[i] < utf8.RuneSelf
	}
	if got := wellformed.ASCII(text); got != ascii {
		t.Fatalf("ASCII(%+q) = %v, want %v", text, got, ascii)
	}
	invalid := -1
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 {
			invalid = i
			break
		}
	}
	if got := wellformed.Invalid(text); got != invalid {
		t.Fatalf("Invalid(%+q) = %d, want %d", text, got, invalid)
	}
}

// Every sequence of up to three bytes, and those of four that end in two edges. With -short, third bytes are edges too.
func TestShortSequences(t *testing.T) {
	t.Parallel()
	// The bytes where a range of Table 3-7 of the Unicode Standard begins or ends.
	edges := []byte{0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xff}
	third := edges
	if !testing.Short() {
		third = nil
		for c := range 256 {
			third = append(third, byte(c))
		}
	}
	try := func(b ...byte) {
		if text := string(b); wellformed.UTF8(text) != utf8.ValidString(text) {
			t.Fatalf("UTF8(%+q) = %v", text, wellformed.UTF8(text))
		}
	}
	try()
	for i := range 256 {
		a := byte(i)
		try(a)
		for j := range 256 {
			b := byte(j)
			try(a, b)
			for _, c := range third {
				try(a, b, c)
			}
			if a < 0xe0 {
				continue
			}
			for _, c := range edges {
				for _, d := range edges {
					try(a, b, c, d)
				}
			}
		}
	}
}

// pieces are characters, and what is none.
var pieces = []string{"", "x", "\x00", "\x7f", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff",
	"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3x", "\xe0\x9f\xbf", "\xe6\xbc", "\xe6\xbcx", "\xed\xa0\x80", "\xed\xbf\xbf",
	"\xf0\x8f\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf8\x88\x80\x80\x80", "\xff"}

func TestEveryPlaceOfABlock(t *testing.T) {
	t.Parallel()
	const most = 130 // bytes on a side: more than two blocks
	for _, unit := range []string{"x", "é", "漢", "😀"} {
		other := strings.Repeat(unit, most/len(unit))
		for _, piece := range pieces {
			for n := range len(other) {
				check(t, other[:n]+piece)
				check(t, piece+other[n:])
				check(t, other[:n]+piece+other[n:]) // in the middle of a character, or between two
			}
		}
	}
}

// A block of ASCII does not make good that a character was cut before it.
func TestCharacterWithABlockInside(t *testing.T) {
	t.Parallel()
	for n := range 70 {
		for inside := range 140 {
			for _, r := range []string{"é", "漢", "😀"} {
				for cut := 1; cut < len(r); cut++ {
					check(t, strings.Repeat("x", n)+r[:cut]+strings.Repeat("x", inside)+r[cut:])
				}
			}
		}
	}
}

func FuzzUTF8(f *testing.F) {
	for _, piece := range pieces {
		f.Add(piece, uint8(1))
		f.Add("naïve 漢字 😀 "+piece, uint8(5))
	}
	f.Fuzz(func(t *testing.T, text string, times uint8) {
		check(t, strings.Repeat(text, int(times%8))) // so that short texts fill blocks too
	})
}

func TestNothingIsAllocated(t *testing.T) {
	text := strings.Repeat("abc é 漢 😀 ", 100)
	if n := testing.AllocsPerRun(100, func() { wellformed.UTF8(text) }); n != 0 {
		t.Errorf("UTF8 allocates %v times", n)
	}
}

func ExampleASCII() {
	fmt.Println(wellformed.ASCII("plain"), wellformed.ASCII("naïve"))
	// Output: true false
}

func ExampleUTF8() {
	fmt.Println(wellformed.UTF8("naïve"), wellformed.UTF8("na\xefve"))
	// Output: true false
}

func BenchmarkUTF8(b *testing.B) {
	for _, tt := range []struct{ name, unit string }{
		{"ascii", "The quick brown fox. "}, {"code", strings.Repeat("if s.Cost.Known() {\n\treturn nil\n}\n", 4) + "// größer → nil\n"},
		{"latin", "Zwölf große Boxkämpfer, äußerst. "}, {"cyrillic", "Съешь же ещё этих булок. "}, {"cjk", "我能吞下玻璃而不伤身体。"}, {"emoji", "😀👩‍👩‍👧🎉"},
	} {
		for _, size := range []int{30, 100 << 10} {
			text := strings.ToValidUTF8(strings.Repeat(tt.unit, size/len(tt.unit)+1)[:size], "")
			for _, by := range []struct {
				name  string
				valid func(string) bool
			}{{"wellformed", wellformed.UTF8}, {"utf8", utf8.ValidString}} {
				b.Run(fmt.Sprintf("text=%s/size=%d/by=%s", tt.name, size, by.name), func(b *testing.B) {
					b.ReportAllocs()
					b.SetBytes(int64(len(text)))
					for b.Loop() {
						by.valid(text)
					}
				})
			}
		}
	}
}
