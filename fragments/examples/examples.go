// Package examples holds reference assemblies: small prompts of an invented agent, each contributed by several owners and
// composed under a configuration that makes one rule of package tiers decide. Together they reach every branch of every
// gate. They are there to be read and copied, and they are tests: what becomes of each is kept beside them.
package examples

import (
	"math"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/tiers"
)

// An Example is a registry, whom it is assembled for, and how the assembly is composed.
type Example struct {
	Name    string
	Shows   string // what decides, in one sentence
	Options fragments.Options
	Plugins []fragments.Plugin // registered in the global scope
	Tenant  fragments.Plugin   // registered in the tenant's scope, which the context is for
	Context fragments.AssembleContext
	Config  composer.Config
}

// Assemble makes the registry and assembles it for the context.
func (e Example) Assemble() (fragments.Assembly, error) {
	r, err := fragments.New(e.Options)
	if err != nil {
		return fragments.Assembly{}, err
	}
	for _, p := range e.Plugins {
		if _, err := p.Register(r, fragments.Scope{}); err != nil {
			return fragments.Assembly{}, err
		}
	}
	if _, err := e.Tenant.Register(r, tenant()); err != nil {
		return fragments.Assembly{}, err
	}
	ctx := e.Context
	ctx.Scope = tenant()
	return r.Assemble(ctx)
}

func tenant() fragments.Scope { return fragments.Scope{}.Child("harbour-books") }

// A part is a section in short.
func part(name string, order int, tier tiers.Tier, text string, edits ...func(*fragments.Section)) fragments.Contribution {
	s := fragments.Section{Name: name, Order: order, Tier: tier, Text: text}
	for _, edit := range edits {
		edit(&s)
	}
	return fragments.AddSection(s)
}

func shorter(alternates ...string) func(*fragments.Section) {
	return func(s *fragments.Section) { s.Alternates = alternates }
}
func priority(n int) func(*fragments.Section) { return func(s *fragments.Section) { s.Priority = n } }
func chain(name string) func(*fragments.Section) {
	return func(s *fragments.Section) { s.Chain = name }
}
func group(name string) func(*fragments.Section) {
	return func(s *fragments.Section) { s.Group = name }
}
func breakpoint() func(*fragments.Section) { return func(s *fragments.Section) { s.Breakpoint = true } }
func limit(n int64) tiers.Budget           { return tiers.Limit(n) }
func plugin(name string, cs ...fragments.Contribution) fragments.Plugin {
	return fragments.NewPlugin(name, cs...)
}

// nothing is the fraction 0, which is not the zero Fraction: that stands for the default.
func nothing() tiers.Fraction {
	f, err := tiers.NewFraction(0, 1)
	if err != nil {
		panic(err) // unreachable: 0/1 is a fraction
	}
	return f
}

// shop is what the bookshop's agent is made of, without what single examples add.
func shop() fragments.Plugin {
	return plugin("shop",
		fragments.AddVariable("shop", fragments.StaticValue("the bookshop")),
		part("rules", 10, tiers.Core, "Quote prices with tax. Never promise a delivery date."),
		part("catalogue", 110, tiers.Active, "Search the catalogue before you say that {{shop}} does not have a book.",
			shorter("Search the catalogue first.")),
		part("small-talk", 1000, tiers.Informational, "The shop cat is called Ampersand."))
}

// harbour is what its tenant adds: a name and a persona that shadows the deployment's.
func harbour(more ...fragments.Contribution) fragments.Plugin {
	return plugin("harbour", append([]fragments.Contribution{
		fragments.AddVariable("shop", fragments.StaticValue("Harbour Books")),
		part(fragments.PersonaSection, fragments.OrderPersona, tiers.Core, "You sell books at {{shop}}."),
	}, more...)...)
}

// passages are ranked and cut from the low end: one chain, the higher priority first.
func passages() []fragments.Contribution {
	return []fragments.Contribution{
		part("passage-1", 200, tiers.Informational, "[1] Returns are taken for thirty days, with the receipt.", priority(3), chain("passages")),
		part("passage-2", 201, tiers.Informational, "[2] Signed copies are not taken back, unless a page is missing or printed twice.", priority(2), chain("passages")),
		part("passage-3", 202, tiers.Informational, "[3] Gift wrap is free.", priority(1), chain("passages")),
	}
}

