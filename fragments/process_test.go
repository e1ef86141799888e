package fragments_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments"
)

// TestMain lets the test binary stand for a process that assembles; see TestManyProcesses.
func TestMain(m *testing.M) {
	if seed := os.Getenv("QUIRE_TEST_SEED"); seed != "" {
		n, err := strconv.ParseUint(seed, 10, 64)
		if err != nil {
			panic(err) // unreachable: the parent made it
		}
		fmt.Print(shuffled(n))
		return
	}
	os.Exit(m.Run())
}

// Twenty processes register the same in other orders, under other locales and numbers of threads, and agree.
func TestManyProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("starts twenty processes")
	}
	program, err := os.Executable()
	if err != nil {
		t.Skipf("this platform starts no processes: %v", err)
	}
	want := shuffled(0)
	for seed := 1; seed <= 20; seed++ {
		cmd := exec.Command(program)
		locale := []string{"C", "tr_TR.UTF-8", "sv_SE.UTF-8", "de_DE.UTF-8"}[seed%4]
		cmd.Env = append(os.Environ(), "QUIRE_TEST_SEED="+strconv.Itoa(seed), "GOMAXPROCS="+strconv.Itoa(1+7*(seed%2)), "LC_ALL="+locale, "LANG="+locale)
		out, err := cmd.Output()
		var failed *exec.ExitError
		switch {
		case errors.As(err, &failed):
			t.Fatalf("process %d: %v\n%s", seed, err, failed.Stderr)
		case err != nil:
			t.Skipf("this platform starts no processes: %v", err)
		}
		if got := string(out); got != want {
			t.Errorf("process %d (%s): %s\nwant %s", seed, locale, got, want)
		}
	}
}

// shuffled assembles for every scope a registry whose names sort differently in every locale, registered in an order
// that depends on the seed, and returns the digests of the prompts and of the recipes.
func shuffled(seed uint64) string {
	var registrations []func(*fragments.Registry)
	names := []string{"ä", "z", "I", "i", "ı", "Z", "a", "ø", "\uff5e", "😀", "10", "9"}
	for i, name := range names {
		for _, scope := range modelScopes {
			registrations = append(registrations, func(r *fragments.Registry) {
				must(r.Section(scope, fragments.Section{Name: name, Order: i % 3, Text: name + " in {{scope}}"}))
			}, func(r *fragments.Registry) {
				must(r.Tools(scope, name, fragments.StaticTools(fragments.Tool{Name: name + scope.String(),
					Schema: must(fragments.ParseSchema([]byte(`{"z":{"b":1,"a":2},"a":[]}`)))})))
			})
		}
	}
	for _, scope := range modelScopes {
		registrations = append(registrations, func(r *fragments.Registry) {
			must(r.Variable(scope, "scope", fragments.StaticValue(scope.String())))
		})
	}
	if seed > 0 {
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(registrations), func(i, j int) {
			registrations[i], registrations[j] = registrations[j], registrations[i]
		})
	}
	r := must(fragments.New(fragments.Options{}))
	for _, register := range registrations {
		register(r)
	}
	var digests []string
	for _, scope := range modelScopes {
		a := must(r.Assemble(fragments.AssembleContext{Scope: scope}))
		c := must(a.Compile(composer.Config{}))
		digests = append(digests, c.Composition.Fingerprint().String(), fingerprint.Sum(c.Recipe).String(), fingerprint.Sum(a.AppendJSON(nil)).String())
	}
	return strings.Join(digests, " ")
}
