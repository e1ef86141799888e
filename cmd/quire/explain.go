package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/tiers"
)

func explainCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain FILE",
		Short: "Say which sections are in, which are not, and why",
		Long: `Compose the prompt of a prompt file and print a table of what was decided: every candidate with its tier, its size,
its verdict, the limit that it met, what was charged before it and a bar of its share of the budget; then the totals,
and by how much the budget is exceeded and why.

With --sweep, compose it under every budget from FROM to TO in steps of STEP, and print which section is in at which.

For programs, -o json prints one line for each document, or for each budget of a sweep.`,
		Example: `  quire explain agent.yaml
  quire explain agent.yaml --budget 2000 --gate reserved
  quire explain agent.yaml --sweep 1000:5000:500
  quire explain agent.yaml -o json`,
		Args: takesFile,
	}
	flags := addPromptFlags(cmd)
	var format string
	choiceVar(cmd, &format, "output", "o", "text", "what to print", "text", "json")
	sweepRange := cmd.Flags().String("sweep", "", "the budgets to compose under, as FROM:TO:STEP")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("sweep") {
			return explainFile(s, flags, args[0], format)
		}
		budgets, err := parseSweep(*sweepRange)
		if err != nil {
			return err
		}
		if cmd.Flags().Changed("budget") {
			return fmt.Errorf("--budget with --sweep; want one of them")
		}
		p, err := flags.prompt(s, args[0])
		if err != nil {
			return err
		}
		return sweep(s, p, budgets, format)
	}
	return cmd
}

// explainFile explains every document, and prints only when all are composed.
func explainFile(s *streams, flags *promptFlags, file, format string) error {
	list, err := flags.prompts(s, file, format == "text")
	if err != nil {
		return err
	}
	var out []byte
	for _, p := range list {
		if format == "text" {
			out = append(out, p.Explain().Table()...)
		} else if out, err = appendLine(out, explanationOf(p.Composition)); err != nil {
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

// An explanationJSON is what explain -o json prints.
type explanationJSON struct {
	Gate          tiers.Gate          `json:"gate"`
	Measure       string              `json:"measure"`
	Budget        tiers.Budget        `json:"budget"`
	MaxBytes      tiers.Budget        `json:"maxBytes"`
	Decisions     []composer.Decision `json:"decisions"`
	Included      int                 `json:"included"`
	Contents      int64               `json:"contents"`
	Separators    int64               `json:"separators"`
	Overflow      int64               `json:"overflow"`
	OverflowBytes int64               `json:"overflowBytes"`
	Causes        []causeJSON         `json:"causes"`
	Warning       string              `json:"warning,omitempty"`
}

type causeJSON struct {
	Code   composer.CauseCode `json:"code"`
	Amount int64              `json:"amount"`
}

func explanationOf(c composer.Composition) explanationJSON {
	e := c.Explain()
	causes := make([]causeJSON, len(e.Causes))
	for i, cause := range e.Causes {
		causes[i] = causeJSON(cause)
	}
	return explanationJSON{
		Gate: e.Gate, Measure: e.Measure, Budget: e.Budget, MaxBytes: e.MaxBytes,
		Decisions: e.Decisions, Included: e.Included, Contents: e.Contents, Separators: e.Separators,
		Overflow: e.Overflow, OverflowBytes: e.OverflowBytes, Causes: causes, Warning: e.Warning(),
	}
}

// sweep composes a prompt under every budget and prints which sections are in at which.
func sweep(s *streams, p prompt, budgets []int64, format string) error {
	sections := p.doc.Sections
	if cells := len(budgets) * len(sections); cells > maxSweepCells {
		return fmt.Errorf("--sweep: %s and %s; want a larger STEP, for at most %d cells", plural(len(budgets), "budget"), plural(len(sections), "section"), maxSweepCells)
	}
	table := sweepTable{budgets: budgets}
	for _, budget := range budgets {
		c, err := p.Rebudget(tiers.Limit(budget))
		if err != nil {
			return p.doc.Locate(err)
		}
		table.add(c)
	}
	var out []byte
	if format == "text" {
		out = table.appendText(out, sections)
	} else {
		var err error
		if out, err = table.appendJSON(out, sections); err != nil {
			return err
		}
	}
	_, err := s.out.Write(out)
	return err
}
