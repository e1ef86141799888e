package fragments_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/fragments/template"
)

// A piece is one registration, in a form that a slow model can look into.
type piece struct {
	kind  fragments.Kind
	name  string
	scope fragments.Scope
	order int
	text  string // of a section or variable; of a provider its tools, of a transform its edits, separated by spaces
	final bool   // of a section: owner-final; of a provider: all its tools are
	role  string // only there for this role; "": for all
}

var modelScopes = []fragments.Scope{{}, global.Child("a"), global.Child("a").Child("b"), global.Child("c")}

func drawPiece(t *rapid.T) piece {
	p := piece{
		kind:  fragments.Kind(rapid.IntRange(0, 3).Draw(t, "kind")),
		name:  rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "name"),
		scope: rapid.SampledFrom(modelScopes).Draw(t, "scope"),
		order: rapid.IntRange(0, 2).Draw(t, "order"),
		final: rapid.IntRange(0, 3).Draw(t, "final") == 0,
		role:  rapid.SampledFrom([]string{"", "", "r"}).Draw(t, "role"),
	}
	words := func(from ...string) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(from), 0, 3).Draw(t, "words"), " ")
	}
	switch p.kind {
	case fragments.KindSection:
		p.text = words("text", "{{a}}", "{{b}}", "}}")
	case fragments.KindVariable:
		p.text = words("value", "{{a}}", "")
	case fragments.KindTools:
		p.text = p.name + fmt.Sprint(p.order) // rarely the tool of another provider
	case fragments.KindTransform:
		p.text = words("drop-a", "drop-b", "add-a", "add-z", "reverse", "edit-b", "set-a", "drop-a0", "add-b1")
	}
	return p
}

// contribution is what is registered for a piece.
func (p piece) contribution() fragments.Contribution {
	var c fragments.Contribution
	switch p.kind {
	case fragments.KindSection:
		c = fragments.AddSection(fragments.Section{Name: p.name, Order: p.order, Text: p.text, OwnerFinal: p.final})
	case fragments.KindVariable:
		c = fragments.AddVariable(p.name, fragments.StaticValue(p.text))
	case fragments.KindTools:
		c = fragments.AddTools(p.name, func(fragments.AssembleContext) (fragments.ToolResult, error) {
			result := fragments.ToolResult{Tools: []fragments.Tool{{Name: p.text}}}
			if p.final {
				result.OwnerFinalNames = []string{p.text, "absent"}
			}
			return result, nil
		})
	case fragments.KindTransform:
		c = fragments.AddTransform(p.order, p.name, func(_ fragments.AssembleContext, a *fragments.Assembly) error {
			p.edit(a)
			return nil
		})
	}
	if p.role != "" {
		c = fragments.Scoped(fragments.Match{Role: p.role}, c)
	}
	return c
}

func (p piece) edit(a *fragments.Assembly) {
	for _, word := range strings.Fields(p.text) {
		verb, name, _ := strings.Cut(word, "-")
		isTool := len(name) == 2
		switch {
		case verb == "drop" && isTool:
			a.Tools = slices.DeleteFunc(a.Tools, func(t fragments.Tool) bool { return t.Name == name })
		case verb == "add" && isTool:
			a.Tools = append([]fragments.Tool{{Name: name, Description: "added"}}, a.Tools...)
		case verb == "drop":
			a.Sections = slices.DeleteFunc(a.Sections, func(s fragments.AssembledSection) bool { return s.Name == name })
		case verb == "add":
			a.Sections = append([]fragments.AssembledSection{{Name: name, Text: "added"}}, a.Sections...)
		case verb == "reverse":
			slices.Reverse(a.Sections)
			slices.Reverse(a.Tools)
		case verb == "edit":
			for i := range a.Sections {
				if a.Sections[i].Name == name {
					a.Sections[i].Text = "edited"
				}
			}
		case verb == "set":
			a.Variables[name] = template.Value{Text: "set"}
		}
	}
}

// A model is a list of what is registered, and slow.
type model []piece

// refuses says with which error a piece cannot join.
func (m model) refuses(p piece) error {
	for _, q := range m {
		if q.kind == p.kind && q.name == p.name && q.scope == p.scope {
			return fragments.ErrDuplicateName
		}
	}
	for _, q := range m {
		if q.kind != fragments.KindSection || p.kind != fragments.KindSection || q.name != p.name {
			continue
		}
		if q.scope == global && q.final || p.scope == global && p.final {
			return fragments.ErrOwnerFinal
		}
	}
	return nil
}

