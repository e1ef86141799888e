package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

// A Survivor is a change of a recorded input that verification would not have noticed, or not have explained.
type Survivor struct {
	Session string
	Turn    int64
	Field   string
	Section string // "" for a setting
	Why     string
}

// A MutationReport says what [Mutate] tried.
type MutationReport struct {
	Records, Mutants int64
	Survivors        []Survivor
}

// Mutate asks whether a replay proves anything. It changes every input of every selected record in turn, in memory:
// each setting, and of each section its place, its fields, one byte of its content and of each alternate. It demands
// that the key of the recipe changes, that a store which returns the changed recipe under the old key is refused, and
// that a change which alters text or decisions is told with its cause. Sections that the record before had in the same
// way are not tried again.
func Mutate(ctx context.Context, store Store, q Query) (report MutationReport, err error) {
	r := NewReader(store)
	var before composer.Recipe
	for rec, err := range r.Records(ctx, q) {
		if err != nil {
			return report, err
		}
		m := mutation{reader: r, rec: rec, report: &report}
		src, err := r.Content(ctx, rec.Sections())
		if err != nil {
			return report, err
		}
		if m.recipe, err = composer.ParseRecipe([]byte(src)); err != nil {
			return report, &CorruptError{Name: rec.Sections(), Place: "recipe", Err: err}
		}
		if m.was, err = m.compose(ctx, m.recipe, nil); err != nil {
			return report, err
		}
		same := 0
		for same < min(len(before.Sections), len(m.recipe.Sections)) && equalIngredient(before.Sections[same], m.recipe.Sections[same]) {
			same++
		}
		report.Records++
		if err := m.settings(ctx); err != nil {
			return report, err
		}
		for i := same; i < len(m.recipe.Sections); i++ {
			if err := m.section(ctx, i); err != nil {
				return report, err
			}
		}
		before = m.recipe
	}
	return report, ctx.Err()
}

func equalIngredient(a, b composer.Ingredient) bool {
	return a.ID == b.ID && a.Tier == b.Tier && a.Content == b.Content && slices.Equal(a.Alternates, b.Alternates) &&
		a.Priority == b.Priority && a.Chain == b.Chain && a.Group == b.Group && a.Breakpoint == b.Breakpoint
}

// A mutation is one record under test.
type mutation struct {
	reader *Reader
	rec    Record
	recipe composer.Recipe
	was    composer.Composition
	report *MutationReport
}

func (m *mutation) compose(ctx context.Context, recipe composer.Recipe, changed map[fingerprint.Digest]string) (composer.Composition, error) {
	return recipe.Compose(func(name fingerprint.Digest) (string, error) {
		if content, there := changed[name]; there {
			return content, nil
		}
		return m.reader.Content(ctx, name)
	})
}

func (m *mutation) settings(ctx context.Context) error {
	for _, s := range []struct {
		field  string
		kind   composer.ChangeKind // "" where nothing is composed
		change func(r *composer.Recipe)
	}{
		{"gate", composer.GateChanged, func(r *composer.Recipe) { r.Gate = (r.Gate + 1) % 3 }},
		{"budget", composer.BudgetChanged, func(r *composer.Recipe) { r.Budget = other(r.Budget) }},
		{"max-bytes", composer.MaxBytesChanged, func(r *composer.Recipe) { r.MaxBytes = other(r.MaxBytes) }},
		{"measure", composer.MeasureChanged, func(r *composer.Recipe) { r.Measure += "'" }},
		{"active-fraction", composer.FractionChanged, func(r *composer.Recipe) { r.ActiveFraction = otherFraction(r.ActiveFraction) }},
		{"tail-reserve", composer.TailReserveChanged, func(r *composer.Recipe) { r.TailReserve++ }},
		{"join", composer.JoinChanged, func(r *composer.Recipe) { r.Join = (r.Join + 1) % 3 }},
		{"separator", composer.SeparatorChanged, func(r *composer.Recipe) {
			r.Separator = tiers.Charged(r.Separator.Size()+1, r.Separator.Bytes())
		}},
		{"version", "", func(r *composer.Recipe) { r.Version += "'" }},
		{"kind", "", func(r *composer.Recipe) { r.Kind += "'" }},
	} {
		recipe := m.recipe
		s.change(&recipe)
		if err := m.try(ctx, s.field, "", s.kind, recipe, nil); err != nil {
			return err
		}
	}
	return nil
}

// other returns a budget that is not b: half of it, so that something is likely to be decided otherwise.
func other(b tiers.Budget) tiers.Budget {
	n, limited := b.Value()
	switch {
	case !limited:
		return tiers.Limit(1)
	case n < 2:
		return tiers.Limit(n + 1)
	}
	return tiers.Limit(n / 2)
}

func otherFraction(f tiers.Fraction) tiers.Fraction {
	half, _ := tiers.ParseFraction("1/2")
	third, _ := tiers.ParseFraction("1/3")
	if f == half {
		return third
	}
	return half
}

