package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
)

// A Session is what the records of one conversation have in common.
type Session struct {
	ID       string
	Labels   map[string]string // of every record: model, provider …
	Redactor Redactor          // goes over every content before it is stored; the zero value: none
}

// A Turn is what a caller says about one composition.
type Turn struct {
	Number   int64             // at least 1, unique within the session; 0: the one after the session's last
	Time     time.Time         // a value like any other; nothing here asks a clock
	Labels   map[string]string // beside the session's, which they replace where the names are equal
	Usage    *Usage
	Response []byte // as it came from the provider; nil: none
}

// A Recorder stores the compositions of one session. It is safe for concurrent use, and so are several recorders of one
// session, in one process or many: each turn is stored once, one after the other.
type Recorder struct {
	store   Store
	reader  *Reader
	session Session

	mu     sync.Mutex
	last   turned
	epoch  int64
	known  map[fingerprint.Digest]struct{} // what is in the store, as of epoch
	head   Head
	turn   int64 // of the head's record
	primed bool  // head and turn were read
	beaten bool  // another recorder of the session was faster: the highest turn is looked for, not the last
}

// NewRecorder returns a recorder of that session. The session is there once something is recorded.
func NewRecorder(store Store, session Session) *Recorder {
	return &Recorder{store: store, reader: NewReader(store), session: session, known: map[fingerprint.Digest]struct{}{}}
}

// Record stores a composition as a turn of the session, and returns its record.
//
// It is idempotent: a turn that is recorded already with the same recipe, output, decisions and response is returned as
// it was recorded, and nothing is stored. With others it is a [TurnError].
//
// When the same recipe gave another output before, the record is stored all the same, and returned with a
// [NondeterminismError].
func (r *Recorder) Record(ctx context.Context, c composer.Composition, turn Turn) (Record, error) {
	return r.RecordCompilation(ctx, composer.Compilation{Composition: c}, turn)
}

