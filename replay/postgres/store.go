package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"github.com/quirehq/quire/replay"
)

// Options say which store of a database is opened. The zero value is the tenant "" in the schema "quire".
type Options struct {
	Tenant string // valid UTF-8 without NUL, at most MaxTenant bytes
	Schema string // the schema that holds the tables, at most 63 bytes; "": "quire"
}

// MaxTenant is the length of a tenant's name at most, in bytes. An index holds it together with a session's name, which
// has up to [replay.MaxSession], and takes no more than 2,704.
const MaxTenant = 256

// connections is how many a store opens at most. They are opened when they are needed.
const connections = 8

// A Store is a [replay.Store] in a PostgreSQL database.
type Store struct {
	config     *pgx.ConnConfig
	begin      string // begins every transaction
	place      string // for people: host, database and schema, without the password
	tenant     string
	schemaName string
	prefix     string         // of every table: the schema's name, quoted, and a dot
	idle       chan *pgx.Conn // connections that nobody uses
	slots      chan struct{}  // one token for every connection that may be open
	closed     chan struct{}
	once       sync.Once
}

var _ replay.Store = (*Store)(nil)

// ErrOptions is what [Open] refuses before it connects: an address that is none, a name that cannot be kept.
var ErrOptions = errors.New("invalid options")

// Open opens the store of one tenant in the database of that URL, postgres://user:password@host:port/database?…, or
// keywords and values, as libpq reads them. It makes the tables when they are missing. A server that does not answer is
// an error at once.
//
// Behind a pooler that gives each transaction another connection, add default_query_exec_mode=exec to the URL.
func Open(ctx context.Context, url string, opts Options) (*Store, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w: %w; want postgres://USER@HOST:PORT/DATABASE", ErrOptions, err) // without the password
	}
	if config.DefaultQueryExecMode == pgx.QueryExecModeSimpleProtocol {
		return nil, fmt.Errorf("postgres: %w: default_query_exec_mode=simple_protocol writes parameters into statements; want exec", ErrOptions)
	}
	schema := opts.Schema
	if schema == "" {
		schema = "quire"
	}
	for _, name := range []struct {
		what, text string
		most       int
	}{{"tenant", opts.Tenant, MaxTenant}, {"schema", schema, 63}} {
		if !storable(name.text, name.most) {
			return nil, fmt.Errorf("postgres: %w: %s %.100q of %d bytes; want valid UTF-8 without NUL, at most %d bytes", ErrOptions, name.what, name.text, len(name.text), name.most)
		}
	}
	// By default pgx breaks the connection when a context ends, and the server works on.
	config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: grace}
	}
	s := &Store{
		config:     config,
		begin:      `BEGIN ISOLATION LEVEL READ COMMITTED`,
		place:      fmt.Sprintf("%s/%s, schema %s", config.Host, config.Database, schema),
		tenant:     opts.Tenant,
		schemaName: schema,
		prefix:     pgx.Identifier{schema}.Sanitize() + ".",
		idle:       make(chan *pgx.Conn, connections),
		slots:      make(chan struct{}, connections),
		closed:     make(chan struct{}),
	}
	for range connections {
		s.slots <- struct{}{}
	}
	err = s.retry(ctx, func(err error) bool {
		var never *pgconn.ConnectError
		var network *net.OpError
		hungUp := errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &network) && network.Op == "read" // it restarts
		return hungUp || !errors.As(err, &never)
	}, func(c *pgx.Conn) error { return s.prepare(ctx, c) })
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// storable reports whether a text can be kept in a column and its index.
func storable(text string, most int) bool {
	return len(text) <= most && utf8.ValidString(text) && strings.IndexByte(text, 0) < 0
}

// sql names the schema in a statement, which has "@" before each table. All else are parameters.
func (s *Store) sql(statement string) string { return strings.ReplaceAll(statement, "@", s.prefix) }

