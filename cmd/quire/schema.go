package main

import (
	"github.com/spf13/cobra"

	"github.com/quirehq/quire/internal/promptfile"
)

func schemaCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of a prompt file",
		Long:  "Print the JSON Schema (2020-12) of a prompt: of a JSON prompt file, or of one document of a YAML one.",
		Example: `  quire schema > quire.schema.json
  # then, as the first line of a prompt file, for editors with a YAML language server:
  # yaml-language-server: $schema=quire.schema.json`,
		Args: takes(0, ""),
		RunE: func(*cobra.Command, []string) error {
			_, err := s.out.Write(promptfile.Schema())
			return err
		},
	}
}
