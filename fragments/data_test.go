package fragments_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/internal/samples"
)

// Variants of one product's system prompt are cut into one registry: what all have is global, what a family of them
// has is in a scope of its own, and each variant has a scope below that. Each variant's bytes come back.
func TestVariantsOfOnePrompt(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(samples.Folder(t), "systemprompts/gemini-cli/*.md"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%d variants, %v", len(files), err)
	}
	variants := make([]string, len(files))
	pieces := make([][]string, len(files))
	var all []string // every piece, in an order that suits all variants
	for i, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		variants[i], pieces[i] = string(src), cut(string(src))
		if strings.Join(pieces[i], "\n\n") != variants[i] {
			t.Fatalf("%s: the pieces do not join to the whole", file)
		}
		all = merge(all, pieces[i])
	}
	has := make([]map[int]bool, len(files)) // which places of all a variant fills
	for i := range files {
		has[i] = map[int]bool{}
		for _, p := range longestCommon(all, pieces[i]) {
			has[i][p[0]] = true
		}
		if len(has[i]) != len(pieces[i]) {
			t.Fatalf("%s: %d of %d pieces have a place", files[i], len(has[i]), len(pieces[i]))
		}
	}

	// A family shares more than half of what its first member has.
	var families [][]int
next:
	for i := range files {
		for f, family := range families {
			if common := len(longestCommon(pieces[family[0]], pieces[i])); 2*common > len(pieces[family[0]]) {
				families[f] = append(families[f], i)
				continue next
			}
		}
		families = append(families, []int{i})
	}

	// The nearest scope that sees a piece in all its variants holds it.
	var contributions []func(*fragments.Registry) error
	scopes := make([]fragments.Scope, len(files))
	counts := map[int]int{} // pieces by depth
	put := func(scope fragments.Scope, depth, place int) {
		counts[depth]++
		contributions = append(contributions, func(r *fragments.Registry) error {
			// A piece may hold braces: as the value of a variable it is never searched.
			name := fmt.Sprintf("piece_%d", place)
			if _, err := r.Variable(scope, name, fragments.StaticValue(all[place])); err != nil {
				return err
			}
			_, err := r.Section(scope, fragments.Section{Name: name, Order: place, Text: "{{" + name + "}}"})
			return err
		})
	}
	every := func(members []int, place int) bool {
		return !slices.ContainsFunc(members, func(i int) bool { return !has[i][place] })
	}
	everybody := make([]int, len(files))
	for i := range files {
		everybody[i] = i
	}
	for place := range all {
		if every(everybody, place) {
			put(global, 0, place)
			continue
		}
		for f, family := range families {
			scope := global.Child(fmt.Sprint("family ", f))
			if every(family, place) {
				put(scope, 1, place)
				continue
			}
			for _, i := range family {
				scopes[i] = scope.Child(filepath.Base(files[i]))
				if has[i][place] {
					put(scopes[i], 2, place)
				}
			}
		}
	}
	t.Logf("%d families, %d places; %d sections are global, %d of a family, %d of a variant", len(families), len(all), counts[0], counts[1], counts[2])
	if counts[0]+counts[1] == 0 || counts[2] == 0 {
		t.Error("a layer has nothing in it: the registry does not share what the variants share")
	}

	for seed := range uint64(3) {
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(contributions), func(i, j int) {
			contributions[i], contributions[j] = contributions[j], contributions[i]
		})
		r := must(fragments.New(fragments.Options{NoIdentity: true}))
		for _, contribute := range contributions {
			if err := contribute(r); err != nil {
				t.Fatal(err)
			}
		}
		for i, variant := range variants {
			a := must(r.Assemble(fragments.AssembleContext{Scope: scopes[i]}))
			if got := must(a.Render()); got != variant {
				t.Errorf("%s: %d bytes, %x; want %d bytes, %x", filepath.Base(files[i]), len(got), sha256.Sum256([]byte(got)), len(variant), sha256.Sum256([]byte(variant)))
			}
			c := must(a.Compile(composer.Config{}))
			again := must(fragments.CompileRecipe(c.Recipe, loader(c)))
			if want := fingerprint.SumString(variant); c.Composition.Fingerprint() != want || again.Fingerprint() != want {
				t.Errorf("%s: fingerprint %v, compiled again %v, want %v", filepath.Base(files[i]), c.Composition.Fingerprint(), again.Fingerprint(), want)
			}
		}
	}
}

// cut cuts a text at its blank lines into pieces that are not empty: of more than two line ends the rest goes to the
// piece behind them, and what cannot go anywhere stays where it is.
func cut(text string) []string {
	var out []string
	start := 0
	for i := 1; i+2 < len(text); i++ {
		if i > start && text[i:i+2] == "\n\n" {
			out = append(out, text[start:i])
			start = i + 2
			i++
		}
	}
	return append(out, text[start:])
}

// merge returns a sequence that has both a and b as subsequences.
func merge(a, b []string) []string {
	var out []string
	i, j := 0, 0
	for _, p := range append(longestCommon(a, b), [2]int{len(a), len(b)}) {
		out = append(out, a[i:p[0]]...)
		out = append(out, b[j:p[1]]...)
		if p[0] < len(a) {
			out = append(out, a[p[0]])
		}
		i, j = p[0]+1, p[1]+1
	}
	return out
}

// longestCommon returns the places of a longest common subsequence, in a and in b.
func longestCommon(a, b []string) (pairs [][2]int) {
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
