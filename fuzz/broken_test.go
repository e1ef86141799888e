package fuzz_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/fuzz"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/tiers"
)

// A broken compile function and the check that must find it out, in words that say what is wrong.
type broken struct {
	name  string
	check func(t *testing.T)
	says  string // a regular expression that the report must match
}

// note puts one more section in front of an input.
func note(in fuzz.Input, content string) (composer.Composition, error) {
	in.Sections = slices.Insert(slices.Clone(in.Sections), 0, composer.Section{ID: "note", Content: content})
	return in.Compose()
}

func deterministic(compile func(fuzz.Input) (composer.Composition, error)) func(*testing.T) {
	return func(t *testing.T) { fuzz.CheckDeterministic(t, fuzz.Inputs(6), compile) }
}

func withinBudget(compile func(fuzz.Input, tiers.Budget) (composer.Composition, error)) func(*testing.T) {
	return func(t *testing.T) { fuzz.CheckWithinBudget(t, fuzz.Inputs(6), compile) }
}

func accounted(compile func(fuzz.Input) (composer.Composition, error)) func(*testing.T) {
	return func(t *testing.T) { fuzz.CheckAccounted(t, fuzz.Inputs(6), fuzz.Input.IDs, compile) }
}

func robust(compile func(fuzz.HostileInput) (composer.Composition, error)) func(*testing.T) {
	return func(t *testing.T) { fuzz.CheckRobust(t, fuzz.HostileInputs(4), compile) }
}

var calls atomic.Int64

