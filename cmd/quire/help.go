package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		Long:    "Explain a command, as COMMAND --help does.",
		Example: "  quire help compile",
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("help: no command %q; \"quire help\" lists them", strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag() // so that it stands among the flags
			return about.Help()
		},
	}
}
