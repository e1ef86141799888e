package bpe

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// An oracle is an encoding again, slow and obvious: the published expressions in Go's regexp, with the classes of this
// package, and merges as byte-pair encoding is explained, over a map of strings.
type oracle struct {
	pieces *regexp.Regexp
	ranks  map[string]uint32
}

// The expressions as published, but for \s+(?!\S), which Go's regexp does not have: its group is cut in oracle.split.
const (
	o200kExpression = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lm}\p{M}]*[\p{Ll}\p{Lm}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lm}\p{M}]+[\p{Ll}\p{Lm}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|(\s+)`
	cl100kExpression = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+` +
		`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|(\s+)`
)

var oracles = map[string]func() *oracle{
	nameO200k:  sync.OnceValue(func() *oracle { return newOracle(o200kExpression, o200kVocabulary()) }),
	nameCL100k: sync.OnceValue(func() *oracle { return newOracle(cl100kExpression, cl100kVocabulary()) }),
}

func newOracle(expression string, v *vocabulary) *oracle {
	// \p{Lu} stands for Lu and Lt, \p{Lm} for Lm and Lo.
	for name, set := range map[string]class{
		`\p{Lu}`: upper, `\p{Ll}`: lower, `\p{Lm}`: letter, `\p{L}`: letters, `\p{M}`: mark, `\p{N}`: number, `\s`: white,
	} {
		// An expression for one class outside of brackets gets its own.
		members := ranges(set)
		expression = strings.ReplaceAll(expression, name+"+", "["+members+"]+")
		expression = strings.ReplaceAll(expression, name+"*", "["+members+"]*")
		expression = strings.ReplaceAll(expression, name+"{", "["+members+"]{")
		expression = strings.ReplaceAll(expression, name, members)
	}
	o := &oracle{regexp.MustCompile("^(?:" + expression + ")"), map[string]uint32{}}
	for id := range v.size() {
		o.ranks[v.token(id)] = uint32(id)
	}
	return o
}

// ranges writes the code points of the classes as they stand between brackets.
func ranges(set class) string {
	var b strings.Builder
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if classOf(r)&set == 0 {
			continue
		}
		from := r
		for r < utf8.MaxRune && classOf(r+1)&set != 0 {
			r++
		}
		fmt.Fprintf(&b, `\x{%x}-\x{%x}`, from, r)
	}
	return b.String()
}

func (o *oracle) split(text string) []string {
	var pieces []string
	for len(text) > 0 {
		at := o.pieces.FindStringSubmatchIndex(text)
		if at == nil {
			panic(fmt.Sprintf("no piece at the start of %q", text))
		}
		end := at[1]
		if at[2] >= 0 && end < len(text) {
			if _, width := utf8.DecodeLastRuneInString(text[:end]); width < end {
				end -= width
			}
		}
		pieces = append(pieces, text[:end])
		text = text[end:]
	}
	return pieces
}

