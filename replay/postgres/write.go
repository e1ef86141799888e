package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

// gates is how many rows a tenant has in tenants; see migrations.
const gates = 16

// How many bytes, and rows, are sent in one statement.
const (
	loadBytes = 4 << 20
	loadRows  = 1000
)

// Append implements [replay.Store]. A session's name is at most [replay.MaxSession] bytes.
func (s *Store) Append(ctx context.Context, batch replay.Batch) error {
	if len(batch.Objects)+len(batch.Entries) == 0 {
		return ctx.Err()
	}
	for _, e := range batch.Entries {
		if !storable(e.Session, replay.MaxSession) {
			return fmt.Errorf("postgres: session %.100q of %d bytes; want valid UTF-8 without NUL, at most %d bytes", e.Session, len(e.Session), replay.MaxSession)
		}
	}
	p := arrange(batch)
	unknown := false // whether the batch is there: its commit was sent and not answered
	return s.do(ctx, func(c *pgx.Conn) error {
		err := s.put(ctx, c, p)
		if errors.Is(err, errNoTenant) {
			if err = s.register(ctx, c); err == nil {
				err = s.put(ctx, c, p)
			}
		}
		if unknown && own(err) {
			// It may be the batch itself that is in its own way.
			rollback(ctx, c)
			if there, lookErr := s.landed(ctx, c, batch.Entries); there || lookErr != nil {
				return lookErr
			}
		}
		if err != nil {
			return err
		}
		err = commit(ctx, c)
		unknown = unknown || err != nil && (c.IsClosed() || code(err) == completionUnknown)
		return err
	})
}

// A parcel is a batch in the order in which all writers take their locks, so that none waits for another in a circle:
// objects by name, then sessions by name.
type parcel struct {
	epoch    int64
	gate     int64
	objects  []replay.Object
	heads    []replay.Head // what the batch adds to each session
	entries  []replay.Entry
	conflict error // of the batch with itself
}

func arrange(batch replay.Batch) *parcel {
	p := &parcel{epoch: batch.Epoch, objects: slices.Clone(batch.Objects), entries: batch.Entries}
	slices.SortStableFunc(p.objects, func(a, b replay.Object) int { return bytes.Compare(a.Name[:], b.Name[:]) })
	p.objects = slices.CompactFunc(p.objects, func(a, b replay.Object) bool { return a.Name == b.Name })
	heads := map[string]*replay.Head{}
	for _, e := range batch.Entries {
		switch head := heads[e.Session]; {
		case e.Seq < 1:
			p.conflict = fmt.Errorf("%w: %s, seq %d; want 1 or more", replay.ErrConflict, e.Session, e.Seq)
			return p
		case head == nil:
			heads[e.Session] = &replay.Head{Session: e.Session, First: e.Seq, Last: e.Seq, Record: e.Record}
		case e.Seq != head.Last+1:
			p.conflict = fmt.Errorf("%w: %s, seq %d after %d", replay.ErrConflict, e.Session, e.Seq, head.Last)
			return p
		default:
			head.Last, head.Record = e.Seq, e.Record
		}
	}
	for _, head := range heads { // sorted next
		p.heads = append(p.heads, *head)
	}
	slices.SortFunc(p.heads, func(a, b replay.Head) int { return strings.Compare(a.Session, b.Session) })
	// Any gate will do; digests spread evenly.
	if len(p.entries) > 0 {
		p.gate = int64(p.entries[0].Record[0]) % gates
	} else {
		p.gate = int64(p.objects[0].Name[0]) % gates
	}
	return p
}

// errNoTenant says that the tenant has never stored anything.
var errNoTenant = errors.New("no tenant")

