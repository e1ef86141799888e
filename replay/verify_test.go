package replay_test

import (
	"testing"

	"github.com/quirehq/quire/replay"
)

func TestVerify(t *testing.T) {
	store := new(replay.Memory)
	recordGrowing(t, store, "s", 50)
	recordGrowing(t, store, "t", 3)
	var seqs []int64
	report, err := replay.Verify(t.Context(), store, replay.Query{}, replay.Options{Each: func(o replay.Outcome) {
		if o.Divergence != nil {
			t.Error(o.Divergence)
		}
		seqs = append(seqs, o.Entry.Seq)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := report.String(); got != "53 verified, 0 diverged, 0 missing, 0 corrupt" {
		t.Error(got)
	}
}
