package vectors

import (
	"math"
	"slices"
)

func text(unit string) Text         { return Text{unit, 1} }
func times(n int, unit string) Text { return Text{unit, n} }
func at(n int64) *int64             { return &n }
func section(id, tier string, content Text) Section {
	return Section{ID: id, Tier: tier, Content: content}
}

// sized returns a section of so many letters.
func sized(id, tier string, n int) Section { return section(id, tier, times(n, id[:1])) }

func charged(id, tier string, size, bytes int64) Section {
	s := section(id, tier, text(id))
	s.Charged = &Charged{size, bytes}
	return s
}

func with(s Section, change func(*Section)) Section { change(&s); return s }

func edge(name string, change func(*Config), sections ...Section) Vector {
	cfg := Config{Gate: "published", Measure: "utf16", Join: "blank-line"}
	if change != nil {
		change(&cfg)
	}
	return Vector{Name: name, Config: cfg, Sections: append([]Section{}, sections...)}
}

func budget(n int64) func(*Config) { return func(c *Config) { c.Budget = &n } }

// under returns a change to a gate, a budget and, for prefix-stable, a reserve.
func under(gate string, limit, reserve int64) func(*Config) {
	return func(c *Config) { c.Gate, c.Budget, c.TailReserve = gate, &limit, reserve }
}

