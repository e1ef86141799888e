package template_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirehq/quire/fragments/template"
)

func ExampleRender() {
	vars := map[string]template.Value{"model": {Text: "m-1"}, "cwd": {Missing: true}}
	fmt.Println(template.Render("You run on {{model}}. A lone {{ is prose.", vars))
	_, err := template.Render("You are in {{cwd}}.", vars)
	fmt.Println(err)
	_, err = template.Render("You run on {{modle}}.", vars)
	fmt.Println(err)
	_, err = template.Render("You run on {{{model}}}.", vars)
	fmt.Println(err)
	_, err = template.Render("You run on {{ model }}.", vars)
	fmt.Println(err)
	// Output:
	// You run on m-1. A lone {{ is prose. <nil>
	// template: line 1, byte 11: variable without a value: {{cwd}}; known are cwd, model
	// template: line 1, byte 11: unknown variable: {{modle}}; known are cwd, model
	// template: line 1, byte 11: malformed reference at "{{{model}}}.": "{{" opens no group, and a "}}" follows; want {{name}}; known are cwd, model
	// template: line 1, byte 11: malformed reference {{ model }}; want a name of a-z, 0-9 and _ that begins with a letter, without spaces; known are cwd, model
}

func ExampleParse() {
	t := template.Parse("{{greeting}}, {{name}}! {{greeting}}!")
	fmt.Println(slices.Collect(t.References()))
	text, err := t.Append(nil, map[string]template.Value{"greeting": {Text: "Hello"}, "name": {Text: "{{greeting}}"}})
	fmt.Println(string(text), err)
	// Output:
	// [greeting name greeting]
	// Hello, {{greeting}}! Hello! <nil>
}

func ExampleAppend() {
	dst := []byte("> ")
	dst, err := template.Append(dst, "{{a}}", map[string]template.Value{"a": {Text: "b"}})
	fmt.Println(string(dst), err)
	// Output: > b <nil>
}

func ExampleValidName() {
	fmt.Println(template.ValidName("cwd_2"), template.ValidName("Model"), template.ValidName("2nd"), template.ValidName(""))
	// Output: true false false false
}

func TestReferenceErrors(t *testing.T) {
	vars := map[string]template.Value{"b": {}, "a": {Text: "x"}, "none": {Missing: true}}
	known := []string{"a", "b", "none"}
	tests := []struct {
		name, text string
		want       template.ReferenceError
	}{
		{"the first of two wins", "{{a}} {{ghost}} {{Bad}}", template.ReferenceError{template.ErrUnknown, "ghost", 6, 1, known}},
		{"malformed before unknown", "{{Bad}} {{ghost}}", template.ReferenceError{template.ErrMalformed, "Bad", 0, 1, known}},
		{"on the third line", "{{a}}\n{{b}}\r\n x{{ghost}}\n", template.ReferenceError{template.ErrUnknown, "ghost", 15, 3, known}},
		{"no value", "é{{none}}", template.ReferenceError{template.ErrNoValue, "none", 2, 1, known}},
		{"empty group", "{{}}", template.ReferenceError{template.ErrMalformed, "", 0, 1, known}},
		{"empty group and a brace", "{{}}}", template.ReferenceError{template.ErrMalformed, "", 0, 1, known}},
		{"triple", "{{{a}}}", template.ReferenceError{template.ErrMalformed, "{{{a}}}", 0, 1, known}},
		{"a group in a group", "{{ {{a}}", template.ReferenceError{template.ErrMalformed, "{{ {{a}}", 0, 1, known}},
		{"closes far away", "{{a} and so on }}", template.ReferenceError{template.ErrMalformed, "{{a} and so on }}", 0, 1, known}},
		{"cut on a character", "{{{" + strings.Repeat("é", 40) + "}}", template.ReferenceError{template.ErrMalformed, "{{{" + strings.Repeat("é", 18) + "…", 0, 1, known}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := template.Append([]byte("kept"), tt.text, vars)
			if string(got) != "kept" {
				t.Errorf("dst = %q, want it as it was", got)
			}
			if _, parsed := template.Parse(tt.text).Append(nil, vars); fmt.Sprint(parsed) != fmt.Sprint(err) {
				t.Errorf("a parsed template says %v, want %v", parsed, err)
			}
			var ref *template.ReferenceError
			if !errors.As(err, &ref) {
				t.Fatalf("error %v, want a ReferenceError", err)
			}
			if diff := cmp.Diff(tt.want, *ref, cmpopts.EquateErrors()); diff != "" {
				t.Errorf("error (-want +got)\n%s", diff)
			}
		})
	}
}

