package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/composer"
)

func versionCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program and of its compiler",
		Long: `Print the version of the program, the version of the rules by which it compiles (which every recipe states: equal rules
give equal bytes), the revision it was built from where that is known, and the Go release and platform.`,
		Example: `  quire version`,
		Args:    takes(0, ""),
		RunE:    func(*cobra.Command, []string) error { return printVersion(s) },
	}
}

func printVersion(s *streams) error {
	version, revision := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, setting := range info.Settings {
			switch {
			case setting.Key == "vcs.revision":
				revision = "revision " + setting.Value + "\n"
			case setting.Key == "vcs.modified" && setting.Value == "true" && revision != "":
				revision = revision[:len(revision)-1] + ", modified\n"
			}
		}
	}
	_, err := fmt.Fprintf(s.out, "quire %s\ncompiler %s\n%s%s %s/%s\n", version, composer.Version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
