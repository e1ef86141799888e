package template_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/fragments/template"
)

func TestParseSlots(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       string // slots in < >
		unknown    []string
	}{
		{"nothing", "", "", nil},
		{"text", "a } b", "a } b", nil},
		{"slots", "{a}x{b}{a}", "<a>x<b><a>", nil},
		{"JSON", `{"a": {"b": [1]}, "c": {}}`, `{"a": {"b": [1]}, "c": {}}`, nil},
		{"a slot in JSON", `{"a":{a}}`, `{"a":<a>}`, nil},
		{"doubled braces", "{{a}}", "{<a>}", nil},
		{"unknown", "{c}{a}{C1}{c}", "{c}<a>{C1}{c}", []string{"c", "C1"}},
		{"unknown by case", "{A}", "{A}", []string{"A"}},
		{"no name", "{1}{a b}{ a }{a-b}{é}{}", "{1}{a b}{ a }{a-b}{é}{}", nil},
		{"cut short", "{a", "{a", nil},
		{"cut shorter", "{", "{", nil},
		{"a brace in a name", "{a{b}", "{a<b>", nil},
		{"longer than a name", "{ab}", "{ab}", []string{"ab"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := template.ParseSlots(test.text, "a", "b")
			got := s.Append(nil, map[string]string{"a": "<a>", "b": "<b>"})
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.unknown, s.Unknown()); diff != "" {
				t.Errorf("unknown (-want +got)\n%s", diff)
			}
			for p := range s.Pieces() {
				if spelled := p.Text; !p.Slot && !strings.HasPrefix(test.text[p.Offset:], spelled) ||
					p.Slot && !strings.HasPrefix(test.text[p.Offset:], "{"+spelled+"}") {
					t.Errorf("no %q at byte %d", p.Text, p.Offset)
				}
			}
		})
	}
}

func TestSplit(t *testing.T) {
	values := map[string]string{"a": "{cut}", "b": "{a}"} // values are never scanned
	before, after, found := template.ParseSlots("{a}1{cut}{b}2{cut}3", "a", "b", "cut").Split("cut")
	if got := fmt.Sprintf("%s|%s", before.Append(nil, values), after.Append(nil, values)); got != "{cut}1|{a}23" || !found {
		t.Errorf("%s, %v", got, found)
	}
	before, after, found = template.ParseSlots("{a}1", "a", "cut").Split("cut")
	if got := fmt.Sprintf("%s|%s", before.Append(nil, values), after.Append(nil, values)); got != "{cut}1|" || found {
		t.Errorf("%s, %v", got, found)
	}
}

// Slots are what replacing each name in turn finds, in texts where no value can be mistaken for a slot.
func TestSlotsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"{", "}", "a", "b", "ab", "_", "1", " ", "é", `"`})).Draw(t, "text"), "")
		names := []string{"a", "ab", "_1"}
		s := template.ParseSlots(text, names...)
		values, want := map[string]string{}, text
		for i, name := range names {
			values[name] = string(rune('X' + i))
			want = strings.ReplaceAll(want, "{"+name+"}", values[name])
		}
		if got := string(s.Append(nil, values)); got != want {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
		for _, name := range s.Unknown() {
			if slices.Contains(names, name) || !strings.Contains(text, "{"+name+"}") {
				t.Fatalf("%q: unknown %q", text, name)
			}
		}
		for _, name := range names {
			if s.Has(name) != strings.Contains(text, "{"+name+"}") {
				t.Fatalf("%q: Has(%q) is %v", text, name, s.Has(name))
			}
		}
	})
}

func ExampleParseSlots() {
	s := template.ParseSlots(`Answer as {"result": …}. {memory} {cut} Today is {today}. {model}`, "memory", "today", "cut")
	stable, call, _ := s.Split("cut")
	values := map[string]string{"memory": "The user wrote {today} and {cut}.", "today": "2026-11-30"}
	fmt.Printf("%s|%s\n", stable.Append(nil, values), call.Append(nil, values))
	fmt.Println("not slots:", s.Unknown())
	// Output:
	// Answer as {"result": …}. The user wrote {today} and {cut}. | Today is 2026-11-30. {model}
	// not slots: [model]
}