// Edges returns the inputs of testdata/edges.jsonl.
func Edges() []Vector {
	core60, active38, active39 := sized("c", "core", 60), sized("a", "active", 38), sized("a", "active", 39)
	return slices.Concat(
		[]Vector{
			edge("nothing", nil),
			edge("nothing under a budget of 0", budget(0)),
			edge("one empty section", nil, section("a", "core", text(""))),
			edge("empty contents take part in the join", nil, section("a", "core", text("")), section("b", "core", text("x")), section("c", "core", text(""))),

			edge("exact fit below the ceiling of 98", budget(100), core60, active38),
			edge("one over the ceiling", budget(100), core60, active39),
			edge("exact fit of the budget", budget(100), core60, sized("i", "informational", 40)),
			edge("one over the budget", budget(100), core60, sized("i", "informational", 41)),
			edge("a later smaller one fits", budget(100), core60, active39, sized("b", "active", 38), sized("i", "informational", 2)),
			edge("zero budget keeps core", budget(0), core60, active38, sized("i", "informational", 1), section("e", "informational", text(""))),
			edge("core over a budget of zero: negative remainder, ceiling 5", budget(0), sized("a", "active", 5), sized("b", "active", 1), sized("c", "core", 100)),
			edge("core one over the budget: floor of -0.95 is -1", budget(99), section("a", "active", text("")), sized("c", "core", 100), section("b", "active", text(""))),
			edge("no budget keeps all", nil, core60, active39, sized("i", "informational", 1000)),
			edge("late core makes published overflow", budget(100), sized("a", "active", 90), core60),
			edge("late core under reserved", under("reserved", 100, 0), sized("a", "active", 90), core60),
			edge("0.7 with 90 left", func(c *Config) { c.Budget, c.ActiveFraction = at(90), "0.7" }, sized("a", "active", 64), sized("b", "active", 63)),
			edge("0.57 with 100 left", func(c *Config) { c.Budget, c.ActiveFraction = at(100), "0.57" }, sized("a", "active", 58), sized("b", "active", 57)),
			edge("a fraction of 18 digits", func(c *Config) { c.Budget, c.ActiveFraction = at(1000), "0.000999999999999999" }, section("a", "active", text("x")), section("b", "active", text(""))),
			edge("separators overflow published", budget(11), sized("a", "core", 5), sized("i", "informational", 5)),
			edge("separators are charged by reserved", under("reserved", 12, 0), sized("a", "informational", 5), sized("b", "informational", 6), sized("c", "informational", 5)),
			edge("core's separators raise the ceiling of reserved", func(c *Config) { under("reserved", 32, 0)(c); c.ActiveFraction = "0.5" },
				sized("a", "active", 4), sized("c", "core", 5), sized("b", "active", 3), sized("d", "core", 5)),
		},
		[]Vector{
			edge("bytes limit too", func(c *Config) { c.Budget, c.MaxBytes = at(100), at(13) }, section("c", "core", text("漢字")), section("a", "active", text("漢字")), section("b", "active", text("1234567"))),
			edge("core over max-bytes", func(c *Config) { c.MaxBytes = at(5) }, section("c", "core", text("漢字")), section("a", "active", text(""))),
			edge("a budget below zero", budget(-5), section("c", "core", text("c")), section("a", "informational", text(""))),
			edge("a trusted cost of nothing", budget(0), charged("a", "informational", 0, 0)),
			edge("a trusted cost above the text", budget(10), charged("a", "informational", 11, 1), charged("b", "informational", 10, 1)),

			edge("alternates: the second fits", budget(10), with(sized("a", "informational", 12), func(s *Section) { s.Alternates = []Text{times(11, "y"), times(7, "z"), text("z")} })),
			edge("alternates: none fits", budget(10), with(sized("a", "active", 12), func(s *Section) { s.Alternates = []Text{times(11, "y"), times(10, "z")} })),
			edge("alternates of core are not tried", budget(10), with(sized("a", "core", 12), func(s *Section) { s.Alternates = []Text{text("y")} })),
			edge("an alternate closes its chain", budget(10),
				with(sized("a", "informational", 12), func(s *Section) { s.Alternates, s.Chain = []Text{text("y")}, "x" }),
				with(sized("b", "informational", 1), func(s *Section) { s.Chain = "x" }), sized("c", "informational", 1)),
			edge("an alternate in a group closes its chain after the group", budget(10),
				with(sized("a", "informational", 12), func(s *Section) { s.Alternates, s.Chain, s.Group = []Text{text("y")}, "x", "g" }),
				with(sized("b", "informational", 1), func(s *Section) { s.Chain, s.Group = "x", "g" }),
				with(sized("c", "informational", 1), func(s *Section) { s.Chain = "x" })),
			edge("a chain evicts from the old end", budget(10),
				with(sized("a", "informational", 1), func(s *Section) { s.Chain = "x" }),
				with(sized("b", "informational", 4), func(s *Section) { s.Chain, s.Priority = "x", 1 }),
				with(sized("c", "informational", 4), func(s *Section) { s.Chain, s.Priority = "x", 2 }),
				with(sized("d", "informational", 4), func(s *Section) { s.Chain, s.Priority = "x", 3 })),
			edge("a group is in as a whole", budget(10), with(sized("a", "informational", 3), func(s *Section) { s.Group = "g" }),
				sized("b", "informational", 4), with(sized("c", "informational", 5), func(s *Section) { s.Group = "g" })),
			edge("a group is out as a whole", budget(10), with(sized("a", "informational", 3), func(s *Section) { s.Group = "g" }),
				with(sized("c", "active", 8), func(s *Section) { s.Group, s.Chain = "g", "x" }), with(sized("d", "active", 1), func(s *Section) { s.Chain = "x" })),
			edge("core ignores group and chain", budget(10), with(sized("a", "informational", 11), func(s *Section) { s.Group, s.Chain = "g", "x" }),
				with(sized("c", "core", 8), func(s *Section) { s.Group, s.Chain = "g", "x" })),
			edge("the smallest and the largest priority", budget(1), with(section("a", "informational", text("1")), func(s *Section) { s.Priority = math.MinInt32 }),
				with(section("b", "informational", text("2")), func(s *Section) { s.Priority = math.MaxInt32 })),

			edge("prefix-stable leaves the reserve to the tail", under("prefix-stable", 100, 30), sized("a", "core", 40),
				with(sized("b", "informational", 31), func(s *Section) { s.Breakpoint = true }), sized("c", "core", 20), sized("d", "informational", 36)),
			edge("prefix-stable charges the separator between head and tail to the tail", under("prefix-stable", 20, 6), sized("a", "informational", 6),
				with(sized("b", "informational", 6), func(s *Section) { s.Breakpoint = true }), sized("c", "core", 4), section("d", "informational", text(""))),
			edge("prefix-stable without a breakpoint is all tail", under("prefix-stable", 20, 15), sized("a", "informational", 20)),
			edge("prefix-stable with a reserve above the budget", under("prefix-stable", 10, 11), with(section("a", "informational", text("")), func(s *Section) { s.Breakpoint = true }), sized("b", "informational", 10)),
			edge("a breakpoint moves to the nearest included section before it", budget(0), sized("a", "core", 1), with(sized("b", "active", 1), func(s *Section) { s.Breakpoint = true }), sized("c", "core", 1)),
			edge("a breakpoint with nothing before it", budget(0), with(sized("b", "active", 1), func(s *Section) { s.Breakpoint = true }), sized("c", "core", 1)),
		},
		characters(), int64s(), large(), refused())
}

