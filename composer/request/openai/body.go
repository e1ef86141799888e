// Package openai writes a request as the body that OpenAI's APIs take, chat completions and responses, with a cache key
// and, for models that know them, cache breakpoints.
//
// [Write] puts the request into the API's shapes and writes one canonical body: the same request, the same bytes, with
// members sorted at every depth where order means nothing. What a marker may stand on is decided on the wire, as in package
// anthropic beside this one; what was moved or dropped is in the findings of the [request.Body].
//
// It does not check what else the provider would: a body may name a model that does not exist.
package openai

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	format "github.com/quirehq/quire/composer/messages/openai"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/composer/request/internal/markers"
	"github.com/quirehq/quire/fingerprint"
)

// MaxMarkers is how many breakpoints the provider writes for one body today, its own included.
const MaxMarkers = 4

// A Mode says who places cache breakpoints.
type Mode uint8

// The modes.
const (
	Automatic Mode = 0 // the provider: what every model takes
	Implicit  Mode = 1 // the request, and the provider one more at the end: from GPT-5.6 on
	Explicit  Mode = 2 // the request alone: from GPT-5.6 on
)

// Options are the rules of a model and its service. The zero value is a body of chat completions that every model
// takes.
type Options struct {
	API        format.API
	Mode       Mode
	MaxMarkers int              // the provider's own included; 0: [MaxMarkers]
	MinTokens  int64            // of a prefix that the model caches
	Estimator  *measure.Measure // counts tokens of prefixes; nil: [measure.QuarterTokens]
}

// Write writes the body of a request.
//
//   - A tool has type, name, description and parameters, or its definition as it is.
//   - The system prompt is one system message, or the instructions; its blocks are joined by nothing. Where the request
//     places breakpoints it is a message with a part for each block, and so is all other content that takes a breakpoint,
//     whether it has one or not: a shape that changed with the breakpoint would miss the cache.
//   - A result is a message, or an item, of its own; so is every call in the responses API. In chat completions what the
//     assistant says directly after its calls is part of the message that makes them.
//   - Arguments become the text of canonical JSON; a result that is JSON becomes a text, an error its text.
//   - Images and documents become the parts that the API has for them. Other media are an error.
//   - Thoughts are left out, but for those that this provider encrypted for the responses API.
//   - Ids and metadata of messages are the host's and are not sent.
//
// Breakpoints stand on texts, images and files that are not the assistant's; one that was asked for elsewhere moves to the
// nearest of these before it. Of more than the maximum the first and the last ones stay. The lifetimes of breakpoints mean
// nothing here.
//
// The prompt_cache_key is [CacheKey] of the request, where a breakpoint was asked for after tools or system prompt and the
// request has none among its parameters.
func Write(q request.Request, o Options) (request.Body, error) {
	w := writer{estimator: measure.QuarterTokens(), parts: o.Mode != Automatic}
	w.body.API = o.API
	if o.Estimator != nil {
		w.estimator = *o.Estimator
	}
	var body request.Body
	var err error
	if body.CacheKey, err = w.convert(&q, o); err != nil {
		return request.Body{}, edge(err)
	}
	if w.body, err = w.body.Canonical(); err != nil {
		return request.Body{}, err // with the name of the format, which is this package's too
	}
	if w.parts {
		if err := w.place(&q, o, &body); err != nil {
			return request.Body{}, edge(err)
		}
	}
	body.Findings = append(w.findings, body.Findings...)
	if body.JSON, err = w.body.AppendJSON(nil); err != nil {
		return request.Body{}, err // as above
	}
	return body, nil
}

// edge says which package an error comes from, where it leaves it.
func edge(err error) error { return fmt.Errorf("openai: %w", err) }

// CacheKey returns the routing key of a request: 64 hex digits of its namespace and its stable prefix, which is its tools
// and its system prompt up to the last breakpoint there, without what is volatile. Requests that can share a cached prefix
// have one key, and no two namespaces do. "" where no breakpoint stands after tools or system prompt.
func CacheKey(q request.Request) string {
	blocks, asked := 0, false
	for _, b := range q.Breakpoints {
		switch b.At.Part {
		case request.System:
			blocks, asked = max(blocks, b.At.Index+1), true
		case request.Tools:
			asked = true
		}
	}
	if !asked {
		return ""
	}
	parts := []string{"openai prompt_cache_key"}
	for i := range q.Tools {
		tool := jsontext.Value(definition(&q.Tools[i], format.Chat))
		_ = tool.Canonicalize(jsontext.CanonicalizeRawInts(false)) // what is not JSON is refused with its place by Write
		parts = append(parts, string(tool))
	}
	stable := ""
	for _, b := range q.System[:min(blocks, len(q.System))] {
		if b.Volatile {
			break
		}
		stable += b.Text
	}
	if len(q.Tools) == 0 && stable == "" {
		return ""
	}
	return fingerprint.CacheKey(q.Namespace, append(parts, stable)...).String()
}

// A writer holds the body while it is made.
type writer struct {
	estimator measure.Measure
	parts     bool // content that takes a breakpoint is a list of parts
	body      format.Request
	findings  []request.Finding
	lifted    []block // that had a marker

	prompt     int    // messages of the body that are the system prompt
	volatile   []bool // of the parts of the system prompt
	ends       []int  // of the request's messages: the body's messages up to its end
	systemEnds []int  // of the request's system blocks: the parts up to its end
	first      []int  // of the body's messages, and the end: the spots before it
	json       []byte // room for one block
}

// A block is a place in the body.
type block struct{ message, index int }

// convert makes the body of a request that is as it should be, but for its breakpoints, and returns the cache key.
func (w *writer) convert(q *request.Request, o Options) (key string, err error) {
	if err := markers.Check(q); err != nil {
		return "", err
	}
	if o.Mode > Explicit || o.API > format.Responses {
		return "", fmt.Errorf("unknown mode %d or API %d", o.Mode, o.API)
	}
	if key, err = w.params(q, o.Mode); err != nil {
		return "", err
	}
	w.tools(q)
	w.system(q)
	if err := w.messages(q); err != nil {
		return "", err
	}
	w.lift()
	return key, nil
}

// place decides where breakpoints stand and puts them there.
func (w *writer) place(q *request.Request, o Options, body *request.Body) error {
	w.spell()
	spots, targets := w.survey()
	var wants []markers.Want
	for _, b := range q.Breakpoints {
		spot := b.At.Index
		switch b.At.Part {
		case request.System:
			spot = len(w.body.Tools) + w.systemEnds[b.At.Index] - 1
		case request.Messages:
			spot = w.first[w.ends[b.At.Index]] - 1
		}
		wants = append(wants, markers.Want{Spot: spot})
	}
	for _, at := range w.lifted {
		spot := w.first[at.message] + at.index
		if w.body.Messages[at.message].Role == messages.Tool { // a result is one block, with a spot for each of its parts
			spot = w.first[at.message+1] - 1
		}
		wants = append(wants, markers.Want{Spot: spot})
	}
	rules := markers.Rules{Max: o.MaxMarkers, MinTokens: o.MinTokens}
	if rules.Max == 0 {
		rules.Max = MaxMarkers
	}
	if o.Mode == Implicit {
		rules.Automatic = new(request.TTL)
	}
	marks, places, findings, err := markers.Place(spots, w.at, wants, rules)
	if err != nil {
		return err
	}
	for _, spot := range places {
		b := targets[spot]
		b.Extra = append(b.Extra, messages.Member{Name: "prompt_cache_breakpoint", Value: `{"mode":"explicit"}`})
	}
	body.Markers, body.Findings = marks, findings
	return nil
}
