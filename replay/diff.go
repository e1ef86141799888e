package replay

import (
	"context"
	"fmt"

	"github.com/aymanbagabas/go-udiff"

	"github.com/quirehq/quire/composer"
)

// A Diffed says how two compositions differ: what [composer.Diff] says, and the lines of what changed.
type Diffed struct {
	composer.Difference
	Texts []TextDiff // of the contents that changed, were added or were removed
}

// A TextDiff is the unified diff of one section's content.
type TextDiff struct {
	Section string
	Unified string
}

// Diff tells two compositions apart, section by section, with a text diff inside a changed section.
func Diff(a, b composer.Composition) Diffed {
	d := Diffed{Difference: composer.Diff(a, b)}
	contents := func(c composer.Composition) map[string]string {
		contents := map[string]string{}
		for s := range c.Sections() {
			contents[s.ID] = s.Content
		}
		return contents
	}
	was, is := contents(a), contents(b)
	for _, change := range d.Changes {
		switch change.Kind {
		case composer.ContentChanged, composer.SectionAdded, composer.SectionRemoved:
			d.Texts = append(d.Texts, TextDiff{change.Section, udiff.Unified("a/"+change.Section, "b/"+change.Section, was[change.Section], is[change.Section])})
		}
	}
	return d
}

// Composition returns the composition of a record. Where a front end compiled, it is what the front end's recipe was
// lowered to.
func (r *Reader) Composition(ctx context.Context, rec Record) (composer.Composition, error) {
	c, _, err := r.recorded(ctx, rec)
	return c, err
}

// Text returns the text of a record, made of what was decided when it was recorded.
func (r *Reader) Text(ctx context.Context, rec Record) (string, error) {
	_, text, err := r.recorded(ctx, rec)
	return text, err
}

// Compare compiles nothing: it tells how a composition differs from the one that was recorded as a session's turn. Nil
// says that recipe and output are the same.
func (r *Reader) Compare(ctx context.Context, session string, turn int64, c composer.Composition) (*Divergence, error) {
	rec, err := r.Turn(ctx, session, turn)
	if err != nil {
		return nil, err
	}
	if rec.Sections() == composerKey(c) && rec.Output == c.Fingerprint() {
		return nil, nil
	}
	return r.explain(ctx, rec, c)
}

// A MissError says that nothing of that recipe is recorded in a session. It names the record that is nearest, which is
// never taken in its place.
type MissError struct {
	Session string
	Nearest Divergence
}

// Error names the nearest record and the difference.
func (e *MissError) Error() string {
	return fmt.Sprintf("replay: no record of this recipe in session %q; the nearest differs: %v", e.Session, &e.Nearest)
}

// Match returns the record of a session with the recipe of the composition. When there is none, the error is a
// [MissError]; a session that is not there is [ErrNotFound].
func (r *Reader) Match(ctx context.Context, session string, c composer.Composition) (Record, error) {
	key := composerKey(c)
	var nearest Record
	most := int64(-1)
	for rec, err := range r.Records(ctx, Query{Session: session}) {
		if err != nil {
			return Record{}, err
		}
		if rec.Sections() == key {
			return rec, nil
		}
		was, err := r.Composition(ctx, rec)
		if err != nil {
			return Record{}, err
		}
		if d := composer.Diff(was, c); d.CommonBytes >= most { // of equally near ones the latest
			nearest, most = rec, d.CommonBytes
		}
	}
	d, err := r.explain(ctx, nearest, c)
	if err != nil {
		return Record{}, err
	}
	return Record{}, &MissError{session, *d}
}
