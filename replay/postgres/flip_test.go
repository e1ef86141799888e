package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

// shown is everything that can be read from a store through its reader, as one string, and its records by turn.
func shown(ctx context.Context, store replay.Store) (all string, err error) {
	reader := replay.NewReader(store)
	for s, err := range store.Names(ctx, fingerprint.Digest{}, last) {
		if err != nil {
			return all, err
		}
		content, err := reader.Content(ctx, s.Name)
		if err != nil {
			return all, err
		}
		all += s.Name.String() + content
	}
	for h, err := range store.Heads(ctx, "") {
		if err != nil {
			return all, err
		}
		all += fmt.Sprint(h)
	}
	for rec, err := range reader.Records(ctx, replay.Query{}) {
		if err != nil {
			return all, err
		}
		all += string(rec.AppendJSON(nil))
	}
	return all, nil
}

// Bits of rows are flipped in turn, as UPDATE can do it. What is read is then what was written, or the error says that
// the store is corrupt; and what is not seen by reading, checking the store finds. With QUIRE_FLIP=all that is tried for
// every bit (some minutes), else for a part of them.
func TestFlip(t *testing.T) {
	schema := newSchema(t)
	store := openTenant(t, server(t), schema, "")
	rec := replay.NewRecorder(store, replay.Session{ID: "s"})
	for turn := range 3 {
		if _, err := rec.Record(t.Context(), compose(t, "s", turn), replay.Turn{Response: []byte("answer")}); err != nil {
			t.Fatal(err)
		}
	}
	want, err := shown(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	a := newAdmin(t)
	step := 13
	if testing.Short() {
		step = 61
	}
	if os.Getenv("QUIRE_FLIP") == "all" {
		step = 1
	}
	flips, harmless, n := 0, 0, 0
	for _, column := range []struct {
		table, name string
		text        bool
	}{
		{"objects", "name", false}, {"objects", "form", false}, {"objects", "size", false}, {"objects", "data", false},
		{"sessions", "session", true}, {"sessions", "first", false}, {"sessions", "last", false}, {"sessions", "record", false},
		{"log", "session", true}, {"log", "seq", false}, {"log", "turn", false}, {"log", "record", false}, {"log", "key", false}, {"log", "output", false},
	} {
		rows, err := a.Query(t.Context(), named(schema, `SELECT ctid::text, `+column.name+` FROM @`+column.table))
		if err != nil {
			t.Fatal(err)
		}
		values, err := pgx.CollectRows(rows, pgx.RowToMap)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range values {
			at, value := row["ctid"], row[column.name]
			var flipped []any
			switch value := value.(type) {
			case []byte:
				for bit := range 8 * len(value) {
					other := append([]byte{}, value...)
					other[bit/8] ^= 1 << (bit % 8)
					flipped = append(flipped, other)
				}
			case string:
				for bit := range 8 * len(value) {
					if other := []byte(value); bit%8 != 7 { // a lone high bit is no text, and refused
						other[bit/8] ^= 1 << (bit % 8)
						flipped = append(flipped, string(other))
					}
				}
			case int64:
				for bit := range 64 {
					flipped = append(flipped, value^1<<bit)
				}
			default:
				t.Fatalf("%s.%s is a %T", column.table, column.name, value)
			}
			for _, other := range flipped {
				if n++; n%step != 0 {
					continue
				}
				set := named(schema, `UPDATE @`+column.table+` SET `+column.name+` = $1 WHERE ctid = $2::text::tid RETURNING ctid::text`)
				var refused *pgconn.PgError
				if err := a.QueryRow(t.Context(), set, other, at).Scan(&at); errors.As(err, &refused) && refused.Code == "23505" {
					continue // an index holds another row of that key
				} else if err != nil {
					t.Fatal(err)
				}
				flips++
				got, readErr := shown(t.Context(), store)
				damaged := 0
				_, checkErr := replay.Check(t.Context(), store, replay.CheckOptions{Damage: func(error) { damaged++ }})
				var corrupt *replay.CorruptError
				what := fmt.Sprintf("%s.%s %.90v for %.90v", column.table, column.name, other, value)
				switch {
				case readErr != nil && !errors.As(readErr, &corrupt):
					t.Errorf("%s: an error that does not say corrupt: %v", what, readErr)
				case readErr == nil && got != want && damaged == 0 && !errors.As(checkErr, &corrupt):
					t.Errorf("%s: other data, and no damage", what)
				case readErr == nil && got == want: // some bits of a zstd frame mean nothing
					harmless++
				case damaged == 0 && !errors.As(checkErr, &corrupt):
					t.Errorf("%s: checking finds nothing: %v", what, checkErr)
				}
				if err := a.QueryRow(t.Context(), set, value, at).Scan(&at); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if got, err := shown(t.Context(), store); err != nil || got != want {
		t.Errorf("after all was put back: %v", err)
	}
	if harmless > flips/50 {
		t.Errorf("%d bits flipped, of which %d make no difference", flips, harmless)
	}
	t.Logf("%d bits of %d, of which %d make no difference", flips, n, harmless)
}

// One row of a tenant that says another epoch would make every writer ask again for ever.
func TestGatesDisagree(t *testing.T) {
	schema := newSchema(t)
	store := openTenant(t, server(t), schema, "")
	if err := store.Append(t.Context(), batch("s", 1)); err != nil {
		t.Fatal(err)
	}
	a := newAdmin(t)
	var corrupt *replay.CorruptError
	a.run(schema, `UPDATE @tenants SET epoch = 8 WHERE gate = 5`)
	if _, _, err := store.Missing(t.Context(), nil); !errors.As(err, &corrupt) {
		t.Errorf("other epoch: %v; want a CorruptError", err)
	}
	a.run(schema, `DELETE FROM @tenants WHERE gate = 5`)
	if _, _, err := store.Missing(t.Context(), nil); !errors.As(err, &corrupt) {
		t.Errorf("a row less: %v; want a CorruptError", err)
	}
	// An entry that the session's head does not know of, and columns that are no digest.
	a.run(schema, `UPDATE @sessions SET last = 0`)
	again := batch("s", 1)
	again.Entries[0].Turn = 7
	again.Entries[0].Record[0] = 0
	if err := store.Append(t.Context(), again); !errors.As(err, &corrupt) {
		t.Errorf("an entry behind the last: %v; want a CorruptError", err)
	}
	a.run(schema, `UPDATE @log SET output = 'short'`)
	for _, err := range store.Entries(t.Context(), replay.Span{}) {
		if !errors.As(err, &corrupt) || corrupt.Place == "" {
			t.Errorf("a short digest: %v; want a CorruptError with its place", err)
		}
	}
}
