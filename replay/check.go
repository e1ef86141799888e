package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
)

// A CheckReport counts what [Check] looked at, and found.
type CheckReport struct {
	Sessions, Records int64
	Objects           int64
	Bytes             int64 // of all objects, as stored
	Orphans           int64 // objects that no record needs: no damage, Clean removes them
	Damaged           int64
	Secrets           int64
}

// CheckOptions say what [Check] does beside counting.
type CheckOptions struct {
	Damage  func(error)  // told of every damage: a CorruptError
	Secrets bool         // look for secrets in contents
	Secret  func(Secret) // told of each
}

// Check reads the whole store: every object is hashed, every reference followed, every session walked from its first
// record to its last. It compiles nothing; that is [Verify]. The names of all objects are held in memory.
func Check(ctx context.Context, store Store, opts CheckOptions) (report CheckReport, err error) {
	r := NewReader(store)
	damage := func(err error) error {
		var broken *CorruptError
		if !errors.As(err, &broken) {
			return err
		}
		report.Damaged++
		if opts.Damage != nil {
			opts.Damage(err)
		}
		return nil
	}

	forms := map[fingerprint.Digest]Form{}
	var names []fingerprint.Digest
	for s, err := range store.Names(ctx, fingerprint.Digest{}, lastDigest()) {
		if err != nil {
			return report, err
		}
		forms[s.Name] = s.Form
		names = append(names, s.Name)
		report.Objects++
		report.Bytes += s.Bytes
	}

	needed := map[fingerprint.Digest]struct{}{}
	parts := map[fingerprint.Digest]struct{}{}
	need := func(name, by fingerprint.Digest) error {
		if name.IsZero() {
			return nil
		}
		needed[name] = struct{}{}
		if _, there := forms[name]; !there {
			return damage(&CorruptError{Name: name, Place: "referred to by " + by.String(), Err: ErrGone})
		}
		return nil
	}
	for _, name := range names {
		if forms[name] != Pieces {
			continue
		}
		objects, err := store.Objects(ctx, []fingerprint.Digest{name})
		if err != nil {
			return report, err
		}
		for _, o := range objects {
			list, _ := pieces(o) // what is wrong with it is found below
			for _, part := range list {
				parts[part] = struct{}{}
			}
		}
	}
	for _, name := range names {
		content, err := r.Content(ctx, name)
		if errors.Is(err, ErrNotFound) {
			// It was listed. If it was cleaned away meanwhile, the store says now that it is missing.
			missing, _, askErr := store.Missing(ctx, []fingerprint.Digest{name})
			if askErr != nil {
				return report, askErr
			}
			if len(missing) > 0 {
				continue
			}
			err = &CorruptError{Name: name, Place: "object", Err: ErrGone}
		}
		if err != nil {
			if err := damage(err); err != nil {
				return report, err
			}
			continue
		}
		if _, part := parts[name]; opts.Secrets && !part { // a part is looked at in its whole
			for _, s := range findSecrets(name, content) {
				report.Secrets++
				if opts.Secret != nil {
					opts.Secret(s)
				}
			}
		}
	}

	first := map[string]int64{} // by session, as its head says
	var prev Entry
	p := Query{}
	for head, err := range store.Heads(ctx, "") {
		if err != nil {
			return report, err
		}
		first[head.Session] = head.First
		report.Sessions++
		ok := r.planSession(ctx, p, head, func(j *job) bool {
			for _, o := range j.outcomes {
				err = errors.Join(err, damage(o.Divergence.Err))
			}
			err = errors.Join(err, j.err)
			for i, e := range j.entries {
				if prev = j.prev; i > 0 {
					prev = j.entries[i-1]
				}
				report.Records++
				err = errors.Join(err, r.checkRecord(ctx, prev, e, need, damage))
			}
			return err == nil
		})
		if err != nil || !ok {
			return report, err
		}
	}
	for e, err := range store.Entries(ctx, Span{}) {
		if err != nil {
			return report, err
		}
		from, known := first[e.Session]
		switch {
		case !known:
			first[e.Session] = e.Seq // told once
			err = damage(r.noSession(ctx, e.Session))
		case e.Seq < from:
			err = damage(&CorruptError{Name: e.Record, Place: fmt.Sprintf("%s@%d", e.Session, e.Turn),
				Err: fmt.Errorf("seq %d stands before the first of its session, %d", e.Seq, from)})
		}
		if err != nil {
			return report, err
		}
	}
	for part := range parts { // counting does not care about the order
		needed[part] = struct{}{}
	}
	for _, name := range names {
		if _, live := needed[name]; !live {
			report.Orphans++
		}
	}
	return report, ctx.Err()
}

// checkRecord follows the references of one record.
func (r *Reader) checkRecord(ctx context.Context, prev, e Entry, need func(name, by fingerprint.Digest) error, damage func(error) error) error {
	rec, err := r.Record(ctx, e)
	if err == nil {
		err = linked(prev, e, rec)
	}
	if err != nil {
		return damage(err)
	}
	for _, name := range []fingerprint.Digest{e.Record, fingerprint.Digest(rec.Recipe), rec.Lowered, rec.Decisions, rec.Response} {
		if err := need(name, e.Record); err != nil {
			return err
		}
	}
	src, err := r.Content(ctx, rec.Sections())
	if err != nil {
		return ignoreDamage(err) // it was told already, as an object or as a reference
	}
	recipe, err := composer.ParseRecipe([]byte(src))
	if err != nil {
		return damage(&CorruptError{Name: rec.Sections(), Place: fmt.Sprintf("recipe of %s@%d", e.Session, e.Turn), Err: err})
	}
	for name := range recipe.Contents {
		if err := need(name, rec.Sections()); err != nil {
			return err
		}
	}
	if rec.Lowered.IsZero() {
		return nil
	}
	// The names in a front end's recipe: one that is there is needed, one that is not there may be no name at all.
	src, err = r.Content(ctx, fingerprint.Digest(rec.Recipe))
	if err != nil {
		return ignoreDamage(err)
	}
	for name := range digestsIn(src) {
		if _, err := r.Content(ctx, name); err == nil {
			if err := need(name, fingerprint.Digest(rec.Recipe)); err != nil {
				return err
			}
		} else if err := ignoreDamage(err); err != nil {
			return err
		}
	}
	return nil
}

func ignoreDamage(err error) error {
	var broken *CorruptError
	if errors.As(err, &broken) || errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
