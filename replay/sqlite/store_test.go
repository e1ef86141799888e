package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/sqlite"
	"github.com/quirehq/quire/replay/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Place {
		path := filepath.Join(t.TempDir(), "new folder", "100% #1?.db")
		return func(tenant string) (replay.Store, error) {
			return sqlite.Open(t.Context(), path, sqlite.Options{Tenant: tenant})
		}
	})
}
