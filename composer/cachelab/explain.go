package cachelab

import (
	"fmt"
	"unicode/utf8"

	"github.com/quirehq/quire/internal/edits"
)

// An Explanation says why a request would not read what another one left in the cache. Everything in it is predicted.
type Explanation struct {
	Profile string     `json:"profile"`
	Model   MatchModel `json:"match_model"`

	// Changes are all the reasons there are, the one that matters first. A later one is hidden behind it today and
	// becomes the reason once the first is gone. None: all that was left is read.
	Changes []Change `json:"changes"`

	At         int64 `json:"at"`          // the first byte in which what is read of b differs from a; -1: b begins with all of a
	LostBytes  int64 `json:"lost_bytes"`  // of a, from there to its end
	LostTokens int64 `json:"lost_tokens"` // the same, estimated
	Tokens     int64 `json:"tokens"`      // of b, estimated

	Readings []Reading `json:"readings"` // what b would read under the profile, and under each of the others
}

// Code returns the code of the reason that matters, or "".
func (e Explanation) Code() Code {
	if len(e.Changes) == 0 {
		return ""
	}
	return e.Changes[0].Code
}

// A Change is one reason for a miss.
type Change struct {
	Code   Code   `json:"code"`
	Region Region `json:"region,omitzero"` // "": the request as a whole
	Place  string `json:"place"`           // the tool, block or parameter, as [Piece.String] says it; in b, or in a for what is gone
	Origin string `json:"origin,omitzero"` // see [Piece.Origin]
	At     int64  `json:"at"`              // the byte of that piece's text in which it differs; 0 where the whole is new or gone
	A      string `json:"a,omitzero"`      // what stood there, in short
	B      string `json:"b,omitzero"`      // what stands there now
	Note   string `json:"note,omitzero"`
}

// A Reading is what a request would read under one profile.
type Reading struct {
	Profile string     `json:"profile"`
	Model   MatchModel `json:"match_model"`
	Read    int64      `json:"read"` // tokens
}

// Explain says why b, sent a second after a, would not read all that a left in the cache, under a profile; and what it
// would read under others. The first byte and what is lost are of the text in the order in which the profile reads a
// request, whether or not a service can read a prefix that ends there: that is what [Explanation.Readings] say.
//
// Reasons come in the order in which they cost: what makes the service refuse the request, the model, then region by
// region the parameters and the contents, then what keeps markers from meeting. A parameter that costs nothing comes last.
func Explain(a, b Request, p Profile, others ...Profile) Explanation {
	la, lb := p.line(&a), p.line(&b)
	e := Explanation{Profile: p.Name, Model: p.MatchModel.Value, At: -1, Tokens: lb.total}
	e.Changes = append(e.Changes, refusals(&lb, &p)...)
	if a.Model != b.Model {
		e.Changes = append(e.Changes, Change{Code: ModelChanged, Place: "model", A: a.Model, B: b.Model,
			Note: "a cache belongs to one model"})
	}
	params := paramChanges(&a, &b, &p)
	for _, region := range p.RenderOrder.Value {
		for _, c := range params {
			if c.Region == region {
				e.Changes = append(e.Changes, c)
			}
		}
		d := differ{a: a.region(region), b: b.region(region), region: region}
		e.Changes = append(e.Changes, d.changes()...)
		if region == Messages {
			e.Changes = append(e.Changes, thinkingChange(&a, &b, &p)...)
		}
	}
	shared := e.diverge(&la, &lb, a.Model != b.Model)
	for _, q := range append([]Profile{p}, others...) {
		e.Readings = append(e.Readings, reading(&a, &b, &q))
	}
	e.Changes = append(e.Changes, markerChanges(&la, &lb, &p, shared, e.Readings[0].Read)...)
	for _, c := range params {
		if c.Region == "" {
			e.Changes = append(e.Changes, c)
		}
	}
	return e
}

func reading(a, b *Request, p *Profile) Reading {
	c := newCache(p)
	la, lb := p.line(a), p.line(b)
	c.play(&la, 0)
	return Reading{p.Name, p.MatchModel.Value, c.play(&lb, 1).Read}
}

