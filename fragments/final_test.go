package fragments_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/fragments"
)

// final registers sections in the order of their names' places in the list; a name in upper case "F…" is owner-final.
// A transform replaces them by what "transformed" lists: a name, or a name with "+" where its text is edited.
func TestOwnerFinalSections(t *testing.T) {
	tests := []struct{ name, registered, transformed, want string }{
		{"edited, added and moved", "A F1 B F2", "F2+ A+ N B", "A+ F1 N B F2"},
		{"ordinary entries reordered", "A F1 B F2", "B A", "B A F1 F2"},
		{"untouched", "A F1 B F2", "A F1 B F2", "A F1 B F2"},
		{"all dropped", "A F1 B F2", "", "F1 F2"},
		{"first of all", "F1 A F2 B", "B A", "F1 B A F2"},
		{"predecessor dropped", "A B F1 C", "C A", "C A F1"},
		{"nothing precedes it any more", "A F1 B", "B", "F1 B"},
		{"duplicates removed", "A F1 B", "F1 A F1+ B F1", "A F1 B"},
		{"a whole block keeps its order", "A F1 F2 F3 B", "F3 B F1 A F2", "B A F1 F2 F3"},
		{"behind the later of the two", "A F1 B F2 C F3", "C B A", "C B A F1 F2 F3"},
		{"reversed", "A F1 B C F2", "C F2 B F1 A", "C B A F1 F2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := must(fragments.New(fragments.Options{NoIdentity: true}))
			for i, name := range strings.Fields(tt.registered) {
				must(r.Section(fragments.Scope{}, fragments.Section{Name: name, Order: i + 1, Text: name, OwnerFinal: name[0] == 'F'}))
			}
			must(r.Transform(fragments.Scope{}, 0, "rewrite", func(_ fragments.AssembleContext, a *fragments.Assembly) error {
				a.Sections = nil
				for _, text := range strings.Fields(tt.transformed) {
					a.Sections = append(a.Sections, fragments.AssembledSection{Name: strings.TrimSuffix(text, "+"), Text: text})
				}
				return nil
			}))
			a, err := r.Assemble(fragments.AssembleContext{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range a.Sections {
				got = append(got, s.Text)
			}
			if diff := cmp.Diff(strings.Fields(tt.want), got); diff != "" {
				t.Errorf("sections (-want +got)\n%s", diff)
			}
		})
	}
}

func TestOwnerFinalTools(t *testing.T) {
	r := must(fragments.New(fragments.Options{ToolOrder: []string{"z", fragments.UnlistedTools}}))
	schema := must(fragments.ParseSchema([]byte(`{"type": "object"}`)))
	must(r.Tools(fragments.Scope{}, "p", func(fragments.AssembleContext) (fragments.ToolResult, error) {
		return fragments.ToolResult{
			Tools:           []fragments.Tool{{Name: "a"}, {Name: "f", Description: "as registered", Schema: schema}, {Name: "z"}},
			OwnerFinalNames: []string{"f", "gone"},
		}, nil
	}))
	must(r.Transform(fragments.Scope{}, 0, "rewrite", func(_ fragments.AssembleContext, a *fragments.Assembly) error {
		if diff := cmp.Diff([]string{"z", "a", "f"}, toolNames(*a)); diff != "" {
			t.Errorf("before the transforms (-want +got)\n%s", diff)
		}
		a.Tools = []fragments.Tool{{Name: "gone"}, {Name: "f"}, {Name: "n"}, {Name: "f"}, {Name: "a"}}
		return nil
	}))
	a := must(r.Assemble(fragments.AssembleContext{}))
	want := []fragments.Tool{{Name: "n"}, {Name: "a"}, {Name: "f", Description: "as registered", Schema: schema}}
	if diff := cmp.Diff(want, a.Tools); diff != "" {
		t.Errorf("tools (-want +got)\n%s", diff)
	}
}

func TestOwnerFinalSectionThatIsGatedOffStaysAbsent(t *testing.T) {
	final := fragments.Section{Name: "f", Text: "final", OwnerFinal: true}
	addsF := func(_ fragments.AssembleContext, a *fragments.Assembly) error {
		a.Sections = append(a.Sections, fragments.AssembledSection{Name: "f", Text: "forged"})
		return nil
	}
	off := func(fragments.AssembleContext) bool { return false }

	r := must(fragments.New(fragments.Options{NoIdentity: true}))
	must(r.Contribute(fragments.Scope{}, fragments.Gated(off, fragments.AddSection(final))))
	must(r.Transform(fragments.Scope{}, 0, "adds", addsF))
	if got := must(must(r.Assemble(fragments.AssembleContext{})).Render()); got != "" {
		t.Errorf("got %q", got)
	}

	// An ordinary global section shows through a scoped final one that is not there, and is ordinary.
	scope := fragments.Scope{}.Child("s")
	r = must(fragments.New(fragments.Options{NoIdentity: true}))
	must(r.Section(fragments.Scope{}, fragments.Section{Name: "f", Text: "ordinary"}))
	must(r.Contribute(scope, fragments.Gated(off, fragments.AddSection(final))))
	must(r.Transform(fragments.Scope{}, 0, "edits", func(_ fragments.AssembleContext, a *fragments.Assembly) error {
		a.Sections[1].Text += ", edited"
		return nil
	}))
	if got := must(must(r.Assemble(fragments.AssembleContext{Scope: scope})).Render()); got != "ordinary, edited" {
		t.Errorf("got %q", got)
	}
}

func TestFinalSectionCannotBeShadowed(t *testing.T) {
	scope := fragments.Scope{}.Child("s").Child("t")
	global := fragments.Section{Name: "protocol", OwnerFinal: true}
	scoped := fragments.Section{Name: "protocol", Text: "mine"}

	r := must(fragments.New(fragments.Options{}))
	remove := must(r.As("owner").Section(fragments.Scope{}, global))
	_, err := r.As("intruder").Section(scope, scoped)
	if !errors.Is(err, fragments.ErrOwnerFinal) || !strings.Contains(err.Error(), `"owner"`) || !strings.Contains(err.Error(), `"intruder"`) {
		t.Errorf("scoped second: %v", err)
	}
	remove()
	must(r.As("intruder").Section(scope, scoped))
	_, err = r.As("owner").Section(fragments.Scope{}, global)
	if !errors.Is(err, fragments.ErrOwnerFinal) || !strings.Contains(err.Error(), `"intruder" has one in scope /s/t`) {
		t.Errorf("global second: %v", err)
	}

	// A scoped final one reserves nothing above or below it, and may shadow an ordinary one.
	r = must(fragments.New(fragments.Options{NoIdentity: true}))
	must(r.Section(fragments.Scope{}, fragments.Section{Name: "x", Text: "global"}))
	must(r.Section(fragments.Scope{}.Child("s"), fragments.Section{Name: "x", Text: "final", OwnerFinal: true}))
	must(r.Section(scope, fragments.Section{Name: "x", Text: "nearest"}))
	for _, tt := range []struct {
		scope fragments.Scope
		want  string
	}{{fragments.Scope{}, "global"}, {fragments.Scope{}.Child("s"), "final"}, {scope, "nearest"}} {
		if got := must(must(r.Assemble(fragments.AssembleContext{Scope: tt.scope})).Render()); got != tt.want {
			t.Errorf("scope %v: %q, want %q", tt.scope, got, tt.want)
		}
	}
}

func TestFailingTransformRestoresNothing(t *testing.T) {
	broken := errors.New("broken")
	r := must(fragments.New(fragments.Options{}))
	must(r.Section(fragments.Scope{}, fragments.Section{Name: "f", Text: "final", OwnerFinal: true}))
	var seen []string
	must(r.As("p").Transform(fragments.Scope{}, 1, "drops", func(_ fragments.AssembleContext, a *fragments.Assembly) error {
		a.Sections = nil
		return broken
	}))
	must(r.Transform(fragments.Scope{}, 2, "never runs", func(_ fragments.AssembleContext, a *fragments.Assembly) error {
		seen = sectionNames(*a)
		return nil
	}))
	a, err := r.Assemble(fragments.AssembleContext{})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), `transform "drops" of "p" in scope global`) {
		t.Errorf("error %v", err)
	}
	if a.Sections != nil || a.Tools != nil || a.Variables != nil || seen != nil {
		t.Errorf("half an assembly came with the error: %+v; the next transform saw %v", a, seen)
	}
}

// Against the rule as it is written down, with lists and no arithmetic on places.
func restoreOracle(before, after []string, final func(string) bool) []string {
	list := slices.DeleteFunc(slices.Clone(after), final)
	previous := "" // the final entry placed before
	for i, name := range before {
		if !final(name) {
			continue
		}
		at := 0
		if previous != "" {
			at = 1 + slices.Index(list, previous)
		}
		for j := i - 1; j >= 0; j-- {
			if k := slices.Index(list, before[j]); !final(before[j]) && k >= 0 {
				at = max(at, k+1)
				break
			}
		}
		list = slices.Insert(list, at, name)
		previous = name
	}
	return list
}
