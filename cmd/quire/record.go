package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
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
		p, err := flags.prompt(s, args[0])
		if err != nil {
			return err
		}
		rec, err := keep.composition(p.Composition)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.out, rec.Output)
		p.warn(s)
		return err
	}
	return cmd
}