// complete is a complete group at the beginning, for the oracle.
var complete = regexp.MustCompile(`^\{\{([^{}]*)\}\}`)
var name = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// oracle renders one character after the other, as the rules are written down.
func oracle(text string, vars map[string]template.Value) (out string, kind error) {
	for text != "" {
		if !strings.HasPrefix(text, "{{") {
			out, text = out+text[:1], text[1:]
			continue
		}
		group := complete.FindStringSubmatch(text)
		switch {
		case group == nil && strings.Contains(text[2:], "}}"):
			return "", template.ErrMalformed
		case group == nil:
			return out + text, nil
		case !name.MatchString(group[1]):
			return "", template.ErrMalformed
		}
		value, known := vars[group[1]]
		switch {
		case !known:
			return "", template.ErrUnknown
		case value.Missing:
			return "", template.ErrNoValue
		}
		out, text = out+value.Text, text[len(group[0]):]
	}
	return out, nil
}

// same reports how Render, Append and a parsed template differ from the oracle.
func same(text string, vars map[string]template.Value) error {
	want, kind := oracle(text, vars)
	got, err := template.Render(text, vars)
	if got != want || !errors.Is(err, kind) {
		return fmt.Errorf("Render(%q) = %q, %v; want %q, %v", text, got, err, want, kind)
	}
	parsed, perr := template.Parse(text).Append(nil, vars)
	if string(parsed) != want || fmt.Sprint(perr) != fmt.Sprint(err) {
		return fmt.Errorf("Parse(%q) = %q, %v; want %q, %v", text, parsed, perr, want, err)
	}
	return nil
}

func TestEveryShortText(t *testing.T) {
	const alphabet = "{}aA_1 "
	longest, want := 7, 960_800 // (7^8 - 1) / 6
	if testing.Short() {
		longest, want = 5, 19_608 // (7^6 - 1) / 6
	}
	vars := map[string]template.Value{"a": {Text: "{{a}}"}, "a1": {Missing: true}, "aa": {}}
	texts := 0
	var walk func(prefix []byte)
	walk = func(prefix []byte) {
		texts++
		if err := same(string(prefix), vars); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(alphabet) && len(prefix) < longest; i++ {
			walk(append(prefix, alphabet[i]))
		}
	}
	walk(make([]byte, 0, longest))
	if texts != want {
		t.Errorf("%d texts, want %d", texts, want)
	}
}

func FuzzRender(f *testing.F) {
	for _, text := range []string{"", "{{a}}", "{{{a}}}", "}} {{a}}", "{{a}} then {{ end", "{{mo\ndel}}", "{{__proto__}}", "a {{ b", "{{é}}"} {
		f.Add(text, "{{a}}")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		vars := map[string]template.Value{"a": {Text: value}, "b": {Missing: true}}
		if err := same(text, vars); err != nil {
			t.Error(err)
		}
	})
}

func TestAppendAllocatesNothing(t *testing.T) {
	vars := map[string]template.Value{"a": {Text: "value"}}
	dst := make([]byte, 0, 1024)
	text := strings.Repeat("prose {{a}} ", 40)
	if n := testing.AllocsPerRun(100, func() { template.Append(dst, text, vars) }); n > 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func BenchmarkAppend(b *testing.B) {
	vars := map[string]template.Value{"model": {Text: "m-1"}, "cwd": {Text: "src"}}
	for _, bm := range []struct{ name, text string }{
		{"references=0", strings.Repeat("No reference in here at all. ", 140)},
		{"references=100", strings.Repeat("You run on {{model}} in {{cwd}}, as ever. ", 50)},
		{"braces", strings.Repeat(`{"a": {"b": [1, 2, {}]}} `, 160) + "{{"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			text := strings.ReplaceAll(bm.text, "}}", "} }")
			if bm.name != "braces" {
				text = bm.text
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			dst := make([]byte, 0, 2*len(text))
			for b.Loop() {
				if _, err := template.Append(dst, text, vars); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
