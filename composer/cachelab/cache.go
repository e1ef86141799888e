package cachelab

import (
	"slices"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/edits"
)

// A Prediction is what a profile says of one request. The three kinds of tokens add up to the request's.
type Prediction struct {
	Read    int64 `json:"read"`    // from the cache
	Written int64 `json:"written"` // to the cache, at the price of writing
	Plain   int64 `json:"plain"`
	Cost    Cost  `json:"cost"` // of all three, in input tokens at the plain price
}

// A cache is what a service keeps of a series of requests. Time is in seconds from anywhere.
type cache struct {
	profile *Profile
	entries map[fingerprint.Key]entry
	next    map[fingerprint.Key][]follower // what follows a prefix that is kept; for the models that match within a piece
	seen    map[fingerprint.Key]bool       // UnitExact: every prefix there ever was
	played  int64
}

type entry struct {
	used    int64 // when
	seconds int64 // that it lives from then on; 0: until the room is needed
	turn    int64 // the request that last used it
}

// A follower is a piece that follows a prefix, and the key of the two.
type follower struct {
	text string
	key  fingerprint.Key
}

func newCache(p *Profile) *cache {
	return &cache{profile: p, entries: map[fingerprint.Key]entry{}, next: map[fingerprint.Key][]follower{},
		seen: map[fingerprint.Key]bool{}}
}

// live reports whether what is known by the key can still be read.
func (c *cache) live(key fingerprint.Key, now int64) bool {
	e, ok := c.entries[key]
	if !ok || e.seconds > 0 && now-e.used >= e.seconds {
		return false
	}
	kept := c.profile.Kept.Value
	return kept == 0 || c.played-e.turn < kept
}

// keep stores an entry or uses it again. One that was stored for longer and still lives keeps its lifetime.
func (c *cache) keep(key fingerprint.Key, now, seconds int64) {
	if e := c.entries[key]; c.live(key, now) && (e.seconds == 0 || e.seconds > seconds) {
		seconds = e.seconds
	}
	c.entries[key] = entry{now, seconds, c.played}
}

// play predicts what a request reads and writes, and then keeps what it leaves behind.
func (c *cache) play(l *line, now int64) Prediction {
	read, at := c.read(l, now)
	c.played++
	out := Prediction{Read: read, Cost: price(read, c.profile.Read.Value)}
	if c.profile.MatchModel.Value.marked() {
		c.write(l, at, now, &out)
	} else {
		c.learn(l, at, now)
	}
	out.Plain = l.total - out.Read - out.Written
	out.Cost = out.Cost.add(price(out.Plain, c.profile.plain()))
	return out
}

// plain is what a token costs that is neither read nor written apart: where all is written and nothing is said of it, what
// writing costs.
func (p *Profile) plain() Rate {
	if p.MatchModel.Value.marked() {
		return One
	}
	return max(One, p.bare().Write)
}

// read returns how many tokens can be read, and at how many stops what is read ends or last ended.
func (c *cache) read(l *line, now int64) (tokens int64, stops int) {
	switch p := c.profile; p.MatchModel.Value {
	case MarkedLookback, BreakpointExact:
		in := l.reach(p)
		for i := range slices.Backward(l.stops) {
			s := &l.stops[i]
			if in[i] && s.tokens >= p.MinTokens.Value && c.live(s.key, now) {
				return s.tokens, i + 1
			}
		}
		return 0, 0
	case UnitExact:
		for i := range slices.Backward(l.stops) {
			if l.stops[i].tokens >= p.MinTokens.Value && c.live(l.stops[i].key, now) {
				n := c.withAnswer(l, i+1, now)
				return l.stops[n-1].tokens, n
			}
		}
		return 0, 0
	default:
		tokens, stops = c.common(l, now)
		if n := c.withAnswer(l, stops, now); n > stops {
			tokens, stops = l.stops[n-1].tokens, n
		}
		tokens = min(tokens, max(0, l.total-p.LastComputed.Value))
		if tokens -= tokens % max(1, p.Quantum.Value); tokens < p.MinTokens.Value {
			return 0, stops
		}
		return tokens, stops
	}
}

// ended is the key under which is kept that a request ended at a prefix.
func ended(key fingerprint.Key) fingerprint.Key { return fingerprint.Frame(key[:], []byte("end")) }

// withAnswer adds to the first n stops what the model answered to a request that ended there, where that is kept: the
// pieces of the assistant that follow.
func (c *cache) withAnswer(l *line, n int, now int64) int {
	if !c.profile.StoresOutput.Value || n == 0 || !c.live(ended(l.stops[n-1].key), now) {
		return n
	}
	for n < len(l.stops) && isAssistant(l.stops[n].piece) {
		n++
	}
	return n
}

// common returns the longest common prefix with what is known: in whole stops, and in tokens, where a piece that is
// shared in part counts by its bytes.
func (c *cache) common(l *line, now int64) (tokens int64, stops int) {
	for i := range l.stops {
		if !c.live(l.stops[i].key, now) {
			break
		}
		tokens, stops = l.stops[i].tokens, i+1
	}
	if stops == len(l.stops) {
		return tokens, stops
	}
	piece := l.stops[stops].piece
	best := 0
	for _, known := range c.next[l.stops[stops].before] {
		if c.live(known.key, now) {
			best = max(best, edits.CommonPrefix(known.text, piece.Text))
		}
	}
	return tokens + share(piece.Tokens, int64(best), int64(max(1, len(piece.Text)))), stops
}

// write sets what a request with markers writes after what it read, and keeps the entries.
func (c *cache) write(l *line, read int, now int64, out *Prediction) {
	if read > 0 {
		key := l.stops[read-1].key // a read renews what it reads, for as long as it was written for
		c.keep(key, now, c.entries[key].seconds)
	}
	done := out.Read
	for i := range l.stops {
		s := &l.stops[i]
		if !s.marked || s.tokens < c.profile.MinTokens.Value {
			continue
		}
		lifetime := c.profile.lifetime(s.ttl)
		if s.tokens > done {
			out.Written += s.tokens - done
			out.Cost = out.Cost.add(price(s.tokens-done, lifetime.Write))
			done = s.tokens
		}
		c.keep(s.key, now, lifetime.Seconds)
	}
}

// learn keeps what a request leaves behind where nothing is marked.
func (c *cache) learn(l *line, at int, now int64) {
	seconds := c.profile.bare().Seconds
	if c.profile.MatchModel.Value == UnitExact {
		c.learnUnits(l, at, now, seconds)
	} else {
		for i := range l.stops {
			s := &l.stops[i]
			if _, known := c.entries[s.key]; !known {
				c.next[s.before] = append(c.next[s.before], follower{s.piece.Text, s.key})
			}
			c.keep(s.key, now, seconds)
		}
	}
	if n := len(l.stops); n > 0 {
		c.keep(ended(l.stops[n-1].key), now, seconds)
	}
}

// learnUnits keeps the unit that was read, what was found in common with a request before, and the request.
func (c *cache) learnUnits(l *line, at int, now, seconds int64) {
	if at > 0 {
		c.keep(l.stops[at-1].key, now, seconds)
	}
	shared := 0
	for shared < len(l.stops) && c.seen[l.stops[shared].key] {
		shared++
	}
	if shared > at {
		c.keep(l.stops[shared-1].key, now, seconds)
	}
	for i := range l.stops[shared:] {
		c.seen[l.stops[shared+i].key] = true
	}
	if n := len(l.stops); n > 0 {
		c.keep(l.stops[n-1].key, now, seconds)
	}
}