// region returns the pieces of one region.
func (r *Request) region(region Region) (list []*Piece) {
	for i := range r.Pieces {
		if r.Pieces[i].Region == region {
			list = append(list, &r.Pieces[i])
		}
	}
	return list
}

// thinkingChange finds the first thinking that was shown with a and no longer is with b.
func thinkingChange(a, b *Request, p *Profile) []Change {
	from, to := p.thinkingFrom(a), p.thinkingFrom(b)
	for i := range a.Pieces {
		if q := &a.Pieces[i]; q.Region == Messages && q.isThinking() && q.Index >= from && q.Index < to {
			return []Change{{Code: ThinkingStripped, Region: Messages, Place: q.String(), Origin: q.Origin, A: shorten(q.content),
				Note: "nothing in the request: this model leaves out what was thought before the last message of the user"}}
		}
	}
	return nil
}

// diverge finds the first byte that differs and what of a stands after it. It returns how many stops are shared.
func (e *Explanation) diverge(la, lb *line, otherModel bool) int {
	if otherModel {
		e.At, e.LostBytes, e.LostTokens = 0, la.bytes, la.total
		return 0
	}
	n := 0
	for n < len(la.stops) && n < len(lb.stops) && la.stops[n].key == lb.stops[n].key {
		n++
	}
	if n == len(la.stops) {
		return n
	}
	var bytes, tokens int64
	if n > 0 {
		bytes, tokens = la.stops[n-1].bytes, la.stops[n-1].tokens
	}
	if piece := la.stops[n].piece; n < len(lb.stops) && la.stops[n].before == lb.stops[n].before {
		common := int64(edits.CommonPrefix(piece.Text, lb.stops[n].piece.Text))
		tokens += share(piece.Tokens, common, int64(max(1, len(piece.Text))))
		bytes += common
	}
	e.At, e.LostBytes, e.LostTokens = bytes, la.bytes-bytes, la.total-tokens
	return n
}

// paramChanges lists the parameters that differ, by name. The region is that after which the profile says all is lost.
func paramChanges(a, b *Request, p *Profile) (list []Change) {
	var names []string
	i, k := 0, 0
	for i < len(a.Params) || k < len(b.Params) { // both are sorted by name
		switch {
		case k == len(b.Params) || i < len(a.Params) && a.Params[i].Name < b.Params[k].Name:
			names = append(names, a.Params[i].Name)
			i++
		case i == len(a.Params) || b.Params[k].Name < a.Params[i].Name:
			names = append(names, b.Params[k].Name)
			k++
		default:
			if a.Params[i].Value != b.Params[k].Value {
				names = append(names, a.Params[i].Name)
			}
			i, k = i+1, k+1
		}
	}
	for _, name := range names {
		c := Change{Code: ParamsChanged, Place: "parameter " + name, A: shorten(absent(string(a.param(name)))),
			B: shorten(absent(string(b.param(name)))), Note: "no part of what is cached: it costs nothing here, but it is another request"}
		switch name {
		case "model", "cache_control":
			continue // told apart as the model, and as a marker
		case p.AffinityParam.Value:
			c.Region, c.Note = p.RenderOrder.Value[0], "it chooses the machine: all that another one holds is out of reach"
		}
		for _, x := range p.Invalidators.Value {
			if x.Param == name {
				c.Region, c.Note = x.Region, fmt.Sprintf("what stands in %s and behind is read anew", x.Region)
			}
		}
		list = append(list, c)
	}
	return list
}

func absent(s string) string {
	if s == "" {
		return "(absent)"
	}
	return s
}

const excerptBytes = 72

// shorten cuts a text to an excerpt, between characters.
func shorten(s string) string {
	if len(s) <= excerptBytes {
		return s
	}
	n := excerptBytes
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// around returns an excerpt of a text from a little before a byte on.
func around(s string, at int) string {
	from := max(0, min(at, len(s))-16)
	for from > 0 && from < len(s) && !utf8.RuneStart(s[from]) {
		from--
	}
	if from == 0 {
		return shorten(s)
	}
	return "…" + shorten(s[from:])
}
