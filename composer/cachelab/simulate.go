package cachelab

import (
	"cmp"
	"slices"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/fingerprint"
)

// A Turn is one request of a series, when it was sent, and what the provider counted, where that is known.
type Turn struct {
	Request  Request
	At       int64 // seconds, from anywhere
	Recorded sessions.Usage
}

// A Simulation is what a profile says of a series. Everything in it but what was recorded is predicted.
type Simulation struct {
	Profile string     `json:"profile"`
	Model   MatchModel `json:"match_model"`
	Turns   []Outcome  `json:"turns"`
	Total   Outcome    `json:"total"` // sums; what was recorded, of the turns that have it
}

// An Outcome is what became of one turn.
type Outcome struct {
	Tokens int64 `json:"tokens"` // of the request, estimated
	Prediction
	Recorded bool  `json:"recorded"`
	Input    int64 `json:"recorded_input"`
	Cached   int64 `json:"recorded_cached"`
	Stored   int64 `json:"recorded_written"`
}

// Relative returns the cost in hundredths of a percent of what the same tokens cost without a cache, rounded half up: 10000
// is no gain. It is 10000 where there are no tokens.
func (o Outcome) Relative() int64 {
	if o.Tokens == 0 {
		return 10000
	}
	return (int64(o.Cost)/50 + o.Tokens) / 2 / o.Tokens
}

// Simulate plays a series against a profile, turn by turn, in the order in which it is given. Turns that are not in order
// of time are played at the time of the one before. Output is not counted: no cache makes it cheaper.
func Simulate(turns []Turn, p Profile) Simulation {
	sim := Simulation{Profile: p.Name, Model: p.MatchModel.Value, Turns: make([]Outcome, 0, len(turns))}
	c := newCache(&p)
	now := int64(0)
	for i := range turns {
		t := &turns[i]
		if i == 0 || t.At > now {
			now = t.At
		}
		l := p.line(&t.Request)
		o := Outcome{Tokens: l.total, Prediction: c.play(&l, now)}
		if u := t.Recorded; u.Recorded {
			o.Recorded, o.Input, o.Cached, o.Stored = true, u.Input, u.Cached, u.Written
		}
		sim.Turns = append(sim.Turns, o)
		sim.Total.add(o)
	}
	return sim
}

func (o *Outcome) add(x Outcome) {
	o.Tokens += x.Tokens
	o.Read += x.Read
	o.Written += x.Written
	o.Plain += x.Plain
	o.Cost = o.Cost.add(x.Cost)
	o.Recorded = o.Recorded || x.Recorded
	o.Input += x.Input
	o.Cached += x.Cached
	o.Stored += x.Stored
}

// Turns returns the calls of a session as a series, in order of time. A call without a time comes gap seconds after the
// one before it.
func (r *Reader) Turns(calls []sessions.Call, gap int64) ([]Turn, error) {
	turns := make([]Turn, 0, len(calls))
	at := int64(0)
	for _, c := range calls {
		q, err := r.Call(c)
		if err != nil {
			return nil, err
		}
		at = timeOf(c, at, gap)
		turns = append(turns, Turn{q, at, c.Usage})
	}
	slices.SortStableFunc(turns, func(a, b Turn) int { return cmp.Compare(a.At, b.At) })
	return turns, nil
}

func timeOf(c sessions.Call, last, gap int64) int64 {
	if c.Time.IsZero() {
		return last + gap
	}
	return c.Time.Unix()
}

// Marked reports whether any request of the series has a marker.
func Marked(turns []Turn) bool {
	return slices.ContainsFunc(turns, func(t Turn) bool {
		return slices.ContainsFunc(t.Request.Pieces, func(p Piece) bool { return p.Marked })
	})
}

// markerStep is how far apart markers stand that keep a long turn within reach: the look-back is 20.
const markerStep = 15

