package cachelab

import (
	"slices"
	"strings"
)

// A MatchModel is the rule by which a service finds what it can read.
type MatchModel string

// The match models. In all of them an entry is read only while it lives, by requests of the same model, and only when it
// is at least as long as the service's minimum.
const (
	// MarkedLookback: entries end where a request had a marker. From each of its markers a request looks back over a
	// number of pieces for the longest entry that it begins with. (Anthropic)
	MarkedLookback MatchModel = "marked_lookback"

	// BreakpointExact: entries end at markers, the implicit one at the end of a request included. A request finds the
	// longest entry that ends where one of its latest messages or markers ends; there is no shorter match. (OpenAI from
	// GPT-5.6 on)
	BreakpointExact MatchModel = "breakpoint_exact"

	// LCPQuantised: the longest common prefix with any request, in whole steps. (OpenAI before GPT-5.6, Gemini's
	// implicit cache, xAI)
	LCPQuantised MatchModel = "lcp_quantised"

	// UnitExact: whole units alone are found: what a request was, what it was with its answer, and what two requests
	// were found to have in common, that from the third on. (DeepSeek)
	UnitExact MatchModel = "unit_exact"

	// BlockChain: whole blocks of tokens, each found after the one before it. (vLLM)
	BlockChain MatchModel = "block_chain"

	// TokenTrie: the longest common prefix to the token, or to the page of tokens. (SGLang, llama.cpp)
	TokenTrie MatchModel = "token_trie"
)

var matchModels = []MatchModel{MarkedLookback, BreakpointExact, LCPQuantised, UnitExact, BlockChain, TokenTrie}

// marked reports whether entries end at markers.
func (m MatchModel) marked() bool { return m == MarkedLookback || m == BreakpointExact }

// A Confidence says how much a figure may be trusted.
type Confidence string

// The confidences.
const (
	Stated     Confidence = "stated"      // by the service
	ThirdParty Confidence = "third_party" // by others
	Conflict   Confidence = "conflict"    // sources differ; the figure is the one that promises less
	Assumed    Confidence = "assumed"     // no source was found; never a guarantee
)

var confidences = []Confidence{Stated, ThirdParty, Conflict, Assumed}

// A Figure is one fact about a service.
type Figure[T any] struct {
	Value      T          `json:"value"`
	Source     string     `json:"source"` // what said so
	Seen       string     `json:"seen"`   // the day, as YYYY-MM-DD
	Confidence Confidence `json:"confidence"`
	Note       string     `json:"note,omitzero"`
}

// A Lifetime is a time for which a service keeps entries.
type Lifetime struct {
	Name    string `json:"name"`    // as a marker names it
	Seconds int64  `json:"seconds"` // from the last use; 0: until the service needs the room
	Write   Rate   `json:"write"`   // what a token written for so long costs
}

// An Invalidator is a parameter whose change costs what stands in a region and after it.
type Invalidator struct {
	Param  string `json:"param"`
	Region Region `json:"region"`
}

// A Profile is what is known of one service and family of models. It is data: see [ParseProfile]. The zero value reads no
// region of a request, and so keeps nothing.
type Profile struct {
	Format  string   `json:"format"` // [ProfileFormat]
	Name    string   `json:"name"`
	Service string   `json:"service"`
	Models  []string `json:"models"` // what the names of its models begin with

	MatchModel    Figure[MatchModel]    `json:"match_model"`
	RenderOrder   Figure[[]Region]      `json:"render_order"`      // in which a request is read
	MinTokens     Figure[int64]         `json:"min_prefix_tokens"` // the shortest entry
	Quantum       Figure[int64]         `json:"quantum_tokens"`    // the step, block or page; 0 is 1
	Markers       Figure[int64]         `json:"max_markers"`       // that a request may set; 0: it sets none
	Implicit      Figure[int64]         `json:"implicit_markers"`  // that the service sets at the end of a request
	Candidates    Figure[int64]         `json:"read_candidates"`   // how many of the latest places are looked at; 0: all
	Lookback      Figure[int64]         `json:"lookback_blocks"`   // MarkedLookback: pieces before a marker; 0: all
	Lifetimes     Figure[[]Lifetime]    `json:"lifetimes"`         // the first is what a bare marker means
	LongerFirst   Figure[bool]          `json:"longer_first"`      // a longer lifetime stands before a shorter one
	Read          Figure[Rate]          `json:"read_multiplier"`   // what a token read costs
	StoresOutput  Figure[bool]          `json:"stores_output"`     // what the model answers is kept as well
	Strips        Figure[bool]          `json:"strips_thinking"`   // thinking before the last message of the user is left out
	LastComputed  Figure[int64]         `json:"tokens_recomputed"` // at the end of a request, even when all is known
	Kept          Figure[int64]         `json:"requests_kept"`     // only so many latest requests can be read; 0: all
	Invalidators  Figure[[]Invalidator] `json:"invalidators"`
	AffinityParam Figure[string]        `json:"affinity_param"` // a parameter that chooses the machine; "": none
}

// ProfileFormat is the format of the profile documents that this version reads.
const ProfileFormat = "quire/cache-profile/1"

// lifetime returns the lifetime that a marker names.
func (p *Profile) lifetime(name string) Lifetime {
	for _, l := range p.Lifetimes.Value {
		if l.Name == name {
			return l
		}
	}
	return p.bare()
}

// bare returns the lifetime of a bare marker.
func (p *Profile) bare() Lifetime {
	if len(p.Lifetimes.Value) == 0 {
		return Lifetime{}
	}
	return p.Lifetimes.Value[0]
}

// rank returns the place of a region in the order in which a request is read.
func (p *Profile) rank(r Region) int { return slices.Index(p.RenderOrder.Value, r) }

// Serves reports whether the profile is for the model, and how many bytes of the name say so. A name may have a path
// before it, as gateways put it.
func (p *Profile) Serves(model string) (int, bool) {
	name := model[strings.LastIndexByte(model, '/')+1:]
	best := -1
	for _, prefix := range p.Models {
		if strings.HasPrefix(name, prefix) {
			best = max(best, len(prefix))
		}
	}
	return best, best >= 0
}

// A figure is what all figures have, whatever their value.
type figure struct {
	name, source, seen string
	confidence         Confidence
}

func (p *Profile) figures() []figure {
	return []figure{
		of("match_model", p.MatchModel), of("render_order", p.RenderOrder), of("min_prefix_tokens", p.MinTokens),
		of("quantum_tokens", p.Quantum), of("max_markers", p.Markers), of("implicit_markers", p.Implicit),
		of("read_candidates", p.Candidates), of("lookback_blocks", p.Lookback), of("lifetimes", p.Lifetimes),
		of("longer_first", p.LongerFirst), of("read_multiplier", p.Read), of("stores_output", p.StoresOutput),
		of("strips_thinking", p.Strips),
		of("tokens_recomputed", p.LastComputed), of("requests_kept", p.Kept), of("invalidators", p.Invalidators),
		of("affinity_param", p.AffinityParam),
	}
}

func of[T any](name string, f Figure[T]) figure { return figure{name, f.Source, f.Seen, f.Confidence} }
