package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/edits"
)

// A Cause says why a composition is not what was recorded. What changed between two recipes has the names of
// [composer.ChangeKind] ("content_changed", "section_added", "budget_changed" …); these come on top.
type Cause string

// The causes beside those of [composer.ChangeKind].
const (
	VersionChanged  Cause = "version_changed"  // this build does not compile the recipe's version
	KindUnknown     Cause = "kind_unknown"     // no compiler for recipes of this kind was given
	CompilerChanged Cause = "compiler_changed" // the same recipe, version and inputs gave something else
	InputMissing    Cause = "input_missing"    // something that the record refers to is not in the store
	Corrupt         Cause = "corrupt"          // what is stored is not what was written
	RecipeRefused   Cause = "recipe_refused"   // the compiler refuses the recipe
)

// A Divergence says how a record and what was compiled now differ.
type Divergence struct {
	Session   string
	Seq, Turn int64

	Cause   Cause
	Section string            // that holds the first differing byte, or that the cause is about; "" when it is about none
	At      int64             // the first differing byte of the text; -1 when the texts are equal or one is not known
	Want    string            // what was recorded, around that byte
	Got     string            // what was compiled, around that byte
	Changes []composer.Change // everything that differs between the two recipes
	Err     error             // for VersionChanged, KindUnknown, InputMissing, Corrupt, RecipeRefused
}

// Error says it in one line.
func (d *Divergence) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "replay: %s@%d: %s", d.Session, d.Turn, d.Cause)
	if d.Section != "" {
		fmt.Fprintf(&b, ": section %q", d.Section)
	}
	if d.At >= 0 {
		fmt.Fprintf(&b, ", from byte %d of the text on: recorded %q, now %q", d.At, d.Want, d.Got)
	}
	if d.Err != nil {
		fmt.Fprintf(&b, ": %v", d.Err)
	}
	return b.String()
}

// Unwrap returns Err.
func (d *Divergence) Unwrap() error { return d.Err }

// Missing reports whether something that the record needs is not there.
func (d *Divergence) Missing() bool { return d.Cause == InputMissing }

// excerpt returns the text around a byte, of about 40 characters, cut between characters.
func excerpt(text string, at int64) string {
	const before, after = 16, 24
	from, to := max(0, int(at)-before), min(len(text), int(at)+after)
	for from > 0 && from < len(text) && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	if from >= to {
		return ""
	}
	return text[from:to]
}

// failure is the divergence of a record that could not be compiled.
func failure(e Entry, err error) *Divergence {
	d := &Divergence{Session: e.Session, Seq: e.Seq, Turn: e.Turn, At: -1, Cause: RecipeRefused, Err: err}
	var corrupt *CorruptError
	switch {
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrGone):
		d.Cause = InputMissing
	case errors.As(err, &corrupt):
		d.Cause = Corrupt
	case errors.Is(err, composer.ErrVersion):
		d.Cause = VersionChanged
	case errors.Is(err, errKind):
		d.Cause = KindUnknown
	}
	var section *composer.SectionError
	if errors.As(err, &section) {
		d.Section = section.ID
	}
	return d
}

// explain is the divergence of a record from what was compiled, nil when there is none.
func (r *Reader) explain(ctx context.Context, rec Record, now composer.Composition) (*Divergence, error) {
	was, text, err := r.recorded(ctx, rec)
	if err != nil {
		return nil, err
	}
	d := &Divergence{Session: rec.Session, Seq: rec.Seq, Turn: rec.Turn, At: -1, Cause: CompilerChanged}
	diff := composer.Diff(was, now)
	d.Changes = diff.Changes
	if change, changed := diff.Cause(); changed {
		d.Cause, d.Section = Cause(change.Kind), change.Section
	}
	if at := int64(edits.CommonPrefix(text, now.Text())); at < int64(len(text)) || at < now.Len() {
		d.At, d.Want, d.Got = at, excerpt(text, at), excerpt(now.Text(), at)
		if d.Section == "" {
			d.Section = sectionAt(now, at)
		}
		if d.Section == "" { // the text ends earlier now
			d.Section = sectionAt(was, at)
		}
	}
	return d, nil
}

// sectionAt returns the included section that holds a byte of the text, or of the separator before it; "" after the end.
func sectionAt(c composer.Composition, at int64) string {
	for _, d := range c.Decisions() {
		if d.Included && at < d.End {
			return d.ID
		}
	}
	return ""
}

// recorded returns the sections of a record, composed by today's compiler, and the text as it was recorded: made of the
// recorded decisions, not of today's.
func (r *Reader) recorded(ctx context.Context, rec Record) (composer.Composition, string, error) {
	src, err := r.Content(ctx, rec.Sections())
	if err != nil {
		return composer.Composition{}, "", err
	}
	recipe, err := composer.ParseRecipe([]byte(src))
	if err != nil {
		return composer.Composition{}, "", &CorruptError{Name: rec.Sections(), Place: "recipe", Err: err}
	}
	c, err := recipe.Compose(func(name fingerprint.Digest) (string, error) { return r.Content(ctx, name) })
	if err != nil {
		return composer.Composition{}, "", err
	}
	src, err = r.Content(ctx, rec.Decisions)
	if err != nil {
		return composer.Composition{}, "", err
	}
	text, err := decided(c, recipe.Join, src)
	if err == nil && fingerprint.SumString(text) != rec.Output {
		err = errors.New("with the contents they do not give the recorded output")
	}
	if err != nil {
		return composer.Composition{}, "", &CorruptError{Name: rec.Decisions, Place: "decisions", Err: err}
	}
	return c, text, nil
}

// decided returns the text that decisions make of the sections of a composition.
func decided(c composer.Composition, join composer.Join, decisions string) (string, error) {
	runs, err := parseDecisions(decisions)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	i, started := 0, false
	for s := range c.Sections() {
		if len(runs) == 0 {
			return "", fmt.Errorf("%w: %d decisions; want more", errDecisions, i)
		}
		v := runs[0].verdict
		if runs[0].count--; runs[0].count == 0 {
			runs = runs[1:]
		}
		i++
		if v.alternate > len(s.Alternates) {
			return "", fmt.Errorf("%w: decision %d: alternate %d of %d", errDecisions, i, v.alternate, len(s.Alternates))
		}
		if !v.reason.Admits() {
			continue
		}
		if started {
			text.WriteString(join.Text())
		}
		started = true
		if v.alternate > 0 {
			text.WriteString(s.Alternates[v.alternate-1])
		} else {
			text.WriteString(s.Content)
		}
	}
	if len(runs) > 0 {
		return "", fmt.Errorf("%w: more than %d decisions", errDecisions, i)
	}
	return text.String(), nil
}