// Close closes all connections. It waits for calls that are under way.
func (s *Store) Close() error {
	s.once.Do(func() {
		close(s.closed)
		for range cap(s.slots) {
			<-s.slots
		}
		s.drain()
	})
	return nil
}

// drain closes the connections that nobody uses.
func (s *Store) drain() {
	for {
		select {
		case c := <-s.idle:
			hangUp(c)
		default:
			return
		}
	}
}

// hangUp closes a connection. There is nothing to lose: what is not committed is not acknowledged.
func hangUp(c *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	c.Close(ctx)
}

const (
	// patience is how long a call tries again, or lets a statement wait for others: a server restarts, or another takes
	// its place, in less. After it somebody must be told.
	patience = time.Minute
	// grace is how long a call whose context has ended goes on, to learn what became of what it had begun.
	grace = 5 * time.Second
)

// A backoff says how long to wait before the next try.
type backoff struct {
	begin time.Time
	pause time.Duration
}

func newBackoff() *backoff { return &backoff{time.Now(), time.Millisecond} }

// wait waits, and reports whether to try again. The pauses double up to half a second, and are shortened at random, so
// that those who got in each other's way do not meet again.
func (b *backoff) wait(ctx context.Context) bool {
	if time.Since(b.begin) > patience {
		return false
	}
	timer := time.NewTimer(b.pause/2 + rand.N(b.pause/2))
	defer timer.Stop()
	b.pause = min(2*b.pause, 500*time.Millisecond)
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// do lends a connection to f, again and again until f succeeds, or its error says that trying again is in vain. f may
// leave a transaction open when it fails.
func (s *Store) do(ctx context.Context, f func(c *pgx.Conn) error) error {
	return s.retry(ctx, func(error) bool { return true }, f)
}

// retry is do, with a say in which lost connections are tried again.
func (s *Store) retry(ctx context.Context, worthwhile func(error) bool, f func(c *pgx.Conn) error) error {
	select {
	case <-s.closed:
		return errors.New("postgres: store is closed")
	case <-ctx.Done():
		return ctx.Err()
	case <-s.slots:
	}
	defer func() { s.slots <- struct{}{} }()
	if err := ctx.Err(); err != nil {
		return err
	}
	for again := newBackoff(); ; {
		lost, err := s.try(ctx, f)
		if err == nil || !contended(err) && !(lost && worthwhile(err)) || !again.wait(ctx) {
			return s.explain(ctx, err)
		}
	}
}

// try lends a connection to f once, and reports whether the connection was lost.
func (s *Store) try(ctx context.Context, f func(c *pgx.Conn) error) (lost bool, err error) {
	var c *pgx.Conn
	select {
	case c = <-s.idle:
	default:
		if c, err = pgx.ConnectConfig(ctx, s.config); err != nil {
			// An answer of the server, like a wrong password, is no lost connection, nor is what never was one.
			var refused *pgconn.ConnectError
			return code(err) == "" && errors.As(err, &refused), err
		}
	}
	err = f(c)
	if c.IsClosed() {
		s.drain() // the others have gone the same way, or soon will
		return true, err
	}
	rollback(ctx, c)
	if ctx.Err() != nil || c.IsClosed() {
		hangUp(c)
		return false, err
	}
	s.idle <- c
	return false, err
}

// rollback ends the transaction that a connection is in, if any. Where that fails, the connection is closed, and the
// server ends it.
func rollback(ctx context.Context, c *pgx.Conn) {
	if c.IsClosed() || c.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if _, err := c.Exec(ctx, `ROLLBACK`); err != nil {
		hangUp(c)
	}
}

// commit commits. A context that ends meanwhile is given some time: a commit that is cut off may be there or not.
func commit(ctx context.Context, c *pgx.Conn) error {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	tag, err := c.Exec(late, `COMMIT`)
	if err == nil && tag.String() != "COMMIT" {
		return fmt.Errorf("the server answered %q to COMMIT", tag)
	}
	return err
}