// sees lists the pieces of a kind that a scope sees, in order.
func (m model) sees(kind fragments.Kind, scope fragments.Scope, role string) []piece {
	distance := func(p piece) int { // steps from the scope up to the piece's
		steps := 0
		for at, more := scope, true; more; at, more = at.Parent() {
			if at == p.scope {
				return steps
			}
			steps++
		}
		return -1
	}
	there := func(p piece) bool {
		return p.kind == kind && distance(p) >= 0 && (p.role == "" || p.role == role)
	}
	var seen []piece
	for _, p := range m {
		shadowed := slices.ContainsFunc(m, func(q piece) bool {
			return kind <= fragments.KindVariable && there(q) && q.name == p.name && distance(q) < distance(p)
		})
		if there(p) && !shadowed {
			seen = append(seen, p)
		}
	}
	slices.SortFunc(seen, func(a, b piece) int {
		if kind == fragments.KindVariable || kind == fragments.KindTools {
			a.order, b.order = 0, 0
		}
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.name, b.name), cmp.Compare(distance(b), distance(a)))
	})
	return seen
}

func (m model) assemble(scope fragments.Scope, role string) (fragments.Assembly, error) {
	a := fragments.Assembly{Variables: map[string]template.Value{}}
	for _, p := range m.sees(fragments.KindVariable, scope, role) {
		a.Variables[p.name] = template.Value{Text: p.text}
	}
	finalSections, finalTools := map[string]bool{}, map[string]bool{}
	sections := map[string]fragments.AssembledSection{}
	for _, p := range m {
		if p.kind == fragments.KindSection && p.final && (p.scope == global || p.scope == scope || strings.HasPrefix(scope.String(), p.scope.String()+"/")) {
			finalSections[p.name] = true // unless an ordinary one of that name is what is seen
		}
	}
	for _, p := range m.sees(fragments.KindSection, scope, role) {
		sections[p.name] = fragments.AssembledSection{Name: p.name, Text: p.text}
		a.Sections = append(a.Sections, sections[p.name])
		finalSections[p.name] = p.final
	}
	tools := map[string]fragments.Tool{}
	for _, p := range m.sees(fragments.KindTools, scope, role) {
		if _, twice := tools[p.text]; twice {
			return fragments.Assembly{}, fragments.ErrDuplicateTool
		}
		tools[p.text] = fragments.Tool{Name: p.text}
		a.Tools = append(a.Tools, tools[p.text])
		finalTools[p.text] = finalTools[p.text] || p.final
		finalTools["absent"] = true
	}
	slices.SortFunc(a.Tools, func(a, b fragments.Tool) int { return strings.Compare(a.Name, b.Name) })

	sectionsBefore, toolsBefore := sectionNames(a), toolNames(a)
	transforms := m.sees(fragments.KindTransform, scope, role)
	for _, p := range transforms {
		p.edit(&a)
	}
	if len(transforms) == 0 {
		return a, nil
	}
	isFinal := func(names map[string]bool) func(string) bool { return func(name string) bool { return names[name] } }
	afterSections := a.Sections
	a.Sections = nil
	for _, name := range restoreOracle(sectionsBefore, sectionNames(fragments.Assembly{Sections: afterSections}), isFinal(finalSections)) {
		s := sections[name]
		if !finalSections[name] {
			s = afterSections[slices.IndexFunc(afterSections, func(s fragments.AssembledSection) bool { return s.Name == name })]
		}
		a.Sections = append(a.Sections, s)
	}
	afterTools := a.Tools
	a.Tools = nil
	for _, name := range restoreOracle(toolsBefore, toolNames(fragments.Assembly{Tools: afterTools}), isFinal(finalTools)) {
		tool := tools[name]
		if !finalTools[name] {
			tool = afterTools[slices.IndexFunc(afterTools, func(t fragments.Tool) bool { return t.Name == name })]
		}
		a.Tools = append(a.Tools, tool)
	}
	if twice(sectionNames(a)) {
		return fragments.Assembly{}, fragments.ErrDuplicateName
	}
	if twice(toolNames(a)) {
		return fragments.Assembly{}, fragments.ErrDuplicateTool
	}
	return a, nil
}

func twice(names []string) bool {
	slices.Sort(names)
	return len(slices.Compact(names)) < len(names)
}

// withoutPersona takes away what every registry opens with.
func withoutPersona(a fragments.Assembly) fragments.Assembly {
	a.Sections = slices.DeleteFunc(a.Sections, func(s fragments.AssembledSection) bool { return s.Name == fragments.PersonaSection })
	return a
}

// removesPersona is a transform before all others, so that the model need not know of the persona.
func removesPersona(_ fragments.AssembleContext, a *fragments.Assembly) error {
	*a = withoutPersona(*a)
	return nil
}

// often checks a property more often than rapid does by itself: what goes wrong here takes three layers and a gate.
func often(t *testing.T, property func(*rapid.T)) {
	for range 8 {
		rapid.Check(t, property)
	}
}

func TestAgainstModel(t *testing.T) { often(t, againstModel) }

func FuzzAgainstModel(f *testing.F) { f.Fuzz(rapid.MakeFuzz(againstModel)) }

