package cachelab

import (
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
)

// A line is a request in the order in which a profile reads it, with the key and the size of every prefix.
type line struct {
	stops []stop
	total int64 // tokens
	bytes int64
}

// A stop is the end of a piece.
type stop struct {
	piece  *Piece
	key    fingerprint.Key // of all up to here: equal keys, equal prefixes
	before fingerprint.Key // of the prefix that the piece follows
	tokens int64           // of all up to here
	bytes  int64
	marked bool // an entry ends here
	ttl    string
}

// line lays a request out. The model, a key that chooses the machine, and parameters that cost what stands after them
// are part of the keys: an entry is found by requests that have the same.
func (p *Profile) line(r *Request) line {
	l := line{stops: make([]stop, 0, len(r.Pieces))}
	affinity := "absent"
	if v := r.param(p.AffinityParam.Value); p.AffinityParam.Value != "" && v != "" {
		affinity = "=" + string(v)
	}
	key := fingerprint.Frame(r.Model, affinity)
	kept := p.thinkingFrom(r)
	for _, region := range p.RenderOrder.Value {
		for _, x := range p.Invalidators.Value {
			if v := r.param(x.Param); x.Region == region && v != "" {
				key = fingerprint.Frame(key[:], []byte(x.Param), []byte(v))
			}
		}
		for i := range r.Pieces {
			piece := &r.Pieces[i]
			if piece.Region != region || piece.isThinking() && piece.Index < kept {
				continue
			}
			s := stop{piece: piece, before: key, marked: piece.Marked, ttl: piece.TTL}
			key = fingerprint.Frame(key[:], piece.digest[:])
			l.total += piece.Tokens
			l.bytes += int64(len(piece.Text))
			s.key, s.tokens, s.bytes = key, l.total, l.bytes
			l.stops = append(l.stops, s)
		}
	}
	l.mark(p, r)
	return l
}

// thinkingFrom returns the message from which on thinking is shown to the model: some leave out, on the server, what was
// thought before the last message of the user that is more than results. Bytes that are equal can then still miss.
func (p *Profile) thinkingFrom(r *Request) int {
	if !p.Strips.Value {
		return 0
	}
	for i := range slices.Backward(r.Pieces) {
		q := &r.Pieces[i]
		if q.Region == Messages && roleOf(q) == string(messages.User) && q.block != nil && q.block.Kind != messages.KindToolResult {
			return q.Index
		}
	}
	return 0
}

func (p *Piece) isThinking() bool {
	return p.block != nil && (p.block.Kind == messages.KindThinking || p.block.Kind == "redacted_thinking")
}

// mark keeps the markers that the service takes, and sets its own.
func (l *line) mark(p *Profile, r *Request) {
	if !p.MatchModel.Value.marked() {
		for i := range l.stops {
			l.stops[i].marked = false
		}
		return
	}
	implicit := p.Implicit.Value
	most := p.Markers.Value
	if implicit > 0 && r.explicitOnly() {
		most, implicit = most+implicit, 0
	}
	if p.MatchModel.Value == BreakpointExact { // the latest count
		for i := range slices.Backward(l.stops) {
			if !l.stops[i].marked {
				continue
			}
			if most--; most < 0 {
				l.stops[i].marked = false
			}
		}
	}
	if n := len(l.stops); implicit > 0 && n > 0 {
		l.stops[n-1].marked = true
	}
}

// reach reports whether an entry that ends at stop i can be found by the request: see [MatchModel].
func (l *line) reach(p *Profile) []bool {
	n := len(l.stops)
	in := make([]bool, n)
	switch p.MatchModel.Value {
	case MarkedLookback:
		left := int64(0)
		for i := n - 1; i >= 0; i-- {
			if l.stops[i].marked {
				left = p.Lookback.Value + 1 // the marker's own piece, and so many before it
				if p.Lookback.Value == 0 {
					left = int64(n) + 1
				}
			}
			in[i] = left > 0
			left--
		}
	case BreakpointExact:
		left := p.Candidates.Value
		for i := n - 1; i >= 0; i-- {
			ends := i+1 == n || l.stops[i].piece.Region != l.stops[i+1].piece.Region ||
				l.stops[i].piece.Index != l.stops[i+1].piece.Index
			if !l.stops[i].marked && (!ends || l.stops[i].piece.Region == Tools) {
				continue
			}
			in[i] = p.Candidates.Value == 0 || left > 0
			left--
		}
	default:
		for i := range in {
			in[i] = true
		}
	}
	return in
}

// explicitOnly reports whether the request asks the service to set no marker of its own.
func (r *Request) explicitOnly() bool {
	var options struct {
		Mode string `json:"mode"`
	}
	v := r.param("prompt_cache_options")
	return v != "" && json.Unmarshal([]byte(v), &options) == nil && options.Mode == "explicit"
}
