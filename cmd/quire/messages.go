package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/measure/bpe"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/internal/promptfile"
	"github.com/quirehq/quire/tiers"
)

func messagesCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "messages FILE",
		Short: "Assemble the messages of a model call under a budget",
		Long: `Assemble the messages of one model call, under a budget where one is given, and print the request.

FILE describes them, as YAML or JSON, by any of these keys; texts is a text or a list, a message has role and content:
  systemInstructions, developerInstructions    texts
  instructions    [{text, label}]
  contextBlocks   [{id, title, content, priority}]
  skills          [{name, description, instructions}], with loaded: [name] and skillsDisclosure: progressive or eager
  summaries       texts
  attachments     [{name, text, content, uri, mediaType}]
  resourceUris    [uri]: files beside FILE, or those of resources: {uri: text}
  toolResults     [{toolCallId, name, value, content, error}]
  history, input  [message]; input may be one message, or a text
  tools           [{name, description, …}]
  tail            {order: [id], segments: [{id, text}]}
  model           {capabilities: {tools, input: [kind]}}
  contextBudget   {maxInputTokens, maxInputBytes, reportOmissions, tokenEstimator}
  inputLayout, policy, quantum, foldToolResults: {cap, recent}, omissionNotice

With --from, FILE holds calls that were made, and one of them is assembled anew:
` + fromHelp + `

What does not fit is left out by --policy:
  unit       a tool call and all of its results go together (the default)
  item       one message at a time
  quantised  like unit, but history is cut on a grid, so that a provider's cache of the prefix lasts

Outputs, by -o:
  json       fingerprint, messages, tools and report, on one line (the default)
  text       for people
  openai     a body of chat completions
  anthropic  a body of messages
With --report, the report is printed instead of the request: what was left out, kinds, ids and sizes, never a text.

With --outcomes, nothing is assembled: what became of every record of the file is printed, a line each (used, not part
of a prompt and why, or broken), and whether every call extends the one before it, or what the first difference is.`,
		Example: `  quire messages call.yaml --budget 8000
  quire messages --from auto session.jsonl --budget 8000 --policy quantised -o anthropic
  quire messages --from claude-code session.jsonl --call 12 --report
  quire messages --from auto session.jsonl --outcomes
  quire messages --from openai request.json --record --session captured`,
		Args: takesFile,
	}
	from := addFromFlags(cmd, "read calls that were made: auto, openai, anthropic, claude-code, codex, …")
	f := new(messagesFlags)
	cmd.Flags().StringVar(&f.call, "call", "last", "with --from: which call, counted from 1, or last or all")
	cmd.Flags().Int64Var(&f.budget, "budget", 0, "the most that the messages may cost, in tokens")
	cmd.Flags().Int64Var(&f.maxBytes, "max-bytes", 0, "a second limit, in bytes of UTF-8")
	choiceVar(cmd, &f.measure, "measure", "", "", "what counts tokens, instead of chars/4", bpe.Names()...)
	cmd.Flags().StringVar(&f.policy, "policy", "", "what is left out at once: unit, item or quantised")
	cmd.Flags().Int64Var(&f.quantum, "quantum", 0, "policy quantised: the grid, in tokens; default: a quarter of the budget")
	cmd.Flags().StringVar(&f.layout, "layout", "", "the order of the groups: cache_aware or legacy")
	choiceVar(cmd, &f.output, "output", "o", "json", "what to print", "json", "text", "openai", "anthropic")
	cmd.Flags().BoolVar(&f.report, "report", false, "print the report instead of the request")
	outcomes := cmd.Flags().Bool("outcomes", false, "with --from: print what became of every record, and where the series breaks")
	turn := addRecordFlags(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) (err error) {
		if from.from == "" {
			if err := goesWith(cmd, "--from", "call", "outcomes", "skip-bad", "tools"); err != nil {
				return err
			}
		}
		if *outcomes {
			if err := notWith(cmd, "--outcomes", "budget", "max-bytes", "measure", "policy", "quantum", "layout", "output", "report", "call", "record"); err != nil {
				return err
			}
			return printOutcomes(s, from, args[0])
		}
		keep, err := turn.keeper()
		if err != nil {
			return err
		}
		defer keep.close(&err)
		requests, err := f.requests(s, cmd, from, args[0])
		if err != nil {
			return err
		}
		var out []byte
		for _, q := range requests {
			if out, err = f.append(out, s, q); err != nil {
				return err
			}
		}
		for _, q := range requests {
			if _, err := keep.call(q.call, q.assembly); err != nil {
				return err
			}
		}
		_, err = s.out.Write(out)
		return err
	}
	return cmd
}

