package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
)

// Exit statuses other than 0. An error ends with exitInput unless it is a [statusError].
const (
	exitFailed = 1 // the check that was asked for failed
	exitInput  = 2 // usage or bad input
	exitStore  = 3 // the store could not be read or is damaged
)

// A statusError is an error with an exit status of its own.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// streams are what a command reads and writes.
type streams struct {
	in  io.Reader
	out *output
	err io.Writer
}

// reading returns the streams with another input.
func (s *streams) reading(src []byte) *streams { return &streams{bytes.NewReader(src), s.out, s.err} }

// warn writes one warning line.
func (s *streams) warn(format string, args ...any) {
	fmt.Fprintf(s.err, "quire: warning: %s\n", oneLine(fmt.Sprintf(format, args...)))
}

// run runs the command line and returns the exit status.
func run(args []string, in io.Reader, out, errs io.Writer) int {
	s := &streams{in: in, out: &output{w: out}, err: errs}
	root := rootCommand(s, args)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(s.out)
	root.SetErr(errs)
	err := root.Execute()
	if s.out.err != nil {
		err = fileError("standard output", s.out.err)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(errs, "quire: %s\n", oneLine(bare(err)))
	var status *statusError
	if errors.As(err, &status) {
		return status.status
	}
	return exitInput
}

// A command is a file with one constructor, listed here under its name and what it is for.
type command struct {
	name  string
	group string
	build func(*streams) *cobra.Command
}

// The groups of commands, as the help has them.
const (
	toMake   = "Make a prompt:"
	toRecord = "Record prompts, and check that they still come out the same:"
	toSpend  = "Spend less on a provider's cache:"
	toHelp   = "Other:"
)

func commands() []command {
	return []command{
		{"compile", toMake, compileCommand},
		{"explain", toMake, explainCommand},
		{"render", toMake, renderCommand},
		{"messages", toMake, messagesCommand},
		{"request", toMake, requestCommand},
		{"record", toRecord, recordCommand},
		{"log", toRecord, logCommand},
		{"show", toRecord, showCommand},
		{"replay", toRecord, replayCommand},
		{"diff", toRecord, diffCommand},
		{"verify", toRecord, verifyCommand},
		{"stats", toRecord, statsCommand},
		{"gc", toRecord, gcCommand},
		{"export", toRecord, exportCommand},
		{"import", toRecord, importCommand},
		{"lint", toSpend, lintCommand},
		{"simulate", toSpend, simulateCommand},
		{"fingerprint", toHelp, fingerprintCommand},
		{"schema", toHelp, schemaCommand},
		{"completion", toHelp, completionCommand},
		{"version", toHelp, versionCommand},
	}
}

// rootCommand returns quire with its commands, or with only the one that the arguments name: the flags of all the others
// take more memory than a small prompt does.
func rootCommand(s *streams, args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "quire",
		Short: "Compose prompts under a budget, the same bytes on every machine",
		Long: `Quire composes prompts from prompt files: it decides under an integer budget which sections are in,
emits the same bytes on every machine, and says what was dropped and why.

A prompt file is YAML or JSON; "quire schema" prints what it may hold. FILE may be - for standard input.

Exit status: 0 fine; 1 a check failed; 2 usage or bad input; 3 a store could not be read or is damaged.`,
		Example: `  quire compile agent.yaml                                  the text
  quire explain agent.yaml --budget 2000 --gate reserved    what fits, and why the rest does not
  quire messages --from auto session.jsonl --budget 8000    the last call of an agent's log, cut to fit
  quire lint agent.yaml                                     what will cost provider cache`,
		Args:                  unknownCommand,
		DisableFlagsInUseLine: true,
		SilenceErrors:         true,
		SilenceUsage:          true,
		CompletionOptions:     cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	version := root.Flags().Bool("version", false, "print the version, as the command does")
	root.RunE = func(c *cobra.Command, _ []string) error {
		if *version {
			return printVersion(s)
		}
		return c.Help()
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand())
	root.SetHelpCommandGroupID(toHelp)
	for _, group := range []string{toMake, toRecord, toSpend, toHelp} {
		root.AddGroup(&cobra.Group{ID: group, Title: group})
	}
	list := commands()
	if len(args) > 0 {
		if i := slices.IndexFunc(list, func(c command) bool { return c.name == args[0] }); i >= 0 {
			list = list[i : i+1]
		}
	}
	for _, c := range list {
		cmd := c.build(s)
		cmd.GroupID = c.group
		root.AddCommand(cmd)
	}
	return root
}
