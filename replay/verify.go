package replay

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
)

var errKind = errors.New("no compiler for this kind of recipe")

// Options say how [Verify] goes about it. The zero value uses all processors, and compiles the recipes of the composer and
// of this module's front ends.
type Options struct {
	Jobs      int                 // how many records are compiled at once; 0: as many as there are processors
	Compilers map[string]Compiler // of other front ends, by the kind of their recipes
	Each      func(Outcome)       // told of every record, in order, one at a time; may be nil
}

// An Outcome is what became of one record. Without a divergence it is verified: recompiled to the same bytes.
type Outcome struct {
	Entry      Entry
	Record     Record // zero when it could not be read
	Divergence *Divergence
}

// A Report counts outcomes.
type Report struct {
	Verified, Diverged, Missing, Corrupt int64
	Bytes                                int64 // of verified text
}

// String is the summary line.
func (r Report) String() string {
	return fmt.Sprintf("%d verified, %d diverged, %d missing, %d corrupt", r.Verified, r.Diverged, r.Missing, r.Corrupt)
}

// OK reports whether everything was verified.
func (r Report) OK() bool { return r.Diverged+r.Missing+r.Corrupt == 0 }

func (r *Report) count(o Outcome) {
	switch {
	case o.Divergence == nil:
		r.Verified++
		r.Bytes += o.Record.Bytes
	case o.Divergence.Cause == InputMissing:
		r.Missing++
	case o.Divergence.Cause == Corrupt:
		r.Corrupt++
	default:
		r.Diverged++
	}
}

// Verify compiles the records that a query selects again, and compares output, prefixes and decisions. It also checks
// that no record of a session is missing between the others. Divergences are no error: they are told to Options.Each,
// in the order of the records, and counted. The error is for what kept Verify from going on: a store that cannot be
// read, a context that ended, a session that is not there.
//
// Memory is bounded whatever the number of records: by the contents that a [Reader] keeps, and a few texts per job.
func Verify(ctx context.Context, store Store, q Query, opts Options) (Report, error) {
	return NewReader(store).Verify(ctx, q, opts)
}

// Verify is the function of that name, with the contents that this reader keeps.
func (r *Reader) Verify(ctx context.Context, q Query, opts Options) (report Report, err error) {
	jobs := opts.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()

	// Jobs are worked on in any order, and waited for in the order in which they were made.
	todo, order := make(chan *job), make(chan *job, jobs)
	group.Go(func() {
		defer close(todo)
		defer close(order)
		r.plan(ctx, q, func(j *job) bool {
			for _, queue := range []chan<- *job{order, todo} {
				select {
				case queue <- j:
				case <-ctx.Done():
					return false
				}
			}
			return true
		})
	})
	for range jobs {
		group.Go(func() {
			w := &worker{reader: r, query: q, options: opts}
			for j := range todo {
				j.outcomes, j.err = w.run(ctx, j)
				close(j.done)
			}
		})
	}
	for j := range order {
		select {
		case <-j.done:
		case <-ctx.Done():
			return report, ctx.Err()
		}
		for _, o := range j.outcomes {
			report.count(o)
			if opts.Each != nil {
				opts.Each(o)
			}
		}
		if j.err != nil {
			return report, j.err
		}
	}
	return report, ctx.Err()
}

// A job is a run of entries that follow each other in one session.
type job struct {
	prev     Entry // the one before the first; zero when it is not known
	entries  []Entry
	outcomes []Outcome // in order; those that were there before the job began come first
	err      error
	done     chan struct{}
}

// jobLength is how many records are read from the store at once.
const jobLength = 32

// plan makes the jobs of a query. Where the log is not what the heads of the sessions say, the job has an outcome already.
func (r *Reader) plan(ctx context.Context, q Query, emit func(*job) bool) {
	sessions := 0
	for head, err := range r.store.Heads(ctx, q.Session) {
		if err != nil {
			emit(finished(nil, err))
			return
		}
		sessions++
		if q.Shard.holds(head.Session) && !r.planSession(ctx, q, head, emit) {
			return
		}
	}
	if q.Session != "" && sessions == 0 {
		emit(finished(nil, r.noSession(ctx, q.Session)))
	}
}

// noSession is what is wrong with a session that has no head.
func (r *Reader) noSession(ctx context.Context, session string) error {
	for e, err := range r.store.Entries(ctx, Span{Session: session}) {
		if err != nil {
			return err
		}
		return &CorruptError{Place: fmt.Sprintf("session %q", session), Err: fmt.Errorf("the log has seq %d, but no head", e.Seq)}
	}
	return fmt.Errorf("replay: session %q: %w", session, ErrNotFound)
}