func brokenOnes() []broken {
	return []broken{
		{"the order of a map", deterministic(func(in fuzz.Input) (composer.Composition, error) {
			byID := map[string]composer.Section{}
			for _, s := range in.Sections {
				byID[s.ID] = s
			}
			in.Sections = nil
			for _, s := range byID {
				s.Group = ""
				in.Sections = append(in.Sections, s)
			}
			return in.Compose()
		}), `compiled twice, .* and gave (two texts, which differ from byte|one text twice, decided in two ways)`},
		{"the time", deterministic(func(in fuzz.Input) (composer.Composition, error) {
			return note(in, time.Now().String())
		}), `compiled twice, .* and gave two texts, which differ from byte`},
		{"the day", deterministic(func(in fuzz.Input) (composer.Composition, error) {
			return note(in, time.Now().UTC().Format(time.DateOnly))
		}), `(?s)with 400 days between, and gave two texts, which differ from byte 3 on:\s*"2000-01-01.*content_changed`},
		{"how often it was called", deterministic(func(in fuzz.Input) (composer.Composition, error) {
			return note(in, fmt.Sprint(calls.Add(1)))
		}), `one call after the other, and gave two texts, which differ`},
		{"what was compiled before", func() func(*testing.T) {
			var last string
			return deterministic(func(in fuzz.Input) (composer.Composition, error) {
				id := fmt.Sprint(in.IDs())
				fresh := id != last
				last = id
				if fresh && len(in.Sections) > 0 {
					return note(in, "new to me")
				}
				return note(in, "known")
			})
		}(), `compiled twice, .*, and gave two texts, which differ`},
		{"a priority by the clock, in the recipe alone", deterministic(func(in fuzz.Input) (composer.Composition, error) {
			in.Config.Budget, in.Config.MaxBytes = tiers.Budget{}, tiers.Budget{}
			in.Sections = append(slices.Clone(in.Sections), composer.Section{ID: "late", Priority: int(time.Now().UnixNano() % 1000)})
			return in.Compose()
		}), `gave one text twice, decided in two ways`},
		{"an error by the clock", deterministic(func(in fuzz.Input) (composer.Composition, error) {
			return composer.Composition{}, fmt.Errorf("at %v", time.Now())
		}), `gave two errors`},
		{"it changes its input", deterministic(func(in fuzz.Input) (composer.Composition, error) {
			for i := range in.Sections {
				if len(in.Sections[i].Alternates) > 0 {
					in.Sections[i].Alternates[0] += "!"
				}
			}
			return in.Compose()
		}), `compile changed its input; it was`},
		{"it sorts its input in place", deterministic(func(in fuzz.Input) (composer.Composition, error) {
			slices.Reverse(in.Sections)
			in.Config.Gate = tiers.Reserved
			return in.Compose()
		}), `compile changed its input; it was`},
		{"it panics", deterministic(func(in fuzz.Input) (composer.Composition, error) {
			if len(in.Sections) > 3 {
				panic("too many")
			}
			return in.Compose()
		}), `compile panicked: too many`},
		{"it refuses everything", deterministic(func(in fuzz.Input) (composer.Composition, error) {
			return composer.Composition{}, fmt.Errorf("not today")
		}), `nothing was shown: compile refused every input; its last error: not today`},

		{"the published gate", withinBudget(func(in fuzz.Input, budget tiers.Budget) (composer.Composition, error) {
			in.Config.Gate, in.Config.Budget = tiers.Published, budget
			return in.Compose()
		}), `are emitted under a budget of .*gate published`},
		{"no budget at all", withinBudget(func(in fuzz.Input, _ tiers.Budget) (composer.Composition, error) {
			in.Config.Gate, in.Config.Budget = tiers.Reserved, tiers.Budget{}
			return in.Compose()
		}), `are emitted under a budget of .*effective budget unlimited`},
		{"a budget of 0 that is taken for none", withinBudget(func(in fuzz.Input, budget tiers.Budget) (composer.Composition, error) {
			if n, _ := budget.Value(); n == 0 {
				budget = tiers.Budget{}
			}
			in.Config.Gate, in.Config.Budget = tiers.Reserved, budget
			return in.Compose()
		}), `are emitted under a budget of 0`},
		{"one more than the budget", withinBudget(func(in fuzz.Input, budget tiers.Budget) (composer.Composition, error) {
			if n, limited := budget.Value(); limited {
				budget = tiers.Limit(n + 1)
			}
			in.Config.Gate, in.Config.Budget = tiers.Reserved, budget
			return in.Compose()
		}), `are emitted under a budget of`},
		{"it refuses a budget that core fits", withinBudget(func(in fuzz.Input, budget tiers.Budget) (composer.Composition, error) {
			in.Config.Gate, in.Config.Budget = tiers.Reserved, budget
			c, err := in.Compose()
			if err == nil && len(c.Dropped()) > 0 {
				return composer.Composition{}, fmt.Errorf("does not fit")
			}
			return c, err
		}), `was refused, though core takes`},

		{"the published gate, behind a head", func(t *testing.T) {
			fuzz.CheckPrefixStable(t, fuzz.Heads(5), fuzz.Tails(5), func(head fuzz.Input, tail []composer.Section) (composer.Composition, error) {
				head.Config.Gate = tiers.Published
				return withTail(head, tail)
			})
		}, `another tail changes what stands before the last breakpoint`},
		{"a table of contents ahead of it all", func(t *testing.T) {
			fuzz.CheckPrefixStable(t, fuzz.Heads(5), fuzz.Tails(5), func(head fuzz.Input, tail []composer.Section) (composer.Composition, error) {
				contents := composer.Section{ID: "contents", Content: fmt.Sprint(len(tail), " more")}
				head.Sections = slices.Insert(slices.Clone(head.Sections), 0, contents)
				return withTail(head, tail)
			})
		}, `another tail changes what stands before the last breakpoint`},
		{"no breakpoint", func(t *testing.T) {
			fuzz.CheckPrefixStable(t, fuzz.Heads(5), fuzz.Tails(5), func(head fuzz.Input, tail []composer.Section) (composer.Composition, error) {
				head.Sections = slices.Clone(head.Sections)
				for i := range head.Sections {
					head.Sections[i].Breakpoint = false
				}
				return withTail(head, tail)
			})
		}, `nothing was shown: .* no composition had a breakpoint`},

		{"the order of registration", func(t *testing.T) {
			fuzz.CheckOrderFree(t, fuzz.Registrations(12), func(all []fuzz.Registration) (composer.Composition, error) {
				in := fuzz.Input{}
				for i, r := range all {
					if r.Kind == fragments.KindSection {
						in.Sections = append(in.Sections, composer.Section{ID: fmt.Sprint(r.Name, r.Scope, i), Content: r.Text})
					}
				}
				return in.Compose()
			})
		}, `came in another order, and gave`},
		{"the last registration wins", func(t *testing.T) {
			fuzz.CheckOrderFree(t, fuzz.Registrations(12), func(all []fuzz.Registration) (composer.Composition, error) {
				texts := map[string]string{}
				for _, r := range all {
					texts[r.Name] = r.Text
				}
				in := fuzz.Input{}
				for _, name := range []string{"a", "b", "c", "d"} {
					in.Sections = append(in.Sections, composer.Section{ID: name, Content: texts[name]})
				}
				return in.Compose()
			})
		}, `came in another order, and gave two texts, which differ`},

		{"empty sections are left out", accounted(func(in fuzz.Input) (composer.Composition, error) {
			in.Sections = slices.DeleteFunc(slices.Clone(in.Sections), func(s composer.Section) bool { return s.Content == "" })
			return in.Compose()
		}), `was dropped without a decision`},
		{"the last ones are cut off", accounted(func(in fuzz.Input) (composer.Composition, error) {
			in.Sections = in.Sections[:min(len(in.Sections), 3)]
			return in.Compose()
		}), `was dropped without a decision`},
		{"a section of its own", accounted(func(in fuzz.Input) (composer.Composition, error) {
			return note(in, "hello")
		}), `section "note" has a decision, and is none of the input's`},

		{"a counter, recorded", func(t *testing.T) {
			fuzz.CheckReplay(t, fuzz.Inputs(5), func(in fuzz.Input) (composer.Composition, error) {
				return note(in, fmt.Sprint(calls.Add(1)))
			})
		}, `compiled again, is not what was recorded`},
		{"a compiler that makes something else of the recipe", func(t *testing.T) {
			compilers := map[string]replay.Compiler{messages.KindMessages: func([]byte, func(fingerprint.Digest) (string, error)) (composer.Composition, error) {
				return composer.Compose([]composer.Section{{ID: "x", Content: "something else"}}, composer.Config{})
			}}
			fuzz.CheckReplayCompilation(t, fuzz.Prompts(3), compilers, compilation)
		}, `what was recorded is not what its recipe gives`},
		{"no compiler for the recipe", func(t *testing.T) {
			fuzz.CheckReplayCompilation(t, fuzz.Prompts(3), compilers, func(p messages.Prompt) (composer.Compilation, error) {
				c, err := compilation(p)
				c.Kind = "of nobody"
				return c, err
			})
		}, `what was recorded is not what its recipe gives`},

		{"it panics on what is hostile", robust(func(in fuzz.HostileInput) (composer.Composition, error) {
			c, err := in.Compose()
			if err != nil {
				panic(err)
			}
			return c, nil
		}), `compile panicked: composer: `},
		{"an error without a message", robust(func(in fuzz.HostileInput) (composer.Composition, error) {
			return composer.Composition{}, silent{}
		}), `an error without a message`},
		{"an error with the time", robust(func(in fuzz.HostileInput) (composer.Composition, error) {
			return composer.Composition{}, fmt.Errorf("%v: bad", time.Now())
		}), `hostile input gave two errors`},
	}
}

