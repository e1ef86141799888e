package sqlite_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/sqlite"
)

func ExampleOpen() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "quire")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	store, err := sqlite.Open(ctx, filepath.Join(folder, "store.db"), sqlite.Options{Tenant: "somebody"})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	c, err := composer.Compose([]composer.Section{{ID: "persona", Content: "You are careful."}}, composer.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := replay.NewRecorder(store, replay.Session{ID: "build-42"}).Record(ctx, c, replay.Turn{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(replay.Verify(ctx, store, replay.Query{}, replay.Options{}))
	// Output: 1 verified, 0 diverged, 0 missing, 0 corrupt <nil>
}