// answered are a call of a tool and its result, which go in together or not at all.
func answered(text string) []fragments.Contribution {
	return []fragments.Contribution{
		part("call-1", 300, tiers.Active, `stock(isbn="978-0")`, group("call-1"), priority(5)),
		part("result-1", 301, tiers.Active, text, group("call-1"), priority(5)),
	}
}

// All returns the examples. Each is made anew: changing one changes no other.
func All() []Example {
	defaults := fragments.Options{Identity: "You are an assistant.", Persona: "You sell books."}
	return []Example{
		{
			Name: "unlimited", Shows: "without a budget everything is in, and the tenant's persona shadows the deployment's",
			Options: defaults, Plugins: []fragments.Plugin{shop()}, Tenant: harbour(),
		},
		{
			Name: "published", Shows: "active sections fit below the ceiling, informational ones below the budget; what does not fit is dropped and the pass goes on",
			Options: defaults, Tenant: harbour(), Config: composer.Config{Budget: limit(235)},
			Plugins: []fragments.Plugin{shop(), plugin("events",
				part("reading", 120, tiers.Active, "On Thursday evenings an author reads; ask who it is and offer a seat."),
				part("hours", 900, tiers.Informational, "Open from nine to six."))},
		},
		{
			Name: "published-late-core", Shows: "the published gate charges core only when the pass comes to it, so core that stands late overflows the budget",
			Options: defaults, Tenant: harbour(), Config: composer.Config{Budget: limit(190)},
			Plugins: []fragments.Plugin{shop(), plugin("law", part("law", 2000, tiers.Core, "Sell no book from the locked shelf to a minor."))},
		},
		{
			Name: "published-core-over-budget", Shows: "core alone exceeds the budget and stays; the ceiling then lies between the two",
			Options: defaults, Plugins: []fragments.Plugin{shop()}, Tenant: harbour(), Config: composer.Config{Budget: limit(40)},
		},
		{
			Name: "far-below-zero", Shows: "a budget that came out of a subtraction far below zero still limits, and lets in core alone",
			Options: defaults, Plugins: []fragments.Plugin{shop()}, Tenant: harbour(), Config: composer.Config{Budget: limit(math.MinInt64)},
		},
		{
			Name: "reserved", Shows: "all core and every separator are charged first, so the budget is kept; the alternate of a section fits where it does not",
			Options: defaults, Tenant: harbour(), Config: composer.Config{Gate: tiers.Reserved, Budget: limit(190)},
			Plugins: []fragments.Plugin{shop(), plugin("law", part("law", 2000, tiers.Core, "Sell no book from the locked shelf to a minor."))},
		},
		{
			Name: "chain", Shows: "passages are offered by rank, and once one is refused no later one of its chain gets in, though it would fit",
			Options: defaults, Plugins: []fragments.Plugin{shop(), plugin("retrieval", passages()...)}, Tenant: harbour(),
			Config: composer.Config{Gate: tiers.Reserved, Budget: limit(240)},
		},
		{
			Name: "chain-condensed", Shows: "a section of a chain that gets in as an alternate closes the chain",
			Options: defaults, Tenant: harbour(), Config: composer.Config{Gate: tiers.Reserved, Budget: limit(190)},
			Plugins: []fragments.Plugin{shop(), plugin("history",
				part("turn-9", 400, tiers.Active, "Customer: do you have the atlas of remote islands, the large one with the maps?", priority(9), chain("turns"),
					shorter("Customer asks for a large atlas of islands, at length.", "Customer asks for an atlas.")),
				part("turn-8", 399, tiers.Active, "Agent: hello.", priority(8), chain("turns")))},
		},
		{
			Name: "group", Shows: "a tool call whose result fits goes in with it",
			Options: defaults, Plugins: []fragments.Plugin{shop(), plugin("calls", answered("3 copies, shelf 12")...)}, Tenant: harbour(),
			Config: composer.Config{Gate: tiers.Reserved, Budget: limit(230)},
		},
		{
			Name: "group-refused", Shows: "a tool call whose result does not fit stays out with it, and the chain that the call is in is closed",
			Options: defaults, Tenant: harbour(), Config: composer.Config{Gate: tiers.Reserved, Budget: limit(230)},
			Plugins: []fragments.Plugin{shop(), plugin("calls",
				part("call-1", 300, tiers.Active, `stock(isbn="978-0")`, group("call-1"), priority(5), chain("turns")),
				part("result-1", 301, tiers.Active, "A list of every shop that has it, with shelf, condition, price and the name of whoever put it there last spring.", group("call-1"), priority(5)),
				part("turn-1", 299, tiers.Active, "Customer: hello.", priority(4), chain("turns")))},
		},
		{
			Name: "group-of-core", Shows: "core ignores its group and its chain",
			Options: defaults, Tenant: harbour(), Config: composer.Config{Gate: tiers.Reserved, Budget: limit(160)},
			Plugins: []fragments.Plugin{shop(), plugin("calls",
				part("pinned-call", 300, tiers.Core, `stock(isbn="978-0")`, group("pinned"), chain("turns")),
				part("pinned-result", 301, tiers.Active, "A result that is much too long for the room that is left here.", group("pinned"), chain("turns")))},
		},
		{
			Name: "bytes", Shows: "a section that fits the budget in UTF-16 units does not fit a limit in bytes",
			Options: defaults, Tenant: harbour(), Config: composer.Config{Gate: tiers.Reserved, Budget: limit(400), MaxBytes: limit(230)},
			Plugins: []fragments.Plugin{shop(), plugin("languages",
				part("greeting", 130, tiers.Active, "いらっしゃいませ。本をお探しですか。", shorter("いらっしゃいませ。どうぞ。")))},
		},
		{
			Name: "bytes-overflow", Shows: "core alone exceeds the limit in bytes",
			Options: defaults, Plugins: []fragments.Plugin{shop()}, Tenant: harbour(part("motto", 5, tiers.Core, "本は友だち。")),
			Config: composer.Config{MaxBytes: limit(20)},
		},
		{
			Name: "prefix-stable", Shows: "the head is gated without looking at the tail, and leaves a reserve for it",
			Options: defaults, Tenant: harbour(), Config: composer.Config{Gate: tiers.PrefixStable, Budget: limit(300), TailReserve: 60},
			Plugins: []fragments.Plugin{shop(), plugin("cache",
				part("shelf-plan", 150, tiers.Active, "Novels stand upstairs, maps by the door.", breakpoint()),
				part("question", 3000, tiers.Core, "Where are the maps?")), plugin("retrieval", passages()...)},
		},
		{
			Name: "prefix-stable-no-room", Shows: "a reserve larger than the budget leaves the head nothing but core, and the tail what core left",
			Options: defaults, Tenant: harbour(), Config: composer.Config{Gate: tiers.PrefixStable, Budget: limit(170), TailReserve: 500},
			Plugins: []fragments.Plugin{shop(), plugin("cache",
				part("shelf-plan", 150, tiers.Active, "Novels stand upstairs, maps by the door.", breakpoint()),
				part("question", 3000, tiers.Informational, "Where are the maps?"))},
		},
		{
			Name: "by-depth", Shows: "the budget comes from the agent's depth; a gate on the role adds a section",
			Options: defaults, Tenant: harbour(), Context: fragments.AssembleContext{Role: "buyer"},
			Plugins: []fragments.Plugin{shop(), plugin("roles",
				fragments.Scoped(fragments.Match{Role: "buyer"}, fragments.ReplaceCore("core.role-condensed-template", "You buy, you do not sell.")),
				fragments.Scoped(fragments.Match{Role: "seller"}, fragments.ReplaceCore("core.rules-condensed-template", "You sell, you do not buy.")))},
			Config: composer.Config{Resolver: tiers.ByDepth(400, 200, 150), Depth: 7, Measure: measure.Bytes(), Join: composer.Line},
		},
		{
			Name: "fraction", Shows: "no share of what core leaves is for active sections, all of it for informational ones",
			Options: defaults, Plugins: []fragments.Plugin{shop()}, Tenant: harbour(),
			Config: composer.Config{Budget: limit(1000), ActiveFraction: nothing()},
		},
		{
			Name: "no-depth", Shows: "a resolver without an answer leaves the budget open",
			Options: defaults, Plugins: []fragments.Plugin{shop()}, Tenant: harbour(), Config: composer.Config{Resolver: tiers.ByDepth(), Depth: -1},
		},
	}
}
