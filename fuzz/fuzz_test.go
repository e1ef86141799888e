package fuzz_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/fragments/template"
	"github.com/quirehq/quire/fuzz"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/tiers"
)

func TestInputsAreAccepted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := fuzz.Inputs(8).Draw(t, "input")
		if len(in.Sections) > 8 {
			t.Fatalf("%d sections, want at most 8", len(in.Sections))
		}
		if _, err := in.Compose(); err != nil {
			t.Fatal(err)
		}
	})
}

// What never comes up is never tried.
func TestInputsHaveEverything(t *testing.T) {
	seen := map[string]int{}
	inputs := fuzz.Inputs(8)
	for seed := range 1000 {
		in := inputs.Example(seed)
		c, err := in.Compose()
		if err != nil {
			t.Fatal(err)
		}
		seen[in.Config.Gate.String()]++
		seen[in.Config.Measure.Name()]++
		for _, d := range c.Decisions() {
			seen[d.Reason.String()]++
			if d.Alternate > 0 {
				seen["alternate"]++
			}
		}
		if c.Overflow() > 0 {
			seen["overflow"]++
		}
		if len(c.Breakpoints()) > 1 {
			seen["breakpoints"]++
		}
	}
	for _, want := range slices.Concat(measure.Names(), []string{"published", "reserved", "prefix-stable", "core", "fits", "over-ceiling", "over-budget",
		"over-bytes", "group", "chain", "alternate", "overflow", "breakpoints"}) {
		if seen[want] < 20 {
			t.Errorf("%s was drawn %d times in 1,000 inputs, want 20 at least", want, seen[want])
		}
	}
}

func TestHostileInputsAreRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := fuzz.HostileInputs(6).Draw(t, "input")
		if _, err := in.Compose(); !errors.Is(err, in.Want) {
			t.Fatalf("%s: error %v, want %v", in.Flaw, err, in.Want)
		}
	})
}

func TestInputsPrintAsSource(t *testing.T) {
	half, err := tiers.NewFraction(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	in := fuzz.Input{
		Sections: []composer.Section{
			{ID: "a"},
			{ID: "b\n", Content: "x", Tier: tiers.Active, Cost: tiers.Charged(0, 3), Alternates: []string{"y"}, Priority: -1, Chain: "c", Group: "g", Breakpoint: true},
			{ID: "c", Tier: 9},
		},
		Config: composer.Config{Gate: tiers.PrefixStable, Measure: measure.QuarterTokens(), Budget: tiers.Limit(0), TailReserve: 2,
			Join: composer.NoJoin, ActiveFraction: half},
	}
	want := `fuzz.Input{
Sections: []composer.Section{
	{ID: "a"},
	{ID: "b\n", Content: "x", Tier: tiers.Active, Cost: tiers.Charged(0, 3), Alternates: []string{"y"}, Priority: -1, Chain: "c", Group: "g", Breakpoint: true},
	{ID: "c", Tier: 9},
},
Config: composer.Config{Gate: tiers.PrefixStable, Measure: measure.QuarterTokens(), Budget: tiers.Limit(0), TailReserve: 2, Join: composer.NoJoin} /* ActiveFraction: 1/2 */}`
	if diff := cmp.Diff(want, fmt.Sprintf("%#v", in)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got, want := fmt.Sprintf("%#v", fuzz.Input{}), "fuzz.Input{\nSections: []composer.Section{\n},\nConfig: composer.Config{}}"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if text := fuzz.Texts(4).Draw(t, "text"); !utf8.ValidString(text) {
			t.Errorf("%q", text)
		}
		if text := fuzz.HostileTexts(4).Draw(t, "hostile text"); utf8.ValidString(text) {
			t.Errorf("%q", text)
		}
	})
}

func TestSessionsAreWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, m := range fuzz.Sessions(5).Draw(t, "session") {
			src, err := m.AppendJSON(nil)
			if err != nil {
				t.Fatalf("%+v: %v", m, err)
			}
			if _, err := messages.ParseMessage(src); err != nil {
				t.Fatalf("%s: %v", src, err)
			}
		}
		if _, err := fuzz.Prompts(5).Draw(t, "prompt").Assemble(messages.Options{}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestHostileSessionsAreRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := messages.Prompt{Groups: messages.Groups{History: fuzz.HostileSessions(5).Draw(t, "session")}}
		if _, err := p.Assemble(messages.Options{}); err == nil {
			t.Fatal("accepted")
		}
	})
}

func TestRegistrationsGoTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		registrations := rapid.Permutation(fuzz.Registrations(20).Draw(t, "registrations")).Draw(t, "in another order")
		registry, err := fuzz.NewRegistry(registrations)
		if err != nil {
			t.Fatal(err)
		}
		for _, scope := range []fragments.Scope{{}, fragments.Scope{}.Child("a"), fragments.Scope{}.Child("b")} {
			assembly, err := registry.Assemble(fragments.AssembleContext{Scope: scope, Role: rapid.SampledFrom([]string{"", "r"}).Draw(t, "role")})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := assembly.Render(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestTemplatesRender(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tpl := fuzz.Templates(8).Draw(t, "template")
		if got, err := template.Render(tpl.Text, tpl.Values); err != nil || got != tpl.Want {
			t.Errorf("%q renders to %q, %v; want %q", tpl.Text, got, err, tpl.Want)
		}
		bad := fuzz.HostileTemplates(4).Draw(t, "hostile template")
		if got, err := template.Render(bad.Text, bad.Values); err == nil {
			t.Errorf("%q renders to %q", bad.Text, got)
		}
	})
}

// The compile functions of this module keep their laws.

func compose(in fuzz.Input) (composer.Composition, error) { return in.Compose() }

// assemble is the front end for messages.
func assemble(p messages.Prompt) (composer.Composition, error) {
	a, err := p.Assemble(messages.Options{})
	return a.Composition, err
}

// compilation is assemble with what it takes to make it again.
func compilation(p messages.Prompt) (composer.Compilation, error) {
	a, err := p.Assemble(messages.Options{})
	return a.Compilation(), err
}

// collect and render are the front end for registries.
func collect(registrations []fuzz.Registration) (fragments.Assembly, error) {
	registry, err := fuzz.NewRegistry(registrations)
	if err != nil {
		return fragments.Assembly{}, err
	}
	return registry.Assemble(fragments.AssembleContext{Scope: fragments.Scope{}.Child("a"), Role: "r"})
}

func render(registrations []fuzz.Registration) (composer.Composition, error) {
	assembly, err := collect(registrations)
	if err != nil {
		return composer.Composition{}, err
	}
	return assembly.Compose(composer.Config{})
}

func TestComposer(t *testing.T) {
	t.Run("deterministic", func(t *testing.T) { fuzz.CheckDeterministic(t, fuzz.Inputs(10), compose) })
	t.Run("accounted", func(t *testing.T) { fuzz.CheckAccounted(t, fuzz.Inputs(10), fuzz.Input.IDs, compose) })
	t.Run("replay", func(t *testing.T) { fuzz.CheckReplay(t, fuzz.Inputs(8), compose) })
	t.Run("robust", func(t *testing.T) {
		fuzz.CheckRobust(t, fuzz.HostileInputs(6), func(in fuzz.HostileInput) (composer.Composition, error) { return in.Compose() })
	})
	for _, gate := range []tiers.Gate{tiers.Reserved, tiers.PrefixStable} {
		t.Run("within budget, "+gate.String(), func(t *testing.T) {
			fuzz.CheckWithinBudget(t, fuzz.Inputs(10), func(in fuzz.Input, budget tiers.Budget) (composer.Composition, error) {
				in.Config.Gate, in.Config.Budget, in.Config.TailReserve = gate, budget, 0
				if gate == tiers.PrefixStable { // no tail: the whole is the head
					in.Sections = slices.Clone(in.Sections)
					for i := range in.Sections {
						in.Sections[i].Breakpoint = i == len(in.Sections)-1
					}
				}
				return in.Compose()
			})
		})
	}
	t.Run("prefix stable", func(t *testing.T) { fuzz.CheckPrefixStable(t, fuzz.Heads(6), fuzz.Tails(6), withTail) })
}

