package postgres

import (
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/storetest"
)

// Engines that have no READ COMMITTED run SERIALIZABLE in its place. PostgreSQL does so when it is told to, and then makes
// transactions fail that it would otherwise let wait: the suite must not notice.
func TestSerializable(t *testing.T) {
	url := os.Getenv("QUIRE_TEST_POSTGRES")
	if url == "" {
		t.Skip("needs a PostgreSQL server in QUIRE_TEST_POSTGRES; scripts/with-postgres starts one")
	}
	if testing.Short() {
		t.Skip("the whole suite again, and slower")
	}
	n := 0
	storetest.Run(t, func(t *testing.T) storetest.Place {
		n++
		schema := fmt.Sprintf("serializable_%d_%d", os.Getpid(), n)
		t.Cleanup(func() {
			s, err := Open(t.Context(), url, Options{Schema: schema})
			if err != nil {
				return // the test has failed already
			}
			defer s.Close()
			if err := s.do(t.Context(), func(c *pgx.Conn) error {
				_, err := c.Exec(t.Context(), `DROP SCHEMA `+schema+` CASCADE`)
				return err
			}); err != nil {
				t.Error(err)
			}
		})
		return func(tenant string) (replay.Store, error) {
			s, err := Open(t.Context(), url+"&default_transaction_isolation=serializable&default_query_exec_mode=exec", Options{Tenant: tenant, Schema: schema})
			if err != nil {
				return nil, err
			}
			s.begin = `BEGIN`
			return s, nil
		}
	})
}
