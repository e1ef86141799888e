package replay

import (
	"sync"

	"github.com/quirehq/quire/fingerprint"
)

// A cache keeps contents that were read and checked, up to a number of bytes. It holds two generations: what was not
// asked for while the younger filled up goes with the older.
type cache struct {
	mu         sync.Mutex
	limit      int
	size       int // of the younger
	young, old map[fingerprint.Digest]string
}

func newCache(limit int) *cache {
	return &cache{limit: limit / 2, young: map[fingerprint.Digest]string{}}
}

func (c *cache) find(name fingerprint.Digest) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	content, there := c.young[name]
	if !there {
		if content, there = c.old[name]; there {
			c.add(name, content)
		}
	}
	return content, there
}

func (c *cache) keep(name fingerprint.Digest, content string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, there := c.young[name]; !there {
		c.add(name, content)
	}
}

func (c *cache) add(name fingerprint.Digest, content string) {
	const entry = 100 // bytes, about, beside the content
	if c.size += len(content) + entry; c.size > c.limit {
		c.old, c.young, c.size = c.young, map[fingerprint.Digest]string{}, len(content)+entry
	}
	c.young[name] = content
}
