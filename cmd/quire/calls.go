package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
)

// fromHelp lists what --from takes.
const fromHelp = `  auto           whatever the file looks like
  openai         request bodies, one or one a line: chat completions or responses
  anthropic      request bodies, one or one a line
  requests       either, and Gemini's and Bedrock's, bare or as {method, uri, body}
  claude-code    Claude Code's JSON lines
  codex          a Codex rollout
  openhands      OpenHands' events; openhands-llm: a completion log of its SDK
  swe-agent      a SWE-agent trajectory
  inspect        an inspect_ai log, .json or .eval
  transcript     messages as OpenAI has them: a list, tau-bench, mini-SWE-agent
  pi, gemini-cli, adk, aider, bfcl    see the documentation of package sessions`

// fromFlags are the flags that say how a file with calls is read.
type fromFlags struct {
	from, tools string
	skipBad     bool
}

func addFromFlags(cmd *cobra.Command, usage string) *fromFlags {
	f := new(fromFlags)
	var formats []string
	for _, format := range sessions.Formats() {
		formats = append(formats, string(format))
	}
	cmd.Flags().Var(&choice{&f.from, formats}, "from", usage) // more than its help lists
	cmd.Flags().BoolVar(&f.skipBad, "skip-bad", false, "with --from: go on behind records that cannot be read, and count them")
	cmd.Flags().StringVar(&f.tools, "tools", "", "with --from: a list of tools, for calls of which none are recorded")
	return f
}

// read reads the calls of a file.
func (f *fromFlags) read(s *streams, file string) (sessions.Session, error) {
	o := sessions.Options{Format: sessions.Format(f.from), SkipBad: f.skipBad}
	if f.tools != "" {
		list, err := readSession(s, f.tools, sessions.Options{Format: sessions.Tools})
		if err != nil {
			return list, err
		}
		o.Tools = list.Tools
	}
	session, err := readSession(s, file, o)
	if err != nil {
		return session, err
	}
	if session.Broken > 0 {
		s.warn("%s: %s skipped", file, plural(session.Broken, "broken record"))
		for _, o := range session.Outcomes {
			if o.Status == sessions.Broken {
				s.warn("%s:%d: %s", file, o.Line, o.Reason)
			}
		}
	}
	return session, nil
}

// calls reads the calls of a file, one or more.
func (f *fromFlags) calls(s *streams, file string) ([]sessions.Call, error) {
	session, err := f.read(s, file)
	if err == nil && len(session.Calls) == 0 {
		err = fmt.Errorf("%s: no call of a model is in it, read as %s", file, session.Format)
	}
	return session.Calls, err
}

func readSession(s *streams, file string, o sessions.Options) (sessions.Session, error) {
	in, err := s.open(file, maxLog)
	if err != nil {
		return sessions.Session{}, err
	}
	defer in.Close()
	session, err := sessions.Read(in.name, in, o)
	if in.err != nil {
		err = in.err
	}
	return session, err
}

// recordCalls records every call of a file as a turn, whole: nothing is left out.
func recordCalls(s *streams, keep *keeper, from *fromFlags, file string) error {
	calls, err := from.calls(s, file)
	if err != nil {
		return err
	}
	for _, call := range calls {
		a, err := call.Prompt().Assemble(messages.Options{})
		if err != nil {
			return at(fmt.Sprintf("%s:%d", file, call.Line), err)
		}
		rec, err := keep.call(call, a)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(s.out, rec.Output); err != nil {
			return err
		}
	}
	return nil
}

// printOutcomes writes what became of every record of a file, and whether the calls of a thread extend each other.
func printOutcomes(s *streams, from *fromFlags, file string) error {
	session, err := from.read(s, file)
	if err != nil {
		return err
	}
	var counts [3]int
	for _, o := range session.Outcomes {
		counts[o.Status]++
		line := fmt.Sprintf("%d: ", o.Line)
		if o.Path != "" {
			line += o.Path + ": "
		}
		line += o.Status.String()
		if o.Reason != "" {
			line += ": " + o.Reason
		}
		fmt.Fprintln(s.out, line)
	}
	fmt.Fprintf(s.out, "%s: %s, %s; %d used, %d not part of a prompt, %d broken\n", session.Format,
		plural(len(session.Calls), "call"), plural(len(session.Outcomes), "record"), counts[sessions.Used], counts[sessions.Aside],
		counts[sessions.Broken])
	breaks := session.Breaks()
	if len(breaks) == 0 && len(session.Calls) > 0 {
		fmt.Fprintln(s.out, "every call extends the last of its thread, with the same tools")
	}
	for _, b := range breaks {
		fmt.Fprintf(s.out, "call %d does not extend call %d: %s\n", b.Call+1, b.Last+1, b.Difference)
	}
	return s.out.err
}
