package fuzz_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fuzz"
)

// Packages have native targets of their own. These are for laws that span several of them.

func FuzzReplay(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { fuzz.CheckReplay(t, fuzz.Inputs(6), compose) }))
}

func FuzzReplayOfMessages(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { fuzz.CheckReplayCompilation(t, fuzz.Prompts(4), compilers, compilation) }))
}

func FuzzHead(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { fuzz.CheckPrefixStable(t, fuzz.Heads(6), fuzz.Tails(6), withTail) }))
}

func FuzzHostile(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		fuzz.CheckRobust(t, fuzz.HostileInputs(6), func(in fuzz.HostileInput) (composer.Composition, error) { return in.Compose() })
	}))
}
