package postgres_test

import (
	"testing"

	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/postgres"
	"github.com/quirehq/quire/replay/storetest"
)

func TestStore(t *testing.T) {
	url := server(t)
	storetest.Run(t, func(t *testing.T) storetest.Place {
		schema := newSchema(t)
		return func(tenant string) (replay.Store, error) {
			return postgres.Open(t.Context(), url, postgres.Options{Tenant: tenant, Schema: schema})
		}
	})
}
