package main

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Together is a test program that holds many mutants at once, each as a copy of its function, which the function calls
// when the environment names it. To build and link a program takes longer than most mutants live, so a mutant first
// meets the tests here, the quick ones before the slow ones. Alone is tried what only a test can kill that fails here.
type together struct {
	program string
	dir     string         // where the tests run: the package's
	numbers map[string]int // of the mutants in it, by id
	unbuilt map[string]bool
	failing []string // tests that fail here as they are, such as those that count allocations
	slow    []string // tests that take a second or more

	// After so many seconds of the processor the quick tests, and the slow ones, are in an endless loop.
	quickLimit, slowLimit int
}

const variable = "MUTATE_NUMBER"

// chooser is the file that reads the number of the mutant to run.
const chooser = `

import (
	"os"
	"strconv"
)

var mutantNumber, _ = strconv.Atoi(os.Getenv("` + variable + `"))
`

// buildTogether builds the program in the folder temp. Mutants that stand in no function are left out, and so are those
// that the compiler refuses, until it refuses none.
func buildTogether(ctx context.Context, pkg string, all []candidate, temp string) (*together, error) {
	t := &together{program: filepath.Join(temp, "together.test"), unbuilt: map[string]bool{}}
	byFile := map[string][]candidate{}
	for _, c := range all {
		t.dir = filepath.Dir(c.path)
		byFile[c.path] = append(byFile[c.path], c)
	}
	for again := true; again; {
		var err error
		if again, err = t.build(ctx, pkg, byFile, temp); err != nil {
			return nil, err
		}
	}
	return t, t.measure(ctx)
}

// build builds the program without the mutants that are known to be unbuilt, and reports whether there were more.
func (t *together) build(ctx context.Context, pkg string, byFile map[string][]candidate, temp string) (more bool, err error) {
	t.numbers = map[string]int{}
	files := map[string][]byte{}
	owners := map[string][]string{} // by file, of every line: the id of a mutant, or ""
	for path, these := range byFile {
		src, lines, name, err := t.withCopies(these)
		if err != nil {
			return false, err
		}
		files[path], owners[filepath.Base(path)] = src, lines
		files[filepath.Join(t.dir, "mutate_chooser.go")] = []byte("package " + name + chooser)
	}
	overlay, err := overlaid(temp, files)
	if err != nil {
		return false, err
	}
	out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", t.program, "-vet=off", "-gcflags=-e", "-ldflags=-s -w",
		"-overlay", overlay, pkg).CombinedOutput()
	if err == nil {
		return false, nil
	}
	for _, m := range regexp.MustCompile(`(?m)([^\s/]+\.go):(\d+):`).FindAllSubmatch(out, -1) {
		line, _ := strconv.Atoi(string(m[2]))
		if lines := owners[string(m[1])]; line <= len(lines) && lines[line-1] != "" {
			t.unbuilt[lines[line-1]], more = true, true
		}
	}
	if !more {
		return false, fmt.Errorf("all mutants in one program: %w\n%s", err, out)
	}
	return true, nil
}

// measure runs the tests as they are: which take long, and which fail because functions are longer now.
func (t *together) measure(ctx context.Context) error {
	out, err := t.run(ctx, 0, 3600, "-test.v")
	var quick, slow float64 // seconds
	for _, m := range regexp.MustCompile(`(?m)^--- (PASS|FAIL): (\S+) \((.+)s\)`).FindAllSubmatch(out, -1) {
		seconds, _ := strconv.ParseFloat(string(m[3]), 64)
		switch name := string(m[2]); {
		case string(m[1]) == "FAIL":
			t.failing = append(t.failing, name)
		case seconds >= 1:
			t.slow = append(t.slow, name)
			slow += seconds
		default:
			quick += seconds
		}
	}
	if err != nil && t.failing == nil {
		return fmt.Errorf("no mutant of the program with all: %w\n%s", err, out)
	}
	t.quickLimit, t.slowLimit = 2+int(2*quick), 2+int(2*slow)
	return nil
}

// oneOf returns the pattern of some tests.
func oneOf(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }

