package request_test

import (
	"fmt"
	"time"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/fingerprint"
)

func Example() {
	assembler, err := request.New(request.Config{
		Model:   request.Model{Name: "example-model", ContextTokens: 50, MediaTypes: []string{"image/*"}},
		Reserve: 10,
		Caching: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := assembler.Build(request.Input{
		Template: request.ParseTemplate("You answer for Acme.\n{output_format}{cacheBreakpoint}\nToday is {today}.\n{memory}\n{chunks}", nil),

		OutputFormat: "Answer in one sentence.",
		Now:          time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		Facts:        "The user is Ada.",
		Chunks:       []request.Chunk{{ID: "returns", Text: "Goods go back within 30 days.", Rank: 2}, {ID: "shop", Text: "The shop is open.", Rank: 1}},
		History:      []messages.Message{messages.TextMessage(messages.User, "Hello!"), messages.TextMessage(messages.Assistant, "Hello, Ada.")},
		Question:     messages.TextMessage(messages.User, "How long may I keep it?"),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s|%s\n", res.Stable, res.PerCall)
	fmt.Println(res.EstimatedTokens, res.Chunks)
	for _, w := range res.Warnings {
		fmt.Println(w)
	}
	// Output:
	// You answer for Acme.
	// Answer in one sentence.|
	// Today is 2026-11-30.
	// The user is Ada.
	// [returns]
	// Goods go back within 30 days.
	// 40 [returns]
	// turns_trimmed: turns of history left out: 2
	// kb_chunks_trimmed: chunks left out: 1
}

func ExampleAssembler_HistoryBudget() {
	assembler, _ := request.New(request.Config{Model: request.Model{ContextTokens: 100}, Reserve: 20})
	budget, _ := assembler.HistoryBudget(request.Input{Template: request.ParseTemplate("Be brief. {memory}", nil), Facts: "Ada likes tea."})
	fmt.Println(budget)
	// Output: 73
}

func ExampleParseTemplate() {
	t := request.ParseTemplate("Speak {locale}.{cacheBreakpoint}{memory}", []string{"locale"})
	fmt.Println(t.Version() == fingerprint.SumString("Speak {locale}.{cacheBreakpoint}{memory}"))
	fmt.Println(request.StableSlots())
	// Output:
	// true
	// [output_format addendum skills]
}

func ExampleCompileRecipe() {
	assembler, _ := request.New(request.Config{Model: request.Model{ContextTokens: 100}})
	res, _ := assembler.Build(request.Input{Template: request.ParseTemplate("Be brief.", nil), Question: messages.TextMessage(messages.User, "Why?")})
	compiled := res.Compilation()
	texts := map[fingerprint.Digest]string{}
	for _, text := range compiled.Inputs {
		texts[fingerprint.SumString(text)] = text
	}
	again, err := request.CompileRecipe(compiled.Recipe, func(d fingerprint.Digest) (string, error) { return texts[d], nil })
	fmt.Println(again.Fingerprint() == res.Composition.Fingerprint(), err)
	// Output: true <nil>
}
