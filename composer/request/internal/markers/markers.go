// Package markers decides which blocks of a body carry cache markers: what the bodies of the providers share.
package markers

import (
	"slices"

	"github.com/quirehq/quire/composer/request"
)

// A Spot is a block of a body, in the order in which the provider reads them.
type Spot struct {
	Carries  bool // the provider takes a marker on it: it is not blank, and of a kind that has one
	Volatile bool // it changes from call to call
	Tokens   int64
}

// A Want is a marker that was asked for, after a spot. -1 is before all of them.
type Want struct {
	Spot int
	TTL  request.TTL
}

// Rules are a provider's.
type Rules struct {
	Max       int          // markers in one body
	LookBack  int          // blocks from a marker to where an entry is found; 0: any
	MinTokens int64        // of a prefix that is cached
	Automatic *request.TTL // the provider places one more marker by itself, after all others
}

// Place decides which spots carry a marker, in order. at returns the JSON pointer of a spot.
//
//  1. A marker stands on the nearest block up to its place that takes one. On a volatile block there is none.
//  2. Two on one block are one, with the longer lifetime.
//  3. A longer lifetime after a shorter one is an error: which of the two was meant is not ours to guess.
//  4. Where the prefix is below the minimum there is none.
//  5. Of more than the maximum, the first and the last ones stay; those between go, the earliest first.
//  6. Where markers are left, and one stands further from the one before it than the provider looks back, more are added
//     between them, from the last marker on.
func Place(spots []Spot, at func(spot int) string, wants []Want, r Rules) ([]request.Marker, []int, []request.Finding, error) {
	p := placing{spots: spots, pointer: at, rules: r, prefix: make([]int64, len(spots))}
	var sum int64
	for i := range spots {
		sum += spots[i].Tokens
		p.prefix[i] = sum
	}
	if r.Automatic != nil {
		p.rules.Max--
	}
	p.rules.Max = max(p.rules.Max, 0)
	p.settle(wants)
	if err := p.checkOrder(); err != nil {
		return nil, nil, nil, err
	}
	p.drop()
	p.bridge()
	marks, places := make([]request.Marker, len(p.kept)), make([]int, len(p.kept))
	for i, w := range p.kept {
		marks[i], places[i] = p.marker(w), w.Spot
	}
	return marks, places, p.findings, nil
}

type placing struct {
	spots    []Spot
	pointer  func(spot int) string
	rules    Rules
	prefix   []int64 // tokens up to and including each spot
	kept     []Want
	findings []request.Finding
}

func (p *placing) find(code request.FindingCode, spot int, count int64) {
	p.findings = append(p.findings, request.Finding{Code: code, At: p.at(spot), Count: count})
}

func (p *placing) at(spot int) string {
	if spot < 0 {
		return ""
	}
	return p.pointer(spot)
}

func (p *placing) marker(w Want) request.Marker {
	return request.Marker{At: p.pointer(w.Spot), TTL: w.TTL, Tokens: p.prefix[w.Spot]}
}

// settle finds the block for each marker.
func (p *placing) settle(wants []Want) {
	wants = slices.Clone(wants)
	slices.SortStableFunc(wants, func(a, b Want) int { return a.Spot - b.Spot })
	nearest, at := -1, 0
	for _, w := range wants {
		asked := w.Spot
		for ; at <= asked; at++ {
			if p.spots[at].Volatile || p.spots[at].Carries {
				nearest = at
			}
		}
		w.Spot = nearest
		switch {
		case w.Spot < 0:
			p.find(request.MarkerUnplaced, asked, 0)
			continue
		case p.spots[w.Spot].Volatile:
			p.find(request.MarkerVolatile, w.Spot, 0)
			continue
		case w.Spot < asked:
			p.find(request.MarkerMoved, asked, 0)
		}
		if n := len(p.kept); n > 0 && p.kept[n-1].Spot >= w.Spot { // moved onto the one before it, or the same
			p.kept[n-1].TTL = max(p.kept[n-1].TTL, w.TTL)
			continue
		}
		p.kept = append(p.kept, w)
	}
}

func (p *placing) checkOrder() error {
	for i := 1; i < len(p.kept); i++ {
		if p.kept[i].TTL > p.kept[i-1].TTL {
			return &request.TTLOrderError{Shorter: p.marker(p.kept[i-1]), Longer: p.marker(p.kept[i])}
		}
	}
	if n := len(p.kept); n > 0 && p.rules.Automatic != nil && *p.rules.Automatic > p.kept[n-1].TTL {
		return &request.TTLOrderError{Shorter: p.marker(p.kept[n-1]), Longer: request.Marker{At: "/cache_control", TTL: *p.rules.Automatic}}
	}
	return nil
}

// drop leaves out what is below the minimum, then the surplus.
func (p *placing) drop() {
	p.kept = slices.DeleteFunc(p.kept, func(w Want) bool {
		below := p.prefix[w.Spot] < p.rules.MinTokens
		if below {
			p.find(request.BelowMinimum, w.Spot, p.prefix[w.Spot])
		}
		return below
	})
	if surplus := len(p.kept) - p.rules.Max; surplus > 0 {
		first := min(1, p.rules.Max)
		for _, w := range p.kept[first : first+surplus] {
			p.find(request.MarkerLimit, w.Spot, 0)
		}
		p.kept = slices.Delete(p.kept, first, first+surplus)
	}
}

// bridge adds markers where the look-back does not reach, as long as there are some left.
func (p *placing) bridge() {
	if p.rules.LookBack <= 0 {
		return
	}
	for i := len(p.kept) - 1; i > 0; i-- {
		for p.kept[i].Spot-p.kept[i-1].Spot > p.rules.LookBack {
			at := p.kept[i].Spot - p.rules.LookBack
			for at < p.kept[i].Spot && (p.spots[at].Volatile || !p.spots[at].Carries) {
				at++
			}
			if at == p.kept[i].Spot || len(p.kept) >= p.rules.Max {
				p.find(request.LookBackExceeded, p.kept[i].Spot, int64(p.kept[i].Spot-p.kept[i-1].Spot))
				break
			}
			p.find(request.MarkerAdded, at, 0)
			p.kept = slices.Insert(p.kept, i, Want{at, p.kept[i].TTL})
		}
	}
}
