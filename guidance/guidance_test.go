package guidance_test

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/guidance"
	"github.com/quirehq/quire/tiers"
)

func Example() {
	reg, err := guidance.New([]guidance.Entry{
		{Match: guidance.Match{ToolName: "search_*"}, Mode: guidance.Prefix, Text: "Always cite sources."},
		{Match: guidance.Match{ToolName: "search_corpus"}, Text: "The corpus ends in May."},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	res := guidance.Resolve(guidance.Params{
		Registry: reg,
		ToolName: "search_corpus",
		RecentToolErrors: []guidance.ToolError{
			{ToolName: "search_corpus", Text: "timeout"},
			{ToolName: "read", Text: "no such file"},
			{ToolName: "search_corpus", Text: "bad query:\nunbalanced quote"},
		},
	})
	fmt.Println(res.Text)
	fmt.Println(guidance.EstimateChars(res))
	// Output:
	// The corpus ends in May.
	//
	// Always cite sources.
	//
	// Recent errors of this tool, newest first:
	// - bad query: unbalanced quote
	// - timeout
	// 128
}

func ExampleNew() {
	_, err := guidance.New([]guidance.Entry{{Match: guidance.Match{ToolName: "*"}, Mode: guidance.Prefix, Text: "Be careful."}})
	fmt.Println(err)
	// Output: guidance: entry 1 ("*"): bad pattern: it is empty; name a tool, or use the glob "*" for all
}

func ExampleParseMode() {
	fmt.Println(guidance.ParseMode("glob"))
	_, err := guidance.ParseMode("regexp")
	fmt.Println(err)
	// Output:
	// glob <nil>
	// guidance: unknown mode "regexp"; want exact, prefix, glob
}

func entry(mode guidance.Mode, pattern, text string) guidance.Entry {
	return guidance.Entry{Match: guidance.Match{ToolName: pattern}, Mode: mode, Text: text}
}

func TestNewRefuses(t *testing.T) {
	tests := []struct {
		name  string
		entry guidance.Entry
		is    error
	}{
		{"unknown mode", entry(3, "a", "x"), guidance.ErrMode},
		{"empty pattern", entry(guidance.Exact, "", "x"), guidance.ErrPattern},
		{"prefix of nothing", entry(guidance.Prefix, "*", "x"), guidance.ErrPattern},
		{"glob that is none", entry(guidance.Glob, "a[", "x"), guidance.ErrPattern},
		{"glob that is none behind a good part", entry(guidance.Glob, "ab*[c", "x"), path.ErrBadPattern},
		{"pattern not UTF-8", entry(guidance.Exact, "a\xff", "x"), guidance.ErrPattern},
		{"empty text", entry(guidance.Exact, "a", ""), guidance.ErrText},
		{"text not UTF-8", entry(guidance.Exact, "a", "\xff"), guidance.ErrText},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := guidance.New([]guidance.Entry{entry(guidance.Exact, "good", "good"), tt.entry})
			if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), "entry 2") {
				t.Errorf("error %v, want %v of entry 2", err, tt.is)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	reg, err := guidance.New([]guidance.Entry{
		entry(guidance.Glob, "*", "all"),
		entry(guidance.Prefix, "read_*", "prefix with star"),
		entry(guidance.Glob, "read_f?l[a-f]", "glob"),
		entry(guidance.Prefix, "read_", "prefix"),
		entry(guidance.Exact, "read_file", "exact 1"),
		entry(guidance.Prefix, "read_file", "prefix of all of it"),
		entry(guidance.Exact, "read_file", "exact 2"),
		entry(guidance.Exact, "read_*", "a star is a star"),
		entry(guidance.Glob, "fs/*", "below fs"),
	})
	if err != nil {
		t.Fatal(err)
	}
	failures := func(tool string, texts ...string) (list []guidance.ToolError) {
		for _, text := range texts {
			list = append(list, guidance.ToolError{ToolName: tool, Text: text})
		}
		return list
	}
	tests := []struct {
		name   string
		params guidance.Params
		texts  []string
		errors []string
	}{
		{"exact, then longest, then as registered", guidance.Params{ToolName: "read_file"},
			[]string{"exact 1", "exact 2", "glob", "prefix of all of it", "prefix with star", "prefix", "all"}, nil},
		{"the pattern itself", guidance.Params{ToolName: "read_*"}, []string{"a star is a star", "prefix with star", "prefix", "all"}, nil},
		{"a glob stops at a slash", guidance.Params{ToolName: "fs/a/b"}, nil, nil},
		{"one level", guidance.Params{ToolName: "fs/a"}, []string{"below fs"}, nil},
		{"default limit", guidance.Params{ToolName: "x", RecentToolErrors: failures("x", "1", "2", "3", "4")}, []string{"all"}, []string{"4", "3", "2"}},
		{"a limit", guidance.Params{ToolName: "x", RecentToolErrors: failures("x", "1", "2"), RecentToolErrorsLimit: 1}, []string{"all"}, []string{"2"}},
		{"none", guidance.Params{ToolName: "x", RecentToolErrors: failures("x", "1", "2"), RecentToolErrorsLimit: -1}, []string{"all"}, nil},
		{"of other tools", guidance.Params{ToolName: "x", RecentToolErrors: failures("y", "1")}, []string{"all"}, nil},
		{"line breaks", guidance.Params{ToolName: "x", RecentToolErrors: failures("x", "a\r\nb\nc\rd\u2028e\u2029f\u0085g\vh\fi  j")},
			[]string{"all"}, []string{"a b c d e f g h i  j"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.params.Registry = reg
			res := guidance.Resolve(tt.params)
			var texts []string
			for _, e := range res.Entries {
				texts = append(texts, e.Text)
			}
			if diff := cmp.Diff(tt.texts, texts); diff != "" {
				t.Errorf("texts (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.errors, res.Errors); diff != "" {
				t.Errorf("errors (-want +got)\n%s", diff)
			}
			c, err := composer.Compose(res.Sections, composer.Config{})
			if err != nil || c.Text() != res.Text {
				t.Errorf("sections compose to %q, %v; want %q", c.Text(), err, res.Text)
			}
		})
	}
}

func TestSectionsKeepAdviceLonger(t *testing.T) {
	reg, _ := guidance.New([]guidance.Entry{entry(guidance.Exact, "x", "advice")})
	res := guidance.Resolve(guidance.Params{Registry: reg, ToolName: "x", RecentToolErrors: []guidance.ToolError{{"x", "boom"}}})
	want := []composer.Section{
		{ID: "guidance:x", Content: "advice", Tier: tiers.Active},
		{ID: "guidance:x:errors", Content: "Recent errors of this tool, newest first:\n- boom", Tier: tiers.Informational},
	}
	if diff := cmp.Diff(want, res.Sections, cmp.AllowUnexported(tiers.Cost{})); diff != "" {
		t.Errorf("sections (-want +got)\n%s", diff)
	}
}

// The order in which entries apply, chosen one after the other, by whichever is best of what is left.
func TestOrderAgainstSelection(t *testing.T) {
	better := func(a, b guidance.Entry) bool {
		if a.Mode == guidance.Exact || b.Mode == guidance.Exact {
			return a.Mode == guidance.Exact && b.Mode != guidance.Exact
		}
		length := func(e guidance.Entry) int {
			if n := len(e.Match.ToolName); e.Mode == guidance.Prefix && strings.HasSuffix(e.Match.ToolName, "*") {
				return n - 1
			} else {
				return n
			}
		}
		return length(a) > length(b)
	}
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SliceOf(rapid.Custom(func(t *rapid.T) guidance.Entry {
			return entry(guidance.Mode(rapid.IntRange(0, 2).Draw(t, "mode")), rapid.SampledFrom([]string{"a", "ab", "ab*", "abc", "a?c", "a**", "ab**"}).Draw(t, "pattern"),
				rapid.StringN(1, 4, -1).Draw(t, "text"))
		})).Draw(t, "entries")
		reg, err := guidance.New(entries)
		if err != nil {
			t.Fatal(err)
		}
		left := slices.DeleteFunc(slices.Clone(entries), func(e guidance.Entry) bool {
			name := e.Match.ToolName
			glob, _ := path.Match(name, "abc")
			return !(e.Mode == guidance.Exact && name == "abc" || e.Mode == guidance.Prefix && strings.HasPrefix("abc", strings.TrimSuffix(name, "*")) ||
				e.Mode == guidance.Glob && glob)
		})
		var want []guidance.Entry
		for len(left) > 0 {
			best := 0
			for i := range left {
				if better(left[i], left[best]) {
					best = i
				}
			}
			want, left = append(want, left[best]), slices.Delete(left, best, best+1)
		}
		res := guidance.Resolve(guidance.Params{Registry: reg, ToolName: "abc"})
		if diff := cmp.Diff(want, res.Entries); diff != "" {
			t.Fatalf("entries (-want +got)\n%s", diff)
		}
		if got, want := guidance.EstimateChars(res), int64(len(utf16.Encode([]rune(res.Text)))); got != want {
			t.Fatalf("%d chars, want %d", got, want)
		}
	})
}

func FuzzResolve(f *testing.F) {
	f.Add("search_*", uint8(1), "search_corpus", "bad\nquery")
	f.Add("[a-", uint8(2), "a", "")
	f.Fuzz(func(t *testing.T, pattern string, mode uint8, tool, failure string) {
		reg, err := guidance.New([]guidance.Entry{{guidance.Match{pattern}, guidance.Mode(mode), "text"}})
		if err != nil {
			return
		}
		res := guidance.Resolve(guidance.Params{Registry: reg, ToolName: tool, RecentToolErrors: []guidance.ToolError{{tool, failure}}})
		if lines := strings.Count(res.Text, "\n"); len(res.Errors) != 1 || lines != 1+2*len(res.Entries) {
			t.Errorf("%d errors, %d line breaks in %q", len(res.Errors), lines, res.Text)
		}
	})
}

func ExampleOneLine() {
	fmt.Printf("%q\n", guidance.OneLine("exit status 1:\r\n  no such file"))
	// Output: "exit status 1:   no such file"
}

func ExampleResolve() {
	reg, _ := guidance.New([]guidance.Entry{
		{Match: guidance.Match{ToolName: "db_*"}, Mode: guidance.Glob, Text: "Never change a production table."},
		{Match: guidance.Match{ToolName: "db_migrate"}, Text: "Show the plan first."},
	})
	for _, s := range guidance.Resolve(guidance.Params{Registry: reg, ToolName: "db_migrate"}).Sections {
		fmt.Printf("%s (%v): %q\n", s.ID, s.Tier, s.Content)
	}
	// Output: guidance:db_migrate (active): "Show the plan first.\n\nNever change a production table."
}

func ExampleEstimateChars() {
	reg, _ := guidance.New([]guidance.Entry{{Match: guidance.Match{ToolName: "emoji"}, Text: "One 😀 is two."}})
	fmt.Println(guidance.EstimateChars(guidance.Resolve(guidance.Params{Registry: reg, ToolName: "emoji"})))
	// Output: 14
}

func TestModesAreReadAsTheyAreWritten(t *testing.T) {
	for _, mode := range []guidance.Mode{guidance.Exact, guidance.Prefix, guidance.Glob} {
		if again, err := guidance.ParseMode(mode.String()); err != nil || again != mode {
			t.Errorf("%v is read as %v, %v", mode, again, err)
		}
	}
	if got := guidance.Mode(3).String(); got != "mode 3" {
		t.Errorf("a mode that is none is called %q", got)
	}
}
