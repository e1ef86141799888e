package template_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/fragments/template"
)

func ExampleRenderLoose() {
	vars := map[string]string{"file": "src/index.ts", "focus": "public exports"}
	fmt.Println(template.RenderLoose("Review {{file}} for {{ focus }}", vars, template.Refuse))
	fmt.Println(template.RenderLoose("Review {{file}} by {{ who }}", vars, template.Preserve))
	fmt.Println(template.RenderLoose("Review {{file}} by {{ who }}", vars, template.Refuse))
	// Output:
	// Review src/index.ts for public exports <nil>
	// Review src/index.ts by {{ who }} <nil>
	//  template: line 1, byte 19: unknown variable: {{who}}; known are file, focus
}

func ExamplePrintJSON() {
	for _, src := range []string{`"as it is"`, `{"b": 1.50, "a": [1e21, null]}`, `{"10": true, "9": false}`, `{"a": 1, "a": 2}`} {
		fmt.Println(template.PrintJSON([]byte(src)))
	}
	// Output:
	// as it is <nil>
	// {"a":[1e+21,null],"b":1.5} <nil>
	// {"9":false,"10":true} <nil>
	//  template: not a JSON value that can be printed: byte 9: duplicate object member name
}

func TestRenderLoose(t *testing.T) {
	vars := map[string]string{"a": "V", "1": "one", "_x": "{{a}}", "A9": "$& $1"}
	tests := []struct{ name, text, want string }{
		{"braces around", "{{{a}}} {{{{a}}}} {{a}}}", "{V} {{V}} V}"},
		{"names", "{{1}} {{_x}} {{A9}}", "one {{a}} $& $1"},
		{"white space", "{{ a}}{{a  }}{{\ta\n}}{{\u00a0a\u2003\ufeff}}", "VVVV"},
		{"no white space", "{{\u200ba}}{{\u0085a}}", "{{\u200ba}}{{\u0085a}}"},
		{"not names", "{{}} {{ }} {{a b}} {{a.b}} {{é}} {{a-b}}", "{{}} {{ }} {{a b}} {{a.b}} {{é}} {{a-b}}"},
		{"not closed", "{{a} {{a", "{{a} {{a"},
		{"opens in a name", "{{a{{a}}", "{{aV"},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, missing := range []template.Missing{template.Refuse, template.Preserve} {
				got, err := template.RenderLoose(tt.text, vars, missing)
				if err != nil || got != tt.want {
					t.Errorf("RenderLoose(%q) = %q, %v; want %q", tt.text, got, err, tt.want)
				}
			}
		})
	}
	if _, err := template.RenderLoose("", nil, 2); err == nil {
		t.Error("a third way to treat what is missing was taken")
	}
}

// Against a regular expression, as the published implementation states the rule.
func TestRenderLooseAgainstRegexp(t *testing.T) {
	reference := regexp.MustCompile(`\{\{[\s\v\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]*([A-Za-z0-9_]+)[\s\v\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]*\}\}`)
	vars := map[string]string{"a": "{{b}}", "b": "", "a1": "x"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"{{", "}}", "{", "}", "a", "b", "1", " ", "\n", "\u3000", "é"})).Draw(t, "text"), "")
		missing := false
		want := reference.ReplaceAllStringFunc(text, func(group string) string {
			value, known := vars[reference.FindStringSubmatch(group)[1]]
			if !known {
				missing = true
				return group
			}
			return value
		})
		if got, err := template.RenderLoose(text, vars, template.Preserve); err != nil || got != want {
			t.Fatalf("RenderLoose(%q) = %q, %v; want %q", text, got, err, want)
		}
		if _, err := template.RenderLoose(text, vars, template.Refuse); errors.Is(err, template.ErrUnknown) != missing {
			t.Fatalf("RenderLoose(%q) = %v; a variable is missing: %v", text, err, missing)
		}
	})
}

// The table was written by Node; see scripts/javascript/print.mjs.
func TestPrintJSONAsJavaScript(t *testing.T) {
	file, err := os.Open("testdata/javascript.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	n := 0
	for ; lines.Scan(); n++ {
		var row struct{ JSON, Printed string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if got, err := template.PrintJSON([]byte(row.JSON)); err != nil || got != row.Printed {
			t.Errorf("PrintJSON(%s) = %q, %v; want %q", row.JSON, got, err, row.Printed)
		}
	}
	if lines.Err() != nil || n < 400 {
		t.Fatalf("%d rows, %v", n, lines.Err())
	}
}

func TestPrintJSONRefuses(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"nothing", "", "byte 0: unexpected EOF"},
		{"a second value", "1 2", "more than one value"},
		{"rubbish behind", "1 x", "more than one value"},
		{"lone surrogate", `["a", "\ud83d"]`, "byte 7: "},
		{"not UTF-8", "\"a\xff\"", "byte 2: "},
		{"equal keys", `{"a":1,"\u0061":2}`, "byte 7: "},
		{"beyond a double", "[1e400]", "byte 6: number 1e400 is beyond the range of a double"},
		{"long number", "1" + strings.Repeat("0", 1000), "more than 1000 bytes"},
		{"cut", `{"a":[1,`, "byte 8: "},
		{"bad bracket", `[1}`, "byte 2: "},
		{"deep", strings.Repeat("[", 20000), "byte "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := template.PrintJSON([]byte(tt.src))
			if !errors.Is(err, template.ErrJSON) || !strings.Contains(err.Error(), tt.want) || got != "" {
				t.Errorf("PrintJSON = %q, %v; want an error with %q", got, err, tt.want)
			}
		})
	}
}

func FuzzPrintJSON(f *testing.F) {
	for _, src := range []string{`{"b":[1,-0.0,1e21],"a":"\u2028<"}`, `"\ud83d\ude00"`, `[[],{}]`, `{"10":1,"9":2}`} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		printed, err := template.PrintJSON([]byte(src))
		if err != nil || strings.HasPrefix(strings.TrimLeft(src, " \t\r\n"), `"`) {
			return
		}
		if again, err := template.PrintJSON([]byte(printed)); err != nil || again != printed {
			t.Errorf("%q prints as %q, and that as %q, %v", src, printed, again, err)
		}
	})
}
