package replay_test

import (
	"testing"

	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Place {
		tenants := map[string]*replay.Memory{}
		return func(tenant string) (replay.Store, error) {
			if tenants[tenant] == nil {
				tenants[tenant] = new(replay.Memory)
			}
			return tenants[tenant], nil
		}
	})
}
