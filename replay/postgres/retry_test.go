package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/postgres"
)

// fail makes the first inserts into a table fail with a code. Triggers and exceptions roll back, a sequence does not.
func (a admin) fail(schema, table, code string, times int) {
	a.t.Helper()
	a.run(schema, `CREATE SEQUENCE @calls`)
	a.run(schema, fmt.Sprintf(`CREATE FUNCTION @refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF nextval('%s') <= %d THEN RAISE EXCEPTION 'refused' USING ERRCODE = '%s'; END IF; RETURN NEW; END $$`,
		strings.ReplaceAll(named(schema, "@calls"), "'", "''"), times, code))
	a.run(schema, `CREATE TRIGGER refuse BEFORE INSERT ON @`+table+` FOR EACH ROW EXECUTE FUNCTION @refuse()`)
}

// What passes is tried again; what does not pass is told.
func TestCodes(t *testing.T) {
	for _, test := range []struct {
		name, code string
		times      int
		want       error // nil: stored
	}{
		{"serialization failure", "40001", 5, nil},
		{"deadlock", "40P01", 5, nil},
		{"too many connections", "53300", 2, nil},
		{"disk full", "53100", 1 << 30, replay.ErrFull},
		{"read-only", "25006", 1 << 30, errors.New("SQLSTATE 25006")},
	} {
		for _, table := range []string{"tenants", "objects", "sessions", "log"} {
			t.Run(test.name+"/"+table, func(t *testing.T) {
				schema := newSchema(t)
				store := openTenant(t, server(t), schema, "")
				newAdmin(t).fail(schema, table, test.code, test.times)
				err := store.Append(t.Context(), batch("s", 1))
				if test.want == nil && err != nil || test.want != nil && (err == nil || !errors.Is(err, test.want) && !strings.Contains(err.Error(), test.want.Error())) {
					t.Errorf("error %v; want %v", err, test.want)
				}
				if errors.Is(test.want, replay.ErrFull) && !strings.Contains(err.Error(), "disk full") {
					t.Errorf("%q does not say disk full", err)
				}
				if n := len(entries(t, store)); (n == 1) != (test.want == nil) {
					t.Errorf("%d entries", n)
				}
				missing, _, missErr := store.Missing(t.Context(), []fingerprint.Digest{object("s/1").Name})
				if missErr != nil || (len(missing) == 0) != (test.want == nil) {
					t.Errorf("missing %v, %v", missing, missErr)
				}
			})
		}
	}
}

// Data that the server itself finds damaged is told so.
func TestCorruptCode(t *testing.T) {
	schema := newSchema(t)
	store := openTenant(t, server(t), schema, "")
	newAdmin(t).fail(schema, "log", "XX001", 1)
	var corrupt *replay.CorruptError
	if err := store.Append(t.Context(), batch("s", 1)); !errors.As(err, &corrupt) {
		t.Errorf("error %v; want a CorruptError", err)
	}
}

// A real deadlock, of which the store's connection is the victim: the other one never looks for deadlocks.
func TestDeadlock(t *testing.T) {
	schema := newSchema(t)
	store := openTenant(t, server(t), schema, "")
	first := batch("a", 1)
	first.Entries = append(first.Entries, batch("b", 1).Entries...)
	if err := store.Append(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	other, watch := newAdmin(t), newAdmin(t)
	other.run(schema, `SET deadlock_timeout = '1h'`)
	other.run(schema, `BEGIN`)
	other.run(schema, `UPDATE @sessions SET last = last WHERE session = 'b'`)
	done := make(chan error)
	go func() {
		both := batch("a", 2)
		both.Entries = append(both.Entries, batch("b", 2).Entries...)
		done <- store.Append(t.Context(), both)
	}()
	for watch.waiters(schema) == 0 { // until the store has a and waits for b
	}
	other.run(schema, `UPDATE @sessions SET last = last WHERE session = 'a'`) // comes back when the store has given up
	other.run(schema, `COMMIT`)
	if err := <-done; err != nil {
		t.Errorf("after a deadlock: %v", err)
	}
	if n := len(entries(t, store)); n != 4 {
		t.Errorf("%d entries; want 4", n)
	}
}

// A context that ends while the store waits for a lock ends the wait, in the server too.
func TestCancel(t *testing.T) {
	schema := newSchema(t)
	store := openTenant(t, server(t), schema, "")
	if err := store.Append(t.Context(), batch("s", 1)); err != nil {
		t.Fatal(err)
	}
	other, watch := newAdmin(t), newAdmin(t)
	other.run(schema, `BEGIN`)
	other.run(schema, `UPDATE @sessions SET last = last`)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- store.Append(ctx, batch("s", 2)) }()
	for watch.waiters(schema) == 0 {
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want %v", err, context.Canceled)
	}
	for watch.waiters(schema) != 0 {
	}
	other.run(schema, `ROLLBACK`)
	if n := len(entries(t, store)); n != 1 {
		t.Errorf("%d entries; want 1", n)
	}
	if err := store.Append(t.Context(), batch("s", 2)); err != nil {
		t.Error(err)
	}
}

// While eight writers append without a pause, a deletion comes through.
func TestDeleteUnderLoad(t *testing.T) {
	schema := newSchema(t)
	ctx, cancel := context.WithCancel(t.Context())
	writers := make(chan error)
	const n = 8
	for w := range n {
		store := openTenant(t, server(t), schema, "")
		go func() {
			var err error
			for seq := int64(1); err == nil && ctx.Err() == nil; {
				b := batch(fmt.Sprint("writer ", w), seq)
				if _, b.Epoch, err = store.Missing(t.Context(), nil); err == nil {
					if err = store.Append(t.Context(), b); err == nil {
						seq++
					} else if errors.Is(err, replay.ErrStale) {
						err = nil
					}
				}
			}
			writers <- err
		}()
	}
	store := openTenant(t, server(t), schema, "")
	for range 20 {
		if err := store.Delete(t.Context(), replay.Deletion{Heads: heads(t, store)}); err != nil && !errors.Is(err, replay.ErrStale) {
			t.Error(err)
		}
	}
	cancel()
	for range n {
		if err := <-writers; err != nil {
			t.Error(err)
		}
	}
	t.Logf("20 deletions beside %d entries", len(entries(t, store)))
}

func TestOpenRefuses(t *testing.T) {
	where := server(t)
	for _, test := range []struct {
		name, url string
		opts      postgres.Options
		want      string
		before    bool // it connects
	}{
		{"no URL", "postgres://host:port", postgres.Options{}, "postgres:", true},
		{"simple protocol", where + "&default_query_exec_mode=simple_protocol", postgres.Options{}, "parameters", true},
		{"NUL in the tenant", where, postgres.Options{Tenant: "a\x00b"}, "NUL", true},
		{"tenant that is no text", where, postgres.Options{Tenant: "\xff"}, "valid UTF-8", true},
		{"long tenant", where, postgres.Options{Tenant: strings.Repeat("t", postgres.MaxTenant+1)}, "257 bytes", true},
		{"long schema", where, postgres.Options{Schema: strings.Repeat("s", 64)}, "at most 63 bytes", true},
		{"nobody there", "postgres://quire@/none?host=/nowhere", postgres.Options{}, "/nowhere", false},
		{"no such database", strings.Replace(where, "/postgres?", "/none?", 1), postgres.Options{}, "3D000", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			store, err := postgres.Open(t.Context(), test.url, test.opts)
			if err == nil {
				store.Close()
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "postgres: ") {
				t.Errorf("error %v; want one with %q", err, test.want)
			}
			if errors.Is(err, postgres.ErrOptions) != test.before {
				t.Errorf("error %v: is ErrOptions: %v", err, !test.before)
			}
		})
	}
}

func TestSchemaRefused(t *testing.T) {
	schema := newSchema(t)
	openTenant(t, server(t), schema, "")
	a := newAdmin(t)
	a.run(schema, `UPDATE @version SET number = 99`)
	if _, err := postgres.Open(t.Context(), server(t), postgres.Options{Schema: schema}); err == nil || !strings.Contains(err.Error(), "newer quire") {
		t.Errorf("a newer schema: %v", err)
	}
	foreign := newSchema(t)
	a.run(foreign, `CREATE SCHEMA `+pgx.Identifier{foreign}.Sanitize())
	a.run(foreign, `CREATE TABLE @objects (other text)`)
	if _, err := postgres.Open(t.Context(), server(t), postgres.Options{Schema: foreign}); err == nil || !strings.Contains(err.Error(), "something else") {
		t.Errorf("a schema of something else: %v", err)
	}
}

// Who may only read and write rows can use a store that is there.
func TestFewRights(t *testing.T) {
	schema := newSchema(t)
	openTenant(t, server(t), schema, "")
	a := newAdmin(t)
	role := pgx.Identifier{schema}.Sanitize()
	a.run(schema, `CREATE ROLE `+role+` LOGIN`)
	t.Cleanup(func() {
		a, err := pgx.Connect(context.Background(), server(t))
		if err == nil {
			_, err = a.Exec(context.Background(), `DROP OWNED BY `+role+`; DROP ROLE `+role)
			a.Close(context.Background())
		}
		if err != nil {
			t.Error(err)
		}
	})
	a.run(schema, `GRANT USAGE ON SCHEMA `+role+` TO `+role)
	a.run(schema, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA `+role+` TO `+role)
	store := openTenant(t, server(t)+"&role="+url.PathEscape(schema), schema, "")
	if err := store.Append(t.Context(), batch("s", 1)); err != nil {
		t.Error(err)
	}
}

// The longest names still fit into every index, also when they do not compress.
func TestLongNames(t *testing.T) {
	schema := newSchema(t)
	long := func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(object(fmt.Sprint(i)).Name.String())
		}
		return b.String()[:n]
	}
	store := openTenant(t, server(t), schema, long(postgres.MaxTenant))
	if err := store.Append(t.Context(), batch(long(replay.MaxSession), 1)); err != nil {
		t.Error(err)
	}
	for name, session := range map[string]string{"long": long(replay.MaxSession + 1), "NUL": "a\x00", "no text": "\xff"} { // any order
		if err := store.Append(t.Context(), batch(session, 1)); err == nil || !strings.Contains(err.Error(), "at most 2048 bytes") {
			t.Errorf("%s: %v", name, err)
		}
		for e, err := range store.Entries(t.Context(), replay.Span{Session: session}) {
			t.Errorf("%s: %v, %v", name, e, err)
		}
		for h, err := range store.Heads(t.Context(), session) {
			t.Errorf("%s: %v, %v", name, h, err)
		}
	}
	if n := len(entries(t, store)); n != 1 {
		t.Errorf("%d entries; want 1", n)
	}
}