// put begins a transaction and sends everything of a parcel. The first statements and the first load go in one round
// trip, and so does a turn as a whole.
func (s *Store) put(ctx context.Context, c *pgx.Conn, p *parcel) error {
	epoch := int64(-1)
	var conflict error
	b := new(pgx.Batch)
	s.bounded(ctx, b)
	b.Queue(s.sql(`SELECT epoch FROM @tenants WHERE tenant = $1 AND gate = $2 FOR SHARE`), s.tenant, p.gate).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if err := rows.Scan(&epoch); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	// send sends what is queued. A batch of another epoch is stale, whatever else is wrong with it.
	send := func() error {
		err := c.SendBatch(ctx, b).Close()
		b = new(pgx.Batch)
		switch {
		case epoch < 0 && err != nil && code(err) != uniqueViolation: // a new tenant's epoch is asked first, too
			return err
		case epoch < 0:
			return errNoTenant
		case epoch != p.epoch:
			return replay.ErrStale
		case err != nil:
			return err
		}
		return conflict
	}
	if p.conflict != nil {
		if err := send(); err != nil {
			return err
		}
		return p.conflict
	}
	for rest := p.objects; len(rest) > 0; {
		var some load
		rest = some.fill(rest)
		b.Queue(s.sql(`INSERT INTO @objects (tenant, name, form, size, data)
			SELECT $1::text, o.name, o.form, o.size, o.data FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::bytea[]) AS o (name, form, size, data)
			ON CONFLICT DO NOTHING`), s.tenant, some.names, some.forms, some.sizes, some.data)
		if len(rest) > 0 {
			if err := send(); err != nil {
				return err
			}
		}
	}
	for heads := range slices.Chunk(p.heads, loadRows) {
		var names []string
		var first, last []int64
		var records [][]byte
		for _, h := range heads {
			names, first, last, records = append(names, h.Session), append(first, h.First), append(last, h.Last), append(records, h.Record[:])
		}
		// The head moves only from the seq before; a new session begins anywhere.
		b.Queue(s.sql(`INSERT INTO @sessions AS s (tenant, session, first, last, record)
			SELECT $1::text, h.session, h.first, h.last, h.record FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bytea[]) AS h (session, first, last, record)
			ON CONFLICT (tenant, session) DO UPDATE SET last = excluded.last, record = excluded.record WHERE s.last = excluded.first - 1`),
			s.tenant, names, first, last, records).Exec(func(tag pgconn.CommandTag) error {
			if moved := tag.RowsAffected(); moved != int64(len(heads)) {
				conflict = fmt.Errorf("%w: %d of %d sessions from %s, seq %d, on",
					replay.ErrConflict, int64(len(heads))-moved, len(heads), heads[0].Session, heads[0].First)
			}
			return nil
		})
	}
	for entries := range slices.Chunk(p.entries, loadRows) {
		b.Queue(s.sql(`INSERT INTO @log (tenant, session, seq, turn, record, key, output) SELECT $1::text, e.* FROM `+entryRows), s.columns(entries)...)
	}
	err := send()
	if code(err) != uniqueViolation {
		return err
	}
	var violation *pgconn.PgError
	switch errors.As(err, &violation); {
	case conflict != nil:
		return conflict
	case violation.ConstraintName == "log_pkey":
		return &replay.CorruptError{Place: "log", Err: fmt.Errorf("an entry behind its session's last: %w", err)}
	}
	return fmt.Errorf("%w: a turn is taken: %s", replay.ErrConflict, violation.Detail)
}

// register makes a tenant's rows.
func (s *Store) register(ctx context.Context, c *pgx.Conn) error {
	rollback(ctx, c)
	var all []int64
	for gate := range int64(gates) {
		all = append(all, gate)
	}
	_, err := c.Exec(ctx, s.sql(`INSERT INTO @tenants (tenant, gate, epoch) SELECT $1::text, g.gate, 0 FROM unnest($2::bigint[]) AS g (gate) ON CONFLICT DO NOTHING`), s.tenant, all)
	return err
}

// entryRows are entries as rows, from the parameters that columns returns.
const entryRows = `unnest($2::text[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bytea[], $7::bytea[]) AS e (session, seq, turn, record, key, output)`

func (s *Store) columns(entries []replay.Entry) []any {
	var sessions []string
	var seqs, turns []int64
	var records, keys, outputs [][]byte
	for i := range entries {
		e := &entries[i]
		sessions, seqs, turns = append(sessions, e.Session), append(seqs, e.Seq), append(turns, e.Turn)
		records, keys, outputs = append(records, e.Record[:]), append(keys, e.Key[:]), append(outputs, e.Output[:])
	}
	return []any{s.tenant, sessions, seqs, turns, records, keys, outputs}
}

// landed reports whether all entries stand in the log exactly so. An entry names its record by digest, so whoever put
// them there stored the same.
func (s *Store) landed(ctx context.Context, c *pgx.Conn, entries []replay.Entry) (bool, error) {
	for some := range slices.Chunk(entries, loadRows) {
		var n int
		err := c.QueryRow(ctx, s.sql(`SELECT count(*) FROM @log AS l JOIN `+entryRows+` ON (l.session, l.seq, l.turn, l.record, l.key, l.output) = (e.session, e.seq, e.turn, e.record, e.key, e.output) WHERE l.tenant = $1`),
			s.columns(some)...).Scan(&n)
		if err != nil || n != len(some) {
			return false, err
		}
	}
	return len(entries) > 0, nil
}

// A load is the columns of some objects.
type load struct {
	names, data  [][]byte
	forms, sizes []int64
}

