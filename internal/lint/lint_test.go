package lint_test

import (
	"errors"
	"go/scanner"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/internal/lint"
)

const root = "../.."

func TestModule(t *testing.T) {
	tree, err := lint.Load(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Packages) == 0 || len(tree.Texts) == 0 {
		t.Fatal("found nothing to check")
	}
	found := lint.Run(tree, lint.Exemptions())
	for _, c := range lint.Checks() {
		t.Run(c.Name, func(t *testing.T) {
			for _, f := range found[c.Name] {
				t.Error(f)
			}
			if t.Failed() {
				t.Log("rule: " + c.Rule)
			}
		})
	}
}

func TestVet(t *testing.T) {
	if testing.Short() {
		t.Skip("go vet compiles the whole module: skipped by -short")
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go tool on PATH")
	}
	cmd := exec.Command(tool, "vet", "./...")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}

// TestChecks shows that each check can fail, and where it stays silent.
func TestChecks(t *testing.T) {
	const doc = "// Package x decides.\n"
	// Text that must not stand in this file either is put together.
	const (
		home     = "/ho" + "me/ann/quire"
		work     = "/wo" + "rk/main"
		registry = "https://proxy." + "golang.org/x"
		secret   = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
		todo     = "TO" + "DO"
	)
	tests := []struct {
		name  string
		check string
		files map[string]string
		want  []string // in the order reported: file:line, a space, and a part of the message
	}{
		{"package without a row", "floors",
			map[string]string{"attic/a.go": "package attic\n"},
			[]string{"attic add it to the table"}},
		{"import of a higher floor", "floors",
			map[string]string{"tiers/a.go": "package tiers\nimport _ \"github.com/quirehq/quire/composer\"\n"},
			[]string{"tiers/a.go:2 imports go down"}},
		{"import on the same floor", "floors",
			map[string]string{"tiers/a.go": "package tiers\nimport _ \"github.com/quirehq/quire/fingerprint\"\n"},
			[]string{"tiers/a.go:2 which its row does not list"}},
		{"import of what the table lacks", "floors",
			map[string]string{"replay/a.go": "package replay\nimport _ \"github.com/quirehq/quire/attic\"\n"},
			[]string{"replay/a.go:2 not in the table"}},
		{"heavy package linked from the middle", "floors",
			map[string]string{"composer/a.go": "package composer\nimport _ \"github.com/quirehq/quire/composer/measure/bpe\"\n"},
			[]string{"composer/a.go:2 may link"}},
		{"imports that the table allows", "floors",
			map[string]string{
				"composer/a.go":         "package composer\nimport _ \"github.com/quirehq/quire/tiers\"\n",
				"fragments/a.go":        "package fragments\nimport _ \"github.com/quirehq/quire/guidance\"\n",
				"examples/one/a.go":     "package main\nimport _ \"github.com/quirehq/quire/replay/sqlite\"\n",
				"tiers/a_test.go":       "package tiers_test\nimport _ \"github.com/quirehq/quire/fuzz\"\n",
				"bench/peers/go.mod":    "module peers\n",
				"bench/peers/a.go":      "package peers\nimport _ \"example.com/anything\"\n",
				"tiers/testdata/odd.go": "not Go at all\n",
			}, nil},

		{"module that the row does not list", "modules",
			map[string]string{"tiers/a.go": "package tiers\nimport _ \"github.com/zeebo/blake3\"\n"},
			[]string{"tiers/a.go:2 may not import"}},
		{"module with a longer name", "modules",
			map[string]string{"fingerprint/a.go": "package fingerprint\nimport _ \"github.com/zeebo/blake3x\"\n"},
			[]string{"fingerprint/a.go:2 may not import"}},
		{"module that no test may import", "modules",
			map[string]string{"tiers/a_test.go": "package tiers\nimport _ \"github.com/spf13/cobra\"\n"},
			[]string{"tiers/a_test.go:2 may not import"}},
		{"modules that the table allows", "modules",
			map[string]string{
				"fingerprint/a.go": "package fingerprint\nimport _ \"github.com/zeebo/blake3\"\n",
				"tiers/a_test.go":  "package tiers\nimport _ \"pgregory.net/rapid\"\n",
			}, nil},

		{"machine read below the effects", "std",
			map[string]string{"composer/a.go": "package composer\nimport (\n\t_ \"os\"\n\t_ \"net/http\"\n\t_ \"encoding/json\"\n\t_ \"time\"\n\t_ \"fmt\"\n)\n"},
			[]string{"composer/a.go:3 \"os\"", "composer/a.go:4 \"net/http\"", "composer/a.go:5 \"encoding/json\"", "composer/a.go:6 \"time\""}},
		{"cgo and unsafe anywhere", "std",
			map[string]string{"cmd/quire/a.go": "package main\nimport \"C\"\nimport _ \"unsafe\"\n"},
			[]string{"cmd/quire/a.go:2 \"C\"", "cmd/quire/a.go:3 \"unsafe\""}},
		{"effects where they belong, time as a value", "std",
			map[string]string{
				"replay/a.go":           "package replay\nimport _ \"os\"\n",
				"composer/request/a.go": "package request\nimport _ \"time\"\n",
				"composer/a_test.go":    "package composer\nimport _ \"os\"\n",
			}, nil},

		{"clock, goroutine, channel, select", "effects",
			map[string]string{"composer/request/a.go": "package request\nimport \"time\"\nvar _ = time.Now()\nfunc f() {\n\tgo f()\n\tselect {}\n}\nfunc g(c chan int) {}\n"},
			[]string{"composer/request/a.go:3 time.Now", "composer/request/a.go:5 goroutine", "composer/request/a.go:6 select", "composer/request/a.go:8 channel"}},
		{"a local value named time", "effects",
			map[string]string{"composer/request/a.go": "package request\nimport t \"time\"\nfunc f(d t.Time) int { var time struct{ Now int }; return time.Now }\n"}, nil},

		{"map walked", "order",
			map[string]string{"tiers/a.go": "package tiers\nimport \"maps\"\ntype set map[string]int\nfunc f(s set) {\n\tfor k := range s {\n\t\t_ = k\n\t}\n\tfor k := range maps.Keys(s) {\n\t\t_ = k\n\t}\n}\n"},
			[]string{"tiers/a.go:5 walks a map", "tiers/a.go:8 walks a map"}},
		{"map sorted, explained, or not a map", "order",
			map[string]string{"tiers/a.go": "package tiers\nimport (\n\t\"maps\"\n\t\"slices\"\n)\nfunc f(s map[int]int, l []int) {\n\tfor _, k := range slices.Sorted(maps.Keys(s)) {\n\t\t_ = k\n\t}\n\t// A sum is the same in any order.\n\tfor k := range s {\n\t\t_ = k\n\t}\n\tfor i := range l {\n\t\t_ = i\n\t}\n\tfor range s {\n\t}\n}\n"}, nil},

		{"floating point", "floats",
			map[string]string{"tiers/a.go": "package tiers\nimport (\n\t\"math\"\n\t\"strconv\"\n)\nconst f = 0.5\nvar x float64\nvar y = math.Floor(1)\nvar z, _ = strconv.ParseFloat(\"1\", 64)\n"},
			[]string{"tiers/a.go:6 constant 0.5", "tiers/a.go:7 type float64", "tiers/a.go:8 math.Floor", "tiers/a.go:9 strconv.ParseFloat"}},
		{"integers, and floats where nothing is decided", "floats",
			map[string]string{
				"tiers/a.go":        "package tiers\nimport (\n\t\"math\"\n\t\"strconv\"\n)\nconst m = math.MaxInt64\nconst k = 1e18\nvar n, _ = strconv.Atoi(\"0.5\")\n",
				"tiers/a_test.go":   "package tiers\nconst f = 0.5\n",
				"cmd/quire/main.go": "package main\nconst f = 0.5\n",
			}, nil},

		{"state", "state",
			map[string]string{"tiers/a.go": "package tiers\nimport \"sync\"\nvar n int\nvar m = map[int]int{}\nvar mu sync.Mutex\nvar pool = &sync.Pool{}\nvar Table = []int{1}\nfunc init() {}\nfunc f() {\n\tn = 1\n\tm[2]++\n\tdelete(m, 2)\n\t_ = &n\n}\n"},
			[]string{"tiers/a.go:5 sync.Mutex", "tiers/a.go:6 sync.Pool", "tiers/a.go:7 Table", "tiers/a.go:8 init",
				"tiers/a.go:10 n is assigned", "tiers/a.go:11 m is assigned", "tiers/a.go:12 m is changed by delete", "tiers/a.go:13 n has its address"}},
		{"assigned from another file", "state",
			map[string]string{"tiers/a.go": "package tiers\nvar n int\n", "tiers/b.go": "package tiers\nfunc f() { n = 1 }\n"},
			[]string{"tiers/b.go:2 n is assigned"}},
		{"tables, sentinels, once, shadowing", "state",
			map[string]string{"tiers/a.go": "package tiers\nimport (\n\t\"errors\"\n\t\"sync\"\n)\nvar ErrX = errors.New(\"x\")\nvar table = []int{1}\nvar once = sync.OnceValue(func() int { return 1 })\nfunc f(table []int) int { table[0] = 2; return table[0] }\nfunc g() int { return table[0] }\n"}, nil},

		{"panic and exit", "panics",
			map[string]string{"tiers/a.go": "package tiers\nimport \"os\"\nfunc f() {\n\tpanic(1)\n}\nfunc g() { os.Exit(1) }\n"},
			[]string{"tiers/a.go:4 panic", "tiers/a.go:6 os.Exit"}},
		{"panic that says why, Must, and the command", "panics",
			map[string]string{
				"tiers/a.go":     "package tiers\nfunc f() {\n\t// Unreachable: the parser bounds n.\n\tpanic(1)\n}\n\n// MustF panics on bad input.\nfunc MustF() { panic(2) }\nfunc h(panic func(int)) { panic(1) }\nfunc k() {\n\tpanic(3) // the options are constants\n}\n",
				"cmd/quire/a.go": "package main\nimport \"os\"\nfunc g() { os.Exit(1) }\n",
			}, nil},

		{"no comments", "docs",
			map[string]string{"tiers/a.go": "package tiers\nfunc F() {}\ntype T struct{}\nfunc (T) M() {}\nconst C = 1\nvar V = 1\ntype (\n\tU int\n)\n"},
			[]string{"tiers package comment", "tiers/a.go:2 F", "tiers/a.go:3 T", "tiers/a.go:4 M", "tiers/a.go:5 C", "tiers/a.go:6 V", "tiers/a.go:8 U"}},
		{"comments", "docs",
			map[string]string{"tiers/a.go": doc + "package tiers\n// F does.\nfunc F() {}\n// Kinds.\nconst (\n\tA = 1\n\tB = 2 // b\n)\ntype t struct{}\nfunc (t) M() {}\n", "tiers/a_test.go": "package tiers_test\nfunc TestX() {}\n"}, nil},

		{"not formatted", "format",
			map[string]string{"tiers/a.go": "package tiers\nvar  n int\n"},
			[]string{"tiers/a.go gofmt -w tiers/a.go"}},
		{"formatted", "format",
			map[string]string{"tiers/a.go": "package tiers\n\nvar n int\n"}, nil},

		{"too long", "size",
			map[string]string{"tiers/a.go": "package tiers\n" + strings.Repeat("\n", 900)},
			[]string{"tiers/a.go:1 901 lines"}},
		{"README too long", "size",
			map[string]string{"README.md": strings.Repeat("\n", 151), "docs/README.md": strings.Repeat("\n", 151)},
			[]string{"README.md 151 lines"}},
		{"long but generated", "size",
			map[string]string{"tiers/a.go": "// Code generated by x. DO NOT EDIT.\npackage tiers\n" + strings.Repeat("\n", 900)}, nil},

		{"unfinished", "unfinished",
			map[string]string{"tiers/a.go": "package tiers\n\n// " + todo + ": more\n", "scripts/test": "\n# " + todo + "\n", "README.md": todo + "\n"},
			[]string{"README.md:1 " + todo, "scripts/test:2 " + todo, "tiers/a.go:3 " + todo}},
		{"the word in data", "unfinished",
			map[string]string{"tiers/a.go": "package tiers\n\nconst s = \"" + todo + "\"\n", "tiers/testdata/x.json": todo + "\n", "examples/a.md": todo + "\n"}, nil},

		{"private", "private",
			map[string]string{"docs/a.md": "see " + home + "\n\n`" + work + "`\n" + registry + "\n", "tiers/testdata/x.json": "{\"key\": \"" + secret + "\"}\n"},
			[]string{"docs/a.md:1 machine", "docs/a.md:3 machine", "docs/a.md:4 registry", "tiers/testdata/x.json:1 GitHub token"}},
		{"relative, marked, ignored, binary", "private",
			map[string]string{
				"docs/a.md":             "scripts/work/x and ~/home/x and https://example.com/home/x\n" + home + " lint:sample\n",
				"node_modules/p/a.json": home,
				".git/config":           home,
				"a.bin":                 home + "\x00",
			}, nil},

		{"no page", "architecture",
			map[string]string{"replay/a.go": "package replay\n"},
			[]string{"ARCHITECTURE.md there is none"}},
		{"page that forgets a package", "architecture",
			map[string]string{"ARCHITECTURE.md": "`replay/sqlite` uses subtiers.\n", "replay/a.go": "package replay\n", "replay/sqlite/a.go": "package sqlite\n", "tiers/a.go": "package tiers\n"},
			[]string{"ARCHITECTURE.md package replay", "ARCHITECTURE.md package tiers"}},
		{"page that names all", "architecture",
			map[string]string{"ARCHITECTURE.md": "| `tiers` | replay\n", "replay/a.go": "package replay\n", "tiers/a.go": "package tiers\n"}, nil},
	}

	tried := map[string]bool{}
	for _, tt := range tests {
		tried[tt.check] = tried[tt.check] || tt.want != nil
		t.Run(tt.check+"/"+tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for name, text := range tt.files {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			tree, err := lint.Load(fsys)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range lint.Run(tree, nil)[tt.check] {
				got = append(got, f.String())
			}
			same := slices.EqualFunc(tt.want, got, func(want, got string) bool {
				at, part, _ := strings.Cut(want, " ")
				return strings.HasPrefix(got, at+": ") && strings.Contains(got, part)
			})
			if !same {
				t.Errorf("findings differ (-want +got):\n%s", cmp.Diff(tt.want, got))
			}
		})
	}
	for _, c := range lint.Checks() {
		if !tried[c.Name] {
			t.Errorf("check %q is never shown to fail", c.Name)
		}
	}
}

