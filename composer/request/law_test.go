package request_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/fingerprint"
)

func drawText(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "lorem ipsum ", "é", "日本", "😀", "\n", " ", `{"a": 1}`, "{memory}", "{cacheBreakpoint}", "{x}", "{",
	}), 0, 4).Draw(t, label), "")
}

func drawTemplate(t *rapid.T) (text string, stable []string) {
	pieces := []string{"{cacheBreakpoint}", "text ", "\n\n", `{"json": {}}`, "{odd}", " "}
	for _, name := range request.SlotNames() {
		pieces = append(pieces, "{"+name+"}")
	}
	text = strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 14).Draw(t, "template"), "")
	switch rapid.IntRange(0, 3).Draw(t, "stable") {
	case 0:
		stable = []string{}
	case 1:
		stable = rapid.SliceOfDistinct(rapid.SampledFrom(request.SlotNames()), rapid.ID).Draw(t, "stable slots")
	}
	return text, stable
}

func drawConversation(t *rapid.T) []messages.Message {
	var out []messages.Message
	for i := range rapid.IntRange(0, 6).Draw(t, "turns") {
		switch rapid.IntRange(0, 3).Draw(t, "turn") {
		case 0:
			out = append(out, ask(drawText(t, "ask")))
		case 1:
			out = append(out, messages.TextMessage(messages.Assistant, drawText(t, "answer")))
		default:
			id := rapid.SampledFrom([]string{"", "c1", fmt.Sprint("d", i)}).Draw(t, "id")
			m := messages.Message{Role: messages.Assistant}
			var results []messages.Message
			for range rapid.IntRange(1, 3).Draw(t, "calls") {
				m.Content = append(m.Content, messages.Block{Kind: messages.KindToolCall, ID: id, Name: "f", Value: `{"x":1}`})
				results = append(results, messages.Message{Role: messages.Tool,
					Content: []messages.Block{{Kind: messages.KindToolResult, ID: id, Name: "f", Text: drawText(t, "result")}}})
			}
			out = append(append(out, m), results...)
		}
	}
	return out
}

// drawInput draws an input, its template's text beside it.
func drawInput(t *rapid.T) (in request.Input, template string) {
	template, stable := drawTemplate(t)
	in = request.Input{
		Tenant: drawText(t, "tenant"), Template: request.ParseTemplate(template, stable),
		OutputFormat: drawText(t, "format"), Addendum: drawText(t, "addendum"),
		Now: time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "now"), 0), Zone: time.FixedZone("Z", rapid.IntRange(-12, 14).Draw(t, "zone")*3600),
		Locale: drawText(t, "locale"), Instructions: drawText(t, "instructions"), Context: drawText(t, "context"),
		Facts: drawText(t, "facts"), Notes: drawText(t, "notes"), History: drawConversation(t), Question: ask("q" + drawText(t, "question")),
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "skills") {
		in.Skills = append(in.Skills, request.Skill{fmt.Sprint("s", i), drawText(t, "description"), drawText(t, "body")})
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "chunks") {
		in.Chunks = append(in.Chunks, request.Chunk{fmt.Sprint("c", i), drawText(t, "chunk"), rapid.Int64Range(-1, 2).Draw(t, "rank")})
	}
	if rapid.Bool().Draw(t, "tool") {
		in.Tools = []request.Tool{{Name: "load_skill", Description: drawText(t, "tool")}}
	}
	return in, template
}

// system fills the template the slow way: slot by slot from the left, looking at nothing twice.
func system(in request.Input, template string, chunks []request.Chunk) string {
	join := func(sep string, texts ...string) string {
		return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), sep)
	}
	var listed, written, found []string
	for _, s := range in.Skills {
		listed = append(listed, fmt.Sprintf("- %s: %s", s.Name, s.Description))
		written = append(written, fmt.Sprintf("# %s\n%s", s.Name, s.Body))
	}
	for _, c := range chunks {
		found = append(found, fmt.Sprintf("[%s]\n%s", c.ID, c.Text))
	}
	values := map[string]string{
		"output_format": in.OutputFormat, "addendum": in.Addendum, "skills": strings.Join(written, "\n\n"),
		"today": in.Now.In(in.Zone).Format("2006-01-02"), "locale": in.Locale, "timezone": in.Zone.String(),
		"instructions": in.Instructions, "context": in.Context, "memory": join("\n\n", in.Facts, in.Notes),
		"chunks": strings.Join(found, "\n\n"), "cacheBreakpoint": "",
	}
	if len(in.Tools) > 0 {
		values["skills"] = strings.Join(listed, "\n")
	}
	var out strings.Builder
	for template != "" {
		filled := false
		for name, value := range values {
			if rest, ok := strings.CutPrefix(template, "{"+name+"}"); ok {
				out.WriteString(value)
				template, filled = rest, true
				break
			}
		}
		if !filled {
			out.WriteByte(template[0])
			template = template[1:]
		}
	}
	return out.String()
}