// withCopies returns the file of these mutants with their copies, the owners of its lines, and the package's name.
func (t *together) withCopies(these []candidate) (src []byte, lines []string, pkg string, err error) {
	whole := these[0].whole
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, these[0].file, whole, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, "", err
	}
	at := func(pos token.Pos) int { return fset.Position(pos).Offset }
	lines = make([]string, bytes.Count(whole, []byte("\n")))
	var copies bytes.Buffer
	from := 0
	for _, d := range file.Decls {
		f, is := d.(*ast.FuncDecl)
		if !is || f.Body == nil {
			continue
		}
		before, after, ok := forward(f)
		if !ok {
			continue
		}
		body := at(f.Body.Lbrace) + 1
		src = append(append(src, whole[from:body]...), " switch mutantNumber {"...)
		from = body
		for _, c := range these {
			if t.unbuilt[c.id] || c.start < body || c.end > at(f.End()) {
				continue
			}
			n := len(t.numbers) + 1
			t.numbers[c.id] = n
			name := fmt.Sprintf("mutant%d%s", n, f.Name.Name)
			src = fmt.Appendf(src, " case %d: %s;", n, fmt.Sprintf(before, name)+after)
			changed := c.apply(whole)
			changed = changed[at(f.Pos()) : at(f.End())+len(changed)-len(whole)]
			k := at(f.Name.Pos()) - at(f.Pos())
			text := slices.Concat(changed[:k], []byte(name), changed[k+len(f.Name.Name):], []byte("\n"))
			copies.Write(text)
			lines = append(lines, slices.Repeat([]string{c.id}, bytes.Count(text, []byte("\n")))...)
		}
		src = append(src, " };"...)
	}
	src = append(append(src, whole[from:]...), copies.Bytes()...)
	return src, lines, file.Name.Name, nil
}

// forward returns the statement by which a function hands its arguments on, before and after the name of the other
// function. It is not ok where an argument has no name.
func forward(f *ast.FuncDecl) (before, after string, ok bool) {
	ok = true
	names := func(list *ast.FieldList) string {
		if list == nil {
			return ""
		}
		var all []string
		for _, field := range list.List {
			if len(field.Names) == 0 {
				ok = false
			}
			for _, id := range field.Names {
				ok = ok && id.Name != "_"
				name := id.Name
				if _, variadic := field.Type.(*ast.Ellipsis); variadic {
					name += "..."
				}
				all = append(all, name)
			}
		}
		return strings.Join(all, ", ")
	}
	before, after = "%s", "("+names(f.Type.Params)+")"
	if f.Type.TypeParams != nil {
		after = "[" + names(f.Type.TypeParams) + "]" + after
	}
	if f.Recv != nil {
		before = names(f.Recv) + "." + before
	}
	if f.Type.Results == nil {
		return before, after + "; return", ok
	}
	return "return " + before, after, ok
}

// try returns what became of a mutant here. It is not final where not all tests could try it, unless the quick ones are
// to do.
func (t *together) try(ctx context.Context, c candidate, quick bool) (v verdict, final bool) {
	if t.unbuilt[c.id] {
		return unbuilt, true
	}
	n, in := t.numbers[c.id]
	if !in {
		return survived, false
	}
	failing, slow := oneOf(t.failing), oneOf(t.slow)
	_, err := t.run(ctx, n, t.quickLimit, "-test.failfast", "-test.skip", failing+"|"+slow)
	if err == nil && quick {
		return survived, true
	}
	if err == nil {
		_, err = t.run(ctx, n, t.slowLimit, "-test.failfast", "-test.skip", failing, "-test.run", slow)
	}
	if err != nil {
		return killed, true
	}
	return survived, t.failing == nil
}

// run runs the program as the mutant of a number, 0 for none, for some seconds of the processor.
func (t *together) run(ctx context.Context, number, seconds int, flags ...string) ([]byte, error) {
	args := []string{"-c", `ulimit -t "$0" && exec "$@"`, strconv.Itoa(seconds), t.program, "-test.short", "-test.timeout=10m"}
	cmd := exec.CommandContext(ctx, "sh", append(args, flags...)...)
	cmd.Dir = t.dir
	cmd.Env = append(os.Environ(), variable+"="+strconv.Itoa(number), "RAPID_NOFAILFILE=true", "RAPID_SHRINKTIME=0s")
	cmd.WaitDelay = time.Second
	return cmd.CombinedOutput()
}
