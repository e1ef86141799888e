package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/composer/cachelab"
)

func lintCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lint FILE|SESSION...",
		Short: "Tell what in a prompt will cost cache",
		Long: `Look for what makes a provider's cache miss: times, dates, generated identifiers, counters and paths before a breakpoint,
tools out of order, markers that the service refuses or that end nothing, and what varies from one request of a session
to the next. FILE is a prompt file, a text, a file of requests or of tools, or a session log; SESSION is a recorded one.

A session log holds no markers, so rules about them are for requests, and for prompt files with --profile.

Findings are silenced by --silence, or in a prompt file or text by a line that ends with
  quire:silence CODE@SECTION
where either side may be missing. Exit status 1 when anything is found.`,
		Example: `  quire lint agent.yaml
  quire lint requests.jsonl --profile openai-gpt-5.6
  quire lint agent.yaml --silence date@footer`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no file given; want FILE or SESSION")
			}
			return nil
		},
	}
	f := addSeriesFlags(cmd)
	silence := cmd.Flags().StringArray("silence", nil, "leave out findings of a code, a section, or both: CODE@SECTION; may be repeated")
	var output string
	choiceVar(cmd, &output, "output", "o", "text", "what to print", "text", "json")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		r := f.reader()
		var silences []cachelab.Silence
		for _, text := range *silence {
			one, err := cachelab.ParseSilence(text)
			if err != nil {
				return fmt.Errorf("--%s", bare(err))
			}
			silences = append(silences, one)
		}
		found := 0
		for _, what := range args {
			list, err := lint(s, cmd, f, r, what, silences)
			if err != nil {
				return err
			}
			for _, finding := range list {
				if err := printFinding(s, what, finding, output); err != nil {
					return err
				}
			}
			found += len(list)
		}
		if found > 0 {
			return &statusError{exitFailed, errors.New(plural(found, "finding"))}
		}
		return nil
	}
	return cmd
}

// aboutMarkers are the rules that need to know which markers were sent.
var aboutMarkers = []cachelab.Code{cachelab.NothingMarked, cachelab.BelowMinimum, cachelab.FarApart, cachelab.BlankMarked}

func lint(s *streams, cmd *cobra.Command, f *seriesFlags, r *cachelab.Reader, what string, silences []cachelab.Silence) ([]cachelab.Finding, error) {
	read, err := f.read(s, cmd, r, what)
	if err != nil {
		return nil, err
	}
	inFile, err := silencesOf(what)
	if err != nil {
		return nil, err
	}
	silences = append(silences, inFile...)
	profiles, err := f.chosen(read)
	if err != nil {
		return nil, err
	}
	if len(profiles) == 0 || !read.wire && len(f.profiles) == 0 {
		for _, code := range aboutMarkers {
			silences = append(silences, cachelab.Silence{Code: code})
		}
	}
	if len(profiles) == 0 {
		p, _ := cachelab.ProfileByName(anyProfile)
		profiles = append(profiles, p)
	}
	var requests []cachelab.Request
	for _, t := range read.turns {
		requests = append(requests, t.Request)
	}
	var out []cachelab.Finding
	for _, p := range profiles {
		out = append(out, cachelab.Lint(requests, p, silences...)...)
	}
	return out, nil
}

// anyProfile is used where nothing says which, for rules in which profiles do not differ.
const anyProfile = "anthropic-sonnet-5"

// silencesOf reads the silences of a text file; other kinds of files have no comments.
func silencesOf(file string) ([]cachelab.Silence, error) {
	switch {
	case strings.HasSuffix(file, ".yaml"), strings.HasSuffix(file, ".yml"), strings.HasSuffix(file, ".md"), strings.HasSuffix(file, ".txt"):
	default:
		return nil, nil
	}
	src, err := readFile(file)
	if err != nil {
		return nil, nil // it was read before, or is a recorded session
	}
	var out []cachelab.Silence
	n := 0
	for line := range strings.Lines(string(src)) {
		n++
		_, text, ok := strings.Cut(line, "quire:silence ")
		if !ok {
			continue
		}
		one, err := cachelab.ParseSilence(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "-->")))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %s", file, n, bare(err))
		}
		out = append(out, one)
	}
	return out, nil
}

func printFinding(s *streams, file string, f cachelab.Finding, output string) error {
	if output == "json" {
		return printLine(s, struct {
			File string `json:"file"`
			cachelab.Finding
		}{file, f})
	}
	at := ""
	if f.Request > 0 {
		at = fmt.Sprintf(" request %d,", f.Request+1)
	}
	_, err := fmt.Fprintf(s.out, "%s:%s %s\n    %s\n", file, at, f, f.Remedy)
	return err
}