func withTail(head fuzz.Input, tail []composer.Section) (composer.Composition, error) {
	return composer.Compose(slices.Concat(head.Sections, tail), head.Config)
}

func TestMessages(t *testing.T) {
	t.Run("deterministic", func(t *testing.T) { fuzz.CheckDeterministic(t, fuzz.Prompts(5), assemble) })
	t.Run("replay", func(t *testing.T) {
		fuzz.CheckReplayCompilation(t, fuzz.Prompts(5), compilers, compilation)
	})
	t.Run("within budget", func(t *testing.T) {
		fuzz.CheckWithinBudget(t, fuzz.Prompts(6), func(p messages.Prompt, budget tiers.Budget) (composer.Composition, error) {
			var o messages.Options
			if n, limited := budget.Value(); limited {
				o.Budget = &messages.Budget{MaxInputTokens: tiers.Limit(n)}
			}
			a, err := p.Assemble(o)
			return a.Composition, err
		})
	})
	t.Run("robust", func(t *testing.T) {
		fuzz.CheckRobust(t, fuzz.HostileSessions(6), func(session []messages.Message) (composer.Composition, error) {
			return assemble(messages.Prompt{Groups: messages.Groups{History: session}})
		})
	})
}

func TestFragments(t *testing.T) {
	t.Run("deterministic", func(t *testing.T) { fuzz.CheckDeterministic(t, fuzz.Registrations(20), render) })
	t.Run("order free", func(t *testing.T) { fuzz.CheckOrderFree(t, fuzz.Registrations(20), render) })
	t.Run("replay", func(t *testing.T) {
		fuzz.CheckReplayCompilation(t, fuzz.Registrations(20), compilers, func(registrations []fuzz.Registration) (composer.Compilation, error) {
			assembly, err := collect(registrations)
			if err != nil {
				return composer.Compilation{}, err
			}
			c, err := assembly.Compile(composer.Config{Gate: tiers.Reserved, Budget: tiers.Limit(40)})
			return c, err
		})
	})
}

// An exchange is what the front end for requests is given: a session, its last message the question.
func exchange(session []messages.Message) (request.Result, error) {
	assembler, err := request.New(request.Config{Model: request.Model{Name: "m", ContextTokens: 120}, Reserve: 20, Caching: true})
	if err != nil {
		return request.Result{}, err
	}
	return assembler.Build(request.Input{
		Template: request.ParseTemplate("You answer.\n{output_format}{cacheBreakpoint}\nToday is {today}.\n{memory}{chunks}", nil),
		Now:      time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		Chunks:   []request.Chunk{{ID: "a", Text: "One fact.", Rank: 2}, {ID: "b", Text: "Another.", Rank: 1}},
		History:  session,
		Question: messages.TextMessage(messages.User, "Which?"),
	})
}

func TestRequest(t *testing.T) {
	t.Run("deterministic", func(t *testing.T) {
		fuzz.CheckDeterministic(t, fuzz.Sessions(6), func(session []messages.Message) (composer.Composition, error) {
			res, err := exchange(session)
			return res.Composition, err
		})
	})
	t.Run("replay", func(t *testing.T) {
		fuzz.CheckReplayCompilation(t, fuzz.Sessions(6), compilers, func(session []messages.Message) (composer.Compilation, error) {
			res, err := exchange(session)
			return res.Compilation(), err
		})
	})
	t.Run("prefix stable", func(t *testing.T) {
		fuzz.CheckPrefixStable(t, rapid.Just("the template"), fuzz.Sessions(6), func(_ string, session []messages.Message) (composer.Composition, error) {
			res, err := exchange(session)
			return res.Composition, err
		})
	})
	t.Run("robust", func(t *testing.T) {
		fuzz.CheckRobust(t, fuzz.HostileSessions(6), func(session []messages.Message) (composer.Composition, error) {
			res, err := exchange(session)
			return res.Composition, err
		})
	})
}

var compilers = map[string]replay.Compiler{
	messages.KindMessages:   messages.CompileRecipe,
	fragments.KindFragments: fragments.CompileRecipe,
	request.KindRequest:     request.CompileRecipe,
}
