package main

import (
	"bytes"
	"context"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMutants(t *testing.T) {
	for _, tt := range []struct {
		name string
		body string
		want []string // the changed bodies, in order of place
	}{
		{"condition", `if a < b { f() }`, []string{`if !(a < b) { f() }`, `if a <= b { f() }`, `if a < b {  }`}},
		{"logic", `return a && !b`, []string{`return a || !b`, `return a && b`}},
		{"loop", `for a { break }`, []string{`for !(a) { break }`, `for a { continue }`}},
		{"labels are left alone", `l: for { continue l }`, nil},
		{"case", `switch { case a == b: }`, []string{`switch { case !(a == b): }`, `switch { case a != b: }`}},
		{"number", `return 7`, []string{`return (7+1)`, `return (7-1)`}},
		{"arithmetic", `a += b`, []string{``, `a -= b`}},
		{"bits", `return a&^b | c`, []string{`return a&b | c`, `return a&^b & c`}},
		{"counter", `a++`, []string{``, `a--`}},
		{"declarations are not dropped", `a := f`, nil},
		{"assignment", `a = b`, []string{``}},
		{"predeclared names", `return max(a, b), true`, []string{`return min(a, b), true`, `return max(a, b), false`}},
		{"beside an error", `return 0, fmt.Errorf("x")`, nil},
		{"beside a kept error", `return 0, p.err`, nil},
		{"beside a typed error", `return 0, &ItemError{}`, nil},
		{"beside no error", `return 0, nil`, []string{`return (0+1), nil`, `return (0-1), nil`}},
		{"constants", `return Low`, []string{`return High`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const head, tail = "package p\n\nfunc p() {\n\t", "\n}\n"
			src := head + tt.body + tail
			found, err := mutants("p.go", []byte(src), map[string]string{"Low": "High", "High": "Low"})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range found {
				changed := string(m.apply([]byte(src)))
				if _, err := parser.ParseFile(token.NewFileSet(), "p.go", changed, 0); err != nil {
					t.Errorf("%v does not parse: %v", m, err)
				}
				if m.line != 4 {
					t.Errorf("%v: line %d, want 4", m, m.line)
				}
				got = append(got, changed[len(head):len(changed)-len(tail)])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestConstants(t *testing.T) {
	got, err := constants("p.go", []byte("package p\nconst (\n\tA T = 0\n\tB T = 1\n\tC T = 2\n\tN = 3\n)\nconst M T = 9\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"A": "B", "B": "C", "C": "A"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestMutantsAreToldInOneLine(t *testing.T) {
	m := mutant{file: "p.go", line: 3, kind: "dropped", was: "f(\n\t1,\n)"}
	if got, want := m.String(), "p.go:3: dropped: f( 1, ) => (nothing)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Every shape of function hands its arguments on. What cannot, and what stands in no function, is left to be tried alone.
func TestTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command a few times: skipped by -short")
	}
	module(t, `var limit = 7

type list[T any] []T

func (l list[T]) twice() int { return len(l) * 2 }

func sum(xs ...int) (n int) {
	for _, x := range xs {
		n += x
	}
	return n
}

func set[T any](p *T, to T) { *p = to }

func text(s string) string { return s + "." }

func second(_, b int) int { return b + limit }
`, `n := 0
	set(&n, sum(3, 4))
	if n != limit || (list[int]{1}).twice() != 2 || text("") != "." || second(1, 2) != 9 {
		t.Fail()
	}`)
	all, err := candidates(options{pkg: "."})
	if err != nil {
		t.Fatal(err)
	}
	program, err := buildTogether(t.Context(), ".", all, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]verdict{}
	for _, c := range all {
		got[c.String()], _ = program.try(t.Context(), c, false)
	}
	want := map[string]verdict{
		"p.go:3: number: 7 => (7+1)":             survived,
		"p.go:3: number: 7 => (7-1)":             survived,
		"p.go:7: operator: * => /":               killed,
		"p.go:7: number: 2 => (2+1)":             killed,
		"p.go:7: number: 2 => (2-1)":             killed,
		"p.go:11: dropped: n += x => (nothing)":  unbuilt,
		"p.go:11: operator: += => -=":            killed,
		"p.go:16: dropped: *p = to => (nothing)": killed,
		"p.go:18: operator: + => -":              unbuilt,
		"p.go:20: operator: + => -":              survived,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// module makes a module of one package with one test the working folder.
func module(t *testing.T, body, test string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.com/p\n\ngo 1.26\n",
		"p.go":      "package p\n\n" + body,
		"p_test.go": testFile(test),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

func testFile(body string) string {
	return "package p\n\nimport \"testing\"\n\nfunc Test(t *testing.T) {\n\t" + body + "\n}\n"
}

// A module whose test looks away in one place: that is what survives, and it is not tried again.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command a dozen times: skipped by -short")
	}
	dir := module(t, "func Positive(n int) bool {\n\treturn n > 0\n}\n", "if !Positive(2) || Positive(-1) {\n\t\tt.Fail()\n\t}")
	o := options{pkg: ".", state: filepath.Join(dir, "state.jsonl"), limit: 5 * time.Minute, jobs: 2}
	want := summary{all: 3, count: map[verdict]int{survived: 3},
		survivors: []string{"p.go:4: operator: > => >=", "p.go:4: number: 0 => (0+1)", "p.go:4: number: 0 => (0-1)"}}
	for range 2 {
		got, err := run(context.Background(), o, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(summary{})); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		state, err := os.ReadFile(o.state)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(state, []byte("\n")); n != want.all {
			t.Errorf("%d lines of state, want %d", n, want.all)
		}
	}

	if err := os.WriteFile("p_test.go", []byte(testFile("if Positive(0) || !Positive(1) {\n\t\tt.Fail()\n\t}")), 0o666); err != nil {
		t.Fatal(err)
	}
	o.again = true
	got, err := run(context.Background(), o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(summary{all: 3, count: map[verdict]int{killed: 3}}, got, cmp.AllowUnexported(summary{})); diff != "" {
		t.Errorf("with a stronger test (-want +got)\n%s", diff)
	}
}