type messagesFlags struct {
	call, measure, policy, layout, output string
	budget, maxBytes, quantum             int64
	report                                bool
}

// A messagesRequest is a call that was assembled.
type messagesRequest struct {
	call     sessions.Call // as it came; of a description: its tools
	assembly messages.Assembly
}

// requests reads and assembles what is asked for.
func (f *messagesFlags) requests(s *streams, cmd *cobra.Command, from *fromFlags, file string) ([]messagesRequest, error) {
	if from.from == "" {
		src, name, err := readInput(s, file)
		if err != nil {
			return nil, err
		}
		return f.described(cmd, src, name, file)
	}
	calls, err := from.calls(s, file)
	if err != nil {
		return nil, err
	}
	if calls, err = f.pick(calls, file); err != nil {
		return nil, err
	}
	o, err := f.options(cmd, messages.Options{})
	if err != nil {
		return nil, err
	}
	out := make([]messagesRequest, len(calls))
	for i, call := range calls {
		a, err := call.Prompt().Assemble(o)
		if err != nil {
			return nil, at(fmt.Sprintf("%s:%d", file, call.Line), err)
		}
		out[i] = messagesRequest{call, a}
	}
	return out, nil
}

// described assembles a description. Its resources are files beside it.
func (f *messagesFlags) described(cmd *cobra.Command, src []byte, name, file string) ([]messagesRequest, error) {
	doc, err := promptfile.ReadDescription(src, name)
	if err != nil {
		return nil, err
	}
	beside := promptfile.NewFolder(folderOf(file))
	defer beside.Close()
	load := func(uri string) (string, error) {
		path := strings.TrimPrefix(uri, "file:")
		text, err := promptfile.ReadText(beside.Open, path)
		var opening *fs.PathError
		switch {
		case errors.Is(err, promptfile.ErrOutside):
			err = errors.New("want a file below the folder of the description")
		case errors.As(err, &opening):
			err = opening.Err // the resource has the name already
		}
		return text, err
	}
	in, o, err := messages.ParseDescription(doc.JSON, load, estimators()...)
	if err != nil {
		return nil, doc.Locate(err, func(src []byte) bool {
			_, _, err := messages.ParseDescription(src, load, estimators()...)
			return err != nil
		})
	}
	if o, err = f.options(cmd, o); err != nil {
		return nil, err
	}
	a, err := messages.Assemble(in, o)
	if err != nil {
		return nil, at(name, err)
	}
	call := sessions.Call{API: sessions.NoAPI}
	if in.Model.Tools { // else a text among the messages lists them
		call.Tools = in.Tools
	}
	return []messagesRequest{{call, a}}, nil
}

// pick returns the calls that --call asks for.
func (f *messagesFlags) pick(calls []sessions.Call, name string) ([]sessions.Call, error) {
	switch f.call {
	case "last":
		return calls[len(calls)-1:], nil
	case "all":
		return calls, nil
	}
	n, err := strconv.Atoi(f.call)
	if err != nil || n < 1 || n > len(calls) {
		return nil, fmt.Errorf("--call %s; %s has %s, counted from 1; or last, or all", f.call, name, plural(len(calls), "call"))
	}
	return calls[n-1 : n], nil
}

// estimators are the measures that a description may name.
func estimators() []measure.Measure {
	var out []measure.Measure
	for _, name := range bpe.Names() {
		if m, ok := bpe.ByName(name); ok {
			out = append(out, m)
		}
	}
	return out
}

// options lays the flags over the options of the file.
func (f *messagesFlags) options(cmd *cobra.Command, o messages.Options) (messages.Options, error) {
	changed := cmd.Flags().Changed
	var err error
	if f.policy != "" {
		if o.Policy, err = messages.ParsePolicy(f.policy); err != nil {
			return o, at("--policy", err)
		}
	}
	if f.layout != "" {
		if o.Layout, err = messages.ParseLayout(f.layout); err != nil {
			return o, at("--layout", err)
		}
	}
	if changed("quantum") {
		o.Quantum = f.quantum
	}
	if !changed("budget") && !changed("max-bytes") && f.measure == "" {
		return o, nil
	}
	budget := messages.Budget{}
	if o.Budget != nil {
		budget = *o.Budget
	}
	if changed("budget") {
		budget.MaxInputTokens = tiers.Limit(f.budget)
	}
	if changed("max-bytes") {
		budget.MaxInputBytes = tiers.Limit(f.maxBytes)
	}
	if f.measure != "" {
		m, _ := bpe.ByName(f.measure) // a choice
		budget.Estimator = &m
	}
	budget.ReportOmissions = budget.ReportOmissions || f.report
	o.Budget = &budget
	return o, budget.Check()
}
