package promptfile_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/internal/promptfile"
	"github.com/quirehq/quire/tiers"
)

func Example() {
	docs, err := promptfile.Read([]byte(`
budget: 60
gate: reserved
sections:
  - id: persona
    text: You are a careful reviewer.
  - id: habits
    tier: active
    text: Read the whole change before the first remark.
    alternates: [Read everything first.]
`), "agent.yaml", promptfile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := composer.Compose(docs[0].Sections, docs[0].Config)
	if err != nil {
		fmt.Println(docs[0].Locate(err))
		return
	}
	fmt.Println(c.Text())
	// Output:
	// You are a careful reviewer.
	//
	// Read everything first.
}

func ExampleRead_mistake() {
	_, err := promptfile.Read([]byte("budget: 12k\nsections: []\n"), "agent.yaml", promptfile.Options{})
	fmt.Println(err)
	// Output: agent.yaml:1: budget: the text "12k"; want a non-negative decimal integer, such as 2000
}

func ExampleDocument_Locate() {
	docs, err := promptfile.Read([]byte("sections:\n- {id: a, text: x}\n- {id: a, text: y}\n"), "agent.yaml", promptfile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = composer.Compose(docs[0].Sections, docs[0].Config)
	fmt.Println(docs[0].Locate(err))
	// Output: agent.yaml:3: section "a": duplicate id; the section at line 2 has it already, and an id names one section
}

// what reads a source whose files are given by name.
func read(src string, files map[string]string) ([]promptfile.Document, error) {
	return promptfile.Read([]byte(src), "p", promptfile.Options{Open: memory(files)})
}

// fraction is for literals.
func fraction(t *testing.T, text string) tiers.Fraction {
	t.Helper()
	f, err := tiers.ParseFraction(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestReadConfig(t *testing.T) {
	src := `
budget: 9223372036854775807
max-bytes: 0
measure: chars/4
gate: prefix-stable
active-fraction: 0.700000000000000001
tail-reserve: 5
join: none
depth: 3
role: helper
sections: []
`
	json := `{"budget":9223372036854775807,"max-bytes":0,"measure":"chars/4","gate":"prefix-stable","active-fraction":0.700000000000000001,
"tail-reserve":5,"join":"none","depth":3,"role":"helper","sections":[]}`
	for name, src := range map[string]string{"yaml": src, "json": json} {
		docs, err := read(src, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := docs[0].Config
		if got.Measure.Name() != "chars/4" {
			t.Errorf("%s: measure %q", name, got.Measure.Name())
		}
		got.Measure = composer.Config{}.Measure
		want := composer.Config{
			Budget: tiers.Limit(9223372036854775807), MaxBytes: tiers.Limit(0), Gate: tiers.PrefixStable,
			ActiveFraction: fraction(t, "0.700000000000000001"), // as a double it would be 0.7
			TailReserve:    5, Join: composer.NoJoin, Depth: 3, Role: "helper",
		}
		if diff := cmp.Diff(fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestReadSections(t *testing.T) {
	files := map[string]string{"rules.md": "\ufeff# Rules\r\n\r\n"}
	docs, err := read(`
sections:
  - id: persona
    text: |
      You are.
  - id: rules
    tier: informational
    file: rules.md
    alternates: [Short., "", 'x: y']
    breakpoint: true
    priority: -2
    chain: c
    group: g
  - {id: priced, tier: active, text: héé, size: 7, bytes: 8}
  - {id: half, text: héé, size: 0}
  - {id: other half, text: hé😀, bytes: 0}
`, files)
	if err != nil {
		t.Fatal(err)
	}
	want := []composer.Section{
		{ID: "persona", Content: "You are.\n"},
		{ID: "rules", Tier: tiers.Informational, Content: files["rules.md"], Alternates: []string{"Short.", "", "x: y"},
			Breakpoint: true, Priority: -2, Chain: "c", Group: "g"},
		{ID: "priced", Tier: tiers.Active, Content: "héé", Cost: tiers.Charged(7, 8)},
		{ID: "half", Content: "héé", Cost: tiers.Charged(0, 5)},
		{ID: "other half", Content: "hé😀", Cost: tiers.Charged(4, 0)},
	}
	if diff := cmp.Diff(want, docs[0].Sections, cmp.AllowUnexported(tiers.Cost{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBudgetByDepth(t *testing.T) {
	for _, src := range []string{
		"budget: {by-depth: [60, 40, 20]}\nsections: []\n",
		"budget:\n  by-depth:\n  - 60\n  - 40\n  - 20\nsections: []\n",
		`{"budget": {"by-depth": [60, 40, 20]}, "sections": []}`,
	} {
		docs, err := read(src, nil)
		if err != nil {
			t.Fatal(err)
		}
		cfg := docs[0].Config
		for depth, want := range []int64{60, 40, 20, 20} {
			cfg.Depth = depth
			c, err := composer.Compose(nil, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := c.EffectiveBudget().Value(); got != want {
				t.Errorf("%q: depth %d: budget %d, want %d", src, depth, got, want)
			}
		}
	}
}

func TestSettings(t *testing.T) {
	const src = "budget: {by-depth: [60]}\nmeasure: bytes\nrole: helper\nsections:\n- {id: a, text: é, bytes: 9}\n"
	set := func(key, value string) ([]promptfile.Document, error) {
		return promptfile.Read([]byte(src), "p", promptfile.Options{Set: []promptfile.Setting{{Key: key, Value: value, Origin: "--" + key}}})
	}
	tests := []struct {
		key, value string
		got        func(promptfile.Document) any
		want       any
	}{
		{"budget", "0", func(d promptfile.Document) any { return d.Config.Budget }, tiers.Limit(0)},
		{"budget", "0", func(d promptfile.Document) any { return d.Config.Resolver == nil }, true},
		{"budget", "null", func(d promptfile.Document) any { return d.Config.Budget }, tiers.Budget{}},
		{"budget", "null", func(d promptfile.Document) any { return d.Config.Resolver == nil }, true},
		{"gate", "reserved", func(d promptfile.Document) any { return d.Config.Gate }, tiers.Reserved},
		{"role", "12", func(d promptfile.Document) any { return d.Config.Role }, "12"},
		{"measure", "utf16", func(d promptfile.Document) any { return d.Sections[0].Cost }, tiers.Charged(1, 9)}, // measured after the override
		{"depth", "4", func(d promptfile.Document) any { return d.Config.Depth }, 4},
	}
	for _, tt := range tests {
		docs, err := set(tt.key, tt.value)
		if err != nil {
			t.Errorf("%s=%s: %v", tt.key, tt.value, err)
			continue
		}
		if got := tt.got(docs[0]); got != tt.want {
			t.Errorf("%s=%s: got %v, want %v", tt.key, tt.value, got, tt.want)
		}
	}
	for _, tt := range []struct{ key, value, want string }{
		{"budget", "12k", `--budget: the text "12k"; want a non-negative decimal integer, such as 2000`},
		{"budget", "", `--budget: nothing; want a non-negative decimal integer, such as 2000`},
		{"gate", "reserve", `--gate: the text "reserve"; want published, reserved or prefix-stable; did you mean reserved?`},
		{"sections", "x", `--sections: the text "x"; want a list of sections`},
		{"gait", "x", `--gait: unknown key "gait"; did you mean gate?`},
	} {
		if _, err := set(tt.key, tt.value); err == nil || err.Error() != tt.want {
			t.Errorf("%s=%s:\n got %v\nwant %s", tt.key, tt.value, err, tt.want)
		}
	}
}

func TestDocuments(t *testing.T) {
	docs, err := read("# first\nsections: []\n---\nrole: two\nsections: []\n...\n---\nrole: three\nsections: []\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range docs {
		got = append(got, fmt.Sprint(d.Line, d.Config.Role))
	}
	if diff := cmp.Diff([]string{"2", "4two", "8three"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestByteOrderMark(t *testing.T) {
	for _, src := range []string{"\ufeffsections: []\n", "\ufeff{\"sections\": []}"} {
		if _, err := read(src, nil); err != nil {
			t.Errorf("%q: %v", src, err)
		}
	}
}

// A source of the greatest size is read; one byte more is refused.
func TestSourceBound(t *testing.T) {
	head := []byte("sections: []\n#")
	src := append(head, make([]byte, promptfile.MaxSource+1-len(head))...)
	for i := len(head); i < len(src); i++ {
		src[i] = ' '
	}
	if _, err := promptfile.Read(src[:promptfile.MaxSource], "p", promptfile.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := promptfile.Read(src, "p", promptfile.Options{}); err == nil || !strings.Contains(err.Error(), "64 MiB") {
		t.Error(err)
	}
}

func TestValueBound(t *testing.T) {
	for name, src := range map[string]string{
		"yaml": "sections: [{" + strings.Repeat("a,", promptfile.MaxValues-10) + "}]", // keys and what they are without
		"json": `{"sections":[` + strings.Repeat("1,", promptfile.MaxValues) + "1]}",
	} {
		if _, err := read(src, nil); err == nil || !strings.Contains(err.Error(), "1,000,000 values") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// YAML that may be more values than fit in memory is refused before it is parsed.
func TestSeparatorBound(t *testing.T) {
	for name, src := range map[string]string{
		"flow":  "sections: [" + strings.Repeat("a,", 1_000_000),
		"block": "sections:\n" + strings.Repeat("- - - - a\n", 250_000),
		"keys":  strings.Repeat("a: {b:\n", 350_000),
	} {
		if _, err := read(src, nil); err == nil || !strings.Contains(err.Error(), "more than 1,000,000 of") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every error is an *Error that names the file, and a line of the source where there is one.
func checkError(t *testing.T, src string, err error) {
	t.Helper()
	var at *promptfile.Error
	if !errors.As(err, &at) || at.File != "p" || at.Line < 0 || at.Line > 1+strings.Count(strings.ReplaceAll(src, "\r", "\n"), "\n") {
		t.Errorf("%q: %#v", src, err)
	}
}

func FuzzRead(f *testing.F) {
	for _, tt := range mistakes {
		f.Add(tt.src)
	}
	for _, tt := range scalars {
		f.Add("sections:\n- id: a\n  text: " + tt.yaml)
	}
	for _, name := range exampleFiles(f) {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(src))
	}
	f.Add(`{"budget":1,"sections":[{"id":"a","text":"\ud83d\ude00\u0000","breakpoint":true}]}`)
	files := map[string]string{"rules.md": "Rules.\n", "bad.md": "\xff"}
	f.Fuzz(func(t *testing.T, src string) {
		docs, err := read(src, files)
		if err != nil {
			checkError(t, src, err)
			return
		}
		for i := range docs {
			c, err := composer.Compose(docs[i].Sections, docs[i].Config)
			if err != nil {
				checkError(t, src, docs[i].Locate(err))
				continue
			}
			if int64(len(c.Text())) != c.Len() {
				t.Errorf("text of %d bytes, want %d", len(c.Text()), c.Len())
			}
		}
		// JSON is YAML: read as YAML it says the same, where it can be. YAML wants some characters escaped that JSON
		// does not, has no pairs of surrogates, and bounds the length of a key.
		if json := strings.TrimPrefix(src, "\ufeff"); strings.HasPrefix(strings.TrimLeft(json, " \t\r\n"), "{") {
			again, err := read("---\n"+json, files)
			if err != nil {
				if !strings.Contains(err.Error(), "the character U+") && !strings.Contains(err.Error(), "not YAML") {
					t.Fatalf("as YAML: %v", err)
				}
				return
			}
			if diff := cmp.Diff(docs[0].Sections, again[0].Sections, cmp.AllowUnexported(tiers.Cost{})); diff != "" {
				t.Errorf("JSON and YAML differ (-json +yaml):\n%s", diff)
			}
		}
	})
}
