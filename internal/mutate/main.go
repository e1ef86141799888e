// Command mutate asks whether tests would notice: it changes one thing of a package at a time, runs the package's tests,
// and lists the changes after which they still pass.
//
//	go run ./internal/mutate [-for 10m] [-jobs 1] [-file gate.go] [-quick] [-again] [-state FILE] ./tiers
//
// The changes: conditions are negated; < becomes <=, == becomes !=, && becomes ||, + becomes -, and back; numbers become
// one more and one less; statements are dropped; true becomes false, max becomes min, break becomes continue; a constant
// becomes the next of its group. The tests see changes through the go command's overlay: no file of the module is
// written. All mutants meet the tests in one program, which holds them all and is built once; one that survives there
// is built and tested alone where not all tests could try it.
//
// Mutants are tried in an order that is scattered over the package, so that what a bounded run tried is a fair sample.
// Every verdict is appended to the state file. A run that is started again tries what is left; a file that has changed
// since is tried anew. When tests were added, -again tries what survived.
//
// A survivor is a question, not a fault: a change may well make no difference to what the package promises.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

func main() {
	var o options
	flag.DurationVar(&o.limit, "for", 10*time.Minute, "how long to go on")
	flag.IntVar(&o.jobs, "jobs", 1, "how many mutants to try at once")
	flag.BoolVar(&o.again, "again", false, "try again what survived: for when tests were added")
	flag.BoolVar(&o.quick, "quick", false, "leave out tests of a second and more: -again will try what survives with all")
	flag.StringVar(&o.file, "file", "", "only this `file` of the package")
	flag.StringVar(&o.state, "state", "", "where verdicts are kept; by default bin/mutate-PACKAGE.jsonl")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: mutate [flags] PACKAGE")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	o.pkg = flag.Arg(0)
	if o.state == "" {
		o.state = "bin/mutate-" + strings.ReplaceAll(strings.Trim(o.pkg, "./"), "/", "-") + ".jsonl"
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := run(ctx, o, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
	s.print(os.Stdout)
}
