package cachelab_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer/cachelab"
)

// A slow is a cache as one would first write it down: all requests there ever were, compared text by text.
type slow struct {
	p    cachelab.Profile
	past []sent
}

type sent struct {
	at      int64
	pieces  []cachelab.Piece
	entries []kept // where something was stored or used, for MarkedLookback, BreakpointExact, UnitExact
}

type kept struct {
	n       int // pieces of the prefix
	seconds int64
}

func texts(pieces []cachelab.Piece) []string {
	var list []string
	for _, q := range pieces {
		list = append(list, q.Text)
	}
	return list
}

func tokens(pieces []cachelab.Piece) (sum int64) {
	for _, q := range pieces {
		sum += q.Tokens
	}
	return sum
}

// stored reports whether a prefix was stored or used by some request and still lives, and for how long it was stored.
func (c *slow) stored(prefix []cachelab.Piece, now int64) (seconds int64, ok bool) {
	// Uses in order: each gives the entry a new life of its own length, or of the longer one that it has and still lives.
	var used int64
	for _, r := range c.past {
		for _, e := range r.entries {
			if e.n != len(prefix) || !slices.Equal(texts(r.pieces[:e.n]), texts(prefix)) {
				continue
			}
			length := e.seconds
			if ok && (seconds == 0 || r.at-used < seconds) && (seconds == 0 || seconds > length) {
				length = seconds
			}
			used, seconds, ok = r.at, length, true
		}
	}
	return seconds, ok && (seconds == 0 || now-used < seconds)
}

func (c *slow) play(pieces []cachelab.Piece, now int64) (read, written int64) {
	s := sent{at: now, pieces: pieces}
	switch c.p.MatchModel.Value {
	case cachelab.MarkedLookback, cachelab.BreakpointExact:
		read, written = c.marked(&s, now)
	case cachelab.UnitExact:
		read = c.units(&s, now)
	default:
		read = c.longest(pieces, now)
	}
	c.past = append(c.past, s)
	return read, written
}

func (c *slow) marks(pieces []cachelab.Piece) []int {
	var at []int
	for i, q := range pieces {
		if q.Marked {
			at = append(at, i)
		}
	}
	if c.p.MatchModel.Value == cachelab.BreakpointExact {
		at = at[max(0, len(at)-int(c.p.Markers.Value)):]
		if c.p.Implicit.Value > 0 && !slices.Contains(at, len(pieces)-1) {
			at = append(at, len(pieces)-1)
		}
	}
	return at
}

func (c *slow) seconds(ttl string) int64 {
	for _, l := range c.p.Lifetimes.Value {
		if l.Name == ttl {
			return l.Seconds
		}
	}
	return c.p.Lifetimes.Value[0].Seconds
}

func (c *slow) marked(s *sent, now int64) (read, written int64) {
	marks := c.marks(s.pieces)
	best := 0
	for n := 1; n <= len(s.pieces); n++ {
		found := false
		if c.p.MatchModel.Value == cachelab.MarkedLookback {
			for _, m := range marks {
				found = found || m >= n-1 && m-(n-1) <= int(c.p.Lookback.Value)
			}
		} else {
			// How many places of this kind stand behind it?
			later := 0
			place := func(i int) bool {
				q := s.pieces[i]
				ends := i+1 == len(s.pieces) || s.pieces[i+1].Index != q.Index || s.pieces[i+1].Region != q.Region
				return slices.Contains(marks, i) || ends && q.Region != cachelab.Tools
			}
			for i := n; i < len(s.pieces); i++ {
				if place(i) {
					later++
				}
			}
			found = place(n-1) && later < int(c.p.Candidates.Value)
		}
		_, live := c.stored(s.pieces[:n], now)
		if found && live && tokens(s.pieces[:n]) >= c.p.MinTokens.Value {
			best = n
		}
	}
	read = tokens(s.pieces[:best])
	if best > 0 {
		seconds, _ := c.stored(s.pieces[:best], now)
		s.entries = append(s.entries, kept{best, seconds})
	}
	for _, m := range marks {
		if upTo := tokens(s.pieces[:m+1]); upTo >= c.p.MinTokens.Value {
			written = max(written, upTo-read)
			s.entries = append(s.entries, kept{m + 1, c.seconds(s.pieces[m].TTL)})
		}
	}
	return read, written
}

func (c *slow) units(s *sent, now int64) (read int64) {
	seconds := c.p.Lifetimes.Value[0].Seconds
	best := 0
	for n := 1; n <= len(s.pieces); n++ {
		if _, live := c.stored(s.pieces[:n], now); live && tokens(s.pieces[:n]) >= c.p.MinTokens.Value {
			best = n
		}
	}
	answered := slices.ContainsFunc(c.past, func(r sent) bool {
		return slices.Equal(texts(r.pieces), texts(s.pieces[:best])) && now-r.at < seconds
	})
	for best > 0 && answered && best < len(s.pieces) && strings.HasPrefix(s.pieces[best].Origin, "assistant") {
		best++
	}
	common := 0
	for _, r := range c.past {
		n := 0
		for n < len(r.pieces) && n < len(s.pieces) && r.pieces[n].Text == s.pieces[n].Text {
			n++
		}
		common = max(common, n)
	}
	for _, n := range []int{best, max(best, common), len(s.pieces)} {
		if n > 0 {
			s.entries = append(s.entries, kept{n, seconds})
		}
	}
	return tokens(s.pieces[:best])
}

