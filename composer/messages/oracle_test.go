package messages_test

import (
	"slices"
	"sort"
	"strings"

	"github.com/quirehq/quire/composer/messages"
)

// This file says again what is evicted, in the slow and obvious way: a list of things that go together, in the order in
// which they go, and a loop that lets the first go until the rest fits.

// A place names a candidate.
type place struct {
	group messages.Group
	index int
}

// A bundle goes at once.
type bundle []place

// A slowPrompt is a prompt with what each candidate costs.
type slowPrompt struct {
	messages.Prompt
	tokens map[place]int64
	bytes  map[place]int64
}

// fits sums up everything there is.
func (s slowPrompt) fits(kept map[place]bool, tokens, bytes int64) bool {
	var t, b int64
	for p := range kept {
		t += s.tokens[p]
		b += s.bytes[p]
	}
	return (tokens == 0 || t <= tokens) && (bytes == 0 || b <= bytes)
}

// evict returns what is left, and whether it fits.
func (s slowPrompt) evict(order []bundle, tokens, bytes int64) (map[place]bool, bool) {
	kept := map[place]bool{}
	for p := range s.tokens {
		kept[p] = true
	}
	for _, b := range order {
		if s.fits(kept, tokens, bytes) {
			return kept, true
		}
		for _, p := range b {
			delete(kept, p)
		}
	}
	return kept, s.fits(kept, tokens, bytes)
}

// order lists the bundles in the order of eviction; the quantum counts the sizes given.
func (s slowPrompt) order(layout messages.Layout, policy messages.Policy, quantum int64, counted map[place]int64) []bundle {
	var out []bundle
	single := func(group messages.Group, n int) {
		for i := n - 1; i >= 0; i-- {
			if p := (place{group, i}); s.has(p) {
				out = append(out, bundle{p})
			}
		}
	}
	context := func() {
		var list []int
		for i := range s.Context {
			list = append(list, i)
		}
		sort.Slice(list, func(a, b int) bool {
			x, y := s.Context[list[a]].Priority, s.Context[list[b]].Priority
			return x < y || x == y && list[a] > list[b]
		})
		for _, i := range list {
			out = append(out, bundle{{messages.GroupContext, i}})
		}
	}
	skills := func() {
		single(messages.GroupSkillBodies, len(s.Skills))
		single(messages.GroupSkills, len(s.Skills))
	}
	out = append(out, s.conversation(layout, policy, quantum, counted)...)
	single(messages.GroupSummaries, len(s.Summaries))
	if layout == messages.Legacy {
		single(messages.GroupAttachments, len(s.Attachments))
		context()
		skills()
	} else {
		context()
		skills()
		single(messages.GroupAttachments, len(s.Attachments))
	}
	if s.Tail != nil {
		single(messages.GroupTail, len(s.Tail.Segments))
	}
	return out
}

func (s slowPrompt) has(p place) bool {
	_, ok := s.tokens[p]
	return ok
}

// conversation lists the bundles of tool results and history.
func (s slowPrompt) conversation(layout messages.Layout, policy messages.Policy, quantum int64, counted map[place]int64) []bundle {
	var results, history []bundle
	for i := len(s.ToolResults) - 1; i >= 0; i-- {
		results = append(results, bundle{{messages.GroupToolResults, i}})
	}
	for i := range s.History {
		history = append(history, bundle{{messages.GroupHistory, i}})
	}
	if policy == messages.ByItem {
		return append(results, history...)
	}
	units := slowUnits(s.turns(layout))
	find := func(p place) bundle {
		for _, u := range units {
			if slices.Contains(u, p) {
				return u
			}
		}
		panic("no unit")
	}
	taken := map[place]bool{}
	var out []bundle
	take := func(p place) {
		u := find(p)
		if taken[u[0]] {
			return
		}
		taken[u[0]] = true
		if !slices.ContainsFunc(u, func(p place) bool { return p.group == messages.GroupCurrent }) {
			out = append(out, u)
		}
	}
	for _, b := range results {
		if find(b[0])[0].group != messages.GroupHistory {
			take(b[0])
		}
	}
	alone := len(out)
	var starts []int64
	var start int64
	for _, b := range history {
		before := len(out)
		take(b[0])
		if len(out) > before {
			starts = append(starts, start)
		}
		start += counted[b[0]]
	}
	if policy == messages.ByUnit {
		return out
	}
	// On the grid: let go of what begins before quantum, before 2 quanta, before 3 …
	grid := slices.Clone(out[:alone])
	for k := int64(1); (k-1)*quantum <= start; k++ {
		var cell bundle
		for i, u := range out[alone:] {
			if starts[i] >= (k-1)*quantum && starts[i] < k*quantum {
				cell = append(cell, u...)
			}
		}
		if cell != nil {
			grid = append(grid, cell)
		}
	}
	return grid
}

type turn struct {
	place
	messages.Message
}

// turns lists the conversation in the order in which calls stand before their results.
func (s slowPrompt) turns(layout messages.Layout) []turn {
	var out []turn
	add := func(group messages.Group, list []messages.Message) {
		for i, m := range list {
			out = append(out, turn{place{group, i}, m})
		}
	}
	add(messages.GroupHistory, s.History)
	if layout == messages.CacheAware {
		add(messages.GroupToolResults, s.ToolResults)
	}
	add(messages.GroupCurrent, s.Current)
	if layout == messages.Legacy {
		add(messages.GroupToolResults, s.ToolResults)
	}
	return out
}

// slowUnits pairs every result by looking at all the calls before it, and merges units until nothing changes.
func slowUnits(turns []turn) []bundle {
	type call struct {
		turn     int
		id, name string
		answered bool
	}
	var calls []*call
	joined := map[[2]int]bool{}
	for i, t := range turns {
		for before := i - 1; before >= 0 && t.Role == messages.Assistant && turns[before].Role == messages.Assistant; before-- {
			if slices.ContainsFunc(turns[before].Content, func(b messages.Block) bool { return b.Kind != messages.KindText }) {
				joined[[2]int{before, i}] = true
			}
		}
		for _, b := range t.Content {
			switch b.Kind {
			case "search_call":
				b.Kind, b.ID = messages.KindToolCall, strings.Trim(string(b.Extra[0].Value), `"`)
			case "search_output":
				b.Kind, b.ID = messages.KindToolResult, strings.Trim(string(b.Extra[0].Value), `"`)
			}
			switch b.Kind {
			case messages.KindToolCall:
				calls = append(calls, &call{turn: i, id: b.ID, name: b.Name})
			case messages.KindToolResult:
				var match *call
				if b.ID == "" {
					for _, c := range calls {
						if c.id == "" && !c.answered && (b.Name == "" || b.Name == c.name) {
							match = c
							break
						}
					}
				} else {
					for _, c := range calls { // the last one without a result, else the last one
						if c.id == b.ID && (match == nil || !c.answered || match.answered) {
							match = c
						}
					}
				}
				if match != nil {
					match.answered = true
					joined[[2]int{match.turn, i}] = true
				}
			}
		}
	}
	label := make([]int, len(turns))
	for i := range label {
		label[i] = i
	}
	for changed := true; changed; {
		changed = false
		for pair := range joined {
			a, b := label[pair[0]], label[pair[1]]
			if a != b {
				label[pair[0]], label[pair[1]] = min(a, b), min(a, b)
				changed = true
			}
		}
	}
	var units []bundle
	for i := range turns {
		var u bundle
		for k := range turns {
			if label[k] == i {
				u = append(u, turns[k].place)
			}
		}
		if u != nil {
			units = append(units, u)
		}
	}
	return units
}