type silent struct{}

func (silent) Error() string { return "" }

const inChild = "QUIRE_TEST_FUZZ_BROKEN"

// TestBroken runs every check on a compile function that is broken in one way, in a process of its own, for there they
// must fail: as in a user's suite, with a *testing.T.
func TestBroken(t *testing.T) {
	if os.Getenv(inChild) != "" {
		for _, b := range brokenOnes() {
			t.Run(b.name, b.check)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Skipf("processes cannot be started: %v", err)
	}
	child := exec.Command(self, "-test.run=^TestBroken$", "-test.v", "-test.short=false", "-rapid.nofailfile", "-rapid.shrinktime=1s", "-rapid.checks=3000") // some faults show in one of a hundred draws
	child.Env = append(os.Environ(), inChild+"=1")
	out, _ := child.CombinedOutput() // it fails, or the test below does
	reports := map[string]string{}
	for report := range strings.SplitSeq(string(out), "=== RUN   TestBroken/") {
		name, rest, _ := strings.Cut(report, "\n")
		reports[name], _, _ = strings.Cut(rest, "\n--- ")
	}
	for _, b := range brokenOnes() {
		t.Run(b.name, func(t *testing.T) {
			report := reports[strings.ReplaceAll(b.name, " ", "_")]
			if !strings.Contains(string(out), "--- FAIL: TestBroken/"+strings.ReplaceAll(b.name, " ", "_")+" ") {
				t.Fatalf("it was not caught:\n%s", report)
			}
			if !regexp.MustCompile(b.says).MatchString(report) {
				t.Errorf("the report does not match %q:\n%s", b.says, report)
			}
			if strings.Contains(b.says, "nothing was shown") {
				return // there is no counterexample to print
			}
			if !strings.Contains(report, "[rapid] draw ") {
				t.Errorf("the report shows no input:\n%s", report)
			}
		})
	}
}
