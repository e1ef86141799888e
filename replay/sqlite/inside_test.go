package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

// No span that the store is asked for walks more of the log than it returns, and none is sorted.
func TestEntriesUseAnIndex(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	key, output := fingerprint.Frame("key"), fingerprint.SumString("output")
	after := &replay.Entry{Session: "s", Seq: 5}
	for _, test := range []struct {
		span  replay.Span
		after *replay.Entry
		want  string
	}{
		{replay.Span{}, nil, "PRIMARY KEY (tenant=?)"},
		{replay.Span{}, after, "PRIMARY KEY (tenant=? AND (session,seq)>(?,?))"},
		{replay.Span{Session: "s"}, nil, "PRIMARY KEY (tenant=? AND session=?)"},
		{replay.Span{Session: "s", From: 3}, after, "PRIMARY KEY (tenant=? AND session=? AND seq>?)"},
		{replay.Span{Session: "s", From: 3, To: 4}, nil, "PRIMARY KEY (tenant=? AND session=? AND seq>? AND seq<?)"},
		{replay.Span{Session: "s", Turn: 3}, nil, "INDEX log_turn (tenant=? AND session=? AND turn=?)"},
		{replay.Span{Key: key}, nil, "INDEX log_key (tenant=? AND key=?)"},
		{replay.Span{Key: key}, after, "INDEX log_key (tenant=? AND key=? AND (session,seq)>(?,?))"},
		{replay.Span{Session: "s", Key: key}, nil, "INDEX log_key (tenant=? AND key=? AND session=?)"},
		{replay.Span{Output: output}, nil, "INDEX log_output (tenant=? AND output=?)"},
	} {
		query, _ := selectEntries(1, test.span, test.after)
		err := s.do(t.Context(), func(c *conn) error {
			return c.each(`EXPLAIN QUERY PLAN `+query, nil, func(row *sqlite3.Stmt) error {
				if plan := row.ColumnText(3); !strings.HasSuffix(plan, test.want) {
					t.Errorf("%+v: %s; want %s", test.span, plan, test.want)
				}
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A new store has what its header must say from the beginning on, and what is not one is left alone.
func TestCreate(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "store.db")
	for range 2 { // the second time it is there
		s, err := Open(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = s.do(t.Context(), func(c *conn) error {
			for name, want := range map[string]int64{"application_id": applicationID, "user_version": int64(len(migrations)),
				"auto_vacuum": 2, "checksum_verification": 1, "synchronous": 2} { // in any order
				if got, err := pragma(c.Conn, name); err != nil || got != want {
					t.Errorf("%s is %d, %v; want %d", name, got, err, want)
				}
			}
			return nil
		})
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}

	newer, err := sqlite3.Open("file:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(newer.Exec(`PRAGMA user_version = 99`), newer.Close()); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(folder, "other.db")
	c, err := sqlite3.Open("file:" + other)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Exec(`CREATE TABLE mine (x)`), c.Close()); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(folder, "text")
	if err := os.WriteFile(text, []byte("Dear diary, today I wrote a long text that is no database at all.\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{path: "written by a newer quire", other: "not a quire store", text: "corrupt", folder: "sqlite"} { // in any order
		before, _ := os.ReadFile(name)
		if s, err := Open(t.Context(), name, Options{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, %v; want an error that says %q", name, s, err, says)
		}
		if after, _ := os.ReadFile(name); string(before) != string(after) {
			t.Errorf("%s was changed", name)
		}
	}
}

// A form that no form can be is damage, wherever it is read.
func TestFormOutOfRange(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	name := fingerprint.SumString("a")
	object := replay.Object{Name: name, Form: replay.Plain, Size: 1, Data: []byte("a")}
	if err := s.Append(t.Context(), replay.Batch{Objects: []replay.Object{object}}); err != nil {
		t.Fatal(err)
	}
	for _, form := range []int64{256, -1} {
		if err := s.do(t.Context(), func(c *conn) error { return c.run(`UPDATE objects SET form = ?`, integer(form)) }); err != nil {
			t.Fatal(err)
		}
		var corrupt *replay.CorruptError
		if _, err := s.Objects(t.Context(), []fingerprint.Digest{name}); !errors.As(err, &corrupt) || corrupt.Name != name {
			t.Errorf("Objects, form %d: %v", form, err)
		}
		corrupt = nil
		for stored, err := range s.Names(t.Context(), name, name) {
			if !errors.As(err, &corrupt) || corrupt.Name != name {
				t.Errorf("Names, form %d: %v, %v", form, stored, err)
			}
		}
		if corrupt == nil {
			t.Errorf("Names, form %d: nothing is said", form)
		}
	}
}
