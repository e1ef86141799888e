package composer_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/tiers"
)

// A draw returns the next choice, from 0 to n-1 for n <= 256: from rapid, from a seeded generator or from fuzzed bytes.
type draw func(n int) int

// What contents are made of: all that text can be mistaken about.
var pieces = []string{
	"", "a", "rules ", "Answer in one sentence.", "é", "e\u0301", "漢字", "😀", "👩‍👩‍👧", "\n", "\r\n", "\r", "\x00", "\t", "\"\\",
	"\ufeff", "\u2028", "\ufffd", "\U0010ffff", "İıſK", "{{name}}", "</section>",
}

func drawText(draw draw) string {
	var b strings.Builder
	for range draw(6) {
		b.WriteString(pieces[draw(len(pieces))])
	}
	return b.String()
}

// drawSections draws at most 10 sections that Compose accepts under every gate but, for split groups, prefix-stable.
func drawSections(draw draw) []composer.Section {
	names := []string{"", "", "x", "y", "ü"}
	sections := make([]composer.Section, draw(11))
	for i := range sections {
		s := &sections[i]
		*s = composer.Section{
			ID:         fmt.Sprint(i, drawText(draw)),
			Content:    drawText(draw),
			Tier:       tiers.Tier(draw(3)),
			Priority:   draw(5) - 2,
			Chain:      names[draw(len(names))],
			Group:      names[draw(len(names))],
			Breakpoint: draw(4) == 0,
		}
		if draw(6) == 0 {
			s.Cost = tiers.Charged(int64(draw(50)), int64(draw(50)))
		}
		for range draw(3) {
			s.Alternates = append(s.Alternates, drawText(draw))
		}
	}
	return sections
}

func drawConfig(draw draw) composer.Config {
	limit := func() tiers.Budget {
		if draw(4) == 0 {
			return tiers.Budget{}
		}
		return tiers.Limit(int64(draw(200)) - 3)
	}
	named, _ := measure.ByName(measure.Names()[draw(len(measure.Names()))])
	cfg := composer.Config{
		Gate:        tiers.Gate(draw(3)),
		Measure:     named,
		Budget:      limit(),
		MaxBytes:    limit(),
		TailReserve: int64(draw(60)),
		Join:        composer.Join(draw(3)),
	}
	if n := draw(11); n > 0 {
		cfg.ActiveFraction, _ = tiers.NewFraction(int64(n), 10)
	}
	return cfg
}

// drawInput draws sections and a configuration that Compose accepts.
func drawInput(draw draw) ([]composer.Section, composer.Config) {
	sections, cfg := drawSections(draw), drawConfig(draw)
	if cfg.Gate == tiers.PrefixStable {
		inHead := false
		for i := len(sections) - 1; i >= 0; i-- {
			inHead = inHead || sections[i].Breakpoint
			if inHead && sections[i].Group != "" {
				sections[i].Group += " of the head"
			}
		}
	}
	return sections, cfg
}

func seeded(rng *rand.Rand) draw { return rng.IntN }

// A failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// forAll checks a law on compositions that rapid draws, and on many more from a seeded generator.
func forAll(t *testing.T, law func(t failer, sections []composer.Section, cfg composer.Config, draw draw)) {
	t.Helper()
	check := func(t failer, draw draw) {
		sections, cfg := drawInput(draw)
		law(t, sections, cfg, draw)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
	})
	cases := 3_000
	if testing.Short() {
		cases = 1_000
	}
	for seed := range uint64(cases) {
		check(t, seeded(rand.New(rand.NewPCG(seed, 0))))
	}
}

func compose(t failer, sections []composer.Section, cfg composer.Config) composer.Composition {
	t.Helper()
	c, err := composer.Compose(sections, cfg)
	if err != nil {
		t.Fatalf("%v, for %+v under %+v", err, sections, cfg)
	}
	return c
}