func finished(outcomes []Outcome, err error) *job {
	return &job{outcomes: outcomes, err: err, done: make(chan struct{})}
}

func (r *Reader) planSession(ctx context.Context, q Query, head Head, emit func(*job) bool) bool {
	first, last := max(head.First, q.From), head.Last
	if q.To > 0 {
		last = min(last, q.To)
	}
	if first > last {
		return true
	}
	j := &job{done: make(chan struct{})}
	broken := func(seq int64, err error) {
		e := Entry{Session: head.Session, Seq: seq}
		err = &CorruptError{Place: fmt.Sprintf("session %q, seq %d", head.Session, seq), Err: err}
		j.outcomes = append(j.outcomes, Outcome{Entry: e, Divergence: failure(e, err)})
	}
	next, prev := first, Entry{}
	for e, err := range r.store.Entries(ctx, Span{Session: head.Session, From: first, To: last}) {
		if err != nil {
			j.err = err
			return emit(j)
		}
		if e.Seq != next {
			if now, ok := r.head(ctx, head.Session); !ok || now.First <= next { // else it was cleaned away meanwhile
				broken(next, fmt.Errorf("the log goes on with seq %d", e.Seq))
			}
			prev = Entry{}
		}
		if len(j.entries) == 0 {
			j.prev = prev
		}
		j.entries = append(j.entries, e)
		next, prev = e.Seq+1, e
		if len(j.entries) == jobLength {
			if !emit(j) {
				return false
			}
			j = &job{done: make(chan struct{})}
		}
	}
	if now, ok := r.head(ctx, head.Session); next <= last && ok && now.First <= next {
		broken(next, fmt.Errorf("the log ends, but the head says %d", head.Last))
	} else if last == head.Last && prev.Seq == last && prev.Record != head.Record {
		broken(last, fmt.Errorf("record %s in the log, %s in the head", prev.Record, head.Record))
	}
	if len(j.entries)+len(j.outcomes) == 0 {
		return true
	}
	return emit(j)
}

func (r *Reader) head(ctx context.Context, session string) (Head, bool) {
	for head, err := range r.store.Heads(ctx, session) {
		return head, err == nil
	}
	return Head{}, false
}

// A worker verifies jobs, one after the other.
type worker struct {
	reader    *Reader
	query     Query
	options   Options
	composer  composer.Recompiler
	recipe    rolling
	source    []byte // the text of recipe
	text      rolling
	decisions []byte
}