// characters are measured by every measure, and joined in every way.
func characters() (vectors []Vector) {
	contents := []Text{
		text("plain"), text("e\u0301 é"), text("漢字かな"), text("😀👩‍👩‍👧🇳🇴"), text("a\r\nb\r\n"), text("\x00"), text("a\rb\r"), text("\ufeffbom"),
		text("\u2028\u0085"), text("\U0010ffff\ufffd"), text("\t \n "), text("<|endoftext|>"), text("İıſK ﬃ"), text("</b> & \"q\" \\"),
	}
	for _, name := range []string{"utf16", "bytes", "runes", "chars/4", "o200k_base", "cl100k_base"} {
		for _, join := range []string{"blank-line", "line", "none"} {
			v := edge("characters in "+name+", joined by "+join, func(c *Config) { c.Measure, c.Join, c.Gate, c.Budget = name, join, "reserved", at(70) })
			for i, content := range contents {
				v.Sections = append(v.Sections, section(string(rune('a'+i)), []string{"core", "active", "informational"}[i%3], content))
			}
			vectors = append(vectors, v)
		}
	}
	return vectors
}

func int64s() []Vector {
	const most = math.MaxInt64
	free := func(change func(*Config)) func(*Config) {
		return func(c *Config) { c.Join = "none"; change(c) }
	}
	return []Vector{
		edge("the largest size and budget", free(budget(most)), charged("a", "informational", most, most)),
		edge("the largest size is one too much", free(budget(most-1)), charged("a", "informational", most, most)),
		edge("the largest size alone brings no separator", under("reserved", most, 0), charged("a", "core", most, most)),
		edge("the largest core, no budget", free(budget(0)), charged("a", "active", 461168601842738791, 0), charged("c", "core", most-461168601842738791, 0)),
		edge("the largest fraction of the largest remainder", free(func(c *Config) { c.Budget, c.ActiveFraction = at(most), "0.999999999999999999" }),
			charged("a", "active", most-9, 0), charged("b", "active", 0, 1)),
		edge("beyond 2^53", free(budget(1<<53+1)), charged("a", "informational", 1<<53+1, 1), charged("b", "informational", 1, 1)),
		edge("the largest max-bytes", free(func(c *Config) { c.MaxBytes = at(most) }), charged("a", "active", 1, most)),
		edge("the least budget", budget(math.MinInt64), charged("a", "core", 1, 1)),
	}
}

func large() []Vector {
	return []Vector{
		edge("a section of 1 MB", budget(1<<20), section("a", "core", times(1<<20/16, "sixteen letters."))),
		edge("a section of 1 MB of emoji does not fit its bytes", func(c *Config) { c.Budget, c.MaxBytes = at(1<<20), at(1<<20-1) },
			with(section("a", "active", times(1<<18, "😀")), func(s *Section) { s.Alternates = []Text{times(1<<17, "é")} })),
		edge("10,000 sections", under("reserved", 100_000, 0), Section{ID: "core-#", Copies: 100, Tier: "core", Content: text("core section #")},
			Section{ID: "active-#", Copies: 4900, Tier: "active", Content: text("active section # says é 漢 😀")},
			Section{ID: "more-#", Copies: 5000, Tier: "informational", Content: text("more #")}),
		edge("10,000 sections, published, no budget", nil, Section{ID: "s#", Copies: 10_000, Tier: "informational", Content: text("#")}),
		edge("a long chain", budget(20_000), Section{ID: "turn-#", Copies: 5000, Tier: "informational", Content: text("turn #"), Chain: "history"}),
	}
}

func refused() []Vector {
	return []Vector{
		edge("refused: an empty id", nil, section("a", "core", text("")), section("", "core", text(""))),
		edge("refused: an id twice", nil, section("a", "core", text("1")), section("b", "core", text("2")), section("a", "active", text("3"))),
		edge("refused: a size below zero", nil, charged("a", "core", -1, 0)),
		edge("refused: bytes below zero", nil, sized("b", "core", 1), charged("a", "core", 0, -1)),
		edge("refused: a reserve below zero", func(c *Config) { c.TailReserve = -1 }),
		edge("refused: a sum of sizes beyond int64", nil, charged("a", "core", math.MaxInt64, 0), charged("b", "active", 1, 0)),
		edge("refused: a sum of bytes beyond int64", nil, charged("a", "core", 0, math.MaxInt64), charged("b", "active", 0, 1)),
		edge("refused: separators make the sum too large", nil, charged("a", "core", math.MaxInt64-1, 0), charged("b", "active", 0, 0)),
		edge("refused: a group on both sides of the last breakpoint", under("prefix-stable", 10, 0),
			with(sized("a", "active", 1), func(s *Section) { s.Group, s.Breakpoint = "g", true }), with(sized("b", "active", 1), func(s *Section) { s.Group = "g" })),
	}
}
