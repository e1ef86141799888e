package composer_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

// store returns a loader of everything that the sections say.
func store(sections []composer.Section) func(fingerprint.Digest) (string, error) {
	texts := map[fingerprint.Digest]string{}
	for _, s := range sections {
		for _, text := range append([]string{s.Content}, s.Alternates...) {
			texts[fingerprint.SumString(text)] = text
		}
	}
	return func(d fingerprint.Digest) (string, error) {
		text, ok := texts[d]
		if !ok {
			return "", errors.New("not in the store")
		}
		return text, nil
	}
}

// A recipe and the contents give the composition again, and with it the same recipe; its JSON is canonical, and reading
// it gives it back.
func TestRecipeIsAFixedPoint(t *testing.T) {
	forAll(t, func(t failer, sections []composer.Section, cfg composer.Config, _ draw) {
		c := compose(t, sections, cfg)
		written := c.Recipe().AppendJSON(nil)
		canonical, err := fingerprint.Canonical(written)
		if err != nil || string(canonical) != string(written) {
			t.Fatalf("not canonical: %s, %v\nbut %s", written, err, canonical)
		}
		recipe, err := composer.ParseRecipe(written)
		if err != nil {
			t.Fatalf("%v, reading %s", err, written)
		}
		if again := recipe.AppendJSON(nil); string(again) != string(written) {
			t.Fatalf("read and written again: %s\nwant %s", again, written)
		}
		again, err := recipe.Compose(store(sections))
		if err != nil {
			t.Fatalf("%v, composing %s", err, written)
		}
		if diff := cmp.Diff(c.Decisions(), again.Decisions(), budgets); diff != "" {
			t.Fatalf("decisions (-want +got)\n%s", diff)
		}
		if again.Text() != c.Text() || again.Recipe().Key() != c.Recipe().Key() || again.TotalTokensEst() != c.TotalTokensEst() {
			t.Fatalf("composed again: %q, want %q", again.Text(), c.Text())
		}
	})
}

