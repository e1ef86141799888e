package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/composer/cachelab"
)

func simulateCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "simulate FILE|SESSION",
		Short: "Predict what a provider's cache would do with a session, and what it would cost",
		Long: `Play a session against a provider's cache, turn by turn: what is read, what is written, what is plain, and what the input
costs relative to no cache at all. Where usage was recorded it stands beside the prediction. Nothing is asked of a provider.

A session log holds no markers. Where the service needs some, they are set as a careful client sets them: behind the system
prompt, behind the last block, and 15 and 30 blocks before it. Bodies are taken as they were sent, unless --mark is given.

With --what-if, the calls are assembled anew in each of the ways given, and compared; each is settings joined by commas:
  recorded                as they were
  layout=…, policy=…, quantum=N, budget=N, fold=CAP/N, notice=true
Calls of which one way cannot make a prompt within its budget are left out of all.`,
		Example: `  quire simulate session.jsonl
  quire simulate session.jsonl --profile anthropic-opus-5 --fit
  quire simulate session.jsonl --profile openai-gpt-5 --profile vllm --what-if budget=20000,policy=item --what-if budget=20000,policy=quantised`,
		Args: takes(1, "FILE or SESSION"),
	}
	f := addSeriesFlags(cmd)
	cmd.Flags().Int64Var(&f.gap, "gap", 30, "seconds from one call to the next where no times are recorded")
	ways := cmd.Flags().StringArray("what-if", nil, "a way to assemble the calls anew; may be repeated")
	fit := cmd.Flags().Bool("fit", false, "scale the estimates to the recorded input tokens, with what the log does not hold put before all else")
	mark := cmd.Flags().Bool("mark", false, "set markers in bodies too, instead of their own")
	turns := cmd.Flags().Bool("turns", true, "print a line for every turn")
	var output string
	choiceVar(cmd, &output, "output", "o", "text", "what to print", "text", "json")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if f.gap < 0 {
			return fmt.Errorf("--gap %d; want 0 or more seconds", f.gap)
		}
		r := f.reader()
		read, err := f.read(s, cmd, r, args[0])
		if err != nil {
			return err
		}
		profiles, err := f.chosen(read)
		if err == nil && len(profiles) == 0 {
			err = fmt.Errorf("no profile for the models of %s; want --profile, one of %s", args[0], strings.Join(profileNames(), ", "))
		}
		if err != nil {
			return err
		}
		if len(*ways) > 0 {
			return whatIf(s, r, f, read, *ways, profiles, output)
		}
		read.wire = read.wire && !*mark
		if *fit {
			read.turns = cachelab.Fit(read.turns)
		}
		for _, p := range profiles {
			if err := simulate(s, read, p, output, *turns); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}

func simulate(s *streams, read series, p cachelab.Profile, output string, each bool) error {
	played := read.turns
	markers := "as recorded"
	if !read.wire && (read.calls != nil || !cachelab.Marked(played)) {
		markers = "set behind the system prompt and the last block"
		played = make([]cachelab.Turn, len(read.turns))
		for i, t := range read.turns {
			t.Request = p.Mark(t.Request)
			played[i] = t
		}
	}
	sim := cachelab.Simulate(played, p)
	if output == "json" {
		return printLine(s, sim)
	}
	fmt.Fprintf(s.out, "%s: predicted under %s (%s)", read.name, p.Name, p.MatchModel.Value)
	if m := p.MatchModel.Value; m == cachelab.MarkedLookback || m == cachelab.BreakpointExact {
		fmt.Fprintf(s.out, ", markers %s", markers)
	}
	fmt.Fprintln(s.out)
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "turn\ttokens\tread\twritten\tplain\tcost\trecorded input\tcached\twritten\t")
	row := func(name string, o cachelab.Outcome) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\t", name, o.Tokens, o.Read, o.Written, o.Plain, percent(o.Relative()))
		if o.Recorded {
			fmt.Fprintf(w, "%d\t%d\t%d\t\n", o.Input, o.Cached, o.Stored)
		} else {
			fmt.Fprint(w, "-\t-\t-\t\n")
		}
	}
	if each {
		for i, o := range sim.Turns {
			row(fmt.Sprint(i+1), o)
		}
	}
	row("total", sim.Total)
	if err := w.Flush(); err != nil {
		return err
	}
	if a := sim.Accuracy(); a.Turns > 0 && a.Input > 0 {
		fmt.Fprintf(s.out, "recorded in %s: %d of %d input tokens from the cache, %d predicted; off by %s of the input, turn by turn; a hit or a miss as predicted in %d\n",
			plural(a.Turns, "turn"), a.Cached, a.Input, a.Read, percent(a.Absolute*10000/a.Input), a.Agree)
	}
	return nil
}

// percent prints hundredths of a percent with one place, cut off.
func percent(n int64) string { return fmt.Sprintf("%d.%d%%", n/100, n%100/10) }

// whatIf prints how ways compare: for each profile what is read of what is sent, and the cost of all input in thousands of
// plain input tokens, absolute, so that a way that sends less is not taken for one that caches better.
func whatIf(s *streams, r *cachelab.Reader, f *seriesFlags, read series, texts []string, profiles []cachelab.Profile, output string) error {
	if read.calls == nil {
		return errors.New("--what-if assembles calls anew; want a file of requests or a session log")
	}
	var ways []cachelab.WhatIf
	for _, text := range texts {
		w, err := cachelab.ParseWhatIf(text)
		if err != nil {
			return fmt.Errorf("--what-if: %s", strings.TrimPrefix(bare(err), "what if "))
		}
		ways = append(ways, w)
	}
	c, err := r.Compare(read.calls, f.gap, ways, profiles)
	if err != nil {
		return at(read.name, err)
	}
	if c.Calls == 0 && c.LeftOut > 0 {
		return fmt.Errorf("%s: no call can be made a prompt in all of these ways; want a larger budget", read.name)
	}
	if output == "json" {
		return printLine(s, c)
	}
	fmt.Fprintf(s.out, "%s: %s", read.name, plural(c.Calls, "call"))
	if c.LeftOut > 0 {
		fmt.Fprintf(s.out, ", %d left out: too large for a budget", c.LeftOut)
	}
	fmt.Fprintln(s.out, "; predicted, in thousands of input tokens")
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "profile\tway\tsent\tread\twritten\tcost\tof sent\tof the first\t\n")
	for i, name := range c.Profiles {
		first := int64(c.Columns[0].Cells[i].Cost)
		for _, column := range c.Columns {
			o := column.Cells[i]
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%s\t", name, column.Name, thousands(o.Tokens), thousands(o.Read),
				thousands(o.Written), thousands(int64(o.Cost)/int64(cachelab.One)), percent(o.Relative()))
			if first >= 100 {
				fmt.Fprintf(w, "%s", percent(int64(o.Cost)/100*10000/(first/100)))
			}
			fmt.Fprint(w, "\t\n")
		}
	}
	return w.Flush()
}

func thousands(n int64) int64 { return (n + 500) / 1000 }
