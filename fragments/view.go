package fragments

import (
	"cmp"
	"slices"
)

// A view is what one scope sees, each kind in order. It does not change. What gates decide is open still.
type view struct {
	entries [kinds][]candidate
	gated   []*entry // those with conditions, in the order in which they are asked
}

// A candidate is an entry that no entry without conditions shadows.
type candidate struct {
	*entry
	nearer []*entry // entries with conditions that shadow it when they are there
}

// maxViews bounds what is remembered. Sessions come and go, each with a scope of its own.
const maxViews = 256

func (s *state) view(scope Scope) *view {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.views[scope]; v != nil {
		return v
	}
	if len(s.views) >= maxViews {
		clear(s.views)
	}
	v := s.look(scope)
	s.views[scope] = v
	return v
}

// look goes from the scope to the global layer.
func (s *state) look(scope Scope) *view {
	var v view
	var seen [kinds]map[string][]*entry // nearest first
	for at, more := scope, true; more; at, more = at.Parent() {
		l := s.layers[at]
		if l == nil {
			continue
		}
		for kind := range v.entries {
			if seen[kind] == nil {
				seen[kind] = map[string][]*entry{}
			}
			for name, e := range l[kind] { // sorted below: no order shows
				nearer := seen[kind][name]
				if n := len(nearer); n > 0 && nearer[n-1].conditions == nil {
					continue // shadowed whatever gates say
				}
				v.entries[kind] = append(v.entries[kind], candidate{e, slices.Clip(nearer)})
				if e.shadows() {
					seen[kind][name] = append(nearer, e)
				}
			}
		}
	}
	for kind := range v.entries {
		slices.SortFunc(v.entries[kind], compareCandidates)
		for _, c := range v.entries[kind] {
			if c.conditions != nil {
				v.gated = append(v.gated, c.entry)
			}
		}
	}
	return &v
}

// shadows reports whether entries of this kind hide those of the same name in farther layers.
func (e *entry) shadows() bool { return e.kind == KindSection || e.kind == KindVariable }

// compareCandidates is the order of everything: order, place in the list of core templates, name, and for one name from
// the global layer to the nearest. An ancestor's path is a prefix, so it comes first.
func compareCandidates(a, b candidate) int {
	return cmp.Or(
		cmp.Compare(a.order, b.order),
		cmp.Compare(a.rank, b.rank),
		cmp.Compare(a.name, b.name),
		cmp.Compare(a.scope.path, b.scope.path),
	)
}

// A presence says which entries with conditions are there.
type presence map[*entry]bool

// ask asks every gate once.
func (v *view) ask(ctx AssembleContext) presence {
	if v.gated == nil {
		return nil
	}
	there := make(presence, len(v.gated))
	for _, e := range v.gated {
		there[e] = e.conditions.hold(ctx)
	}
	return there
}

// has reports whether the entry is there: its conditions hold, and nothing nearer is there.
func (p presence) has(c candidate) bool {
	if c.conditions != nil && !p[c.entry] {
		return false
	}
	for _, e := range c.nearer {
		if p[e] {
			return false
		}
	}
	return true
}