func TestRecipeJSON(t *testing.T) {
	seven, _ := tiers.ParseFraction("0.70")
	sections := []composer.Section{
		{ID: "é\"\n", Content: "😀", Alternates: []string{"", "a"}, Tier: tiers.Active, Priority: -2, Chain: "c", Group: "g", Breakpoint: true},
		{ID: "b", Cost: tiers.Charged(7, 9)},
	}
	cfg := composer.Config{Gate: tiers.PrefixStable, Budget: tiers.Limit(0), MaxBytes: tiers.Limit(1 << 60), ActiveFraction: seven, TailReserve: 5, Join: composer.Line}
	empty, a, face := fingerprint.SumString(""), fingerprint.SumString("a"), fingerprint.SumString("😀")
	want := `{"active-fraction":"7/10","budget":"0","gate":"prefix-stable","join":"line","kind":"composer",` +
		`"max-bytes":"1152921504606846976","measure":"utf16","sections":[` +
		`{"alternates":[{"bytes":"0","content":"` + empty.String() + `","size":"0"},{"bytes":"1","content":"` + a.String() + `","size":"1"}],` +
		`"breakpoint":true,"bytes":"4","chain":"c","content":"` + face.String() + `","group":"g","id":"é\"\n","priority":"-2","size":"2","tier":"active"},` +
		`{"alternates":[],"breakpoint":false,"bytes":"9","chain":"","content":"` + empty.String() + `","group":"","id":"b","priority":"0","size":"7","tier":"core"}],` +
		`"separator":{"bytes":"1","size":"1"},"tail-reserve":"5","version":"quire/1"}`
	recipe := compose(t, sections, cfg).Recipe()
	if diff := cmp.Diff(want, string(recipe.AppendJSON(nil))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := recipe.Key(); got != fingerprint.Key(fingerprint.SumString(want)) {
		t.Errorf("key %v is not the digest of the canonical JSON", got)
	}
	if got := string(recipe.AppendJSON([]byte("before "))); got != "before "+want {
		t.Errorf("appended: %s", got)
	}
	if diff := cmp.Diff([]fingerprint.Digest{face, empty, a, empty}, slices.Collect(recipe.Contents)); diff != "" {
		t.Errorf("contents (-want +got)\n%s", diff)
	}
	for range recipe.Contents {
		break // a caller may stop at any of them
	}
	for n := range 4 {
		recipe.Contents(func(fingerprint.Digest) bool { n--; return n >= 0 })
	}
	unlimited := string(compose(t, nil, composer.Config{}).Recipe().AppendJSON(nil))
	if !strings.Contains(unlimited, `"budget":null`) || !strings.Contains(unlimited, `"max-bytes":null`) || !strings.Contains(unlimited, `"sections":[]`) {
		t.Errorf("of nothing: %s", unlimited)
	}
}

// change holds, for every field of Section and Config, a way to change it. The recipe must tell the difference: a cache
// whose key is made from a list of known fields serves wrong answers as soon as a field is added. A new field fails
// TestRecipeKnowsEveryField until it is in the recipe and here, or among those that cannot change the output.
var (
	changeSection = map[string]func(*composer.Section){
		"ID":         func(s *composer.Section) { s.ID += "'" },
		"Content":    func(s *composer.Section) { s.Content = strings.ToUpper(s.Content) },
		"Tier":       func(s *composer.Section) { s.Tier = tiers.Informational },
		"Cost":       func(s *composer.Section) { s.Cost = tiers.Charged(1, 4) },
		"Alternates": func(s *composer.Section) { s.Alternates = []string{"other"} },
		"Priority":   func(s *composer.Section) { s.Priority++ },
		"Chain":      func(s *composer.Section) { s.Chain = "other" },
		"Group":      func(s *composer.Section) { s.Group = "other" },
		"Breakpoint": func(s *composer.Section) { s.Breakpoint = !s.Breakpoint },
	}
	changeConfig = map[string]func(*composer.Config){
		"Gate":           func(c *composer.Config) { c.Gate = tiers.Reserved },
		"Measure":        func(c *composer.Config) { c.Measure = measure.Runes() }, // counts this text alike: the name differs
		"Budget":         func(c *composer.Config) { c.Budget = tiers.Limit(1001) },
		"MaxBytes":       func(c *composer.Config) { c.MaxBytes = tiers.Limit(1001) },
		"ActiveFraction": func(c *composer.Config) { c.ActiveFraction, _ = tiers.NewFraction(1, 2) },
		"TailReserve":    func(c *composer.Config) { c.TailReserve++ },
		"Join":           func(c *composer.Config) { c.Join = composer.NoJoin },
	}
	cannotChangeTheOutput = map[string]string{
		"Resolver": "its answer is in the recipe, as the budget",
		"Depth":    "for the resolver alone",
		"Role":     "for the resolver alone",
	}
)

func TestRecipeKnowsEveryField(t *testing.T) {
	base := func() ([]composer.Section, composer.Config) {
		return []composer.Section{{ID: "a", Content: "text", Alternates: []string{"t"}, Tier: tiers.Active}, {ID: "b", Content: "tail"}},
			composer.Config{Budget: tiers.Limit(1000), MaxBytes: tiers.Limit(1000)}
	}
	sections, cfg := base()
	keys := map[fingerprint.Key]string{compose(t, sections, cfg).Recipe().Key(): "nothing"}
	differs := func(field string, sections []composer.Section, cfg composer.Config) {
		key := compose(t, sections, cfg).Recipe().Key()
		if other, taken := keys[key]; taken {
			t.Errorf("changing %s gives the recipe of changing %s", field, other)
		}
		keys[key] = field
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[composer.Section]()) {
		change, ok := changeSection[field.Name]
		if !ok {
			t.Errorf("no test knows Section.%s: does the recipe?", field.Name)
			continue
		}
		sections, cfg := base()
		change(&sections[0])
		differs("Section."+field.Name, sections, cfg)
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[composer.Config]()) {
		change, ok := changeConfig[field.Name]
		if why := cannotChangeTheOutput[field.Name]; why != "" && !ok {
			continue
		}
		if !ok {
			t.Errorf("no test knows Config.%s: does the recipe?", field.Name)
			continue
		}
		sections, cfg := base()
		change(&cfg)
		differs("Config."+field.Name, sections, cfg)
	}
	// What is said to decide nothing decides nothing.
	cfg.Resolver, cfg.Depth, cfg.Role = tiers.ByDepth(1, 2, 3), 2, "scout"
	if keys[compose(t, sections, cfg).Recipe().Key()] != "nothing" {
		t.Error("resolver, depth and role are in the recipe though the budget is set")
	}
	cfg.Budget, cfg.Resolver = tiers.Budget{}, tiers.ByDepth(1000)
	if keys[compose(t, sections, cfg).Recipe().Key()] != "nothing" {
		t.Error("a budget that was resolved is another than one that was set")
	}
}

func TestRecipeComposeRefuses(t *testing.T) {
	sections := []composer.Section{{ID: "a", Content: "text", Alternates: []string{"t"}}, {ID: "b", Content: "tail"}}
	lost := errors.New("disk on fire")
	spoiled := func(text string) func(fingerprint.Digest) (string, error) {
		return func(d fingerprint.Digest) (string, error) {
			if d == fingerprint.SumString(text) {
				return "\xff", nil
			}
			return store(sections)(d)
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*composer.Recipe)
		load   func(fingerprint.Digest) (string, error)
		want   error
		text   string
	}{
		{"another kind", func(r *composer.Recipe) { r.Kind = "messages" }, nil, composer.ErrRecipe, `composer: not a recipe: kind "messages"; want "composer"`},
		{"another version", func(r *composer.Recipe) { r.Version = "quire/2" }, nil, composer.ErrVersion, `composer: recipe of another compiler version: "quire/2"; this build compiles "quire/1"`},
		{"a join that is none", func(r *composer.Recipe) { r.Join = 7 }, nil, nil, `composer: unknown join 7`},
		{"a gate that is none", func(r *composer.Recipe) { r.Gate = 7 }, nil, tiers.ErrUnknown, `unknown gate 7`},
		{"no measure", func(r *composer.Recipe) { r.Measure = "" }, nil, nil, `composer: measure ""`},
		{"an id twice", func(r *composer.Recipe) { r.Sections[1].ID = "a" }, nil, composer.ErrDuplicateID, `section 2 ("a")`},
		{"a cost that is not known", func(r *composer.Recipe) { r.Sections[1].Content.Cost = tiers.Cost{} }, nil, tiers.ErrUnknown, `section 2 ("b")`},
		{"a negative size", func(r *composer.Recipe) { r.Sections[0].Alternates[0].Cost = tiers.Charged(-1, 1) }, nil, tiers.ErrNegative, `section 1 ("a")`},
		{"a content that is lost", nil, func(fingerprint.Digest) (string, error) { return "", lost }, lost, `composer: section 1 ("a"): disk on fire`},
		{"an alternate that is lost", func(r *composer.Recipe) { r.Sections[0].Alternates[0].Digest[0] ^= 1 }, nil, nil, `section 1 ("a"): not in the store`},
		{"a content that is no text", nil, spoiled("tail"), composer.ErrInvalidUTF8, `section 2 ("b"): content: invalid UTF-8 at byte 0`},
		{"an alternate that is no text", nil, spoiled("t"), composer.ErrInvalidUTF8, `section 1 ("a"): alternate 1: invalid UTF-8 at byte 0`},
		{"no id", func(r *composer.Recipe) { r.Sections[0].ID = "" }, nil, composer.ErrEmptyID, `section 1 ("")`},
		{"a chain that is no text", func(r *composer.Recipe) { r.Sections[0].Chain = "\xff" }, nil, composer.ErrInvalidUTF8, `section 1 ("a"): chain: invalid UTF-8 at byte 0`},
		{"a group that is no text", func(r *composer.Recipe) { r.Sections[0].Group = "a\xff" }, nil, composer.ErrInvalidUTF8, `section 1 ("a"): group: invalid UTF-8 at byte 1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			recipe := compose(t, sections, composer.Config{}).Recipe()
			if tt.change != nil {
				tt.change(&recipe)
			}
			load := tt.load
			if load == nil {
				load = store(sections)
			}
			c, err := recipe.Compose(load)
			if err == nil || !strings.HasPrefix(err.Error(), "composer: ") || !strings.Contains(err.Error(), tt.text) {
				t.Fatalf("error %v, want %q", err, tt.text)
			}
			if tt.want != nil && !errors.Is(err, tt.want) || c.Text() != "" {
				t.Errorf("error %v is not %v; text %q", err, tt.want, c.Text())
			}
		})
	}
}

func validRecipe(t failer) string {
	sections := []composer.Section{
		{ID: "a/\"é", Content: "text", Tier: tiers.Active, Alternates: []string{"t"}, Breakpoint: true},
		{ID: "b", Content: "tail", Priority: 3, Chain: "c", Group: "g"},
	}
	return string(compose(t, sections, composer.Config{Budget: tiers.Limit(100)}).Recipe().AppendJSON(nil))
}

func TestParseRecipeRefusesAnyOtherForm(t *testing.T) {
	valid := validRecipe(t)
	if _, err := composer.ParseRecipe([]byte(valid)); err != nil {
		t.Fatal(err)
	}
	replace := func(old, new string) string {
		if !strings.Contains(valid, old) {
			t.Fatalf("%s is not in %s", old, valid)
		}
		return strings.Replace(valid, old, new, 1)
	}
	for name, src := range map[string]string{
		"nothing":                     "",
		"null":                        "null",
		"an empty object":             "{}",
		"no JSON":                     "recipe",
		"a space in front":            " " + valid,
		"a line end behind":           valid + "\n",
		"something behind":            valid + valid,
		"a space within":              replace(`,"budget"`, `, "budget"`),
		"a number":                    replace(`"budget":"100"`, `"budget":100`),
		"a leading zero":              replace(`"budget":"100"`, `"budget":"0100"`),
		"a plus":                      replace(`"priority":"3"`, `"priority":"+3"`),
		"minus zero":                  replace(`"priority":"0"`, `"priority":"-0"`),
		"beyond int64":                replace(`"budget":"100"`, `"budget":"9223372036854775808"`),
		"an exponent":                 replace(`"budget":"100"`, `"budget":"1e2"`),
		"a fraction not reduced":      replace(`"19/20"`, `"38/40"`),
		"a decimal":                   replace(`"19/20"`, `"0.95"`),
		"a gate that is none":         replace(`"published"`, `"unheard-of"`),
		"a tier that is none":         replace(`"tier":"active"`, `"tier":"Active"`),
		"a join that is none":         replace(`"blank-line"`, `"blank"`),
		"a digest in capitals":        replace(fingerprint.SumString("text").String(), strings.ToUpper(fingerprint.SumString("text").String())),
		"a digest cut short":          replace(fingerprint.SumString("text").String(), "00"),
		"an escape that is not due":   replace(`"chain":"c"`, `"chain":"\u0063"`),
		"an escape in capitals":       replace(`"chain":"c"`, `"chain":"\u000B"`),
		"an escape not taken":         replace(`"chain":"c"`, "\"chain\":\"\x0b\""),
		"half a surrogate":            replace(`"chain":"c"`, `"chain":"\ud800"`),
		"invalid UTF-8":               replace(`"chain":"c"`, "\"chain\":\"\xff\""),
		"a text that does not end":    valid[:strings.Index(valid, `"chain":"`)+len(`"chain":"`)],
		"an escape that does not end": valid[:strings.Index(valid, `"chain":"`)+len(`"chain":"`)] + `\`,
		"fields in another order":     replace(`"gate":"published","join":"blank-line"`, `"join":"blank-line","gate":"published"`),
		"a field twice":               replace(`"kind":"composer"`, `"kind":"composer","kind":"composer"`),
		"a field more":                replace(`"version"`, `"unheard-of":"","version"`),
		"a field less":                replace(`"kind":"composer",`, ``),
		"null for a text":             replace(`"chain":"c"`, `"chain":null`),
		"a boolean as text":           replace(`"breakpoint":true`, `"breakpoint":"true"`),
		"a comma at the end":          replace(`],"separator"`, `,],"separator"`),
	} {
		t.Run(name, func(t *testing.T) {
			recipe, err := composer.ParseRecipe([]byte(src))
			if !errors.Is(err, composer.ErrRecipe) || !strings.HasPrefix(err.Error(), "composer: not a recipe: ") {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(composer.Recipe{}.Sections, recipe.Sections, budgets); diff != "" || recipe.Kind != "" {
				t.Errorf("half a recipe: %+v", recipe)
			}
		})
	}
	_, err := composer.ParseRecipe([]byte(replace(`"gate":"published"`, `"gate":"unheard-of"`)))
	if want := fmt.Sprintf("composer: not a recipe: byte %d: tiers: unknown gate", strings.Index(valid, `"published"`)); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestParseRecipeOfAnotherVersion(t *testing.T) {
	src := strings.NewReplacer(composer.Version, "quire/0", `{"active-fraction"`, `{"a-new-member":"","active-fraction"`).Replace(validRecipe(t))
	if _, err := composer.ParseRecipe([]byte(src)); !errors.Is(err, composer.ErrVersion) {
		t.Errorf("error %v", err)
	}
}

// Every change of one byte is refused or read as what it says.
func TestParseRecipeOfEveryMutation(t *testing.T) {
	valid := []byte(validRecipe(t))
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range valid {
		for _, b := range []byte{valid[i] ^ 1, valid[i] ^ 0x20, valid[i] ^ 0x80, '"', '\\', 0, byte(rng.Uint32())} {
			mutated := slices.Clone(valid)
			mutated[i] = b
			strict(t, mutated)
		}
		strict(t, valid[:i])
		strict(t, slices.Delete(slices.Clone(valid), i, i+1))
		strict(t, slices.Insert(slices.Clone(valid), i, valid[i]))
	}
}

// strict checks the promise of ParseRecipe: what it accepts it gives back byte for byte, and that is canonical JSON.
func strict(t *testing.T, src []byte) {
	t.Helper()
	recipe, err := composer.ParseRecipe(src)
	if err != nil {
		if !errors.Is(err, composer.ErrRecipe) && !errors.Is(err, composer.ErrVersion) {
			t.Errorf("%q: error %v", src, err)
		}
		return
	}
	if got := recipe.AppendJSON(nil); string(got) != string(src) {
		t.Errorf("%q is read, and written as %q", src, got)
	}
	canonical, err := fingerprint.Canonical(src)
	if err != nil || string(canonical) != string(src) || !json.Valid(src) {
		t.Errorf("%q is accepted but not canonical: %q, %v", src, canonical, err)
	}
}

func FuzzParseRecipe(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		sections, cfg := drawInput(seeded(rng))
		c, err := composer.Compose(sections, cfg)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(c.Recipe().AppendJSON(nil))
	}
	f.Add([]byte(`{"active-fraction":"1/1","budget":null`))
	f.Fuzz(strict)
}
