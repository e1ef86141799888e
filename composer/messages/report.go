package messages

import (
	"slices"

	"github.com/quirehq/quire/tiers"
)

// MaxOmissions is how many omissions a report lists.
const MaxOmissions = 256

// A Report says what a budget left out: kinds, ids and sizes, never a text.
type Report struct {
	Omitted        []Omission   `json:"omitted"` // in the order of eviction, at most [MaxOmissions]; null when not asked for
	OmittedCount   int          `json:"omittedCount"`
	KeptTokens     int64        `json:"keptTokens"`
	KeptBytes      int64        `json:"keptBytes"`
	MaxInputTokens tiers.Budget `json:"maxInputTokens,omitzero"`
	MaxInputBytes  tiers.Budget `json:"maxInputBytes,omitzero"`
	Truncated      bool         `json:"truncated"`                // something was left out
	UnlistedSkills int          `json:"unlistedSkills,omitempty"` // beyond [MaxSkills]
}

// An Omission is one thing that was left out.
type Omission struct {
	Kind   Group  `json:"kind"`
	ID     string `json:"id,omitempty"` // the message's, the call's, the context's id or title, the skill's name
	Tokens int64  `json:"tokenEstimate"`
	Bytes  int64  `json:"byteLength"`
}

// report lists what is not in, in the order of eviction.
func (l *lowering) report(in []bool, r rules) Report {
	report := Report{Omitted: []Omission{}, MaxInputTokens: r.tokens, MaxInputBytes: r.bytes}
	var out []int
	for at, i := range l.order {
		switch c := r.cost(l.items, i); {
		case in[at]:
			report.KeptTokens += c.Size()
			report.KeptBytes += c.Bytes()
		case l.items[i].group != GroupNotice:
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(a, b int) int {
		if l.rank[a] != l.rank[b] {
			return l.rank[a] - l.rank[b]
		}
		return a - b
	})
	report.OmittedCount = len(out)
	report.Truncated = len(out) > 0
	for _, i := range out[:min(len(out), MaxOmissions)] {
		c := r.cost(l.items, i)
		report.Omitted = append(report.Omitted, Omission{l.items[i].group, l.items[i].id, c.Size(), c.Bytes()})
	}
	return report
}