func (o *oracle) tokens(piece string) []uint32 {
	var parts []string
	for i := range len(piece) {
		parts = append(parts, piece[i:i+1])
	}
	for {
		best, at := none, -1
		for i := range len(parts) - 1 {
			if rank, ok := o.ranks[parts[i]+parts[i+1]]; ok && rank < best {
				best, at = rank, i
			}
		}
		if at < 0 {
			break
		}
		parts = slices.Replace(parts, at, at+2, parts[at]+parts[at+1])
	}
	var ids []uint32
	for _, part := range parts {
		ids = append(ids, o.ranks[part])
	}
	return ids
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkLaws compares an encoding with its oracle on one text, which need not be valid UTF-8.
func checkLaws(t fataler, name, text string) {
	t.Helper()
	e, _ := EncodingByName(name)
	o := oracles[name]()

	var pieces []string
	for at := 0; at < len(text); {
		end := e.next(text, at)
		if end <= at || end > len(text) {
			t.Fatalf("%s: the piece of %q at byte %d ends at %d", name, text, at, end)
		}
		pieces = append(pieces, text[at:end])
		at = end
	}
	if want := o.split(text); !slices.Equal(pieces, want) {
		t.Fatalf("%s: pieces of %q (-want +got):\n%s", name, text, cmp.Diff(want, pieces))
	}

	var want []uint32
	for _, piece := range pieces {
		want = append(want, o.tokens(piece)...)
	}
	got := e.AppendTokens(nil, text)
	if !slices.Equal(got, want) {
		t.Fatalf("%s: tokens of %q (-want +got):\n%s", name, text, cmp.Diff(want, got))
	}
	if n := e.Count(text); n != int64(len(got)) {
		t.Fatalf("%s: Count(%q) = %d, but there are %d tokens", name, text, n, len(got))
	}
	back, err := e.AppendText(nil, got...)
	if err != nil || string(back) != text {
		t.Fatalf("%s: the tokens of %q are %q, %v", name, text, back, err)
	}
}

// member draws a code point that the splitters treat in some way of its own.
var member = rapid.SampledFrom([]string{
	" ", " ", "\n", "\r", "\t", "\u00a0", "\u0085", "\u2028", "\u3000", "\ufeff", "\x7f", "\x00",
	"a", "e", "B", "s", "S", "t", "R", "v", "L", "d", "ſ", "K", "é", "É", "Ж", "ж", "ǅ", "ʰ", "語", "字", "\u1c89",
	"\u0301", "\u20e3", "1", "2", "Ⅷ", "½", "'", "'", "’", "/", "!", ".", "-", "<|", "|>", "€",
	"😀", "\u200d", "\ufe0f", "\U0010ffff", "\ufffd",
})

var text = rapid.Custom(func(t *rapid.T) string {
	piece := rapid.OneOf(
		member,
		rapid.Custom(func(t *rapid.T) string {
			unit := strings.Join(rapid.SliceOfN(member, 1, 2).Draw(t, "unit"), "")
			return strings.Repeat(unit, rapid.IntRange(1, 50).Draw(t, "times"))
		}),
		rapid.StringN(0, 8, -1),
		rapid.StringMatching(`[a-zA-Z]{1,60}`),
		rapid.StringMatching(`[ -~\n\t]{1,30}`),
		rapid.Custom(func(t *rapid.T) string {
			// A token that is cut or glued is what merges stumble over.
			v := o200kVocabulary()
			return v.token(rapid.IntRange(0, v.size()-1).Draw(t, "token"))
		}),
	)
	return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
})

func TestLaws(t *testing.T) {
	t.Parallel()
	for name := range oracles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { checkLaws(t, name, text.Draw(t, "text")) })
		})
	}
}

func FuzzEncoding(f *testing.F) {
	for _, seed := range []string{
		"", "hello world", "I'll, HE'S it'ſ", "\n \n\t x", "aB\u0301語Cd ǅa", "1234567½", "😀\u200d😀 \ufeff\u0085",
		"\xff\xfe\xc3", "\xe6\x88", "a\xf0\x9f\x98",
		strings.Repeat("ab", 40), strings.Repeat(" ", 70) + "x", "<|endoftext|>//\r\n\r\n/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		// The oracle takes cubic time.
		if len(text) > 500 {
			return
		}
		for name := range oracles {
			checkLaws(t, name, text)
		}
	})
}

func TestClasses(t *testing.T) {
	t.Parallel()
	if unicodeVersion != "16.0.0" {
		t.Errorf("the classes are of Unicode %s", unicodeVersion)
	}
	tests := []struct {
		r    rune
		want class
		why  string
	}{
		{'\n', newline, "the two that end a line"},
		{'\r', newline, "the two that end a line"},
		{'\v', space, "White_Space"},
		{'\u0085', space, "White_Space, but not for JavaScript"},
		{'\u00a0', space, "White_Space"},
		{'\u2028', space, "White_Space, no line end for the expressions"},
		{'\u3000', space, "White_Space"},
		{'\u001c', other, "a separator that only Python takes for white space"},
		{'\u180e', other, "not White_Space since Unicode 6.3"},
		{'\u200b', other, "not White_Space in spite of its name"},
		{'\ufeff', other, "White_Space for JavaScript only"},
		{'\u007f', other, "Cc"},
		{'A', upper, "Lu"},
		{'ǅ', upper, "Lt"},
		{'ſ', lower, "Ll"},
		{'ʰ', letter, "Lm"},
		{'語', letter, "Lo"},
		{'\u0301', mark, "Mn"},
		{'\u0903', mark, "Mc"},
		{'\u20e3', mark, "Me"},
		{'5', number, "Nd"},
		{'Ⅷ', number, "Nl"},
		{'½', number, "No"},
		{'\u1c89', upper, "Lu since 16.0"},
		{'\U000105c0', letter, "Lo since 16.0"},
		{'\u088f', other, "Lo from 17.0 on"},
		{'\ufffd', other, "So; what is not UTF-8 must be of this class too"},
		{'\U0010ffff', other, "Cn"},
	}
	for _, tt := range tests {
		if got := classOf(tt.r); got != tt.want {
			t.Errorf("class of %U = %#x, want %#x (%s)", tt.r, got, tt.want, tt.why)
		}
	}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		text := string(r)
		if c, width := classAt(text, 0); width != len(text) || c != classOf([]rune(text)[0]) {
			t.Fatalf("classAt(%U) = %#x, %d, want %#x, %d", r, c, width, classOf(r), len(text))
		}
	}
}

