package bench_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/postgres"
)

// BenchmarkPostgres stores into a PostgreSQL server, beside what the same bytes cost there anyway: one row with one commit
// over one connection. The rates mean something where the server's fsync is on, which the names tell; the server that
// scripts/with-postgres starts has it off.
//
// "record" is a turn as a whole, "append" what a driver does for the same objects, "batch" a hundred objects of 16 KiB.
func BenchmarkPostgres(b *testing.B) {
	url := os.Getenv("QUIRE_TEST_POSTGRES")
	if url == "" {
		b.Skip("needs a PostgreSQL server in QUIRE_TEST_POSTGRES; scripts/with-postgres starts one")
	}
	ctx := context.Background()
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close(ctx)
	schema := fmt.Sprintf("bench_%d", os.Getpid())
	store, err := postgres.Open(ctx, url, postgres.Options{Schema: schema})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Exec(ctx, `DROP SCHEMA `+schema+` CASCADE`)
	defer store.Close()
	var fsync string
	if err := c.QueryRow(ctx, `SHOW fsync`).Scan(&fsync); err != nil {
		b.Fatal(err)
	}
	if _, err := c.Exec(ctx, `CREATE TABLE `+schema+`.bare (id bigint PRIMARY KEY, data bytea NOT NULL)`); err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte { // zstd would not shorten it, and neither does the server
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		return data
	}
	ids := int64(0)
	bare := func(b *testing.B, rows [][]byte) {
		b.ReportAllocs()
		b.SetBytes(int64(len(rows) * len(rows[0])))
		for b.Loop() {
			first := make([]int64, len(rows))
			for i := range rows {
				ids++
				first[i] = ids
			}
			if _, err := c.Exec(ctx, `INSERT INTO `+schema+`.bare (id, data) SELECT * FROM unnest($1::bigint[], $2::bytea[])`, first, rows); err != nil {
				b.Fatal(err)
			}
		}
	}

	// A turn of a session that grows by two messages of 500 bytes each turn, from 20 KB on.
	sections := []composer.Section{{ID: "system", Content: fmt.Sprintf("%x", random(10_000)), Breakpoint: true}}
	var turns []composer.Composition
	for turn := range 100 {
		for _, who := range []string{"user", "assistant"} {
			sections = append(sections, composer.Section{ID: fmt.Sprint(who, " ", turn), Content: fmt.Sprintf("%x", random(250))})
		}
		composition, err := composer.Compose(sections, composer.Config{})
		if err != nil {
			b.Fatal(err)
		}
		turns = append(turns, composition)
	}
	stored := func() (n int64) {
		if err := c.QueryRow(ctx, `SELECT coalesce(sum(octet_length(data)), 0) FROM `+schema+`.objects`).Scan(&n); err != nil {
			b.Fatal(err)
		}
		return n
	}
	var perTurn int
	b.Run("fsync="+fsync+"/turn/record", func(b *testing.B) {
		before, n := stored(), int64(0)
		var rec *replay.Recorder
		b.ReportAllocs()
		for b.Loop() {
			turn := int(n) % len(turns)
			if turn == 0 {
				rec = replay.NewRecorder(store, replay.Session{ID: fmt.Sprint("session ", rng.Uint64())})
			}
			if _, err := rec.Record(ctx, turns[turn], replay.Turn{}); err != nil {
				b.Fatal(err)
			}
			n++
		}
		perTurn = int((stored() - before) / n)
		b.SetBytes(int64(perTurn))
	})
	if perTurn == 0 {
		perTurn = 2_000 // where only other benchmarks run
	}
	b.Run("fsync="+fsync+"/turn/append", func(b *testing.B) {
		const objects = 4 // two messages, recipe, record; each sent as often as the benchmark runs
		b.ReportAllocs()
		b.SetBytes(int64(perTurn))
		session := fmt.Sprint("session ", rng.Uint64())
		data := random(perTurn / objects)
		for seq := int64(1); b.Loop(); seq++ {
			var batch replay.Batch
			for i := range objects {
				name := fingerprint.SumString(fmt.Sprint(session, seq, i))
				batch.Objects = append(batch.Objects, replay.Object{Name: name, Size: int64(len(data)), Data: data})
				batch.Entries = []replay.Entry{{Session: session, Seq: seq, Turn: seq, Record: name, Key: fingerprint.Key(name), Output: name}}
			}
			if err := store.Append(ctx, batch); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("fsync="+fsync+"/turn/bare", func(b *testing.B) { bare(b, [][]byte{random(perTurn)}) })

	blobs := make([][]byte, 100)
	for i := range blobs {
		blobs[i] = random(16 << 10)
	}
	b.Run("fsync="+fsync+"/batch/append", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(blobs)) * 16 << 10)
		for b.Loop() {
			batch := replay.Batch{}
			for _, data := range blobs {
				name := fingerprint.SumString(fmt.Sprint(rng.Uint64()))
				batch.Objects = append(batch.Objects, replay.Object{Name: name, Size: int64(len(data)), Data: data})
			}
			if err := store.Append(ctx, batch); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("fsync="+fsync+"/batch/bare", func(b *testing.B) { bare(b, blobs) })
}
