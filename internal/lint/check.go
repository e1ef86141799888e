package lint

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A Check is one rule over a whole tree.
type Check struct {
	Name string
	Rule string // one sentence, for the person whose change breaks it
	Run  func(*Tree) []Finding
}

// Checks returns every check, in the order in which they are reported.
func Checks() []Check {
	return []Check{
		{"floors", "a package imports only what the table in floors.go allows it", checkFloors},
		{"modules", "code imports only the modules that its row of floors.go lists", checkModules},
		{"std", "code below the first floor with effects imports only what its arguments decide", checkStd},
		{"effects", "code below the first floor with effects starts no goroutine and reads no clock", checkEffects},
		{"order", "code below the first floor with effects says why a map's order cannot show", checkOrder},
		{"floats", "nothing that decides or reports is a floating-point number", checkFloats},
		{"state", "no package-level variable changes after its declaration, and there is no init", checkState},
		{"panics", "input never panics: a panic says why it is unreachable", checkPanics},
		{"docs", "every package and every exported name has a doc comment", checkDocs},
		{"format", "Go source is formatted by gofmt", checkFormat},
		{"size", "a file can be read in one sitting", checkSize},
		{"unfinished", "nothing is left to be done in a comment", checkUnfinished},
		{"private", "no path of someone's machine, no package registry and no secret is committed", checkPrivate},
		{"architecture", "ARCHITECTURE.md names every package", checkArchitecture},
	}
}

// An Exemption lets one finding stand. It must say why, and it must be used.
type Exemption struct {
	Check    string
	File     string // a trailing "/..." stands for all files under a folder
	Contains string // part of the finding's message; empty matches any
	Why      string
}

// Run runs all checks and returns what the exemptions leave, by check name, each
// list sorted by file and line. An exemption that matches nothing is reported
// under the check that it names.
func Run(t *Tree, exempt []Exemption) map[string][]Finding {
	found := map[string][]Finding{}
	used := make([]bool, len(exempt))
	for _, c := range Checks() {
		list := slices.DeleteFunc(c.Run(t), func(f Finding) bool {
			gone := false
			for i, e := range exempt {
				if e.Check == c.Name && matches(e.File, f.File) && strings.Contains(f.Message, e.Contains) && e.Why != "" {
					used[i], gone = true, true
				}
			}
			return gone
		})
		slices.SortStableFunc(list, func(a, b Finding) int {
			return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
		})
		found[c.Name] = list
	}
	for i, e := range exempt {
		if !used[i] {
			found[e.Check] = append(found[e.Check], Finding{
				File:    "internal/lint/exempt.go",
				Message: "exemption " + strconv.Quote(e.File) + " without a reason or without a finding: remove it",
			})
		}
	}
	return found
}
