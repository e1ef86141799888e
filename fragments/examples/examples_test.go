package examples_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/fragments/examples"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/tiers"
)

var update = flag.Bool("update", false, "write what the examples give to testdata")

func Example() {
	for _, e := range examples.All() {
		if e.Name == "reserved" {
			a, _ := e.Assemble()
			c, err := a.Compose(e.Config)
			fmt.Println(c.Text(), err)
		}
	}
	// Output:
	// You are an assistant.
	//
	// You sell books at Harbour Books.
	//
	// Quote prices with tax. Never promise a delivery date.
	//
	// Search the catalogue first.
	//
	// Sell no book from the locked shelf to a minor. <nil>
}

// What becomes of every example is kept in testdata.
func TestExamples(t *testing.T) {
	var names []string
	for _, e := range examples.All() {
		names = append(names, e.Name+".txt")
		t.Run(e.Name, func(t *testing.T) {
			_, c := compile(t, e)
			golden := filepath.Join("testdata", e.Name+".txt")
			got := report(e, c.Composition)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-update rewrites it (-want +got)\n%s", diff)
			}
		})
	}
	var kept []string
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		kept = append(kept, entry.Name())
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, kept); diff != "" {
		t.Errorf("files in testdata (-want +got)\n%s", diff)
	}
}

func compile(t *testing.T, e examples.Example) (fragments.Assembly, composer.Compilation) {
	t.Helper()
	a, err := e.Assemble()
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Compile(e.Config)
	if err != nil {
		t.Fatal(err)
	}
	return a, c
}

// report lays out the decisions and the text.
func report(e examples.Example, c composer.Composition) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nbudget %v, %d chars, overflow %d, %d bytes over\n\n", e.Shows, c.EffectiveBudget(), c.TotalChars(), c.Overflow(), c.OverflowBytes())
	for _, d := range c.Decisions() {
		fmt.Fprintf(&b, "%-30s %-13v size %3d  alternate %d  %-12v before %3d of %v\n", d.ID, d.Tier, d.Size, d.Alternate, d.Reason, d.Before, d.Limit)
	}
	fmt.Fprintf(&b, "\n%s\n", c.Text())
	return b.String()
}

// Every reason there is, under every gate where it can be given, is the reason of some section of some example.
func TestEveryReasonIsGiven(t *testing.T) {
	given := map[tiers.Reason]bool{}
	for _, e := range examples.All() {
		_, c := compile(t, e)
		for _, d := range c.Composition.Decisions() {
			given[d.Reason] = true
		}
	}
	for _, reason := range []tiers.Reason{tiers.IsCore, tiers.Fits, tiers.OverCeiling, tiers.OverBudget, tiers.OverBytes, tiers.InGroup, tiers.InChain} {
		if !given[reason] {
			t.Errorf("no section is decided by %v", reason)
		}
	}
}

// What the gates refuse before they decide, each as an edit of an example that they take.
func TestRefusals(t *testing.T) {
	size := func(n int64) measure.Measure { return measure.New("constant", func(string) int64 { return n }) }
	inGroup := func(name string, order int) fragments.Contribution {
		return fragments.AddSection(fragments.Section{Name: name, Order: order, Text: name, Tier: tiers.Active, Group: "split"})
	}
	tests := []struct {
		name    string
		example string
		edit    func(*examples.Example)
		want    error
	}{
		{"a group across the last breakpoint", "prefix-stable", func(e *examples.Example) {
			e.Plugins = append(e.Plugins, fragments.NewPlugin("split", inGroup("before", 20), inGroup("behind", 2000)))
		}, tiers.ErrSplitGroup},
		{"a negative reserve", "prefix-stable", func(e *examples.Example) { e.Config.TailReserve = -1 }, tiers.ErrNegative},
		{"a gate that is none", "reserved", func(e *examples.Example) { e.Config.Gate = 9 }, tiers.ErrUnknown},
		{"a tier that is none", "reserved", func(e *examples.Example) {
			e.Tenant = fragments.NewPlugin("t", fragments.AddSection(fragments.Section{Name: "x", Text: "x", Tier: 9}))
		}, tiers.ErrUnknown},
		{"a measure that counts below zero", "reserved", func(e *examples.Example) { e.Config.Measure = size(-1) }, tiers.ErrNegative},
		{"a measure that counts one text below zero", "reserved", func(e *examples.Example) {
			e.Config.Measure = measure.New("odd", func(text string) int64 {
				if text == "\n\n" {
					return 2
				}
				return -1
			})
		}, tiers.ErrNegative},
		{"sizes whose sum is too large", "unlimited", func(e *examples.Example) { e.Config.Measure = size(math.MaxInt64 / 2) }, tiers.ErrTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all := examples.All()
			e := all[slices.IndexFunc(all, func(e examples.Example) bool { return e.Name == tt.example })]
			tt.edit(&e)
			a, err := e.Assemble()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := a.Compose(e.Config); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
}

func TestRoundTripThroughReplay(t *testing.T) {
	store := new(replay.Memory)
	defer store.Close()
	recorder := replay.NewRecorder(store, replay.Session{ID: "examples"})
	for _, e := range examples.All() {
		_, c := compile(t, e)
		again, err := fragments.CompileRecipe(c.Recipe, func(d fingerprint.Digest) (string, error) {
			for _, text := range c.Inputs {
				if fingerprint.SumString(text) == d {
					return text, nil
				}
			}
			return "", fmt.Errorf("%v was not recorded", d)
		})
		if err != nil || again.Fingerprint() != c.Composition.Fingerprint() {
			t.Errorf("%s: compiled again: %q, %v", e.Name, again.Text(), err)
		}
		if _, err := recorder.RecordCompilation(t.Context(), c, replay.Turn{}); err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
	}
	compilers := map[string]replay.Compiler{fragments.KindFragments: fragments.CompileRecipe}
	report, err := replay.Verify(t.Context(), store, replay.Query{}, replay.Options{Compilers: compilers, Each: func(o replay.Outcome) {
		if o.Divergence != nil {
			t.Error(o.Divergence)
		}
		if o.Record.Kind != fragments.KindFragments {
			t.Errorf("a record of kind %q", o.Record.Kind)
		}
	}})
	if err != nil || report.Verified != int64(len(examples.All())) {
		t.Errorf("%v, %v", report, err)
	}
}
