package bench_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// startup builds quire, and a program that prints a line, and runs them in turn: "quire compile" of a small file and the
// least that any Go program does. It returns what the processors took in the median: between the beginning and the end of
// a process others run too, and a clock would count them.
func startup(t *testing.T, pairs int) (took time.Duration, ratio float64) {
	dir := t.TempDir()
	build := func(name, source string) string {
		program := filepath.Join(dir, name+".exe") // Windows wants the ending, and others do not mind
		cmd := exec.Command("go", "build", "-o", program, source)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return program
	}
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	quire := build("quire", "github.com/quirehq/quire/cmd/quire")
	empty := build("empty", write("main.go", "package main\n\nimport \"os\"\n\nfunc main() { os.Stdout.WriteString(\"hello\\n\") }\n"))
	file := write("agent.yaml", "sections:\n  - {id: persona, text: You are careful.}\n  - {id: rules, text: Answer in one line.}\n")

	cost := func(program string, args ...string) time.Duration {
		cmd := exec.Command(program, args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	var runs, floors []time.Duration
	for range pairs {
		floors, runs = append(floors, cost(empty)), append(runs, cost(quire, "compile", file))
	}
	slices.Sort(floors)
	slices.Sort(runs)
	took = runs[pairs/2]
	return took, float64(took) / float64(floors[pairs/2])
}
