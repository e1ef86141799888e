//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// keepBrokenPipes makes a reader that has gone an error like any other, with its message and status. Otherwise the
// signal would end the program without either.
func keepBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }
