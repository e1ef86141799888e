package replay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/tiers"
)

// recorded is a store with a session of two turns.
func recorded() (*replay.Memory, []composer.Composition) {
	store := new(replay.Memory)
	rec := replay.NewRecorder(store, replay.Session{ID: "build-42"})
	var all []composer.Composition
	for i, note := range []string{"The weather is fine.", "The weather is wet."} {
		c, err := composer.Compose([]composer.Section{
			{ID: "persona", Content: "You are careful.", Breakpoint: true},
			{ID: "notes", Content: note, Tier: tiers.Informational},
		}, composer.Config{Budget: tiers.Limit(100), Gate: tiers.Reserved})
		if err != nil {
			log.Fatal(err)
		}
		if _, err := rec.Record(context.Background(), c, replay.Turn{Response: fmt.Appendf(nil, "answer %d", i+1)}); err != nil {
			log.Fatal(err)
		}
		all = append(all, c)
	}
	return store, all
}

func ExampleRecorder_Record() {
	store := new(replay.Memory) // sqlite.Open makes one that lasts
	rec := replay.NewRecorder(store, replay.Session{ID: "build-42", Labels: map[string]string{"model": "small"}})
	c, err := composer.Compose([]composer.Section{{ID: "persona", Content: "You are careful."}}, composer.Config{})
	if err != nil {
		log.Fatal(err)
	}
	record, err := rec.Record(context.Background(), c, replay.Turn{Number: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(record.Session, record.Turn, record.Output == c.Fingerprint())
	// Output: build-42 1 true
}

func ExampleVerify() {
	store, _ := recorded()
	report, err := replay.Verify(context.Background(), store, replay.Query{Session: "build-42"}, replay.Options{})
	fmt.Println(report, err)
	// Output: 2 verified, 0 diverged, 0 missing, 0 corrupt <nil>
}

func ExampleDiff() {
	_, turns := recorded()
	d := replay.Diff(turns[0], turns[1])
	fmt.Println(d.Changes[0])
	fmt.Println("common prefix:", d.CommonBytes, "bytes")
	// Output:
	// content_changed: section "notes", from byte 15 on
	// common prefix: 33 bytes
}

func ExampleReader_Compare() {
	store, turns := recorded()
	d, err := replay.NewReader(store).Compare(context.Background(), "build-42", 1, turns[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d)
	// Output: replay: build-42@1: content_changed: section "notes", from byte 33 of the text on: recorded "\nThe weather is fine.", now "\nThe weather is wet."
}

func ExampleReader_Match() {
	store, turns := recorded()
	other, err := turns[1].Rebudget(tiers.Limit(20))
	if err != nil {
		log.Fatal(err)
	}
	_, err = replay.NewReader(store).Match(context.Background(), "build-42", other)
	var miss *replay.MissError
	fmt.Println(errors.As(err, &miss), miss.Nearest.Turn, miss.Nearest.Cause)
	// Output: true 2 budget_changed
}

func ExamplePlayer() {
	store, turns := recorded()
	player, err := replay.NewPlayer(context.Background(), store, "build-42")
	if err != nil {
		log.Fatal(err)
	}
	response, _ := player.Next(context.Background(), turns[0].Fingerprint())
	_, err = player.Next(context.Background(), turns[0].Fingerprint())
	fmt.Printf("%s, then %v\n", response, errors.Is(err, replay.ErrNotFound))
	// Output: answer 1, then true
}

func ExampleExport() {
	store, _ := recorded()
	var bundle bytes.Buffer
	if err := replay.Export(context.Background(), store, replay.Query{}, &bundle); err != nil {
		log.Fatal(err)
	}
	imported, err := replay.Import(context.Background(), new(replay.Memory), &bundle, replay.Limits{})
	fmt.Printf("%+v %v\n", imported, err)
	// Output: {Sessions:1 Records:2 Objects:8 New:2} <nil>
}

func ExampleMutate() {
	store, _ := recorded()
	report, err := replay.Mutate(context.Background(), store, replay.Query{})
	fmt.Println(report.Mutants > 40, len(report.Survivors), err)
	// Output: true 0 <nil>
}

func ExampleReader_Find() {
	store, _ := recorded()
	reader := replay.NewReader(store)
	name, err := reader.Find(context.Background(), fingerprint.SumString("You are careful.").String()[:8])
	if err != nil {
		log.Fatal(err)
	}
	content, err := reader.Content(context.Background(), name)
	fmt.Println(content, err)
	// Output: You are careful. <nil>
}

func ExampleParseShard() {
	shard, err := replay.ParseShard("2/16")
	fmt.Println(shard.Index, shard.Count, err)
	// Output: 2 16 <nil>
}
