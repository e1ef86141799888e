package replay

import (
	"context"

	"github.com/quirehq/quire/fingerprint"
)

// Stats say how much is recorded and how much room it takes.
type Stats struct {
	Sessions, Records, Objects int64
	TextBytes                  int64 // the lengths of all recorded texts, added up
	StoredBytes                int64 // the data of all objects, as stored, without the engine's own overhead
}

// Measure counts what a store holds.
func Measure(ctx context.Context, store Store) (stats Stats, err error) {
	for _, err := range store.Heads(ctx, "") {
		if err != nil {
			return stats, err
		}
		stats.Sessions++
	}
	for rec, err := range NewReader(store).Records(ctx, Query{}) {
		if err != nil {
			return stats, err
		}
		stats.Records++
		stats.TextBytes += rec.Bytes
	}
	for s, err := range store.Names(ctx, fingerprint.Digest{}, lastDigest()) {
		if err != nil {
			return stats, err
		}
		stats.Objects++
		stats.StoredBytes += s.Bytes
	}
	return stats, nil
}