func (m *mutation) section(ctx context.Context, i int) error {
	in := m.recipe.Sections[i]
	type change struct {
		field string
		kind  composer.ChangeKind
		make  func(in *composer.Ingredient)
	}
	costs := func(c tiers.Cost) [2]tiers.Cost {
		return [2]tiers.Cost{tiers.Charged(c.Size()+1, c.Bytes()), tiers.Charged(c.Size(), c.Bytes()+1)}
	}
	changed := map[fingerprint.Digest]string{}
	spoil := func(form *composer.Form) error {
		content, err := m.reader.Content(ctx, form.Digest)
		if err != nil {
			return err
		}
		if content == "" {
			content = "x"
		} else {
			content = flip(content, len(content)/2)
		}
		form.Digest = fingerprint.SumString(content)
		changed[form.Digest] = content
		return nil
	}
	changes := []change{
		{"id", composer.SectionAdded, func(in *composer.Ingredient) { in.ID += "'" }},
		{"tier", composer.TierChanged, func(in *composer.Ingredient) { in.Tier = (in.Tier + 1) % 3 }},
		{"size", composer.CostChanged, func(in *composer.Ingredient) { in.Content.Cost = costs(in.Content.Cost)[0] }},
		{"bytes", composer.CostChanged, func(in *composer.Ingredient) { in.Content.Cost = costs(in.Content.Cost)[1] }},
		{"priority", composer.PriorityChanged, func(in *composer.Ingredient) { in.Priority++ }},
		{"chain", composer.ChainChanged, func(in *composer.Ingredient) { in.Chain += "'" }},
		{"group", composer.GroupChanged, func(in *composer.Ingredient) { in.Group += "'" }},
		{"breakpoint", composer.BreakpointChanged, func(in *composer.Ingredient) { in.Breakpoint = !in.Breakpoint }},
	}
	spoiled := in.Content
	if err := spoil(&spoiled); err != nil {
		return err
	}
	changes = append(changes, change{"content", composer.ContentChanged, func(in *composer.Ingredient) { in.Content = spoiled }})
	for k, alternate := range in.Alternates {
		spoiled := alternate
		if err := spoil(&spoiled); err != nil {
			return err
		}
		name := fmt.Sprintf("alternate %d", k+1)
		changes = append(changes,
			change{name, composer.AlternateChanged, func(in *composer.Ingredient) { in.Alternates[k] = spoiled }},
			change{name + " size", composer.CostChanged, func(in *composer.Ingredient) { in.Alternates[k].Cost = costs(alternate.Cost)[0] }},
			change{name + " bytes", composer.CostChanged, func(in *composer.Ingredient) { in.Alternates[k].Cost = costs(alternate.Cost)[1] }},
			change{name + " removed", composer.AlternateChanged, func(in *composer.Ingredient) { in.Alternates = slices.Delete(in.Alternates, k, k+1) }})
	}
	for _, c := range changes {
		recipe := m.recipe
		recipe.Sections = slices.Clone(recipe.Sections)
		target := &recipe.Sections[i]
		target.Alternates = slices.Clone(target.Alternates)
		c.make(target)
		if err := m.try(ctx, c.field, in.ID, c.kind, recipe, changed); err != nil {
			return err
		}
	}
	recipe := m.recipe
	recipe.Sections = slices.Delete(slices.Clone(recipe.Sections), i, i+1)
	if err := m.try(ctx, "removed", in.ID, composer.SectionRemoved, recipe, nil); err != nil {
		return err
	}
	if i+1 < len(m.recipe.Sections) {
		recipe.Sections = slices.Clone(m.recipe.Sections)
		recipe.Sections[i], recipe.Sections[i+1] = recipe.Sections[i+1], recipe.Sections[i]
		return m.try(ctx, "order", in.ID, composer.Reordered, recipe, nil)
	}
	return nil
}

// flip changes one ASCII byte at or after a place, so that the text stays valid.
func flip(content string, at int) string {
	b := []byte(content)
	for i := range b {
		if c := &b[(at+i)%len(b)]; *c < 0x80 {
			*c ^= 1
			return string(b)
		}
	}
	return content + "x"
}

// try wants one mutant to be noticed.
func (m *mutation) try(ctx context.Context, field, section string, kind composer.ChangeKind, recipe composer.Recipe, changed map[fingerprint.Digest]string) error {
	m.report.Mutants++
	survives := func(why string) error {
		m.report.Survivors = append(m.report.Survivors, Survivor{m.rec.Session, m.rec.Turn, field, section, why})
		return nil
	}
	src := recipe.AppendJSON(nil)
	old := m.rec.Sections()
	if fingerprint.Sum(src) == old {
		return survives("the key is the same")
	}
	spoiled := NewReader(forged{m.reader.store, old, appendObjects(nil, fingerprint.Sum(src), string(src))})
	var refused *CorruptError
	if _, err := spoiled.Content(ctx, old); !errors.As(err, &refused) {
		return survives(fmt.Sprintf("under the old key it is not refused as corrupt: %v", err))
	}
	if kind == "" {
		_, err := m.compose(ctx, recipe, changed)
		if err == nil {
			return survives("it is compiled, though it is no recipe of this compiler")
		}
		return nil
	}
	now, err := m.compose(ctx, recipe, changed)
	if err != nil {
		return nil // refused with an error, such as a group on both sides of a breakpoint
	}
	if now.Text() == m.was.Text() && string(appendDecisions(nil, now)) == string(appendDecisions(nil, m.was)) {
		return nil // the key tells
	}
	diff := composer.Diff(m.was, now)
	if cause, told := diff.Cause(); !told {
		return survives("text or decisions differ, and no cause is told")
	} else if !slices.ContainsFunc(diff.Changes, func(c composer.Change) bool { return c.Kind == kind }) {
		return survives(fmt.Sprintf("the cause told is %s; want %s", cause, kind))
	}
	return nil
}

// A forged is a store that returns other objects under one name.
type forged struct {
	Store
	name    fingerprint.Digest
	objects []Object // the last is given that name
}

func (f forged) Objects(ctx context.Context, names []fingerprint.Digest) ([]Object, error) {
	var forged []Object
	for _, name := range names {
		last := len(f.objects) - 1
		for i, o := range f.objects {
			if i == last && name == f.name {
				o.Name = f.name
			}
			if o.Name == name {
				forged = append(forged, o)
				break
			}
		}
	}
	return forged, nil
}
