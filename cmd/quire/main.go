// Quire composes prompts from prompt files, under a budget, and says what it decided and why.
//
// Exit status: 0 fine; 1 the check that was asked for failed; 2 usage or bad input; 3 the store could not be read or is
// damaged. Results go to standard output, whole or not at all; errors and warnings go to standard error, one line each.
package main

import (
	"os"

	"github.com/spf13/cobra"
)

func main() {
	cobra.EnableCommandSorting = false // the help has them in the order of use
	keepBrokenPipes()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