func TestExemptions(t *testing.T) {
	tree, err := lint.Load(fstest.MapFS{"tiers/a.go": {Data: []byte("package tiers\nconst f = 0.5\nconst g = 0.7\n")}})
	if err != nil {
		t.Fatal(err)
	}
	found := lint.Run(tree, []lint.Exemption{
		{Check: "floats", File: "tiers/a.go", Contains: "0.5", Why: "a test"},
		{Check: "floats", File: "tiers/a.go", Contains: "0.7"},
		{Check: "state", File: "tiers/b.go", Why: "there was one once"},
	})
	var got []string
	for _, check := range []string{"floats", "state"} {
		for _, f := range found[check] {
			got = append(got, check+" "+f.String())
		}
	}
	want := []string{
		"floats tiers/a.go:3: floating-point constant 0.7",
		`floats internal/lint/exempt.go: exemption "tiers/a.go" without a reason or without a finding: remove it`,
		`state internal/lint/exempt.go: exemption "tiers/b.go" without a reason or without a finding: remove it`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestLoadRefusesWhatDoesNotParse(t *testing.T) {
	_, err := lint.Load(fstest.MapFS{"tiers/a.go": {Data: []byte("package\n")}})
	var list scanner.ErrorList
	if !errors.As(err, &list) || list[0].Pos.String() != "tiers/a.go:1:9" {
		t.Errorf("Load: got %v, want a syntax error at tiers/a.go:1:9", err)
	}
}
