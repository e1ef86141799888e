package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/sqlite"
	"github.com/quirehq/quire/replay/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m, openPath)) }

func openPath(ctx context.Context, path string) (replay.Store, error) {
	return sqlite.Open(ctx, path, sqlite.Options{})
}

func TestKill(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 15
	}
	storetest.Kill(t, filepath.Join(t.TempDir(), "store.db"), openPath, rounds)
}

func TestProcesses(t *testing.T) {
	storetest.Processes(t, filepath.Join(t.TempDir(), "store.db"), openPath)
}
