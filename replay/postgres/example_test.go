package postgres_test

import (
	"context"
	"log"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/postgres"
)

// It has no output to compare: there may be no server.
func ExampleOpen() {
	ctx := context.Background()
	store, err := postgres.Open(ctx, "postgres://quire@db.example.com/prompts", postgres.Options{Tenant: "team a"})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	c, err := composer.Compose([]composer.Section{{ID: "greeting", Content: "Hello"}}, composer.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := replay.NewRecorder(store, replay.Session{ID: "s"}).Record(ctx, c, replay.Turn{Number: 1}); err != nil {
		log.Fatal(err)
	}
}
