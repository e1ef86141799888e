package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/measure/bpe"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/internal/promptfile"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/tiers"
)

func messagesCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "messages FILE",
		Short: "Assemble the messages of a model call under a budget",
		Long: `Assemble the messages of one model call, under a budget where one is given, and print the request.

FILE describes them, as YAML or JSON: systemInstructions, history, input, tools, contextBudget and so on; or, with
--from, it holds calls that were made, and one of them is assembled anew:
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
		Args: func(_ *cobra.Command, args []string) error { return oneFile(args) },
	}
	from := addFromFlags(cmd, "read calls that were made: auto, openai, anthropic, claude-code, codex, …")
	f := new(messagesFlags)
	cmd.Flags().StringVar(&f.call, "call", "last", "with --from: which call, counted from 1, or last or all")
	cmd.Flags().Int64Var(&f.budget, "budget", 0, "the most that the messages may cost, in tokens")
	cmd.Flags().Int64Var(&f.maxBytes, "max-bytes", 0, "a second limit, in bytes of UTF-8")
	cmd.Flags().StringVar(&f.measure, "measure", "", "what counts tokens: chars/4 (the default), o200k_base, cl100k_base, …")
	cmd.Flags().StringVar(&f.policy, "policy", "", "what is left out at once: unit, item or quantised")
	cmd.Flags().Int64Var(&f.quantum, "quantum", 0, "policy quantised: the grid, in tokens; default: a quarter of the budget")
	cmd.Flags().StringVar(&f.layout, "layout", "", "the order of the groups: cache_aware or legacy")
	cmd.Flags().StringVarP(&f.output, "output", "o", "json", "what to print: json, text, openai or anthropic")
	cmd.Flags().BoolVar(&f.report, "report", false, "print the report instead of the request")
	outcomes := cmd.Flags().Bool("outcomes", false, "with --from: print what became of every record, and where the series breaks")
	record := cmd.Flags().Bool("record", false, "store what was assembled as a turn of the session")
	turn, store := addTurnFlags(cmd), addStoreFlags(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if *outcomes {
			return printOutcomes(s, from, args[0])
		}
		requests, err := f.requests(s, cmd, from, args[0])
		if err != nil {
			return err
		}
		for _, q := range requests {
			if err := f.print(s, q); err != nil {
				return err
			}
		}
		if !*record {
			return nil
		}
		session, at, err := turn.of()
		if err != nil {
			return err
		}
		return store.withStore(cmd, true, func(ctx context.Context, store replay.Store) error {
			recorder := replay.NewRecorder(store, session)
			for _, q := range requests {
				if _, err := recordAssembly(ctx, recorder, q.assembly, at); err != nil {
					return err
				}
				if at.Number > 0 {
					at.Number++
				}
			}
			return nil
		})
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
		if cmd.Flags().Changed("call") {
			return nil, fmt.Errorf("--call goes with --from; a description is one call")
		}
		src, name, err := readInput(s, file)
		if err != nil {
			return nil, err
		}
		return f.described(cmd, src, name, file)
	}
	session, name, err := from.read(s, file)
	if err != nil {
		return nil, err
	}
	calls, err := f.pick(session.Calls, name)
	if err != nil {
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
			return nil, fmt.Errorf("%s:%d: %s", name, call.Line, strings.TrimPrefix(err.Error(), "messages: "))
		}
		out[i] = messagesRequest{call, a}
	}
	return out, nil
}

// described assembles a description. Its resources are files beside it.
func (f *messagesFlags) described(cmd *cobra.Command, src []byte, name, file string) ([]messagesRequest, error) {
	doc := src
	if !jsontext.Value(src).IsValid() {
		var err error
		if doc, err = promptfile.JSON(src, name); err != nil {
			return nil, err
		}
	}
	folder := "."
	if file != "-" {
		folder = filepath.Dir(file)
	}
	load := func(uri string) (string, error) {
		path := strings.TrimPrefix(uri, "file:")
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			return "", fmt.Errorf("want a file below the folder of the description")
		}
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(path)))
		if err != nil {
			return "", fileError(path, err)
		}
		return string(text), nil
	}
	in, o, err := messages.ParseDescription(doc, load, estimators()...)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "messages: "))
	}
	if o, err = f.options(cmd, o); err != nil {
		return nil, err
	}
	a, err := messages.Assemble(in, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "messages: "))
	}
	call := sessions.Call{API: described}
	if in.Model.Tools { // else a text among the messages lists them
		call.Tools = in.Tools
	}
	return []messagesRequest{{call, a}}, nil
}

// described is the API of what was never a request: all of it is converted.
const described sessions.API = 255

// pick returns the calls that --call asks for.
func (f *messagesFlags) pick(calls []sessions.Call, name string) ([]sessions.Call, error) {
	if len(calls) == 0 {
		return nil, fmt.Errorf("%s: no call of a model is in it", name)
	}
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
			return o, wrongFlag("--policy", err)
		}
	}
	if f.layout != "" {
		if o.Layout, err = messages.ParseLayout(f.layout); err != nil {
			return o, wrongFlag("--layout", err)
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
		m, ok := bpe.ByName(f.measure)
		if !ok {
			return o, fmt.Errorf("--measure: unknown measure %q; want one of %s", f.measure, strings.Join(bpe.Names(), ", "))
		}
		budget.Estimator = &m
	}
	budget.ReportOmissions = budget.ReportOmissions || f.report
	o.Budget = &budget
	if err := budget.Check(); err != nil {
		return o, wrongFlag("--budget, --max-bytes", err)
	}
	return o, nil
}

func wrongFlag(flag string, err error) error {
	return fmt.Errorf("%s: %s", flag, strings.TrimPrefix(err.Error(), "messages: "))
}

// print writes one request, or its report.
func (f *messagesFlags) print(s *streams, q messagesRequest) error {
	if f.report {
		return f.printReport(s, q.assembly.Report)
	}
	switch f.output {
	case "json":
		return printAssembly(s, q)
	case "text":
		for _, m := range q.assembly.Messages {
			text, err := m.Text()
			if err != nil {
				return err
			}
			fmt.Fprintf(s.out, "%s:\n%s\n\n", m.Role, text)
		}
		return s.out.err
	case "openai", "anthropic":
		call := q.call.With(q.assembly.Messages)
		api := sessions.OpenAIChat
		if f.output == "anthropic" {
			api = sessions.Anthropic
		}
		call, left, err := call.As(api)
		if err != nil {
			return err
		}
		for _, what := range left {
			s.warn("%s: left out, it has no form there", what)
		}
		body, err := call.AppendJSON(nil)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s\n", body)
		return err
	}
	return fmt.Errorf("-o: unknown output %q; want json, text, openai or anthropic", f.output)
}

func printAssembly(s *streams, q messagesRequest) error {
	line := []byte(`{"fingerprint":"`)
	line = append(line, q.assembly.Composition.Fingerprint().String()...)
	line = append(line, `","messages":[`...)
	var err error
	for i, m := range q.assembly.Messages {
		if i > 0 {
			line = append(line, ',')
		}
		if line, err = m.AppendJSON(line); err != nil {
			return err
		}
	}
	line = append(line, `],"tools":[`...)
	for i, t := range q.call.Tools {
		if i > 0 {
			line = append(line, ',')
		}
		definition := jsontext.Value(t.Definition)
		if len(definition) == 0 {
			definition = jsontext.Value(`{"name":` + strconv.Quote(t.Name) + `}`)
		}
		if err := definition.Compact(); err != nil {
			return fmt.Errorf("tool %q: %w", t.Name, err)
		}
		line = append(line, definition...)
	}
	report, err := json.Marshal(q.assembly.Report, json.Deterministic(true))
	if err != nil {
		return err
	}
	line = append(append(append(line, `],"report":`...), report...), "}\n"...)
	_, err = s.out.Write(line)
	return err
}

func (f *messagesFlags) printReport(s *streams, r messages.Report) error {
	if f.output != "text" {
		line, err := json.Marshal(r, json.Deterministic(true))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s\n", line)
		return err
	}
	fmt.Fprintf(s.out, "kept %d tokens, %d bytes; left out %d\n", r.KeptTokens, r.KeptBytes, r.OmittedCount)
	for _, o := range r.Omitted {
		id := ""
		if o.ID != "" {
			id = " " + strconv.Quote(o.ID)
		}
		fmt.Fprintf(s.out, "%s%s: %d tokens, %d bytes\n", o.Kind, id, o.Tokens, o.Bytes)
	}
	return s.out.err
}
