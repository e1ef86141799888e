package bench_test

import (
	"testing"

	"github.com/quirehq/quire/bench"
)

// The trial of docs/eviction.md on generated sessions; with -v it prints the table. What is promised of the policies
// holds in it: cutting on a grid costs less and moves the cut less often, and the coarser the grid, the more so.
func TestEvictionOfGeneratedSessions(t *testing.T) {
	talks := bench.GeneratedTalks(32)
	results := play(t, talks)
	t.Log("\n" + bench.EvictionTable(bench.EvictionPolicies(), results))
	for i := 2; i < len(results); i++ {
		finer, coarser := results[i-1], results[i]
		if coarser.Cuts >= finer.Cuts || coarser.Cost()*finer.Tokens >= finer.Cost()*coarser.Tokens {
			t.Errorf("%s: %d cuts, cost %d of %d tokens; %s: %d cuts, cost %d of %d tokens", bench.EvictionPolicies()[i-1].Name,
				finer.Cuts, finer.Cost(), finer.Tokens, bench.EvictionPolicies()[i].Name, coarser.Cuts, coarser.Cost(), coarser.Tokens)
		}
	}
}

// play plays the sessions under every policy.
func play(t *testing.T, talks []bench.Talk) []bench.Eviction {
	t.Helper()
	var results []bench.Eviction
	for _, policy := range bench.EvictionPolicies() {
		var sum bench.Eviction
		for _, talk := range talks {
			e, err := bench.Evict(talk, policy)
			if err != nil {
				t.Fatal(err)
			}
			sum.Add(e)
		}
		results = append(results, sum)
	}
	return results
}
