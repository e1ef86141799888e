package postgres_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// server returns the URL of the server that the tests may use.
func server(t testing.TB) string {
	t.Helper()
	url := os.Getenv("QUIRE_TEST_POSTGRES")
	if url == "" {
		t.Skip("needs a PostgreSQL server in QUIRE_TEST_POSTGRES; scripts/with-postgres starts one")
	}
	return url
}

var schemas atomic.Int64

// newSchema returns the name of a schema that nobody uses, and removes it in the end. The name needs quoting.
func newSchema(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf(`%.30s "%d.%d"`, strings.ReplaceAll(t.Name(), "/", " "), os.Getpid(), schemas.Add(1))
	t.Cleanup(func() {
		c, err := pgx.Connect(context.Background(), server(t))
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close(context.Background())
		if _, err := c.Exec(context.Background(), `DROP SCHEMA IF EXISTS `+pgx.Identifier{name}.Sanitize()+` CASCADE`); err != nil {
			t.Error(err)
		}
	})
	return name
}

// named puts the name of a schema into a statement, for each "@".
func named(schema, statement string) string {
	return strings.ReplaceAll(statement, "@", pgx.Identifier{schema}.Sanitize()+".")
}