func TestClassAtOnWhatIsNotUTF8(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lead := rapid.SampledFrom([]byte{0x80, 0xc1, 0xc2, 0xe0, 0xe1, 0xec, 0xed, 0xef, 0xf0, 0xf4, 0xf5})
		text := string(rapid.SliceOfN(rapid.OneOf(rapid.Byte(), lead), 1, 5).Draw(t, "bytes"))
		r, want := utf8.DecodeRuneInString(text)
		if c, width := classAt(text, 0); c != classOf(r) || width != want {
			t.Fatalf("classAt(%q) = %#x, %d, want %#x, %d", text, c, width, classOf(r), want)
		}
	})
}

func TestFindFindsTokensOnly(t *testing.T) {
	t.Parallel()
	for name, o := range oracles {
		e, _ := EncodingByName(name)
		v, ranks := e.vocabulary(), o().ranks
		rapid.Check(t, func(t *rapid.T) {
			// Around a token: itself, cut, and with a byte more or another one, with text around it or none.
			token := v.token(rapid.IntRange(0, v.size()-1).Draw(t, "token"))
			around := rapid.SampledFrom([]string{"", "x", "\x00\x00\x00\x00\x00\x00\x00\x00\x00"}).Draw(t, "around")
			change := []byte(token)
			change[rapid.IntRange(0, len(change)-1).Draw(t, "at")] ^= rapid.Byte().Draw(t, "by")
			cut := []string{token[1:], token[:len(token)-1]}
			for _, s := range append(cut, token, token+"\x00", token+"e", "\x00"+token, string(change)) {
				if s == "" {
					continue
				}
				want, ok := ranks[s]
				if !ok {
					want = none
				}
				if got := v.find(around+s+around, len(around), len(around)+len(s)); got != want {
					t.Fatalf("%s: find(%q) = %d, want %d", name, s, got, want)
				}
			}
		})
	}
}

func TestDecodeRefusesWhatIsNoVocabulary(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, file string }{
		{"empty", ""},
		{"cut in the head", cl100kFile[:100]},
		{"cut in the merges", cl100kFile[:len(cl100kFile)/2]},
		{"too few tokens", "\xff\x00\x00" + cl100kFile[3:]},
		{"more tokens than merges", "\xff\xff\xff" + cl100kFile[3:]},
	}
	for _, tt := range tests {
		if _, err := decode(tt.file); err == nil {
			t.Errorf("%s: no error", tt.name)
		}
	}
}

func TestMemoRemembersAndForgets(t *testing.T) {
	if testing.Short() {
		t.Skip("counts three generations of texts: skipped by -short")
	}
	t.Parallel()
	e, _ := EncodingByName(nameCL100k)
	textOf := func(i int) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(i))) + strings.Repeat("x", memoBytes-4)
	}
	m := &memo{}
	for i := range 3*memoTexts + 1 {
		if got, want := m.count(e, textOf(i)), e.Count(textOf(i)); got != want {
			t.Fatalf("count of text %d = %d, want %d", i, got, want)
		}
		if n := len(m.young) + len(m.old); n > 2*memoTexts {
			t.Fatalf("%d texts remembered after %d", n, i+1)
		}
	}
	if _, ok := m.lookup(digestOf(textOf(0))); ok {
		t.Error("the first text is still remembered")
	}
	if _, ok := m.lookup(digestOf(textOf(2 * memoTexts))); !ok {
		t.Error("a text of the old generation is forgotten")
	}
	// That the memory is used at all shows only in what is wrong in it.
	m.store(digestOf(textOf(1)), 12345)
	if got := m.count(e, textOf(1)); got != 12345 {
		t.Errorf("count of a remembered text = %d", got)
	}
	m.store(digestOf(""), 12345)
	if got := m.count(e, ""); got != 0 {
		t.Errorf("count of a short text = %d, want it counted", got)
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, tt := range []struct{ name, file string }{{nameO200k, o200kFile}, {nameCL100k, cl100kFile}} {
		b.Run("encoding="+tt.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(tt.file)))
			for b.Loop() {
				if _, err := decode(tt.file); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
