package main

import (
	"fmt"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

// ours returns what Quire does: sections of one chain, the newest offered first, so that the first that does not fit
// ends it, as when the oldest are evicted; and the same as messages. Both give the text and its fingerprint.
func ours(in Input) []Peer {
	ids := make([]string, len(in.Sections))
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	budget := tiers.Limit(in.Budget)
	return []Peer{
		native("quire, one text", false, func() ([]string, error) {
			sections := make([]composer.Section, len(in.Sections))
			for i, text := range in.Sections {
				sections[i] = composer.Section{ID: ids[i], Content: text, Tier: tiers.Informational, Priority: i, Chain: "history"}
			}
			c, err := composer.Compose(sections, composer.Config{Measure: measure.QuarterTokens(), Budget: budget, Join: composer.Line})
			return emitted(c, err)
		}),
		native("quire, N messages", false, func() ([]string, error) {
			history := make([]messages.Message, len(in.Sections))
			for i, text := range in.Sections {
				history[i] = messages.TextMessage(messages.User, text)
			}
			a, err := messages.Prompt{Groups: messages.Groups{History: history}}.Assemble(
				messages.Options{Policy: messages.ByItem, Budget: &messages.Budget{MaxInputTokens: budget}})
			return emitted(a.Composition, err)
		}),
	}
}

func emitted(c composer.Composition, err error) ([]string, error) {
	if err != nil {
		return nil, err
	}
	text := c.Text()
	if c.Fingerprint() == (fingerprint.Digest{}) {
		return nil, fmt.Errorf("no fingerprint")
	}
	return []string{text}, nil
}
