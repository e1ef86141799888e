package composer_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

func ExampleCompose() {
	c, err := composer.Compose([]composer.Section{
		{ID: "persona", Content: "You are a careful assistant."},
		{ID: "rules", Content: "Cite a source for every claim.", Tier: tiers.Active},
		{ID: "history", Content: strings.Repeat("An old remark. ", 20), Tier: tiers.Informational, Alternates: []string{"(history left out)"}},
	}, composer.Config{Gate: tiers.Reserved, Budget: tiers.Limit(100)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Text())
	fmt.Println(c.Fingerprint())
	// Output:
	// You are a careful assistant.
	//
	// Cite a source for every claim.
	//
	// (history left out)
	// 995eb7e30ba40868d5e870befe77fc209b4b029d34d47b328288464f12859fd5
}

func ExampleCompose_errors() {
	_, err := composer.Compose([]composer.Section{{ID: "a"}, {ID: "b", Content: "caf\xe9"}}, composer.Config{})
	fmt.Println(err)
	// Output: composer: section 2 ("b"): content: invalid UTF-8 at byte 3
}

func ExampleBuildPromptBuiltEvent() {
	c, _ := composer.Compose([]composer.Section{
		{ID: "persona", Content: "You are careful."},
		{ID: "notes", Content: "A long note that does not fit.", Tier: tiers.Informational},
	}, composer.Config{Budget: tiers.Limit(20)})
	event, _ := json.Marshal(composer.BuildPromptBuiltEvent(c))
	fmt.Println(string(event))
	// Output: {"sections":1,"totalChars":16,"totalTokensEst":4,"budgetUsedPct":80,"effectiveBudget":20,"sectionChars":{"persona":16},"dropped":["notes"],"droppedChars":{"notes":30}}
}

// Why is a section not in? Its decision says what it was held against and what was charged before it.
func ExampleComposition_Decisions() {
	c, _ := composer.Compose([]composer.Section{
		{ID: "core", Content: strings.Repeat("c", 60)},
		{ID: "active", Content: strings.Repeat("a", 39), Tier: tiers.Active},
	}, composer.Config{Budget: tiers.Limit(100)})
	for _, d := range c.Decisions() {
		fmt.Printf("%s: %v, %d + %d against %v\n", d.ID, d.Reason, d.Before, d.Size, d.Limit)
	}
	// Output:
	// core: core, 0 + 60 against unlimited
	// active: over-ceiling, 60 + 39 against 98
}

// What a provider caches are prefixes. They are named by their bytes alone, so two prompts that begin alike share them.
func ExampleComposition_Breakpoints() {
	prompt := func(question string) composer.Composition {
		c, _ := composer.Compose([]composer.Section{
			{ID: "system", Content: "Answer in one sentence.", Breakpoint: true},
			{ID: "question", Content: question},
		}, composer.Config{Gate: tiers.PrefixStable})
		return c
	}
	a, b := prompt("Why is the sky blue?"), prompt("What is a quire?")
	fmt.Println(a.Fingerprint() == b.Fingerprint(), a.Breakpoints()[0] == b.Breakpoints()[0])
	// Output: false true
}

func ExampleComposition_AppendText() {
	c, _ := composer.Compose([]composer.Section{{ID: "a", Content: "one"}, {ID: "b", Content: "two"}}, composer.Config{Join: composer.Line})
	buf := make([]byte, 0, 4096) // kept from call to call
	buf = c.AppendText(buf[:0])
	fmt.Printf("%q\n", buf)
	// Output: "one\ntwo"
}

func ExampleComposition_Rebudget() {
	c, _ := composer.Compose([]composer.Section{
		{ID: "core", Content: "core"},
		{ID: "more", Content: "more", Tier: tiers.Informational},
	}, composer.Config{})
	smaller, _ := c.Rebudget(tiers.Limit(6))
	fmt.Println(c.Included(), smaller.Included())
	// Output: [core more] [core]
}

func ExampleComposition_Explain() {
	c, _ := composer.Compose([]composer.Section{
		{ID: "notes", Content: strings.Repeat("n", 90), Tier: tiers.Active},
		{ID: "persona", Content: strings.Repeat("p", 60)},
	}, composer.Config{Budget: tiers.Limit(100)})
	explanation := c.Explain()
	for _, cause := range explanation.Causes {
		fmt.Println(cause.Amount, cause.Code)
	}
	fmt.Println(explanation.Warning())
	// Output:
	// 50 core-late
	// 2 separators-uncharged
	// the published gate exceeds the budget of 100 by 52 utf16 though core fits; gate reserved keeps within it
}

func ExampleExplanation_Table() {
	c, _ := composer.Compose([]composer.Section{
		{ID: "persona", Content: strings.Repeat("p", 50)},
		{ID: "notes", Content: strings.Repeat("n", 60), Tier: tiers.Informational},
	}, composer.Config{Budget: tiers.Limit(100)})
	fmt.Print(c.Explain().Table())
	// Output:
	// SECTION  TIER           SIZE  VERDICT               LIMIT  BEFORE  SHARE
	// persona  core           50    in: core              -      0       ##########
	// notes    informational  60    dropped: over-budget  100    50
	//
	// 1 of 2 sections, 50 utf16 + 0 of separators; budget 100, gate published
}

// A recipe and the contents give the same bytes on any machine, without what measured them.
func ExampleRecipe_Compose() {
	sections := []composer.Section{{ID: "a", Content: "one"}, {ID: "b", Content: "two", Tier: tiers.Active}}
	c, _ := composer.Compose(sections, composer.Config{Budget: tiers.Limit(100)})
	contents := map[fingerprint.Digest]string{}
	for _, s := range sections {
		contents[fingerprint.SumString(s.Content)] = s.Content
	}
	recipe, _ := composer.ParseRecipe(c.Recipe().AppendJSON(nil))
	again, err := recipe.Compose(func(d fingerprint.Digest) (string, error) { return contents[d], nil })
	fmt.Println(again.Fingerprint() == c.Fingerprint(), again.Recipe().Key() == c.Recipe().Key(), err)
	// Output: true true <nil>
}

func ExampleParseRecipe() {
	_, err := composer.ParseRecipe([]byte(`{"active-fraction": "19/20"}`))
	fmt.Println(err)
	// Output: composer: not a recipe: byte 19: want a string
}

func ExampleParseJoin() {
	j, _ := composer.ParseJoin("line")
	_, err := composer.ParseJoin("space")
	fmt.Println(j == composer.Line, err)
	// Output: true composer: unknown join "space"; want blank-line, line or none
}

func ExamplePrintable() {
	fmt.Println(composer.Printable("tools/search"), composer.Printable("red\x1b[31m"))
	// Output: tools/search "red\x1b[31m"
}
