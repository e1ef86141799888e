package request

import (
	"errors"
	"fmt"
)

// A Body is a request as a provider takes it. The packages anthropic and openai below this one write it.
type Body struct {
	JSON     []byte
	CacheKey string   // OpenAI: the body's prompt_cache_key; "": none
	Markers  []Marker // in order, without those that the provider places by itself
	Findings []Finding
}

// A Marker is a cache marker in a body.
type Marker struct {
	At     string `json:"at"`     // the block that carries it, as a JSON pointer into the body
	TTL    TTL    `json:"ttl"`    // says nothing for OpenAI, whose API has one lifetime
	Tokens int64  `json:"tokens"` // the estimate of the prefix that ends here
}

// A FindingCode names what a [Finding] is about. Codes are stable.
type FindingCode string

// The codes.
const (
	MarkerMoved      FindingCode = "marker_moved"      // the block where a breakpoint was asked for takes no marker; the nearest before it that does has it
	MarkerUnplaced   FindingCode = "marker_unplaced"   // no block up to there takes a marker; it was dropped
	MarkerVolatile   FindingCode = "marker_volatile"   // the block changes from call to call; the marker was dropped
	BelowMinimum     FindingCode = "below_minimum"     // the prefix has Count tokens, too few to be cached; the marker was dropped
	MarkerLimit      FindingCode = "marker_limit"      // more markers than the provider takes; this one was dropped
	MarkerAdded      FindingCode = "marker_added"      // a marker that nobody asked for, so that the next one is within the look-back
	LookBackExceeded FindingCode = "lookback_exceeded" // the marker stands Count blocks after the one before it, and no marker was left to add
	BlankBlock       FindingCode = "blank_block"       // a blank block of the system prompt was left out: providers refuse it
	ThinkingDropped  FindingCode = "thinking_dropped"  // a thought without what the provider wants with it was left out
)

// A Finding says what became of a breakpoint, or of a block, in a body.
type Finding struct {
	Code  FindingCode `json:"code"`
	At    string      `json:"at"` // a JSON pointer into the body; of what is not in it, the name of its place in the request
	Count int64       `json:"count,omitempty"`
}

// ErrTTLOrder says that a marker with a longer lifetime stands after one with a shorter. A [TTLOrderError] names them.
var ErrTTLOrder = errors.New("a longer lifetime behind a shorter one")

// A TTLOrderError names two markers that a provider refuses. It matches [ErrTTLOrder].
type TTLOrderError struct{ Shorter, Longer Marker }

// Error names both places.
func (e *TTLOrderError) Error() string {
	return fmt.Sprintf("%v: %v at %s behind %v at %s; want the longer first", ErrTTLOrder, e.Longer.TTL, e.Longer.At, e.Shorter.TTL, e.Shorter.At)
}

// Is reports whether the target is [ErrTTLOrder].
func (e *TTLOrderError) Is(target error) bool { return target == ErrTTLOrder }
