// Package storetest says in code what a [replay.Store] has to do. Every driver runs the same suite:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) storetest.Place {
//			path := filepath.Join(t.TempDir(), "store.db")
//			return func(tenant string) (replay.Store, error) {
//				return sqlite.Open(t.Context(), path, sqlite.Options{Tenant: tenant})
//			}
//		})
//	}
package storetest

import (
	"testing"

	"github.com/quirehq/quire/replay"
)

// A Place is one physical store. It may be opened many times, for several tenants, at once; every store it returns is
// closed by the suite.
type Place func(tenant string) (replay.Store, error)

// Run runs the whole suite, each test on a new, empty place.
func Run(t *testing.T, place func(t *testing.T) Place) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, place Place)
	}{
		{"Empty", testEmpty},
		{"Append", testAppend},
		{"Conflict", testConflict},
		{"Stale", testStale},
		{"Objects", testObjects},
		{"Names", testNames},
		{"Entries", testEntries},
		{"Delete", testDelete},
		{"Reopen", testReopen},
		{"Tenants", testTenants},
		{"Canceled", testCanceled},
		{"ManyWriters", testManyWriters},
		{"OneSession", testOneSession},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, place(t)) })
	}
	t.Run("Model", func(t *testing.T) { testModel(t, place) })
}
