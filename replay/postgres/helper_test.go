package postgres_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/postgres"
)

// An admin is a connection beside the store's.
type admin struct {
	*pgx.Conn
	t testing.TB
}

func newAdmin(t testing.TB) admin {
	t.Helper()
	c, err := pgx.Connect(t.Context(), server(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return admin{c, t}
}

// run runs a statement. "@" stands for the schema's name.
func (a admin) run(schema, statement string, args ...any) {
	a.t.Helper()
	if _, err := a.Exec(a.t.Context(), named(schema, statement), args...); err != nil {
		a.t.Fatalf("%s: %v", statement, err)
	}
}

// waiters returns how many statements about a schema wait for a lock.
func (a admin) waiters(schema string) (n int) {
	a.t.Helper()
	const waiting = `SELECT count(*) FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid) WHERE NOT l.granted AND position($1 IN a.query) > 0`
	if err := a.QueryRow(a.t.Context(), waiting, pgx.Identifier{schema}.Sanitize()).Scan(&n); err != nil {
		a.t.Fatal(err)
	}
	return n
}

func openTenant(t testing.TB, url, schema, tenant string) *postgres.Store {
	t.Helper()
	store, err := postgres.Open(t.Context(), url, postgres.Options{Schema: schema, Tenant: tenant})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func object(text string) replay.Object {
	return replay.Object{Name: fingerprint.SumString(text), Size: int64(len(text)), Data: []byte(text)}
}

// batch is one object and one entry that refers to it.
func batch(session string, seq int64) replay.Batch {
	o := object(fmt.Sprint(session, "/", seq))
	return replay.Batch{Objects: []replay.Object{o}, Entries: []replay.Entry{{Session: session, Seq: seq, Turn: seq, Record: o.Name, Key: fingerprint.Key(o.Name), Output: o.Name}}}
}

// compose makes the composition of a session's turn.
func compose(t testing.TB, session string, turn int) composer.Composition {
	t.Helper()
	c, err := composer.Compose([]composer.Section{{ID: "a", Content: "the same in every turn"}, {ID: "b", Content: fmt.Sprint(session, ", turn ", turn)}}, composer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func entries(t testing.TB, store replay.Store) (all []replay.Entry) {
	t.Helper()
	for e, err := range store.Entries(t.Context(), replay.Span{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func heads(t testing.TB, store replay.Store) (all []replay.Head) {
	t.Helper()
	for h, err := range store.Heads(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, h)
	}
	return all
}
