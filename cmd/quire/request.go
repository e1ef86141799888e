package main

import (
	"fmt"
	"time"
	_ "time/tzdata" // for machines without zone files; it costs 0.4 MB of disk and no time

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/quirehq/quire/composer/measure"
	openaiwire "github.com/quirehq/quire/composer/messages/openai"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/composer/request/anthropic"
	"github.com/quirehq/quire/composer/request/openai"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/promptfile"
)

// requestOverrides are those of a request file.
var requestOverrides = []override{
	{"reserve", "tokens kept free for the output, tool definitions and files"},
	{"now", "the instant of the call, such as 2026-01-31T12:00:00Z"},
	{"question", "the question"},
}

func requestCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "request FILE",
		Short: "Assemble the request of one model call, and print the provider's body",
		Long: `Assemble one model call from a request file: a template with slots, what fills them, the history and the question; under
the context of the model. Print the body that the provider takes, with cache markers.

History that does not fit goes first, the oldest first, then the lowest-ranked chunks. What was left out, and what is wrong
with the template, is told on standard error.

Outputs, by -o:
  body         the body (the default)
  json         body, fingerprint, chunks, estimate, markers, findings and warnings, on one line
  fingerprint  the request's fingerprint: what it asks, without how the answer travels
  recipe       the recipe of kind request, without a line end`,
		Example: `  quire request examples/request.yaml
  quire request examples/request.yaml --provider openai --api responses --breakpoints implicit
  quire request examples/request.yaml --reserve 2000 -o json`,
		Args: takesFile,
	}
	f := &requestFlags{cmd: cmd}
	addOverrides(cmd, requestOverrides)
	choiceVar(cmd, &f.provider, "provider", "", "anthropic", "whose body", "anthropic", "openai")
	choiceVar(cmd, &f.api, "api", "", "chat", "openai", "chat", "responses")
	choiceVar(cmd, &f.breakpoints, "breakpoints", "", "automatic", "openai: who places them", "automatic", "implicit", "explicit")
	cmd.Flags().Int64Var(&f.minTokens, "min-tokens", 0, "how many tokens a prefix needs for the model to cache it")
	cmd.Flags().BoolVar(&f.allowOutside, "allow-outside", false, "let the request file name files outside its folder")
	choiceVar(cmd, &f.output, "output", "o", "body", "what to print", "body", "json", "fingerprint", "recipe")
	turn := addRecordFlags(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) (err error) {
		if err := f.check(); err != nil {
			return err
		}
		keep, err := turn.keeper()
		if err != nil {
			return err
		}
		defer keep.close(&err)
		return f.run(s, args[0], keep)
	}
	return cmd
}

type requestFlags struct {
	cmd                                *cobra.Command
	provider, api, breakpoints, output string
	minTokens                          int64
	allowOutside                       bool
}

// check refuses flags that mean nothing, before anything is read.
func (f *requestFlags) check() error {
	if f.minTokens < 0 {
		return fmt.Errorf("--min-tokens %d; want 0 or more", f.minTokens)
	}
	if f.provider != "openai" {
		return goesWith(f.cmd, "--provider openai", "api", "breakpoints")
	}
	return nil
}

// run assembles the request of a file, keeps it, and prints what is asked for.
func (f *requestFlags) run(s *streams, file string, keep *keeper) error {
	doc, err := f.read(s, file)
	if err != nil {
		return err
	}
	assembler, err := request.New(doc.Config)
	if err != nil {
		return doc.Locate(err)
	}
	res, err := assembler.Build(doc.Input)
	if err != nil {
		return doc.Locate(err)
	}
	body, err := f.body(res.Request, doc.Config.Estimator)
	if err != nil {
		return at(doc.Name, err)
	}
	compiled := res.Compilation()
	var out []byte
	switch f.output {
	case "body":
		out = append(body.JSON, '\n')
	case "json":
		out, err = report(res, body)
	case "fingerprint":
		var key fingerprint.Key
		key, err = request.Fingerprint(body.JSON, request.TransportFields())
		out = fmt.Appendln(out, key)
	case "recipe":
		out = compiled.Recipe
	}
	if err != nil {
		return at(doc.Name, err)
	}
	if _, err := keep.compilation(compiled); err != nil {
		return err
	}
	if _, err := s.out.Write(out); err != nil {
		return err
	}
	if f.output != "json" { // which has them
		for _, w := range res.Warnings {
			s.warn("%s: %v", doc.Name, w)
		}
	}
	return nil
}

func (f *requestFlags) read(s *streams, file string) (doc *promptfile.RequestDocument, err error) {
	err = readWithFiles(s, file, f.allowOutside, func(src []byte, name string, opts promptfile.Options) (err error) {
		opts.Set = settings(f.cmd, requestOverrides)
		doc, err = promptfile.ReadRequest(src, name, promptfile.RequestOptions{Options: opts, Zone: time.LoadLocation})
		return err
	})
	return doc, err
}

// body writes the body of the provider.
func (f *requestFlags) body(q request.Request, estimator *measure.Measure) (request.Body, error) {
	if f.provider == "anthropic" {
		return anthropic.Write(q, anthropic.Options{MinTokens: f.minTokens, Estimator: estimator})
	}
	o := openai.Options{MinTokens: f.minTokens, Estimator: estimator}
	if f.api == "responses" {
		o.API = openaiwire.Responses
	}
	switch f.breakpoints {
	case "implicit":
		o.Mode = openai.Implicit
	case "explicit":
		o.Mode = openai.Explicit
	}
	return openai.Write(q, o)
}

// report writes all that was decided, on one line.
func report(res request.Result, body request.Body) ([]byte, error) {
	key, err := request.Fingerprint(body.JSON, request.TransportFields())
	if err != nil {
		return nil, err
	}
	return appendLine(nil, struct {
		Body            jsontext.Value     `json:"body"`
		Fingerprint     fingerprint.Key    `json:"fingerprint"`
		TemplateVersion fingerprint.Digest `json:"templateVersion"`
		StableDigest    fingerprint.Digest `json:"stableDigest,omitzero"`
		CacheKey        fingerprint.Key    `json:"cacheKey,omitzero"`
		Chunks          []string           `json:"chunks"`
		EstimatedTokens int64              `json:"estimatedTokens"`
		HistoryBudget   int64              `json:"historyBudget"`
		Markers         []request.Marker   `json:"markers"`
		Findings        []request.Finding  `json:"findings"`
		Warnings        []request.Warning  `json:"warnings"`
	}{body.JSON, key, res.TemplateVersion, res.StableDigest, res.CacheKey, res.Chunks, res.EstimatedTokens, res.HistoryBudget,
		body.Markers, body.Findings, res.Warnings})
}
