package fuzz_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fuzz"
	"github.com/quirehq/quire/tiers"
)

// A Turn is what a program knows when it asks a model.
type Turn struct {
	Rules    string
	Notes    []string
	Question string
}

// prompt is the compile function of that program: the rules always, the notes as long as there is room, the question.
// A cache prefix ends after the rules.
func prompt(turn Turn, budget tiers.Budget) (composer.Composition, error) {
	sections := []composer.Section{{ID: "rules", Content: turn.Rules, Breakpoint: true}}
	for i, note := range turn.Notes {
		sections = append(sections, composer.Section{
			ID: fmt.Sprintf("note %d", i+1), Content: note, Tier: tiers.Informational, Priority: i, Chain: "notes", // the newest first
		})
	}
	sections = append(sections, composer.Section{ID: "question", Content: turn.Question})
	return composer.Compose(sections, composer.Config{Gate: tiers.Reserved, Budget: budget})
}

// turns draws inputs of that program: texts come from package fuzz, which knows what texts can be mistaken about.
func turns() *rapid.Generator[Turn] {
	return rapid.Custom(func(t *rapid.T) Turn {
		return Turn{
			Rules:    fuzz.Texts(5).Draw(t, "rules"),
			Notes:    rapid.SliceOfN(fuzz.Texts(5), 0, 8).Draw(t, "notes"),
			Question: fuzz.Texts(5).Draw(t, "question"),
		}
	})
}

// The regression suite of that program. It is a test of this package too.
func TestPrompt(t *testing.T) {
	unlimited := func(turn Turn) (composer.Composition, error) { return prompt(turn, tiers.Budget{}) }
	t.Run("deterministic", func(t *testing.T) { fuzz.CheckDeterministic(t, turns(), unlimited) })
	t.Run("within budget", func(t *testing.T) { fuzz.CheckWithinBudget(t, turns(), prompt) })
	t.Run("replay", func(t *testing.T) { fuzz.CheckReplay(t, turns(), unlimited) })
	t.Run("accounted", func(t *testing.T) {
		fuzz.CheckAccounted(t, turns(), func(turn Turn) []string {
			ids := []string{"rules", "question"}
			for i := range turn.Notes {
				ids = append(ids, fmt.Sprintf("note %d", i+1))
			}
			return ids
		}, unlimited)
	})
	t.Run("prefix stable", func(t *testing.T) {
		heads := fuzz.Texts(5)
		fuzz.CheckPrefixStable(t, heads, turns(), func(rules string, turn Turn) (composer.Composition, error) {
			turn.Rules = rules // the same for every turn of a session
			return prompt(turn, tiers.Limit(200))
		})
	})
}

// The same laws as native fuzz targets, which keep what they find in testdata.
func FuzzPrompt(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { fuzz.CheckWithinBudget(t, turns(), prompt) }))
}

func Example() {
	// In a test file of your own, where t is the *testing.T of the test and prompt is what builds your prompts:
	//
	//	fuzz.CheckDeterministic(t, turns(), prompt)
	//
	// The generators draw plain values, which can be looked at.
	in := fuzz.Inputs(3).Example(1)
	c, err := in.Compose()
	fmt.Println(len(in.Sections) <= 3, c.Len() == int64(len(c.Text())), err)
	// Output: true true <nil>
}
