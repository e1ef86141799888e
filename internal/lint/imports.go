package lint

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// row returns the table row of a package path.
func row(pkg string) (Row, bool) {
	for _, r := range Floors() {
		if matches(r.Path, pkg) {
			return r, true
		}
	}
	return Row{}, false
}

// matches reports whether a path of the table stands for the package pkg.
func matches(pattern, pkg string) bool {
	if dir, ok := strings.CutSuffix(pattern, "/..."); ok {
		return within(pkg, dir)
	}
	return pattern == pkg
}

// importPath is the unquoted path of an import declaration.
func importPath(spec *ast.ImportSpec) string {
	// The parser accepts valid string literals only.
	p, _ := strconv.Unquote(spec.Path.Value)
	return p
}

// ours returns the path relative to the module root of a package of this module.
func ours(path string) (string, bool) {
	if path == Module {
		return ".", true
	}
	return strings.CutPrefix(path, Module+"/")
}

// std reports whether path is of the standard library: those are the paths whose
// first element has no dot.
func std(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// pure yields the packages below the first floor with effects.
func (t *Tree) pure(yield func(*Package) bool) {
	for p := range t.shipped {
		if r, ok := row(p.Path); ok && r.Floor < effects && !yield(p) {
			return
		}
	}
}

func checkFloors(t *Tree) []Finding {
	var out []Finding
	for p := range t.shipped {
		from, ok := row(p.Path)
		if !ok {
			out = append(out, Finding{File: p.Path, Message: "package is not in the table: add it to the table in internal/lint/floors.go"})
			continue
		}
		// Tests may climb: an oracle or a generator often lives above what it tests.
		for f := range p.code {
			for _, spec := range f.Syntax.Imports {
				path, ok := ours(importPath(spec))
				if !ok {
					continue
				}
				to, ok := row(path)
				switch {
				case !ok:
					out = append(out, t.finding(spec.Pos(), "imports %s, which is not in the table: add it to the table in internal/lint/floors.go", path))
				case to.Floor > from.Floor:
					out = append(out, t.finding(spec.Pos(), "%s (floor %d) imports %s (floor %d): imports go down", p.Path, from.Floor, path, to.Floor))
				case to.Floor == from.Floor && to.Path != from.Path && !slices.Contains(from.Beside, to.Path):
					out = append(out, t.finding(spec.Pos(), "%s imports %s on the same floor, which its row does not list", p.Path, path))
				case to.Only != nil && !slices.ContainsFunc(to.Only, func(o string) bool { return matches(o, p.Path) }):
					out = append(out, t.finding(spec.Pos(), "%s imports %s, which only %s may link", p.Path, path, strings.Join(to.Only, ", ")))
				}
			}
		}
	}
	return out
}

func checkModules(t *Tree) []Finding {
	var out []Finding
	for p := range t.shipped {
		r, ok := row(p.Path)
		if !ok {
			continue // checkFloors says so
		}
		for _, f := range p.Files {
			allowed := r.Third
			if f.Test {
				allowed = slices.Concat(allowed, testModules())
			}
			for _, spec := range f.Syntax.Imports {
				path := importPath(spec)
				if _, own := ours(path); own || std(path) {
					continue
				}
				if !slices.ContainsFunc(allowed, func(m string) bool { return within(path, m) }) {
					out = append(out, t.finding(spec.Pos(), "%s may not import %s: its row lists [%s]", p.Path, path, strings.Join(allowed, " ")))
				}
			}
		}
	}
	return out
}

func checkStd(t *Tree) []Finding {
	allowed := pureStd()
	var out []Finding
	for p := range t.shipped {
		r, ok := row(p.Path)
		if !ok {
			continue
		}
		also := alsoStd()[p.Path]
		for f := range p.code {
			for _, spec := range f.Syntax.Imports {
				path := importPath(spec)
				switch {
				case path == "C" || path == "unsafe":
					out = append(out, t.finding(spec.Pos(), "import %q: no code of this module needs it", path))
				case r.Floor >= effects || !std(path):
				case !slices.Contains(allowed, path) && !slices.Contains(also, path):
					out = append(out, t.finding(spec.Pos(), "%s is below the first floor with effects and may not import %q (see pureStd in internal/lint/floors.go)", p.Path, path))
				}
			}
		}
	}
	return out
}