func (w *worker) run(ctx context.Context, j *job) ([]Outcome, error) {
	outcomes := j.outcomes
	if j.err != nil || len(j.entries) == 0 {
		return outcomes, j.err
	}
	names := make([]fingerprint.Digest, len(j.entries))
	for i, e := range j.entries {
		names[i] = e.Record
	}
	contents, err := w.reader.load(ctx, names, never)
	if err != nil {
		return outcomes, err
	}
	records := make([]Record, len(j.entries))
	errs := make([]error, len(j.entries))
	var decisions []fingerprint.Digest
	for i, e := range j.entries {
		prev := j.prev
		if i > 0 {
			prev = j.entries[i-1]
		}
		if records[i], errs[i] = record(e, contents[i]); errs[i] == nil {
			errs[i] = linked(prev, e, records[i])
		}
		names[i] = fingerprint.Digest(records[i].Recipe)
		decisions = append(decisions, records[i].Decisions)
	}
	recipes, err := w.reader.recipes(ctx, names)
	if err != nil {
		return outcomes, err
	}
	if contents, err = w.reader.load(ctx, decisions, kept); err != nil {
		return outcomes, err
	}
	for i, e := range j.entries {
		if errs[i] == nil && !w.query.holds(records[i]) {
			continue
		}
		o := Outcome{Entry: e, Record: records[i]}
		if errs[i] != nil {
			o.Divergence = failure(e, errs[i])
		} else if o.Divergence, err = w.verify(ctx, e, records[i], recipes, contents[i]); err != nil {
			return outcomes, err
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}

// linked checks that a record names the one before it.
func linked(prev, e Entry, rec Record) error {
	var want fingerprint.Digest
	switch {
	case e.Seq == 1:
	case prev.Session == e.Session && prev.Seq == e.Seq-1:
		want = prev.Record
	default:
		return nil // the one before was cleaned away, or is not asked for
	}
	if rec.Prev != want {
		return &CorruptError{Name: e.Record, Place: fmt.Sprintf("record %s@%d", e.Session, e.Turn),
			Err: fmt.Errorf("it follows record %s, but names %s", want, rec.Prev)}
	}
	return nil
}

// verify compiles one record and compares.
func (w *worker) verify(ctx context.Context, e Entry, rec Record, recipes map[fingerprint.Digest]unjoined, decisions loaded) (*Divergence, error) {
	if decisions.err != nil {
		return failure(e, decisions.err), nil
	}
	recipe, err := w.open(ctx, fingerprint.Digest(rec.Recipe), recipes)
	var c composer.Composition
	if err == nil {
		c, err = w.compile(ctx, rec.Kind, recipe)
	}
	var broken *storeError
	if errors.As(err, &broken) {
		return nil, broken.err
	}
	if err != nil {
		return failure(e, err), nil
	}
	if w.same(c, rec, decisions.content) {
		return nil, nil
	}
	d, err := w.reader.explain(ctx, rec, c)
	if err != nil {
		return failure(e, err), nil
	}
	return d, nil
}

// open returns the bytes of a recipe, checked. They are valid until the next call.
func (w *worker) open(ctx context.Context, name fingerprint.Digest, recipes map[fingerprint.Digest]unjoined) ([]byte, error) {
	o, there := recipes[name]
	if !there {
		return nil, &CorruptError{Name: name, Place: "recipe", Err: ErrGone}
	}
	w.recipe.begin()
	var err error
	if o.Form == Pieces {
		err = w.reader.join(ctx, o.Object, w.recipe.add)
	} else {
		w.recipe.add(o.text)
		err = o.err
	}
	sum := w.recipe.sum(nil) // after an error too: then it is of what was read, and the next recipe is compared with that
	w.source = w.recipe.text(w.source)
	if err == nil && sum != name {
		err = fmt.Errorf("the bytes have the digest %s", sum)
	}
	if err != nil {
		return nil, corrupt(name, "recipe", err)
	}
	return w.source, nil
}

// same reports whether a composition is what was recorded.
func (w *worker) same(c composer.Composition, rec Record, decisions string) bool {
	if w.decisions = appendDecisions(w.decisions[:0], c); string(w.decisions) != decisions || c.Len() != rec.Bytes {
		return false
	}
	output, breakpoints := w.text.composition(c)
	return output == rec.Output && slices.Equal(breakpoints, rec.Breakpoints)
}

// compile makes the composition of a recipe again.
func (w *worker) compile(ctx context.Context, kind string, recipe []byte) (composer.Composition, error) {
	front := w.options.Compiler(kind)
	if kind != composer.KindComposer && front == nil {
		return composer.Composition{}, fmt.Errorf("replay: %w: %q", errKind, kind)
	}
	var inputs map[fingerprint.Digest]loaded
	load := func(name fingerprint.Digest) (string, error) {
		if content, there := w.reader.cache.find(name); there {
			return content, nil
		}
		if inputs == nil {
			var err error
			if inputs, err = w.inputs(ctx, recipe); err != nil {
				return "", &storeError{err}
			}
		}
		if l, there := inputs[name]; there {
			return l.content, l.err
		}
		content, err := w.reader.Content(ctx, name)
		var corrupt *CorruptError
		if err != nil && !errors.Is(err, ErrNotFound) && !errors.As(err, &corrupt) {
			err = &storeError{err}
		}
		return content, err
	}
	if kind == composer.KindComposer {
		return w.composer.Compose(recipe, load)
	}
	return front(recipe, load)
}

// inputs reads at once what a recipe names beyond what the recipe before it named, and the reader does not have: few or
// none, as [Reader.recipes] has read ahead.
func (w *worker) inputs(ctx context.Context, recipe []byte) (map[fingerprint.Digest]loaded, error) {
	same := w.recipe.shared
	var names []fingerprint.Digest
	for name := range digestsIn(string(behind(recipe, same))) {
		if _, there := w.reader.cache.find(name); !there {
			names = append(names, name)
		}
	}
	contents, err := w.reader.load(ctx, names, kept)
	if err != nil {
		return nil, err
	}
	inputs := make(map[fingerprint.Digest]loaded, len(names))
	for i, name := range names {
		inputs[name] = contents[i]
	}
	return inputs, nil
}