// longest compares with every request that still lives. What is shared of the piece in which they part counts by bytes.
func (c *slow) longest(pieces []cachelab.Piece, now int64) int64 {
	seconds := c.p.Lifetimes.Value[0].Seconds
	best := int64(0)
	for i, r := range c.past {
		if seconds > 0 && now-r.at >= seconds || c.p.Kept.Value > 0 && int64(len(c.past)-i) > c.p.Kept.Value {
			continue
		}
		n := 0
		for n < len(r.pieces) && n < len(pieces) && r.pieces[n].Text == pieces[n].Text {
			n++
		}
		sum := tokens(pieces[:n])
		if n < len(pieces) && n < len(r.pieces) {
			k := 0
			for k < len(pieces[n].Text) && k < len(r.pieces[n].Text) && pieces[n].Text[k] == r.pieces[n].Text[k] {
				k++
			}
			sum += pieces[n].Tokens * int64(k) / int64(len(pieces[n].Text))
		}
		if n == len(r.pieces) && c.p.StoresOutput.Value {
			for n < len(pieces) && strings.HasPrefix(pieces[n].Origin, "assistant") {
				sum += pieces[n].Tokens
				n++
			}
		}
		best = max(best, sum)
	}
	best = min(best, max(0, tokens(pieces)-c.p.LastComputed.Value))
	best -= best % c.p.Quantum.Value
	if best < c.p.MinTokens.Value {
		return 0
	}
	return best
}

// small returns the profile with figures that small requests reach.
func small(t *rapid.T, p cachelab.Profile) cachelab.Profile {
	p.MinTokens.Value = rapid.SampledFrom([]int64{0, 6, 20}).Draw(t, "minimum")
	if p.Quantum.Value > 1 {
		p.Quantum.Value = 4
	}
	if p.Lookback.Value > 0 {
		p.Lookback.Value = 3
	}
	if p.Candidates.Value > 0 {
		p.Candidates.Value = 3
	}
	return p
}

// drawTurns draws a session that grows, is edited, cut, and goes on in branches.
func drawTurns(t *rapid.T) [][]string {
	var all [][]string
	words := []string{"a user says this", "a user says that", "the quick brown fox", "x", "lorem ipsum dolor sit amet, and so on"}
	talk := []string{}
	for range rapid.IntRange(1, 10).Draw(t, "turns") {
		switch rapid.IntRange(0, 6).Draw(t, "change") {
		case 0:
			if len(talk) > 1 {
				talk = slices.Clone(talk[rapid.IntRange(1, len(talk)-1).Draw(t, "cut"):])
			}
		case 1:
			if len(all) > 0 {
				talk = slices.Clone(rapid.SampledFrom(all).Draw(t, "branch"))
			}
		case 2:
			if len(talk) > 0 {
				talk = slices.Clone(talk)
				talk[rapid.IntRange(0, len(talk)-1).Draw(t, "edited")] += "!"
			}
		}
		for range rapid.IntRange(1, 3).Draw(t, "more") {
			talk = append(slices.Clone(talk), rapid.SampledFrom(words).Draw(t, "text"))
		}
		all = append(all, talk)
	}
	return all
}

// TestSimulateOracle compares each match model with the slow one.
func TestSimulateOracle(t *testing.T) {
	for _, name := range []string{"anthropic-sonnet-5", "openai-gpt-5.6", "openai-gpt-5", "deepseek-v4-flash", "vllm", "sglang", "llama.cpp"} {
		base := profile(t, name)
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			p := small(t, base)
			c := slow{p: p}
			var turns []cachelab.Turn
			var want []cachelab.Prediction
			now := int64(0)
			for _, texts := range drawTurns(t) {
				q := plain(t, texts)
				for i := range q.Pieces {
					if rapid.IntRange(0, 3).Draw(t, "marked") == 0 {
						q.Pieces[i].Marked = true
						q.Pieces[i].TTL = rapid.SampledFrom([]string{"", "5m", "1h"}).Draw(t, "ttl")
					}
				}
				now += rapid.SampledFrom([]int64{0, 60, 299, 300, 2000, 90000}).Draw(t, "later")
				read, written := c.play(q.Pieces, now)
				want = append(want, cachelab.Prediction{Read: read, Written: written})
				turns = append(turns, cachelab.Turn{Request: q, At: now})
			}
			sim := cachelab.Simulate(turns, p)
			var sum cachelab.Outcome
			for i, o := range sim.Turns {
				if o.Read != want[i].Read || o.Written != want[i].Written {
					t.Fatalf("turn %d reads %d and writes %d; want %d and %d", i, o.Read, o.Written, want[i].Read, want[i].Written)
				}
				if o.Read+o.Written+o.Plain != o.Tokens || o.Plain < 0 || o.Tokens != turns[i].Request.Tokens() {
					t.Fatalf("turn %d: %d + %d + %d is not %d", i, o.Read, o.Written, o.Plain, o.Tokens)
				}
				sum.Read, sum.Cost = sum.Read+o.Read, sum.Cost+o.Cost
			}
			if sum.Read != sim.Total.Read || sum.Cost != sim.Total.Cost {
				t.Fatalf("total %+v; want %+v", sim.Total, sum)
			}
		}))
	}
}

// plain makes a request of messages; every second one is the assistant's.
func plain(t *rapid.T, texts []string) cachelab.Request {
	var r cachelab.Reader
	q, err := r.Call(callOf(texts))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestScale: scaling keeps the sum that is asked for.
func TestScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := plain(t, rapid.SliceOfN(rapid.StringMatching(`[a-z ]{0,40}`), 1, 9).Draw(t, "texts"))
		total := rapid.Int64Range(0, 1<<40).Draw(t, "total")
		whole := q.Tokens()
		s := q.Scale(total)
		if got := s.Tokens(); whole > 0 && got != total {
			t.Fatalf("scaled to %d; want %d", got, total)
		}
		if q.Tokens() != whole {
			t.Fatal("the request itself was scaled")
		}
	})
}
