package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/pages"
	"github.com/quirehq/quire/replay"
)

// Options say how a file is opened. The zero value is the tenant "" in a file of the operating system.
type Options struct {
	Tenant string
	VFS    string // a file layer registered with go-sqlite3/vfs; "": the operating system's
}

// A Store is a [replay.Store] in one SQLite file.
type Store struct {
	path   string
	tenant string
	uri    string
	frozen *frozen       // where the file may not be written
	idle   chan *conn    // connections that nobody uses
	slots  chan struct{} // one token for every connection that may be open
	closed chan struct{}
	once   sync.Once
}

var _ replay.Store = (*Store)(nil)

// Open opens the store in the file of that path for one tenant, and creates file and folder when they are missing, for
// their owner alone: a store holds prompts. A
// file that is damaged is refused with a [replay.CorruptError], one of something else with an error that says so. A file
// that may not be written, or whose folder may not, is opened for reading alone; see the package's comment.
func Open(ctx context.Context, path string, opts Options) (*Store, error) {
	if !vfs.SupportsSharedMemory {
		return nil, fmt.Errorf("sqlite: %s/%s has no shared memory for the write-ahead log", runtime.GOOS, runtime.GOARCH)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	layer := registerLayer(opts.VFS)
	uri := func(path string) string {
		return "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + "?vfs=" + url.QueryEscape(layer)
	}
	connections := max(2, min(8, runtime.GOMAXPROCS(0)))
	s := &Store{
		path:   path,
		tenant: opts.Tenant,
		uri:    uri(abs),
		idle:   make(chan *conn, connections),
		slots:  make(chan struct{}, connections),
		closed: make(chan struct{}),
	}
	if _, err := os.Stat(abs); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(abs), 0o700); err != nil {
			return nil, fmt.Errorf("sqlite: %w", err)
		}
		if err := create(abs, uri); err != nil {
			return nil, s.explain(ctx, err)
		}
	}
	for range connections {
		s.slots <- struct{}{}
	}
	look := func(*conn) error { return nil }
	if err = s.do(ctx, look); mayNotWrite(err) {
		if s.frozen, err = freeze(abs, err); err == nil {
			s.uri += "&mode=ro&immutable=1"
			err = s.do(ctx, look)
		}
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close closes all connections. It waits for calls that are under way.
func (s *Store) Close() error {
	var errs []error
	s.once.Do(func() {
		close(s.closed)
		for range cap(s.slots) {
			<-s.slots
		}
		close(s.idle)
		for c := range s.idle {
			errs = append(errs, c.Close())
		}
	})
	return errors.Join(errs...)
}

// A conn is a connection with the statements that it has prepared.
type conn struct {
	*sqlite3.Conn
	stmts  map[string]*sqlite3.Stmt
	tenant int64 // the tenant's number in this file; 0: not there yet
}

// patience is how long a call waits for others that hold the file. Each of them holds it for a few milliseconds at a
// time, so this is the time after which somebody must be told that a process hangs.
const patience = 2 * time.Minute

func (s *Store) connect(ctx context.Context) (*conn, error) {
	c, err := sqlite3.OpenContext(ctx, s.uri)
	if err != nil {
		return nil, err
	}
	c.SetInterrupt(ctx)
	err = c.BusyTimeout(patience)
	if err == nil {
		err = prepare(c)
	}
	if err == nil {
		err = c.Exec(`PRAGMA synchronous = full; PRAGMA cell_size_check = on; PRAGMA journal_size_limit = 4194304`)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return &conn{Conn: c, stmts: map[string]*sqlite3.Stmt{}}, nil
}

// do lends a connection to f.
func (s *Store) do(ctx context.Context, f func(*conn) error) (err error) {
	select {
	case <-s.closed:
		return errors.New("sqlite: store is closed")
	case <-ctx.Done():
		return ctx.Err()
	case <-s.slots:
	}
	defer func() { s.slots <- struct{}{} }()
	defer func() {
		if err != nil {
			err = s.explain(ctx, err)
		}
	}()
	if err := ctx.Err(); err != nil {
		return err
	}
	var c *conn
	select {
	case c = <-s.idle:
		c.SetInterrupt(ctx)
	default:
		if c, err = s.connect(ctx); err != nil {
			return err
		}
	}
	defer func() {
		c.SetInterrupt(context.Background())
		// After damage or a failing disk, what the connection has cached is not to be trusted.
		if err != nil && !errors.Is(err, replay.ErrConflict) && !errors.Is(err, replay.ErrStale) {
			c.Close()
			return
		}
		s.idle <- c
	}()
	if c.tenant == 0 {
		if c.tenant, err = c.find(s.tenant); err != nil {
			return err
		}
	}
	if err = f(c); err == nil {
		err = s.frozen.check()
	}
	return err
}

// find returns the number of a tenant, 0 when he is not there yet.
func (c *conn) find(tenant string) (id int64, err error) {
	err = c.each(`SELECT id FROM tenants WHERE name = ?`, []value{text(tenant)}, func(row *sqlite3.Stmt) error {
		id = row.ColumnInt64(0)
		return nil
	})
	return id, err
}

// write runs f in one transaction of the file's only writer. The tenant is there when f begins.
func (s *Store) write(ctx context.Context, f func(c *conn, epoch int64) error) error {
	return s.do(ctx, func(c *conn) (err error) {
		tx, err := c.BeginImmediate()
		if err != nil {
			return err
		}
		defer func() {
			if tx.End(&err); err != nil {
				c.tenant = 0 // its row may have gone with the transaction
			}
		}()
		if c.tenant == 0 {
			if c.tenant, err = c.find(s.tenant); err != nil {
				return err
			}
		}
		if c.tenant == 0 {
			if err := c.run(`INSERT INTO tenants (name, epoch) VALUES (?, 0)`, text(s.tenant)); err != nil {
				return err
			}
			c.tenant = c.LastInsertRowID()
		}
		epoch, err := c.epoch()
		if err != nil {
			return err
		}
		return f(c, epoch)
	})
}

func (c *conn) epoch() (epoch int64, err error) {
	err = c.each(`SELECT epoch FROM tenants WHERE id = ?`, []value{integer(c.tenant)}, func(row *sqlite3.Stmt) error {
		epoch = row.ColumnInt64(0)
		return nil
	})
	return epoch, err
}

// Append implements [replay.Store].
func (s *Store) Append(ctx context.Context, batch replay.Batch) error {
	if len(batch.Objects)+len(batch.Entries) == 0 {
		return ctx.Err()
	}
	return s.write(ctx, func(c *conn, epoch int64) error {
		if epoch != batch.Epoch {
			return replay.ErrStale
		}
		for _, o := range batch.Objects {
			err := c.run(`INSERT INTO objects (tenant, name, form, size, data) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
				integer(c.tenant), digest(o.Name), integer(int64(o.Form)), integer(o.Size), blob(o.Data))
			if err != nil {
				return err
			}
		}
		for _, e := range batch.Entries {
			if err := c.enter(e); err != nil {
				return err
			}
		}
		return nil
	})
}

// enter appends one entry to its session.
func (c *conn) enter(e replay.Entry) error {
	conflict := fmt.Errorf("%w: %s, seq %d, turn %d", replay.ErrConflict, e.Session, e.Seq, e.Turn)
	if e.Seq < 1 {
		return conflict
	}
	// The head moves only from the seq before; a new session begins anywhere.
	err := c.run(`INSERT INTO sessions (tenant, session, first, last, record) VALUES (?1, ?2, ?3, ?3, ?4)
		ON CONFLICT DO UPDATE SET last = excluded.last, record = excluded.record WHERE last = excluded.last - 1`,
		integer(c.tenant), text(e.Session), integer(e.Seq), digest(e.Record))
	if err != nil {
		return err
	}
	if c.Changes() != 1 {
		return conflict
	}
	err = c.run(`INSERT INTO log (tenant, session, seq, turn, record, key, output) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		integer(c.tenant), text(e.Session), integer(e.Seq), integer(e.Turn), digest(e.Record), digest(e.Key), digest(e.Output))
	if errors.Is(err, sqlite3.CONSTRAINT) {
		return conflict // the turn is taken
	}
	return err
}

// Missing implements [replay.Store].
func (s *Store) Missing(ctx context.Context, names []fingerprint.Digest) (missing []fingerprint.Digest, epoch int64, err error) {
	err = s.do(ctx, func(c *conn) error {
		return c.snapshot(func() error {
			if epoch, err = c.epoch(); err != nil {
				return err
			}
			there := make([]bool, len(names))
			err := c.eachName(`SELECT 1 FROM objects WHERE tenant = ? AND name = ?`, names,
				func(i int, _ *sqlite3.Stmt) error { there[i] = true; return nil })
			for i, name := range names {
				if !there[i] {
					missing = append(missing, name)
				}
			}
			return err
		})
	})
	return missing, epoch, err
}

// Objects implements [replay.Store].
func (s *Store) Objects(ctx context.Context, names []fingerprint.Digest) (objects []replay.Object, err error) {
	err = s.do(ctx, func(c *conn) error {
		return c.snapshot(func() error {
			return c.eachName(`SELECT form, size, data FROM objects WHERE tenant = ? AND name = ?`, names, func(i int, row *sqlite3.Stmt) error {
				form, err := form(row, 0, names[i])
				objects = append(objects, replay.Object{Name: names[i], Form: form, Size: row.ColumnInt64(1), Data: row.ColumnBlob(2, nil)})
				return err
			})
		})
	})
	return objects, err
}

// Names implements [replay.Store].
func (s *Store) Names(ctx context.Context, from, to fingerprint.Digest) iter.Seq2[replay.Stored, error] {
	return pages.All(func(after *replay.Stored) (rows []replay.Stored, err error) {
		start := `name >= ?`
		begin := from
		if after != nil {
			start, begin = `name > ?`, after.Name
		}
		err = s.do(ctx, func(c *conn) error {
			return c.each(`SELECT name, form, size, length(data) FROM objects WHERE tenant = ? AND `+start+` AND name <= ? ORDER BY name LIMIT ?`,
				[]value{integer(c.tenant), digest(begin), digest(to), integer(pages.Size)}, func(row *sqlite3.Stmt) error {
					name, err := column(row, 0)
					if err != nil {
						return err
					}
					form, err := form(row, 1, name)
					rows = append(rows, replay.Stored{Name: name, Form: form, Size: row.ColumnInt64(2), Bytes: row.ColumnInt64(3)})
					return err
				})
		})
		return rows, err
	})
}

// Heads implements [replay.Store].
func (s *Store) Heads(ctx context.Context, session string) iter.Seq2[replay.Head, error] {
	return pages.All(func(after *replay.Head) (rows []replay.Head, err error) {
		err = s.do(ctx, func(c *conn) error {
			rows, err = c.heads(session, after, pages.Size)
			return err
		})
		return rows, err
	})
}

func (c *conn) heads(session string, after *replay.Head, limit int64) (rows []replay.Head, err error) {
	where, name := `session >= ?`, session
	switch {
	case session != "":
		where = `session = ?`
		if after != nil {
			return nil, nil
		}
	case after != nil:
		where, name = `session > ?`, after.Session
	}
	err = c.each(`SELECT session, first, last, record FROM sessions WHERE tenant = ? AND `+where+` ORDER BY session LIMIT ?`,
		[]value{integer(c.tenant), text(name), integer(limit)}, func(row *sqlite3.Stmt) error {
			record, err := column(row, 3)
			rows = append(rows, replay.Head{Session: row.ColumnText(0), First: row.ColumnInt64(1), Last: row.ColumnInt64(2), Record: record})
			return err
		})
	return rows, err
}

// Entries implements [replay.Store].
func (s *Store) Entries(ctx context.Context, span replay.Span) iter.Seq2[replay.Entry, error] {
	return pages.All(func(after *replay.Entry) (rows []replay.Entry, err error) {
		err = s.do(ctx, func(c *conn) error {
			query, values := selectEntries(c.tenant, span, after)
			return c.each(query, values, func(row *sqlite3.Stmt) error {
				e := replay.Entry{Session: row.ColumnText(0), Seq: row.ColumnInt64(1), Turn: row.ColumnInt64(2)}
				var errs [3]error
				var key fingerprint.Digest
				e.Record, errs[0] = column(row, 3)
				key, errs[1] = column(row, 4)
				e.Output, errs[2] = column(row, 5)
				e.Key = fingerprint.Key(key)
				rows = append(rows, e)
				return errors.Join(errs[:]...)
			})
		})
		return rows, err
	})
}

// selectEntries returns the query of one page of a span. SQLite would walk a tenant's whole log for a key, since that is
// in order too, so it is told which index to use.
func selectEntries(tenant int64, span replay.Span, after *replay.Entry) (query string, values []value) {
	index, where := "", ""
	add := func(condition string, v ...value) { where, values = where+` AND `+condition, append(values, v...) }
	values = append(values, integer(tenant))
	if !span.Output.IsZero() {
		index = ` INDEXED BY log_output`
		add(`output = ?`, digest(span.Output))
	}
	if !span.Key.IsZero() {
		index = ` INDEXED BY log_key`
		add(`key = ?`, digest(span.Key))
	}
	if span.Session != "" {
		add(`session = ?`, text(span.Session))
		if after != nil {
			add(`seq > ?`, integer(after.Seq))
		}
	} else if after != nil {
		add(`(session, seq) > (?, ?)`, text(after.Session), integer(after.Seq))
	}
	if span.From > 0 {
		add(`seq >= ?`, integer(span.From))
	}
	if span.To > 0 {
		add(`seq <= ?`, integer(span.To))
	}
	if span.Turn > 0 {
		add(`turn = ?`, integer(span.Turn))
	}
	return `SELECT session, seq, turn, record, key, output FROM log` + index + ` WHERE tenant = ?` + where + ` ORDER BY session, seq LIMIT ?`,
		append(values, integer(pages.Size))
}

// Delete implements [replay.Store].
func (s *Store) Delete(ctx context.Context, d replay.Deletion) error {
	err := s.write(ctx, func(c *conn, epoch int64) error {
		heads, err := c.heads("", nil, int64(len(d.Heads))+1)
		if err != nil {
			return err
		}
		if len(heads) != len(d.Heads) {
			return replay.ErrStale
		}
		for i, h := range heads {
			if h != d.Heads[i] {
				return replay.ErrStale
			}
		}
		for _, h := range heads {
			through := d.Through[h.Session]
			if through < h.First {
				continue
			}
			err := c.run(`DELETE FROM log WHERE tenant = ? AND session = ? AND seq <= ?`, integer(c.tenant), text(h.Session), integer(through))
			if err == nil && through < h.Last {
				err = c.run(`UPDATE sessions SET first = ? WHERE tenant = ? AND session = ?`, integer(through+1), integer(c.tenant), text(h.Session))
			} else if err == nil {
				err = c.run(`DELETE FROM sessions WHERE tenant = ? AND session = ?`, integer(c.tenant), text(h.Session))
			}
			if err != nil {
				return err
			}
		}
		for _, name := range d.Objects {
			if err := c.run(`DELETE FROM objects WHERE tenant = ? AND name = ?`, integer(c.tenant), digest(name)); err != nil {
				return err
			}
		}
		return c.run(`UPDATE tenants SET epoch = epoch + 1 WHERE id = ?`, integer(c.tenant))
	})
	if err != nil {
		return err
	}
	// The deletion is done, whatever comes of this: pages that are not given back now are used again.
	_ = s.do(ctx, func(c *conn) error { return c.Exec(`PRAGMA incremental_vacuum`) })
	return nil
}
