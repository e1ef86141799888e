package vectors

import "fmt"

// A source is SplitMix64: small enough to be written anywhere, and no release of any library changes its numbers.
type source uint64

func (s *source) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1.
func (s *source) below(n int) int { return int(s.next() >> 33 % uint64(n)) }

func pick[T any](s *source, values ...T) T { return values[s.below(len(values))] }

// limit is nil one time in four.
func (s *source) limit(n int) *int64 {
	if s.below(4) == 0 {
		return nil
	}
	limit := int64(s.below(n))
	return &limit
}

var words = []string{
	"the ", "rule ", "answer", " in", " one sentence.", "\n", "\n\n", "- ", "# ", "{\"a\": 1}", "0", "1234567",
	"Ünïcödé ", "e\u0301", "漢字", "日本語の文", "한국어", "עברית", "हिन्दी", "😀", "👩‍👩‍👧‍👦", "🇳🇴", "\r\n", "\r", "\t", "\x00",
	"\u00a0", "\u2028", "\ufeff", "\ufffd", "\U0010ffff", "ﬃ", "İ", "<b>&amp;</b>",
}

func (s *source) text(most int) Text {
	t := Text{Times: 1}
	for range s.below(most) {
		t.Unit += pick(s, words...)
	}
	return t
}

// Drawn returns the inputs of testdata/drawn.jsonl.
func Drawn() []Vector {
	const count = 360
	s := source(20240229)
	vectors := make([]Vector, count)
	for i := range vectors {
		vectors[i] = s.vector(fmt.Sprintf("drawn %03d", i))
	}
	return vectors
}

func (s *source) vector(name string) Vector {
	v := Vector{Name: name, Sections: []Section{}}
	v.Config = Config{
		Gate:           pick(s, "published", "reserved", "prefix-stable"),
		Measure:        pick(s, "utf16", "utf16", "bytes", "runes", "chars/4", "o200k_base", "cl100k_base"),
		Join:           pick(s, "blank-line", "blank-line", "line", "none"),
		ActiveFraction: pick(s, "", "", "0.7", "0.57", "0.29", "1", "0", "1/3", "0.999999999999999999"),
		Budget:         s.limit(160),
		MaxBytes:       s.limit(240),
	}
	if v.Config.Gate == "prefix-stable" {
		v.Config.TailReserve = int64(s.below(60))
	}
	for i := range s.below(9) {
		section := Section{
			ID:         fmt.Sprintf("%d%s", i, pick(s, "", "", "-é", "/漢", " \"q\"")),
			Content:    s.text(10),
			Tier:       pick(s, "core", "active", "informational"),
			Priority:   s.below(3) - 1,
			Chain:      pick(s, "", "", "", "chain", "kette"),
			Group:      pick(s, "", "", "", "group", "gruppe"),
			Breakpoint: s.below(5) == 0,
		}
		if s.below(8) == 0 {
			section.Charged = &Charged{int64(s.below(30)), int64(s.below(60))}
		}
		for range s.below(3) {
			section.Alternates = append(section.Alternates, s.text(4))
		}
		v.Sections = append(v.Sections, section)
	}
	return v
}
