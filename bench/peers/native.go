package main

import (
	"context"
	"io"
	"log"
	"strings"
	"unicode/utf8"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"

	"github.com/quirehq/quire/fingerprint"
)

// theirs returns the peers in Go, and last the least that any of them must do.
func theirs(in Input) []Peer {
	log.SetOutput(io.Discard) // langchaingo says at every count that it has no tokenizer and estimates
	return []Peer{
		native("langchaingo TokenBuffer", true, func() ([]string, error) { return langchaingo(in) }),
		native("drop-oldest loop, Go", true, func() ([]string, error) { return dropOldest(in), nil }),
		native("by hand: count once, join, hash", false, func() ([]string, error) { return byHand(in), nil }),
	}
}

// dropOldest is the loop of drop-oldest.mjs. A string in Go does not know how many characters it has.
func dropOldest(in Input) []string {
	left := in.Sections
	for total(left) > in.Budget {
		left = left[1:]
	}
	return []string{strings.Join(left, "\n")}
}

func total(sections []string) (sum int64) {
	for _, text := range sections {
		sum += tokens(utf8.RuneCountInString(text))
	}
	return sum
}

// byHand counts backwards until the budget is used up, which is all that this one input asks for.
func byHand(in Input) []string {
	first, left := len(in.Sections), in.Budget
	for first > 0 {
		cost := tokens(utf8.RuneCountInString(in.Sections[first-1]))
		if cost > left {
			break
		}
		first, left = first-1, left-cost
	}
	text := strings.Join(in.Sections[first:], "\n")
	fingerprint.SumString(text)
	return []string{text}
}

// langchaingo saves the newest two sections into a buffer that holds all others, which trims it. Its count is of the
// whole buffer as one text, in quarters of a character, rounded down.
func langchaingo(in Input) ([]string, error) {
	ctx := context.Background()
	last := len(in.Sections) - 2
	history := make([]llms.ChatMessage, last, len(in.Sections))
	for i, text := range in.Sections[:last] {
		history[i] = llms.HumanChatMessage{Content: text}
	}
	buffer := memory.NewConversationTokenBuffer(nil, int(in.Budget), memory.WithChatHistory(
		memory.NewChatMessageHistory(memory.WithPreviousMessages(history))))
	err := buffer.SaveContext(ctx, map[string]any{"input": in.Sections[last]}, map[string]any{"output": in.Sections[last+1]})
	if err != nil {
		return nil, err
	}
	kept, err := buffer.ChatHistory.Messages(ctx)
	if err != nil {
		return nil, err
	}
	prompt := make([]string, len(kept))
	for i, m := range kept {
		prompt[i] = m.GetContent()
	}
	return prompt, nil
}