// Mark returns the request with the markers that a careful client sets under the profile, instead of its own: after the
// tools and the system prompt, after the last piece, and, as far as the limit goes, 15 and 30 pieces before that. Where the
// service sets a marker at the end by itself, and where it takes none, those are left out. All have the default lifetime.
func (p *Profile) Mark(r Request) Request {
	r.Pieces = slices.Clone(r.Pieces)
	stable, last := -1, -1
	var order []int
	for _, region := range p.RenderOrder.Value {
		for i := range r.Pieces {
			q := &r.Pieces[i]
			q.Marked, q.TTL = false, ""
			if q.Region != region {
				continue
			}
			if region != Messages {
				stable = i // the last of them counts; the messages are read last under every profile
			}
			last = i
			order = append(order, i)
		}
	}
	left := p.Markers.Value
	set := func(i int) {
		if i >= 0 && left > 0 && !r.Pieces[i].Marked && !r.Pieces[i].Blank() {
			r.Pieces[i].Marked = true
			left--
		}
	}
	if !p.MatchModel.Value.marked() {
		return r
	}
	set(stable)
	if p.Implicit.Value == 0 {
		set(last)
		for back := markerStep; back < len(order) && left > 0; back += markerStep {
			if i := order[len(order)-1-back]; r.Pieces[i].Region == Messages {
				set(i)
			}
		}
	}
	return r
}

// Head returns the request with a piece of so many tokens before all others: what a log does not hold of a prompt, but the
// provider's count shows.
func (r Request) Head(tokens int64) Request {
	const text = "(not recorded)"
	head := Piece{Region: Tools, Origin: text, Text: text, content: text, Tokens: max(0, tokens),
		digest: fingerprint.SumString(text)}
	r.Pieces = append([]Piece{head}, r.Pieces...)
	return r
}

// Fit brings the estimates of a series to what the provider counted, where it did. A log that holds no tools holds no part of
// what agents put before a conversation: what the first request of a thread has beyond the estimate becomes its
// [Request.Head], the same for the whole thread. Then every request is scaled to its count ([Request.Scale]). So what is
// left to be wrong is the prediction of where a read ends, not how many tokens a text has.
func Fit(turns []Turn) []Turn {
	turns = slices.Clone(turns)
	heads := map[string]int64{}
	for i := range turns {
		t := &turns[i]
		if !t.Recorded.Recorded || t.Recorded.Input == 0 {
			continue
		}
		head, ok := heads[t.Request.Thread]
		if !ok {
			if !slices.ContainsFunc(t.Request.Pieces, func(p Piece) bool { return p.Region == Tools }) {
				head = max(0, t.Recorded.Input-t.Request.Tokens())
			}
			heads[t.Request.Thread] = head
		}
		if head > 0 {
			t.Request = t.Request.Head(head)
		}
		t.Request = t.Request.Scale(t.Recorded.Input)
	}
	return turns
}

// An Accuracy says how far a prediction was from what was recorded, over the turns that have a record.
type Accuracy struct {
	Turns    int   `json:"turns"`
	Agree    int   `json:"agree"` // turns in which both read something, or both nothing
	Input    int64 `json:"input"` // recorded
	Cached   int64 `json:"cached"`
	Read     int64 `json:"read"`     // predicted
	Absolute int64 `json:"absolute"` // the sum of the differences without their signs
}

// Accuracy compares a simulation with what was recorded.
func (s Simulation) Accuracy() (a Accuracy) {
	for _, o := range s.Turns {
		if !o.Recorded {
			continue
		}
		a.Turns++
		a.Input += o.Input
		a.Cached += o.Cached
		a.Read += o.Read
		a.Absolute += max(o.Read-o.Cached, o.Cached-o.Read)
		if (o.Read > 0) == (o.Cached > 0) {
			a.Agree++
		}
	}
	return a
}

// isAssistant reports whether a piece is what a model said.
func isAssistant(p *Piece) bool { return roleOf(p) == string(messages.Assistant) }
