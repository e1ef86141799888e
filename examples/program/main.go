// Program builds a prompt in Go: sections in, one text out, and everything that was decided about it.
//
// It prints the text, its fingerprint, the sections that were left out, what a provider may cache, and the event that a
// probe is told. Run it with "go run ./examples/program".
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/tiers"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	sections := []composer.Section{
		{
			ID:      "persona",
			Content: "You review pull requests for a small team. Be brief and kind.",
		},
		{
			ID:         "rules",
			Content:    "Quote the line you speak of. Say what would be right, not only what is wrong.",
			Breakpoint: true, // everything up to here is the same for every pull request
		},
		{
			ID:      "style",
			Tier:    tiers.Active,
			Content: "House style: errors are lower case, comments say why, names have no stutter.",
		},
		{
			ID:         "history",
			Tier:       tiers.Informational,
			Content:    "Earlier reviews of this author: the tests were thin in #12, the naming was uneven in #17, and #21 went in as it was.",
			Alternates: []string{"Earlier reviews of this author: watch the tests."},
		},
		{
			ID:      "changelog",
			Tier:    tiers.Informational,
			Content: "Changelog of the last release: faster start, fewer dependencies, two bugs less.",
		},
	}
	cfg := composer.Config{
		Gate:   tiers.Reserved, // the whole text keeps within the budget, separators and all
		Budget: tiers.Limit(280),
	}
	var event composer.PromptBuilt
	c, err := composer.Compose(sections, cfg, func(e composer.PromptBuilt) { event = e })
	if err != nil {
		return err
	}
	told, err := json.MarshalIndent(event, "", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n\n", c.Text())
	fmt.Fprintf(out, "fingerprint: %v\n", c.Fingerprint())
	fmt.Fprintf(out, "recipe:      %v\n", c.Recipe().Key())
	fmt.Fprintf(out, "dropped:     %q\n", c.Dropped())
	for _, p := range c.Breakpoints() {
		fmt.Fprintf(out, "cacheable:   %d bytes up to %q, %v\n", p.Bytes, p.ID, p.Digest)
	}
	fmt.Fprintf(out, "event:       %s\n", told)
	return nil
}
