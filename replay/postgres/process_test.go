package postgres_test

import (
	"context"
	"os"
	"testing"

	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/postgres"
	"github.com/quirehq/quire/replay/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m, open)) }

// open opens a store by the name of its schema, for a process that has nothing but its environment.
func open(ctx context.Context, schema string) (replay.Store, error) {
	return postgres.Open(ctx, os.Getenv("QUIRE_TEST_POSTGRES"), postgres.Options{Schema: schema})
}

func TestKill(t *testing.T) {
	server(t)
	rounds := 300
	if testing.Short() {
		rounds = 15
	}
	storetest.Kill(t, newSchema(t), open, rounds)
}

// The schema is empty when the processes begin: each of them makes it.
func TestProcesses(t *testing.T) {
	server(t)
	for range 3 {
		storetest.Processes(t, newSchema(t), open)
	}
}
