package replay_test

import (
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/tiers"
)

func TestMutate(t *testing.T) {
	store := new(replay.Memory)
	recordGrowing(t, store, "s", 10)
	rec := replay.NewRecorder(store, replay.Session{ID: "all fields"})
	for _, gate := range []tiers.Gate{tiers.Published, tiers.Reserved, tiers.PrefixStable} {
		mustRecord(t, rec, mustCompose(t, []composer.Section{
			{ID: "a", Content: "the persona", Breakpoint: true},
			{ID: "b", Content: "a long rule, in many words", Tier: tiers.Active, Alternates: []string{"a rule", "r"}, Chain: "c"},
			{ID: "c", Content: "日本語", Tier: tiers.Informational, Chain: "c", Priority: 2},
			{ID: "d", Content: "", Tier: tiers.Informational, Group: "g"},
			{ID: "e", Content: "the end", Tier: tiers.Active, Group: "g"},
		}, composer.Config{Gate: gate, Budget: tiers.Limit(40), MaxBytes: tiers.Limit(60), Join: composer.Line, TailReserve: 3}), replay.Turn{})
	}
	report, err := replay.Mutate(t.Context(), store, replay.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range report.Survivors {
		t.Errorf("%+v", s)
	}
	if report.Records != 13 || report.Mutants < 300 {
		t.Errorf("%d mutants of %d records", report.Mutants, report.Records)
	}
}