func againstModel(t *rapid.T) {
	r := must(fragments.New(fragments.Options{NoIdentity: true}))
	must(r.Transform(global, -1, "no persona", removesPersona))
	m := model{{kind: fragments.KindTransform, name: "no persona", order: -1}}
	var removes []func()
	t.Repeat(map[string]func(*rapid.T){
		"register": func(t *rapid.T) {
			p := drawPiece(t)
			remove, err := r.Contribute(p.scope, p.contribution())
			if want := m.refuses(p); !errors.Is(err, want) || (err == nil) != (want == nil) {
				t.Fatalf("registering %+v: %v; want %v", p, err, want)
			}
			if err == nil {
				m, removes = append(m, p), append(removes, remove)
			}
		},
		"register many": func(t *rapid.T) {
			pieces := rapid.SliceOfN(rapid.Custom(drawPiece), 1, 3).Draw(t, "pieces")
			scope := pieces[0].scope
			var contributions []fragments.Contribution
			grown := slices.Clone(m)
			var want error
			for _, p := range pieces {
				p.scope = scope
				contributions = append(contributions, p.contribution())
				if want == nil {
					want = grown.refuses(p)
				}
				grown = append(grown, p)
			}
			remove, err := fragments.NewPlugin("p", contributions...).Register(r, scope)
			if !errors.Is(err, want) || (err == nil) != (want == nil) {
				t.Fatalf("registering %+v: %v; want %v", pieces, err, want)
			}
			if err == nil { // removed at once, twice, for the list of removals is one a piece
				remove()
				remove()
			}
		},
		"remove": func(t *rapid.T) {
			if len(removes) == 0 { // not skipped: a fuzzer finds the bits that draw nothing but this, and rapid calls that a failure
				return
			}
			i := rapid.IntRange(0, len(removes)-1).Draw(t, "which")
			removes[i]()
			m, removes = slices.Delete(m, i+1, i+2), slices.Delete(removes, i, i+1)
		},
		"assemble": func(t *rapid.T) {
			scope := rapid.SampledFrom(append(slices.Clone(modelScopes), global.Child("c").Child("unknown"))).Draw(t, "in")
			role := rapid.SampledFrom([]string{"", "r"}).Draw(t, "as")
			want, wantErr := m.assemble(scope, role)
			got, err := r.Assemble(fragments.AssembleContext{Scope: scope, Role: role})
			if !errors.Is(err, wantErr) || (err == nil) != (wantErr == nil) {
				t.Fatalf("scope %v role %q: %v; want %v", scope, role, err, wantErr)
			}
			if diff := gocmp.Diff(string(want.AppendJSON(nil)), string(got.AppendJSON(nil))); diff != "" {
				t.Fatalf("scope %v role %q (-want +got)\n%s", scope, role, diff)
			}
		},
	})
}

// The order in which owners register must never reach the output, errors included.
func TestAnyOrderOfRegistration(t *testing.T) { often(t, anyOrder) }

func FuzzAnyOrderOfRegistration(f *testing.F) { f.Fuzz(rapid.MakeFuzz(anyOrder)) }

func anyOrder(t *rapid.T) {
	var m model
	for _, p := range rapid.SliceOfN(rapid.Custom(drawPiece), 2, 30).Draw(t, "pieces") {
		if m.refuses(p) == nil {
			m = append(m, p)
		}
	}
	register := func(order []piece) *fragments.Registry {
		r := must(fragments.New(fragments.Options{}))
		perPlugin := rapid.IntRange(1, 4).Draw(t, "contributions of a plugin")
		for len(order) > 0 {
			n := 1
			for n < min(perPlugin, len(order)) && order[n].scope == order[0].scope {
				n++
			}
			var contributions []fragments.Contribution
			for _, p := range order[:n] {
				contributions = append(contributions, p.contribution())
			}
			must(fragments.NewPlugin("p", contributions...).Register(r, order[0].scope))
			order = order[n:]
		}
		return r
	}
	r1, r2 := register(m), register(rapid.Permutation(m).Draw(t, "another order"))
	for _, scope := range modelScopes {
		ctx := fragments.AssembleContext{Scope: scope, Role: rapid.SampledFrom([]string{"", "r"}).Draw(t, "as")}
		if one, other := outcome(r1, ctx), outcome(r2, ctx); one != other {
			t.Fatalf("scope %v: %s\nother order: %s", scope, one, other)
		}
	}
}

// outcome is all that comes of an assembly: its JSON, and the prompt or the error.
func outcome(r *fragments.Registry, ctx fragments.AssembleContext) string {
	a, err := r.Assemble(ctx)
	if err != nil {
		return err.Error()
	}
	text, err := a.Render()
	return fmt.Sprintf("%s\n%s\n%v", a.AppendJSON(nil), text, err)
}