// fill takes objects from a list, and returns the rest.
func (l *load) fill(objects []replay.Object) []replay.Object {
	size := 0
	for i := range objects {
		o := &objects[i]
		if size += len(o.Data); i > 0 && (size > loadBytes || i == loadRows) {
			return objects[i:]
		}
		data := o.Data
		if data == nil {
			data = []byte{} // nil would be NULL
		}
		l.names, l.forms, l.sizes, l.data = append(l.names, o.Name[:]), append(l.forms, int64(o.Form)), append(l.sizes, o.Size), append(l.data, data)
	}
	return nil
}

// bounded begins a transaction that the server ends by itself when its client hangs or has gone without a word, and
// that waits for others no longer than its context.
func (s *Store) bounded(ctx context.Context, b *pgx.Batch) {
	timeout := patience
	if deadline, set := ctx.Deadline(); set {
		timeout = min(timeout, max(time.Until(deadline), 0)+grace) // the context is to end first, and to be the reason
	}
	b.Queue(s.begin)
	b.Queue(`SELECT set_config('statement_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $2, true)`,
		milliseconds(timeout), milliseconds(patience))
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// Delete implements [replay.Store].
//
// It closes all gates before it looks at the sessions: every Append either has committed by then and is seen, or comes
// through its gate later and finds another epoch.
func (s *Store) Delete(ctx context.Context, d replay.Deletion) error {
	return s.do(ctx, func(c *pgx.Conn) error {
		err := s.remove(ctx, c, d)
		if errors.Is(err, errNoTenant) {
			if err = s.register(ctx, c); err == nil {
				err = s.remove(ctx, c, d)
			}
		}
		if err != nil {
			return err
		}
		// When the answer is lost, the next try either finds other sessions, and says so, or removes what is gone already.
		return commit(ctx, c)
	})
}

func (s *Store) remove(ctx context.Context, c *pgx.Conn, d replay.Deletion) error {
	b := new(pgx.Batch)
	s.bounded(ctx, b)
	open := int64(0)
	b.Queue(s.sql(`UPDATE @tenants SET epoch = epoch + 1 WHERE tenant = $1`), s.tenant).Exec(func(tag pgconn.CommandTag) error {
		open = tag.RowsAffected()
		return nil
	})
	if err := c.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	if open == 0 {
		return errNoTenant
	}
	i := 0
	err := each(ctx, c, s.sql(`SELECT `+headColumns+` FROM @sessions AS s WHERE tenant = $1 ORDER BY session`), []any{s.tenant}, func(row pgx.Rows) error {
		head, err := scanHead(row)
		if err == nil && (i == len(d.Heads) || head != d.Heads[i]) {
			return replay.ErrStale
		}
		i++
		return err
	})
	if err == nil && i != len(d.Heads) {
		err = replay.ErrStale
	}
	if err != nil {
		return err
	}
	for heads := range slices.Chunk(d.Heads, loadRows) {
		var cut, gone []string
		var through []int64
		for _, h := range heads {
			if t := d.Through[h.Session]; t >= h.Last {
				gone = append(gone, h.Session)
			} else if t >= h.First {
				cut, through = append(cut, h.Session), append(through, t)
			}
		}
		b := new(pgx.Batch)
		if len(gone) > 0 {
			b.Queue(s.sql(`DELETE FROM @log WHERE tenant = $1 AND session = ANY($2::text[])`), s.tenant, gone)
			b.Queue(s.sql(`DELETE FROM @sessions WHERE tenant = $1 AND session = ANY($2::text[])`), s.tenant, gone)
		}
		if len(cut) > 0 {
			b.Queue(s.sql(`DELETE FROM @log AS l USING unnest($2::text[], $3::bigint[]) AS c (session, seq) WHERE l.tenant = $1 AND l.session = c.session AND l.seq <= c.seq`), s.tenant, cut, through)
			b.Queue(s.sql(`UPDATE @sessions AS s SET first = c.seq + 1 FROM unnest($2::text[], $3::bigint[]) AS c (session, seq) WHERE s.tenant = $1 AND s.session = c.session`), s.tenant, cut, through)
		}
		if err := c.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
	}
	for names := range slices.Chunk(d.Objects, loadRows) {
		if _, err := c.Exec(ctx, s.sql(`DELETE FROM @objects WHERE tenant = $1 AND name = ANY($2::bytea[])`), s.tenant, raw(names)); err != nil {
			return err
		}
	}
	return nil
}

// raw returns digests as parameters.
func raw(names []fingerprint.Digest) [][]byte {
	list := make([][]byte, len(names))
	for i := range names {
		list[i] = names[i][:]
	}
	return list
}
