package sqlite

import (
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