// The oracle leaves out one thing at a time, writes all of it again and measures again, until it fits.
func oracle(t *rapid.T, in request.Input, template string, limit int64) (prompt string, chunks []request.Chunk, history []int, over int64) {
	conversation := append(slices.Clone(in.History), in.Question)
	units, named := messages.Units(conversation)
	chunks = slices.Clone(in.Chunks)
	for i := range in.History {
		history = append(history, i)
	}
	for {
		prompt = system(in, template, chunks)
		total := measure.UTF16().Count(prompt)
		for _, i := range append(slices.Clone(history), len(in.History)) {
			text, err := named[i].Text()
			if err != nil {
				t.Fatal(err)
			}
			total += measure.UTF16().Count(text)
		}
		if total <= limit {
			return prompt, chunks, history, 0
		}
		oldest := slices.IndexFunc(history, func(i int) bool { return units[i] != units[len(in.History)] })
		switch {
		case oldest >= 0:
			unit := units[history[oldest]]
			history = slices.DeleteFunc(history, func(i int) bool { return units[i] == unit })
		case len(chunks) > 0:
			lowest := 0
			for i, c := range chunks {
				if c.Rank <= chunks[lowest].Rank {
					lowest = i
				}
			}
			chunks = slices.Delete(chunks, lowest, lowest+1)
		default:
			return prompt, chunks, history, total - limit
		}
	}
}

func TestTrimmingIsThatOfTheOracle(t *testing.T) { rapid.Check(t, trimming) }

func FuzzTrimming(f *testing.F) { f.Fuzz(rapid.MakeFuzz(trimming)) }

func trimming(t *rapid.T) {
	in, template := drawInput(t)
	cfg := config(rapid.Int64Range(1, 300).Draw(t, "context"))
	cfg.Reserve = rapid.Int64Range(0, min(20, cfg.Model.ContextTokens-1)).Draw(t, "reserve")
	cfg.Caching = rapid.Bool().Draw(t, "caching")
	a, err := request.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	prompt, chunks, history, over := oracle(t, in, template, cfg.Model.ContextTokens-cfg.Reserve)
	if diff := cmp.Diff(prompt, got.Stable+got.PerCall); diff != "" {
		t.Fatalf("system prompt (-want +got)\n%s", diff)
	}
	if before, after, _ := strings.Cut(template, "{cacheBreakpoint}"); cfg.Caching && len(chunks) == len(in.Chunks) {
		if strings.Contains(template, "{cacheBreakpoint}") && (got.Stable != system(in, before, chunks) || got.PerCall != system(in, after, chunks)) {
			t.Fatalf("split into %q and %q", got.Stable, got.PerCall)
		}
	}
	ids := []string{}
	for _, c := range chunks {
		if strings.Contains(template, "{chunks}") {
			ids = append(ids, c.ID)
		}
	}
	if diff := cmp.Diff(ids, got.Chunks); diff != "" {
		t.Fatalf("chunks (-want +got)\n%s", diff)
	}
	_, named := messages.Units(append(slices.Clone(in.History), in.Question))
	var kept []messages.Message
	for _, i := range append(history, len(in.History)) {
		kept = append(kept, named[i])
	}
	if diff := cmp.Diff(kept, got.Request.Messages); diff != "" {
		t.Fatalf("messages (-want +got)\n%s", diff)
	}
	var told int64
	for _, w := range got.Warnings {
		if w.Code == request.ContextOverflow {
			told = w.Count
		}
	}
	if told != over {
		t.Fatalf("overflow %d, want %d", told, over)
	}
	var joined strings.Builder
	for _, b := range got.Request.System {
		joined.WriteString(b.Text)
	}
	if joined.String() != prompt {
		t.Fatalf("the blocks are %q", joined.String())
	}
	cfg.Strict = true
	strict, err := request.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := strict.Build(in); errors.Is(err, request.ErrContextBudget) != (over > 0) {
		t.Fatalf("strict: %v", err)
	}
}

// Under an estimator whose counts do not add up, what was measured piece by piece decides: again one by one.
func TestTrimmingInPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, _ := drawInput(t)
		cfg := config(1 << 40)
		cfg.Estimator = nil
		free := decide(t, cfg, in)
		size, total := map[string]int64{}, int64(0)
		for _, d := range free {
			size[d.ID], total = d.Size, total+d.Size
		}
		cfg.Model.ContextTokens = rapid.Int64Range(1, total+2).Draw(t, "context")
		got := decide(t, cfg, in)

		units, _ := messages.Units(append(slices.Clone(in.History), in.Question))
		var steps [][]string // what goes at once, in order
		for unit := range in.History {
			var ids []string
			for i := range in.History {
				if units[i] == unit {
					ids = append(ids, fmt.Sprint("history/", i))
				}
			}
			if ids != nil {
				steps = append(steps, ids)
			}
		}
		left := make([]int, len(in.Chunks))
		for i := range left {
			left[i] = i
		}
		for len(left) > 0 {
			lowest := 0
			for k, i := range left {
				if in.Chunks[i].Rank <= in.Chunks[left[lowest]].Rank {
					lowest = k
				}
			}
			var ids []string
			for _, d := range free {
				if name, _, _ := strings.Cut(d.ID, "#"); name == fmt.Sprint("chunks/", left[lowest]) {
					ids = append(ids, d.ID)
				}
			}
			steps = append(steps, ids)
			left = slices.Delete(left, lowest, lowest+1)
		}
		out := map[string]bool{}
		for _, ids := range steps {
			if total <= cfg.Model.ContextTokens {
				break
			}
			for _, id := range ids {
				out[id] = true
				total -= size[id]
			}
		}
		for _, d := range got {
			if d.Included == out[d.ID] {
				t.Fatalf("%s: included is %v; context %d", d.ID, d.Included, cfg.Model.ContextTokens)
			}
		}
	})
}

func decide(t *rapid.T, cfg request.Config, in request.Input) []composer.Decision {
	a, err := request.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	res, err := a.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return res.Composition.Decisions()
}

// The stable block's bytes are those of the template and the stable inputs, whatever the call brings.
func TestStableBlockIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, template := drawInput(t)
		before, _, _ := strings.Cut(template, "{cacheBreakpoint}")
		for _, name := range request.SlotNames() { // a template that keeps the rule
			if !slices.Contains(request.StableSlots(), name) {
				before = strings.ReplaceAll(before, "{"+name+"}", "")
			}
		}
		in.Template = request.ParseTemplate(before+"{cacheBreakpoint}{memory}{chunks}{today}", nil)
		other, _ := drawInput(t)
		other.Template, other.OutputFormat, other.Addendum, other.Skills, other.Tools, other.Tenant =
			in.Template, in.OutputFormat, in.Addendum, in.Skills, in.Tools, in.Tenant
		a, err := request.New(config(rapid.Int64Range(1, 200).Draw(t, "context")))
		if err != nil {
			t.Fatal(err)
		}
		one, err := a.Build(in)
		if err != nil {
			t.Fatal(err)
		}
		two, err := a.Build(other)
		if err != nil {
			t.Fatal(err)
		}
		if one.Stable != two.Stable || one.StableDigest != two.StableDigest || one.CacheKey != two.CacheKey {
			t.Fatalf("%q and %q", one.Stable, two.Stable)
		}
		prefix := func(res request.Result) (digests []fingerprint.Digest) {
			for _, p := range res.Composition.Breakpoints() {
				digests = append(digests, p.Digest)
			}
			return digests
		}
		if diff := cmp.Diff(prefix(one), prefix(two)); diff != "" {
			t.Fatalf("cacheable prefixes differ\n%s", diff)
		}
	})
}

func store(c composer.Compilation) func(fingerprint.Digest) (string, error) {
	texts := map[fingerprint.Digest]string{}
	for _, text := range c.Inputs {
		texts[fingerprint.SumString(text)] = text
	}
	return func(d fingerprint.Digest) (string, error) {
		text, ok := texts[d]
		if !ok {
			return "", fmt.Errorf("no text %v", d)
		}
		return text, nil
	}
}

// A recipe gives the composition again: bytes, decisions, prefixes.
func TestRecipeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, _ := drawInput(t)
		cfg := config(rapid.Int64Range(1, 300).Draw(t, "context"))
		cfg.Caching, cfg.MarkConversation = rapid.Bool().Draw(t, "caching"), rapid.Bool().Draw(t, "conversation")
		if rapid.Bool().Draw(t, "own estimator") {
			own := measure.New("own", func(text string) int64 { return int64(len(text)) / 3 })
			cfg.Estimator = &own
		}
		a, err := request.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		res, err := a.Build(in)
		if err != nil {
			t.Fatal(err)
		}
		compiled := res.Compilation()
		recipe := compiled.Recipe
		if canonical, err := fingerprint.Canonical(recipe); err != nil || string(canonical) != string(recipe) {
			t.Fatalf("not canonical: %s (%v)", recipe, err)
		}
		again, err := request.CompileRecipe(recipe, store(compiled))
		if err != nil {
			t.Fatal(err)
		}
		if again.Fingerprint() != res.Composition.Fingerprint() || again.Recipe().Key() != res.Composition.Recipe().Key() {
			t.Fatalf("another composition:\n%s\n%s", res.Composition.Text(), again.Text())
		}
		if diff := cmp.Diff(res.Composition.Breakpoints(), again.Breakpoints()); diff != "" {
			t.Fatalf("breakpoints (-want +got)\n%s", diff)
		}
	})
}