// RecordCompilation is [Recorder.Record] for what a front end compiled: its recipe is stored with the inputs, and the
// [Compiler] of its kind makes the composition again. With a redactor there is no front end's recipe to keep, since its
// inputs are not redacted: the composition is recorded as the composer's.
func (r *Recorder) RecordCompilation(ctx context.Context, c composer.Compilation, turn Turn) (Record, error) {
	if c.Kind == composer.KindComposer || (c.Kind == "") != (len(c.Recipe) == 0) {
		return Record{}, fmt.Errorf("replay: compilation of kind %q with a recipe of %d bytes; want a front end's kind and recipe, or neither", c.Kind, len(c.Recipe))
	}
	if r.session.Redactor.Redact != nil {
		redacted, err := r.session.Redactor.compose(c.Composition)
		if err != nil {
			return Record{}, err
		}
		c = composer.Compilation{Composition: redacted}
		if turn.Response != nil {
			turn.Response = []byte(r.session.Redactor.Redact(ResponseID, string(turn.Response)))
		}
	}
	rec := Record{
		Session: r.session.ID, Seq: 1, Turn: max(turn.Number, 1), Kind: cmp.Or(c.Kind, composer.KindComposer), Bytes: c.Composition.Len(),
		Time: turn.Time, Labels: mergeLabels(r.session.Labels, turn.Labels), Usage: turn.Usage, Redactor: r.session.Redactor.Name,
	}
	if turn.Number < 0 {
		return Record{}, fmt.Errorf("replay: turn %d; want 1 or more", turn.Number)
	}
	if err := rec.check(); err != nil {
		return Record{}, fmt.Errorf("replay: %w", err)
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	rec.Output, rec.Breakpoints = r.last.text.composition(c.Composition)
	recipe, name, src, pieces := r.last.compile(c.Composition)
	var want wants
	want.addPieces(name, src, pieces)
	rec.Recipe = fingerprint.Key(name)
	if c.Kind != "" {
		rec.Lowered = name
		rec.Recipe = fingerprint.Key(want.add(string(c.Recipe)))
		for _, input := range c.Inputs {
			want.add(input)
		}
	}
	for name, content := range contents(c.Composition, recipe) {
		if _, known := r.known[name]; !known {
			want.addNamed(name, content)
		}
	}
	rec.Decisions = want.add(string(appendDecisions(nil, c.Composition)))
	if turn.Response != nil {
		rec.Response = want.add(string(turn.Response))
	}
	for {
		stored, err := r.append(ctx, &want, rec, turn.Number == 0)
		switch {
		case errors.Is(err, ErrStale):
			r.primed = false
			clear(r.known)
			for name, content := range contents(c.Composition, recipe) {
				want.addNamed(name, content)
			}
		case errors.Is(err, ErrConflict):
			r.primed, r.beaten = false, true
			if turn.Number == 0 {
				continue
			}
			if before, err := r.reader.Turn(ctx, rec.Session, rec.Turn); err == nil {
				return before, same(before, rec)
			} else if !errors.Is(err, ErrNotFound) {
				return Record{}, err
			}
		case err != nil:
			return Record{}, err
		default:
			return stored, r.determinism(ctx, stored)
		}
	}
}

// append tries to store a record after the session's head, with all objects that the store does not have.
func (r *Recorder) append(ctx context.Context, want *wants, rec Record, number bool) (Record, error) {
	if err := r.prime(ctx); err != nil {
		return Record{}, err
	}
	if rec.Seq = r.head.Last + 1; rec.Seq > 1 {
		rec.Prev = r.head.Record
	}
	if number {
		if r.turn == math.MaxInt64 {
			return Record{}, fmt.Errorf("replay: %s@%d has no next turn; want a number", rec.Session, r.turn)
		}
		rec.Turn = r.turn + 1
	}
	objects, epoch, err := want.objects(ctx, r.store, r.known)
	if err != nil {
		return Record{}, err
	}
	if epoch != r.epoch && len(r.known) > 0 {
		r.epoch = epoch
		return Record{}, ErrStale
	}
	r.epoch = epoch
	content := string(rec.AppendJSON(nil))
	entry := rec.entry(fingerprint.SumString(content))
	objects = appendObjects(objects, entry.Record, content)
	if err := r.store.Append(ctx, Batch{Epoch: epoch, Objects: objects, Entries: []Entry{entry}}); err != nil {
		return Record{}, err
	}
	const enough = 1 << 20 // 32 MiB of names: then the store is asked again
	if len(r.known) > enough {
		clear(r.known)
	}
	for _, o := range objects {
		r.known[o.Name] = struct{}{}
	}
	for _, name := range want.names {
		r.known[name] = struct{}{}
	}
	r.head, r.turn = Head{rec.Session, max(r.head.First, 1), rec.Seq, entry.Record}, rec.Turn
	return rec, nil
}

// prime reads the session's head and its turn.
func (r *Recorder) prime(ctx context.Context) error {
	if r.primed {
		return nil
	}
	r.head, r.turn = Head{}, 0
	for head, err := range r.store.Heads(ctx, r.session.ID) {
		if err != nil {
			return err
		}
		r.head = head
		span := Span{Session: r.session.ID, From: head.Last}
		if r.beaten {
			span.From = head.First
		}
		for e, err := range r.store.Entries(ctx, span) {
			if err != nil {
				return err
			}
			r.turn = max(r.turn, e.Turn)
		}
	}
	r.primed = true
	return nil
}

// determinism looks for another output of the record's recipe.
func (r *Recorder) determinism(ctx context.Context, rec Record) error {
	for before, err := range r.store.Entries(ctx, Span{Key: rec.Recipe}) {
		if err != nil {
			return err
		}
		if before.Output != rec.Output {
			return &NondeterminismError{rec.Recipe, before, rec.Entry()}
		}
		break // whoever stored another output later was told then
	}
	return nil
}

// same reports in what a turn that is recorded differs from what was given.
func same(recorded, given Record) error {
	for _, f := range []struct {
		name string
		same bool
	}{
		{"kind", recorded.Kind == given.Kind},
		{"recipe", recorded.Recipe == given.Recipe},
		{"output", recorded.Output == given.Output},
		{"decisions", recorded.Decisions == given.Decisions},
		{"response", recorded.Response == given.Response},
		{"redactor", recorded.Redactor == given.Redactor},
	} {
		if !f.same {
			return &TurnError{recorded, given, f.name}
		}
	}
	return nil
}

// composerKey is the digest of the composer's recipe.
func composerKey(c composer.Composition) fingerprint.Digest {
	return fingerprint.Sum(c.Recipe().AppendJSON(nil))
}

func mergeLabels(session, turn map[string]string) map[string]string {
	if len(session)+len(turn) == 0 {
		return nil
	}
	labels := make(map[string]string, len(session)+len(turn))
	maps.Copy(labels, session)
	maps.Copy(labels, turn)
	return labels
}

// contents yields every content and alternate of a composition with its digest, which the recipe has.
func contents(c composer.Composition, recipe composer.Recipe) iter.Seq2[fingerprint.Digest, string] {
	return func(yield func(fingerprint.Digest, string) bool) {
		i := 0
		for s := range c.Sections() {
			in := &recipe.Sections[i]
			i++
			if !yield(in.Content.Digest, s.Content) {
				return
			}
			for k, alternate := range s.Alternates {
				if !yield(in.Alternates[k].Digest, alternate) {
					return
				}
			}
		}
	}
}

// A turned is the last composition that was recorded, so that the next costs what it adds.
type turned struct {
	text   rolling
	writer composer.RecipeWriter
	recipe rolling
	pieces splitter
}

// compile returns the recipe of a composition, which is valid until the next call, its name and canonical JSON, and the
// pieces of that when it is long.
func (t *turned) compile(c composer.Composition) (recipe composer.Recipe, name fingerprint.Digest, src string, pieces []piece) {
	recipe, json := t.writer.Write(c)
	src = string(json)
	name, pieces = t.split(src)
	return recipe, name, src, pieces
}

func (t *turned) split(src string) (name fingerprint.Digest, pieces []piece) {
	t.recipe.begin()
	t.recipe.add(src)
	name = t.recipe.sum(nil)
	if len(src) <= maxPiece {
		t.pieces = splitter{}
		return name, nil
	}
	return name, t.pieces.split(src, t.recipe.shared)
}

// A wants is a list of contents that the store has to have.
type wants struct {
	names  []fingerprint.Digest
	wanted []wanted
	listed map[fingerprint.Digest]bool
}

type wanted struct {
	content string
	pieces  []piece // when it was cut already
}

func (w *wants) add(content string) fingerprint.Digest {
	name := fingerprint.SumString(content)
	w.addNamed(name, content)
	return name
}

func (w *wants) addNamed(name fingerprint.Digest, content string) { w.addPieces(name, content, nil) }

func (w *wants) addPieces(name fingerprint.Digest, content string, pieces []piece) {
	if w.listed == nil {
		w.listed = map[fingerprint.Digest]bool{}
	}
	if !w.listed[name] {
		w.listed[name] = true
		w.names, w.wanted = append(w.names, name), append(w.wanted, wanted{content, pieces})
	}
}

// objects returns the objects among the wanted, and their pieces, that the store does not have, with the epoch of that
// answer. Nothing is compressed before the store has said that it is missing.
func (w *wants) objects(ctx context.Context, store Store, known map[fingerprint.Digest]struct{}) ([]Object, int64, error) {
	parts := map[fingerprint.Digest]wanted{} // a list has pieces, a piece has none
	var ask []fingerprint.Digest
	add := func(name fingerprint.Digest, p wanted) {
		if _, there := known[name]; there {
			return
		}
		if _, there := parts[name]; !there {
			ask = append(ask, name)
			parts[name] = p
		}
	}
	for i, name := range w.names {
		want := w.wanted[i]
		if _, there := known[name]; there {
			continue
		}
		if len(want.content) > maxPiece {
			if want.pieces == nil {
				want.pieces = new(splitter).split(want.content, 0)
			}
			for _, p := range want.pieces {
				add(p.name, wanted{content: p.content})
			}
		}
		add(name, want)
	}
	missing, epoch, err := store.Missing(ctx, ask)
	if err != nil {
		return nil, 0, err
	}
	objects := make([]Object, 0, len(missing)+1)
	for _, name := range slices.Compact(missing) {
		if p := parts[name]; p.pieces != nil {
			objects = append(objects, list(name, p.pieces))
		} else {
			objects = append(objects, encode(name, p.content))
		}
	}
	return objects, epoch, nil
}
