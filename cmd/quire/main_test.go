package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/zeebo/blake3"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure/bpe"
	"github.com/quirehq/quire/tiers"
)

var update = flag.Bool("update", false, "rewrite the expected outputs of the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"quire": main})
}

func TestScripts(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examples)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status,
			"size":   size,
			"unwrap": unwrap,
			"flip":   flip,
		},
	})
}

// status runs a command and wants its exit status: status N COMMAND…
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// size makes a file of N zero bytes that takes no room on the disk: size N FILE
func size(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: size N FILE")
	}
	n, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	name := ts.MkAbs(args[1])
	ts.Check(os.WriteFile(name, nil, 0o644))
	ts.Check(os.Truncate(name, n))
}

// unwrap writes what a Go string literal denotes into a file, for bytes that a script cannot hold: unwrap FILE LITERAL
func unwrap(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: unwrap FILE LITERAL")
	}
	content, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(content), 0o644))
}

// flip changes a bit of a file: flip OFFSET FILE
func flip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: flip OFFSET FILE")
	}
	offset, err := strconv.Atoi(args[0])
	ts.Check(err)
	content, err := os.ReadFile(ts.MkAbs(args[1]))
	ts.Check(err)
	content[offset] ^= 1
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), content, 0o644))
}

// quire runs the command line in this process.
func quire(t *testing.T, in string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(args, strings.NewReader(in), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// Every command has an example, and every example is of this program; every flag is explained.
func TestHelp(t *testing.T) {
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		if !c.Hidden {
			if c.Short == "" || c.Long == "" || !strings.Contains(c.Example, c.CommandPath()) {
				t.Errorf("%s: short %q, long %q, example %q", c.CommandPath(), c.Short, c.Long, c.Example)
			}
			if code, out, errs := quire(t, "", append(strings.Fields(c.CommandPath())[1:], "--help")...); code != 0 || errs != "" || !strings.Contains(out, c.Example) {
				t.Errorf("%s --help: status %d, stderr %q, output %q", c.CommandPath(), code, errs, out)
			}
		}
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	check(rootCommand(&streams{}, nil))
}

// Examples that name files of the repository work as they are printed, from its root.
func TestHelpExamples(t *testing.T) {
	t.Chdir("../..")
	t.Setenv("QUIRE_STORE", "sqlite:"+filepath.ToSlash(filepath.Join(t.TempDir(), "store.db")))
	tried := 0
	for _, c := range rootCommand(&streams{}, nil).Commands() {
		for line := range strings.Lines(c.Example) {
			args := strings.Fields(line)
			if len(args) < 3 || !strings.Contains(line, " examples/") {
				continue
			}
			tried++
			if code, out, errs := quire(t, "", args[1:]...); code != 0 || out == "" || strings.Contains(errs, "quire: ") && !strings.Contains(errs, "warning") {
				t.Errorf("%s: status %d, %q", strings.TrimSpace(line), code, errs)
			}
		}
	}
	if tried < 7 {
		t.Errorf("only %d examples were tried", tried)
	}
}

// The flags that stand in for keys say which names they take.
func TestOverrideNames(t *testing.T) {
	usage := map[string]string{}
	for _, o := range overrides {
		usage[o.key] = o.usage
	}
	for key, names := range map[string][]string{
		"measure": bpe.Names(),
		"gate":    {tiers.Published.String(), tiers.Reserved.String(), tiers.PrefixStable.String()},
		"join":    {composer.BlankLine.String(), composer.Line.String(), composer.NoJoin.String()},
	} {
		for _, name := range names {
			if !strings.Contains(usage[key], name) {
				t.Errorf("--%s does not mention %s", key, name)
			}
		}
	}
}

// Every measure that --tokens offers is one.
func TestTokenMeasures(t *testing.T) {
	for _, name := range tokenMeasures {
		if _, ok := bpe.ByName(name); !ok {
			t.Errorf("no measure %q", name)
		}
	}
}

// The fingerprint is the BLAKE3 of the bytes that -o text prints, by an independent call, and by b3sum where it is.
func TestFingerprintOfOutput(t *testing.T) {
	for _, args := range [][]string{
		{"../../examples/minimal.yaml"},
		{"../../examples/coding-agent.yaml", "--budget", "9000"},
		{"../../examples/support-agent.yaml", "--depth", "1"},
		{"../../examples/prompts.yaml", "--doc", "3", "--gate", "published"},
	} {
		_, text, _ := quire(t, "", append([]string{"compile"}, args...)...)
		_, hex, _ := quire(t, "", append([]string{"compile", "-o", "fingerprint"}, args...)...)
		sum := blake3.Sum256([]byte(text))
		if want := hexOf(sum[:]) + "\n"; text == "" || hex != want {
			t.Errorf("%v: fingerprint %q, want %q", args, hex, want)
		}
		if line, ok := b3sum(t, text); ok && line != strings.TrimSuffix(hex, "\n")+"  -\n" {
			t.Errorf("%v: b3sum says %q", args, line)
		}
		if _, line, _ := quire(t, text, "fingerprint"); line != strings.TrimSuffix(hex, "\n")+"  -\n" {
			t.Errorf("%v: quire fingerprint says %q", args, line)
		}
	}
}

func hexOf(b []byte) string {
	const digits = "0123456789abcdef"
	var s []byte
	for _, c := range b {
		s = append(s, digits[c>>4], digits[c&15])
	}
	return string(s)
}

// b3sum runs the reference program on a text, or on files.
func b3sum(t *testing.T, in string, args ...string) (out string, ok bool) {
	t.Helper()
	path, err := exec.LookPath("b3sum")
	if err != nil {
		t.Log("b3sum is not installed: not compared with it")
		return "", false
	}
	cmd := exec.Command(path, args...)
	cmd.Stdin = strings.NewReader(in)
	b, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(b), true
}

// Lines are those of b3sum, whatever is in a name.
func TestFingerprintNames(t *testing.T) {
	t.Chdir(t.TempDir())
	names := []string{"plain", "two words", `back\slash`, "line\nend", "carriage\rreturn", "tab\tinside", "é😀", "-dash", `\n`}
	for i, name := range names {
		if err := os.WriteFile(name, []byte(strings.Repeat("x", i*1000)), 0o644); err != nil {
			t.Skipf("this file system has no %q: %v", name, err)
		}
	}
	args := append([]string{"--"}, names...)
	want, ok := b3sum(t, "", args...)
	if !ok {
		t.Skip("b3sum is not installed")
	}
	code, got, errs := quire(t, "", append([]string{"fingerprint"}, args...)...)
	if code != 0 || got != want {
		t.Errorf("status %d, %s\n got %q\nwant %q", code, errs, got, want)
	}
	got2, want2 := slices.Collect(strings.Lines(got)), slices.Collect(strings.Lines(want))
	if len(got2) != len(names) || len(want2) != len(names) {
		t.Errorf("%d and %d lines for %d names", len(got2), len(want2), len(names))
	}
}

// A failing writer is an error of every command, with nothing of it lost.
func TestWriteErrors(t *testing.T) {
	for _, args := range [][]string{
		{"compile", "../../examples/minimal.yaml"},
		{"compile", "--jsonl"},
		{"explain", "../../examples/minimal.yaml"},
		{"explain", "../../examples/minimal.yaml", "--sweep", "1:9:1"},
		{"fingerprint"}, {"schema"}, {"version"}, {"completion", "bash"}, {"--help"}, {"compile", "--help"},
	} {
		var stderr bytes.Buffer
		code := run(args, strings.NewReader(`{"sections":[]}`+"\n"), full{}, &stderr)
		if code != exitInput || stderr.String() != "quire: standard output: no space left\n" {
			t.Errorf("%v: status %d, %q", args, code, stderr.String())
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }
