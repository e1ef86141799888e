package main

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

func compileCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compile FILE",
		Short: "Compose a prompt and print it",
		Long: `Compose the prompt of a prompt file and print its text, nothing else.

Other outputs, by -o:
  text         the text (the default)
  json         the whole composition, one line for each document
  fingerprint  the 64 hex digits that b3sum prints for the text, one line for each document
  recipe       the canonical recipe without a line end: its BLAKE3 is the recipe's key
  event        the PromptBuilt event, one line for each document

With --jsonl, standard input holds one JSON prompt a line, and one composition a line (as -o json prints it) goes to
standard output, in order, as soon as it is made. A line that is no prompt gives {"error":…,"line":N} and the run goes
on; the exit status is then 2. Files that such a prompt names are relative to the current folder.

With --record and --session, the composition is stored as well, as quire record does; several documents, or lines, are
several turns.`,
		Example: `  quire compile agent.yaml
  quire compile agent.yaml -o fingerprint --budget 2000 --gate reserved
  quire compile prompts.yaml --doc 2
  quire compile - < agent.yaml
  quire compile --jsonl < prompts.jsonl > compositions.jsonl
  quire compile agent.yaml --record --session build-42`,
	}
	flags := addPromptFlags(cmd)
	var format string
	choiceVar(cmd, &format, "output", "o", "text", "what to print", "text", "json", "fingerprint", "recipe", "event")
	turn := addRecordFlags(cmd)
	jsonl := cmd.Flags().Bool("jsonl", false, "read one JSON prompt a line from standard input")
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if *jsonl {
			if len(args) > 0 && args[0] != "-" || len(args) > 1 {
				return fmt.Errorf("--jsonl reads standard input; want no FILE")
			}
			return nil
		}
		return takesFile(cmd, args)
	}
	cmd.RunE = func(_ *cobra.Command, args []string) (err error) {
		if *jsonl {
			if cmd.Flags().Changed("output") && format != "json" {
				return fmt.Errorf("--jsonl prints one composition a line; want -o json or none")
			}
			if cmd.Flags().Changed("doc") {
				return fmt.Errorf("--jsonl takes every line; want no --doc")
			}
		}
		keep, err := turn.keeper()
		if err != nil {
			return err
		}
		defer keep.close(&err)
		if *jsonl {
			return compileLines(s, flags, keep)
		}
		return compileFile(s, flags, args[0], format, keep)
	}
	return cmd
}

// compileFile composes every document, and prints only when all are composed and kept.
func compileFile(s *streams, flags *promptFlags, file, format string, keep *keeper) error {
	list, err := flags.prompts(s, file, format == "text" || format == "recipe")
	if err != nil {
		return err
	}
	var out []byte
	for _, p := range list {
		if out, err = formats()[format](out, p.Composition); err != nil {
			return err
		}
	}
	for _, p := range list {
		if _, err := keep.composition(p.Composition); err != nil {
			return err
		}
	}
	if _, err := s.out.Write(out); err != nil {
		return err
	}
	for _, p := range list {
		p.warn(s)
	}
	return nil
}

// formats returns what appends a composition to the output, by the name that -o takes.
func formats() map[string]func([]byte, composer.Composition) ([]byte, error) {
	return map[string]func([]byte, composer.Composition) ([]byte, error){
		"text": func(out []byte, c composer.Composition) ([]byte, error) { return c.AppendText(out), nil },
		"json": appendComposition,
		"fingerprint": func(out []byte, c composer.Composition) ([]byte, error) {
			return append(append(out, c.Fingerprint().String()...), '\n'), nil
		},
		"recipe": func(out []byte, c composer.Composition) ([]byte, error) { return c.Recipe().AppendJSON(out), nil },
		"event": func(out []byte, c composer.Composition) ([]byte, error) {
			return appendLine(out, composer.BuildPromptBuiltEvent(c))
		},
	}
}

// A compositionJSON is what -o json prints.
type compositionJSON struct {
	Text            string              `json:"text"`
	Fingerprint     fingerprint.Digest  `json:"fingerprint"`
	Recipe          jsontext.Value      `json:"recipe"` // the canonical recipe
	Included        []string            `json:"included"`
	Dropped         []string            `json:"dropped"`
	TotalChars      int64               `json:"totalChars"`
	TotalTokensEst  int64               `json:"totalTokensEst"`
	EffectiveBudget tiers.Budget        `json:"effectiveBudget"`
	BudgetUsedPct   int64               `json:"budgetUsedPct"`
	Overflow        int64               `json:"overflow"`
	OverflowBytes   int64               `json:"overflowBytes"`
	SectionChars    map[string]int64    `json:"sectionChars"`
	Decisions       []composer.Decision `json:"decisions"`
	Prefixes        []composer.Prefix   `json:"prefixes"`
}

func appendComposition(out []byte, c composer.Composition) ([]byte, error) {
	return appendLine(out, compositionJSON{
		Text:            c.Text(),
		Fingerprint:     c.Fingerprint(),
		Recipe:          c.Recipe().AppendJSON(nil),
		Included:        c.Included(),
		Dropped:         c.Dropped(),
		TotalChars:      c.TotalChars(),
		TotalTokensEst:  c.TotalTokensEst(),
		EffectiveBudget: c.EffectiveBudget(),
		BudgetUsedPct:   c.BudgetUsedPct(),
		Overflow:        c.Overflow(),
		OverflowBytes:   c.OverflowBytes(),
		SectionChars:    composer.BuildPromptBuiltEvent(c).SectionChars,
		Decisions:       c.Decisions(),
		Prefixes:        c.Prefixes(),
	})
}
