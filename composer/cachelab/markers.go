package cachelab

import (
	"fmt"
	"slices"
)

// refusals lists why a service would not take the markers of a request at all.
func refusals(l *line, p *Profile) (list []Change) {
	if p.MatchModel.Value != MarkedLookback {
		return nil // the others take the latest markers, or none
	}
	count, shortest := int64(0), -1
	for i := range l.stops {
		s := &l.stops[i]
		if !s.marked {
			continue
		}
		count++
		if count == p.Markers.Value+1 {
			list = append(list, Change{Code: MarkerLimit, Region: s.piece.Region, Place: s.piece.String(), Origin: s.piece.Origin,
				Note: fmt.Sprintf("marker %d of at most %d, counted as the request stands on the wire: it is refused", count, p.Markers.Value)})
		}
		if shortest >= 0 && p.LongerFirst.Value && p.seconds(s.ttl) > p.seconds(l.stops[shortest].ttl) {
			before := l.stops[shortest].piece
			list = append(list, Change{Code: TTLOrder, Region: s.piece.Region, Place: s.piece.String(), Origin: s.piece.Origin,
				A: p.lifetime(l.stops[shortest].ttl).Name, B: p.lifetime(s.ttl).Name,
				Note: "a longer lifetime behind the shorter one at " + before.String() + ": the request is refused"})
		}
		if shortest < 0 || p.seconds(s.ttl) < p.seconds(l.stops[shortest].ttl) {
			shortest = i
		}
	}
	return list
}

func (p *Profile) seconds(ttl string) int64 { return p.lifetime(ttl).Seconds }

// markerChanges says what keeps b from reading the prefix that it shares with a, where its text does not: markers that do
// not meet, or a prefix that is too short to be kept. Shared is the number of stops, read what is read.
func markerChanges(la, lb *line, p *Profile, shared int, read int64) []Change {
	if shared == 0 || lb.stops[shared-1].tokens <= read {
		return nil
	}
	end := &lb.stops[shared-1]
	at := func(code Code, s *stop, note string) []Change {
		return []Change{{Code: code, Region: s.piece.Region, Place: s.piece.String(), Origin: s.piece.Origin, Note: note}}
	}
	if end.tokens < p.MinTokens.Value {
		return at(BelowMinimum, end, fmt.Sprintf("%d tokens are shared, estimated; %d are the least that is kept", end.tokens, p.MinTokens.Value))
	}
	if !p.MatchModel.Value.marked() {
		return nil // what is not read is the rest of a step
	}
	last, short := -1, -1
	for i := range shared {
		switch {
		case !la.stops[i].marked:
		case la.stops[i].tokens < p.MinTokens.Value:
			short = i
		default:
			last = i
		}
	}
	switch {
	case last >= 0 && la.stops[last].tokens <= read:
		return nil // the last entry is read; what is shared after it had no marker
	case last < 0 && short >= 0:
		return at(BelowMinimum, &la.stops[short], fmt.Sprintf("%d tokens up to the marker, estimated; %d are the least that is kept",
			la.stops[short].tokens, p.MinTokens.Value))
	case last < 0:
		return at(MarkerUnmatched, end, "nothing was written in what is shared: the first request has no marker there")
	case !slices.ContainsFunc(lb.stops[last:], func(s stop) bool { return s.marked }):
		return at(MarkerUnmatched, &lb.stops[last], "an entry ends here, but the second request has no marker here or behind")
	}
	return at(LookbackExceeded, &lb.stops[last], fmt.Sprintf("an entry ends here, and the next marker stands %d pieces behind; %s",
		nextMarker(lb, last)-last, reachNote(p)))
}

func nextMarker(l *line, from int) int {
	for i := from; i < len(l.stops); i++ {
		if l.stops[i].marked {
			return i
		}
	}
	return len(l.stops)
}

func reachNote(p *Profile) string {
	if p.MatchModel.Value == BreakpointExact {
		return fmt.Sprintf("the latest %d places are looked at", p.Candidates.Value)
	}
	return fmt.Sprintf("%d are looked back over", p.Lookback.Value)
}
