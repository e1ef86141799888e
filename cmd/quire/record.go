package main

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/replay"
)

func recordCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "record FILE --session S",
		Short: "Compose a prompt and store how it came to be",
		Long: `Compose the prompt of a prompt file, store its recipe and its contents as a turn of a session, and print its
fingerprint. Recording the same turn with the same bytes again changes nothing; with other bytes it is refused.

With --from, FILE holds calls that were made instead, request bodies or the log of an agent's session; each becomes a
turn, whole, with the time and the usage that are recorded:
` + fromHelp,

		Example: `  quire record agent.yaml --session build-42
  quire record agent.yaml --session build-42 --turn 7 --label model=small --response answer.json
  quire record --from auto session.jsonl --session captured`,
		Args: takesFile,
	}
	flags := addPromptFlags(cmd)
	turn := addTurnFlags(cmd)
	from := addFromFlags(cmd, "record the calls of a file: auto, openai, anthropic, claude-code, codex, …")
	cmd.RunE = func(_ *cobra.Command, args []string) (err error) {
		keep, err := turn.keeper()
		if err != nil {
			return err
		}
		defer keep.close(&err)
		if from.from != "" {
			if turn.response != "" {
				return errors.New("--response goes with one prompt; want none with --from")
			}
			if err := notWith(cmd, "--from", flags.names()...); err != nil {
				return err
			}
			return recordCalls(s, keep, from, args[0])
		}
		if err := goesWith(cmd, "--from", "skip-bad", "tools"); err != nil {
			return err
		}
		docs, err := flags.read(s, args[0])
		if err != nil {
			return err
		}
		doc, err := one(docs)
		if err != nil {
			return err
		}
		c, err := compose(doc)
		if err != nil {
			return err
		}
		rec, err := keep.composition(c)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.out, rec.Output)
		warnOverflow(s, doc, c)
		return err
	}
	return cmd
}

// turnFlags are the flags that say which turn is recorded, and where.
type turnFlags struct {
	cmd                     *cobra.Command
	store                   *storeFlags
	record                  *bool // --record; nil where nothing else is done
	session, time, response string
	turn                    int64
	labels                  []string
}

// addRecordFlags adds --record, and what goes with it, to a command that prints what it composes.
func addRecordFlags(cmd *cobra.Command) *turnFlags {
	record := cmd.Flags().Bool("record", false, "store what is composed as a turn of the session")
	f := addTurnFlags(cmd)
	f.record = record
	return f
}

func addTurnFlags(cmd *cobra.Command) *turnFlags {
	f := &turnFlags{cmd: cmd, store: addStoreFlags(cmd)}
	cmd.Flags().StringVar(&f.session, "session", "", "the session that is recorded")
	cmd.Flags().Int64Var(&f.turn, "turn", 0, "the number of the turn, from 1; default: the next")
	cmd.Flags().StringVar(&f.time, "time", "", "when it was, such as 2026-01-31T12:00:00Z; default: now")
	cmd.Flags().StringArrayVar(&f.labels, "label", nil, "a label to find it by, NAME=VALUE; may be repeated")
	cmd.Flags().StringVar(&f.response, "response", "", "a file with the provider's answer, stored along")
	return f
}

func (f *turnFlags) of() (session replay.Session, turn replay.Turn, err error) {
	if f.session == "" {
		return session, turn, errors.New("no --session; want the name of the session that is recorded")
	}
	if f.turn < 0 {
		return session, turn, fmt.Errorf("--turn %d; want 1 or more", f.turn)
	}
	turn = replay.Turn{Number: f.turn, Time: time.Now().UTC()}
	if f.time != "" {
		if turn.Time, err = parseTime("--time", f.time); err != nil {
			return session, turn, err
		}
	}
	if f.response != "" {
		if turn.Response, err = readFile(f.response); err != nil {
			return session, turn, err
		}
	}
	labels, err := parseLabels(f.labels)
	if err == nil && !utf8.ValidString(f.session) {
		err = fmt.Errorf("--session %q; want a name in UTF-8", f.session)
	}
	if year := turn.Time.UTC().Year(); err == nil && (year < 1 || year > 9999) {
		err = fmt.Errorf("--time %q; want a year from 1 to 9999", f.time)
	}
	return replay.Session{ID: f.session, Labels: labels}, turn, err
}

// keeper returns what stores the turns that the flags name, or nil when --record was not given. What is wrong with the
// flags is told before anything is read or printed.
func (f *turnFlags) keeper() (*keeper, error) {
	if f.record != nil && !*f.record {
		names := []string{"session", "turn", "time", "label", "response", "store"}
		if f.cmd.Name() != "render" { // where it says more
			names = append(names, "tenant")
		}
		return nil, goesWith(f.cmd, "--record", names...)
	}
	session, turn, err := f.of()
	if err != nil {
		return nil, err
	}
	return &keeper{flags: f, session: session, turn: turn}, nil
}

// recordError gives nondeterminism, which is a finding and not a failure, its exit status.
func recordError(err error) error {
	var finding *replay.NondeterminismError
	if errors.As(err, &finding) {
		return &statusError{exitFailed, err}
	}
	return storeError(err)
}
