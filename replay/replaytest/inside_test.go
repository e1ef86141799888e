package replaytest

import (
	"flag"
	"io"
	"slices"
	"testing"
)

// -update works whether the tests have a flag of that name or not, and whatever theirs is.
func TestUpdateFlag(t *testing.T) {
	for _, test := range []struct {
		name   string
		theirs string // the kind of their flag
		args   []string
		given  bool
		rest   []string
		value  string // of their flag
	}{
		{"none", "", nil, false, nil, ""},
		{"ours", "", []string{"-update"}, true, nil, ""},
		{"ours, with two dashes", "", []string{"--update"}, true, nil, ""},
		{"ours, switched off", "", []string{"-update=false"}, false, nil, ""},
		{"ours, by its name", "", []string{"-replaytest.update", "x"}, true, []string{"x"}, ""},
		{"theirs", "bool", []string{"-update"}, true, nil, "true"},
		{"theirs, not given", "bool", nil, false, nil, "false"},
		{"theirs, of another kind", "string", []string{"-update", "golden", "x"}, false, []string{"x"}, "golden"},
		{"an argument", "", []string{"--", "-update"}, false, []string{"-update"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			set := flag.NewFlagSet("", flag.ContinueOnError)
			set.SetOutput(io.Discard)
			u := define(set, test.args)
			switch test.theirs { // a package that imports this one defines its flags afterwards
			case "bool":
				set.Bool("update", false, "")
			case "string":
				set.String("update", "", "")
			}
			if err := set.Parse(test.args); err != nil {
				t.Fatal(err)
			}
			if u.given() != test.given || !slices.Equal(set.Args(), test.rest) {
				t.Errorf("%v, arguments %q; want %v, %q", u.given(), set.Args(), test.given, test.rest)
			}
			if theirs := set.Lookup("update"); theirs != nil && theirs.Value.String() != test.value {
				t.Errorf("their flag is %s; want %s", theirs.Value, test.value)
			}
		})
	}
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	args := []string{"-update=perhaps"}
	if define(set, args); set.Parse(args) == nil {
		t.Error("-update=perhaps is accepted")
	}
}
