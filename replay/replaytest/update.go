package replaytest

import (
	"flag"
	"os"
	"strconv"
	"strings"
)

// updating is set by -update.
var updating = define(flag.CommandLine, os.Args[min(1, len(os.Args)):])

// An updateFlag is the flag -update of a test program. The tests that use this package may have one of their own, defined
// before or after; so ours has a longer name, -replaytest.update, and the arguments are changed to that. When they are
// parsed, all flags are defined: where the tests have an -update, it gets the value, and it is what counts.
type updateFlag struct {
	set *flag.FlagSet
	on  bool // where the tests have none
}

// define defines the flag in a set, and changes the arguments that the set will parse.
func define(set *flag.FlagSet, args []string) *updateFlag {
	const name = "replaytest.update"
	for i, arg := range args {
		if arg == "--" {
			break
		}
		given, _, _ := strings.Cut(arg, "=")
		if given == "-update" || given == "--update" {
			args[i] = "-" + name + arg[len(given):]
		}
	}
	u := &updateFlag{set: set}
	set.Var(u, name, "rewrite bundles instead of checking them; also -update")
	return u
}

// theirs is the flag -update of the tests, or nil.
func (u *updateFlag) theirs() *flag.Flag { return u.set.Lookup("update") }

func (u *updateFlag) given() bool {
	if theirs := u.theirs(); theirs != nil {
		return theirs.Value.String() == "true"
	}
	return u.on
}

// Set implements [flag.Value].
func (u *updateFlag) Set(value string) (err error) {
	if u.theirs() != nil {
		return u.set.Set("update", value)
	}
	u.on, err = strconv.ParseBool(value)
	return err
}

// String implements [flag.Value].
func (u *updateFlag) String() string { return strconv.FormatBool(u.on) }

// IsBoolFlag lets the flag stand without a value, where the tests' own may.
func (u *updateFlag) IsBoolFlag() bool {
	if theirs := u.theirs(); theirs != nil {
		b, ok := theirs.Value.(interface{ IsBoolFlag() bool })
		return ok && b.IsBoolFlag()
	}
	return true
}
