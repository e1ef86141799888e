package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func completionCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a completion script for bash, zsh, fish or powershell",
		Long:  "Print a script that teaches a shell to complete quire's commands and flags.",
		Example: `  source <(quire completion bash)
  quire completion zsh > "${fpath[1]}/_quire"
  quire completion fish > ~/.config/fish/completions/quire.fish`,
		ValidArgs:             []string{"bash", "zsh", "fish", "powershell"},
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			shell := ""
			if len(args) == 1 {
				shell = args[0]
			}
			switch root := cmd.Root(); shell {
			case "bash":
				return root.GenBashCompletionV2(s.out, true)
			case "zsh":
				return root.GenZshCompletion(s.out)
			case "fish":
				return root.GenFishCompletion(s.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(s.out)
			}
			return fmt.Errorf("completion: want one of bash, zsh, fish and powershell")
		},
	}
}
