package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/pages"
	"github.com/quirehq/quire/replay"
)

// each runs a query and calls f for every row.
func each(ctx context.Context, c *pgx.Conn, query string, args []any, f func(row pgx.Rows) error) error {
	rows, err := c.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// A column reads a digest.
type column struct {
	name string
	to   *fingerprint.Digest
}

// ScanBytes implements [pgtype.BytesScanner].
func (c column) ScanBytes(raw []byte) error {
	if len(raw) != len(c.to) {
		return &replay.CorruptError{Place: "column " + c.name, Err: fmt.Errorf("%d bytes; want %d", len(raw), len(c.to))}
	}
	*c.to = fingerprint.Digest(raw)
	return nil
}

// headColumns are what scanHead reads. An entry before the first would be seen by nobody who goes from first to last.
const headColumns = `session, first, last, record, EXISTS (SELECT FROM @log AS l WHERE l.tenant = s.tenant AND l.session = s.session AND l.seq < s.first)`

func scanHead(row pgx.Rows) (h replay.Head, err error) {
	var before bool
	err = row.Scan(&h.Session, &h.First, &h.Last, column{"record", &h.Record}, &before)
	if err == nil && (h.First < 1 || h.First > h.Last || before) {
		err = &replay.CorruptError{Place: fmt.Sprintf("session %q", h.Session), Err: fmt.Errorf("first %d, last %d, an entry before the first: %v", h.First, h.Last, before)}
	}
	return h, err
}

// form reads the form of an object.
func form(n int64, name fingerprint.Digest) (replay.Form, error) {
	if n < 0 || n > math.MaxUint8 {
		return 0, &replay.CorruptError{Name: name, Place: "column form", Err: fmt.Errorf("%d", n)}
	}
	return replay.Form(n), nil
}

// Missing implements [replay.Store].
func (s *Store) Missing(ctx context.Context, names []fingerprint.Digest) (missing []fingerprint.Digest, epoch int64, err error) {
	err = s.do(ctx, func(c *pgx.Conn) error {
		missing, epoch = nil, 0
		there := make(map[fingerprint.Digest]struct{}, len(names))
		b := new(pgx.Batch)
		// The epoch comes first: what is deleted after it was read changes it, and makes the answer stale.
		b.Queue(s.sql(`SELECT epoch FROM @tenants WHERE tenant = $1`), s.tenant).Query(func(rows pgx.Rows) error {
			n := 0
			for ; rows.Next(); n++ {
				first := epoch
				if err := rows.Scan(&epoch); err != nil {
					return err
				}
				if n > 0 && epoch != first {
					return &replay.CorruptError{Place: "tenants", Err: fmt.Errorf("epochs %d and %d of one tenant", first, epoch)}
				}
			}
			if rows.Err() == nil && n != 0 && n != gates {
				return &replay.CorruptError{Place: "tenants", Err: fmt.Errorf("%d rows of one tenant; want %d", n, gates)}
			}
			return rows.Err()
		})
		for some := range slices.Chunk(names, loadRows) {
			b.Queue(s.sql(`SELECT name FROM @objects WHERE tenant = $1 AND name = ANY($2::bytea[])`), s.tenant, raw(some)).Query(func(rows pgx.Rows) error {
				for rows.Next() {
					var name fingerprint.Digest
					if err := rows.Scan(column{"name", &name}); err != nil {
						return err
					}
					there[name] = struct{}{}
				}
				return rows.Err()
			})
		}
		if err := c.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		for _, name := range names {
			if _, found := there[name]; !found {
				missing = append(missing, name)
			}
		}
		return nil
	})
	return missing, epoch, err
}

// Objects implements [replay.Store].
func (s *Store) Objects(ctx context.Context, names []fingerprint.Digest) (objects []replay.Object, err error) {
	for some := range slices.Chunk(names, pages.Size) {
		asked := make(map[fingerprint.Digest]struct{}, len(some))
		for _, name := range some {
			asked[name] = struct{}{}
		}
		var found map[fingerprint.Digest]replay.Object
		err := s.do(ctx, func(c *pgx.Conn) error {
			found = make(map[fingerprint.Digest]replay.Object, len(some))
			return each(ctx, c, s.sql(`SELECT name, form, size, data FROM @objects WHERE tenant = $1 AND name = ANY($2::bytea[])`), []any{s.tenant, raw(some)}, func(row pgx.Rows) error {
				var o replay.Object
				var n int64
				err := row.Scan(column{"name", &o.Name}, &n, &o.Size, &o.Data)
				if err != nil {
					return err
				}
				if _, right := asked[o.Name]; !right {
					return &replay.CorruptError{Name: o.Name, Place: "column name", Err: errors.New("the index has it under another name")}
				}
				o.Form, err = form(n, o.Name)
				found[o.Name] = o
				return err
			})
		})
		if err != nil {
			return nil, err
		}
		for _, name := range some {
			if o, there := found[name]; there {
				objects = append(objects, o)
			}
		}
	}
	if len(names) == 0 {
		err = ctx.Err()
	}
	return objects, err
}

// A where collects the conditions of a query and their parameters.
type where struct {
	text string
	args []any
}

// add adds a condition in which every "?" is a parameter.
func (w *where) add(condition string, args ...any) {
	w.text += " AND "
	for _, r := range condition {
		if r == '?' {
			w.args, args = append(w.args, args[0]), args[1:]
			w.text += fmt.Sprint("$", len(w.args))
			continue
		}
		w.text += string(r)
	}
}

// rows reads a page of rows of the tenant.
func rows[T any](ctx context.Context, s *Store, columns, table, order string, conditions func(w *where), scan func(row pgx.Rows) (T, error)) (found []T, err error) {
	w := where{text: "tenant = $1", args: []any{s.tenant}}
	conditions(&w)
	query := s.sql(fmt.Sprintf(`SELECT %s FROM @%s WHERE %s ORDER BY %s LIMIT %d`, columns, table, w.text, order, pages.Size))
	err = s.do(ctx, func(c *pgx.Conn) error {
		found = nil
		return each(ctx, c, query, w.args, func(row pgx.Rows) error {
			v, err := scan(row)
			found = append(found, v)
			return err
		})
	})
	return found, err
}

// Names implements [replay.Store].
func (s *Store) Names(ctx context.Context, from, to fingerprint.Digest) iter.Seq2[replay.Stored, error] {
	return pages.All(func(after *replay.Stored) ([]replay.Stored, error) {
		return rows(ctx, s, `name, form, size, octet_length(data)`, `objects`, `name`, func(w *where) {
			if after == nil {
				w.add(`name >= ?`, from[:])
			} else {
				w.add(`name > ?`, after.Name[:])
			}
			w.add(`name <= ?`, to[:])
		}, func(row pgx.Rows) (o replay.Stored, err error) {
			var n int64
			if err = row.Scan(column{"name", &o.Name}, &n, &o.Size, &o.Bytes); err == nil {
				o.Form, err = form(n, o.Name)
			}
			return o, err
		})
	})
}

// Heads implements [replay.Store].
func (s *Store) Heads(ctx context.Context, session string) iter.Seq2[replay.Head, error] {
	return pages.All(func(after *replay.Head) ([]replay.Head, error) {
		if !storable(session, replay.MaxSession) {
			return nil, ctx.Err() // nothing has such a name
		}
		return rows(ctx, s, headColumns, `sessions AS s`, `session`, func(w *where) {
			if session != "" {
				w.add(`session = ?`, session)
			} else if after != nil {
				w.add(`session > ?`, after.Session)
			}
		}, scanHead)
	})
}

// Entries implements [replay.Store].
func (s *Store) Entries(ctx context.Context, span replay.Span) iter.Seq2[replay.Entry, error] {
	return pages.All(func(after *replay.Entry) ([]replay.Entry, error) {
		if !storable(span.Session, replay.MaxSession) {
			return nil, ctx.Err() // nothing has such a name
		}
		return rows(ctx, s, `session, seq, turn, record, key, output`, `log`, `session, seq`, func(w *where) {
			if span.Session != "" {
				w.add(`session = ?`, span.Session)
			}
			if after != nil && span.Session != "" {
				w.add(`seq > ?`, after.Seq)
			} else if after != nil {
				w.add(`(session, seq) > (?, ?)`, after.Session, after.Seq)
			}
			if span.From > 0 {
				w.add(`seq >= ?`, span.From)
			}
			if span.To > 0 {
				w.add(`seq <= ?`, span.To)
			}
			if span.Turn > 0 {
				w.add(`turn = ?`, span.Turn)
			}
			if !span.Key.IsZero() {
				w.add(`key = ?`, span.Key[:])
			}
			if !span.Output.IsZero() {
				w.add(`output = ?`, span.Output[:])
			}
		}, func(row pgx.Rows) (e replay.Entry, err error) {
			err = row.Scan(&e.Session, &e.Seq, &e.Turn, column{"record", &e.Record}, column{"key", (*fingerprint.Digest)(&e.Key)}, column{"output", &e.Output})
			return e, err
		})
	})
}
