// Package anthropic writes a request as the body that Anthropic's messages API takes, with cache markers.
//
// [Write] puts the request into the API's shapes (see [Write]), marks the blocks after which a cacheable prefix ends, and
// writes one canonical body: the same request, the same bytes, with members sorted at every depth where order means
// nothing. The rules of markers are those of the wire, where one message can be several blocks:
//
//   - at most four markers; the first and the last ones stay, those between go, the earliest first
//   - a longer lifetime stands before a shorter one
//   - none on a block that is volatile, empty or blank, or of a kind that takes none
//   - none further from the one before it than the provider looks back, as long as markers are left to add between
//   - none after a prefix below the model's minimum
//
// What was moved, dropped or added is in the findings of the [request.Body].
//
// It does not check what else the provider would: a body may name a model that does not exist.
package anthropic

import (
	"fmt"

	"github.com/quirehq/quire/composer/measure"
	format "github.com/quirehq/quire/composer/messages/anthropic"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/composer/request/internal/markers"
)

// What the provider states today, used where [Options] say nothing.
const (
	MaxMarkers = 4
	LookBack   = 20
)

// Options are the rules of a model and its service. The zero value has those of the constants, and no minimum.
type Options struct {
	MaxMarkers int              // 0: [MaxMarkers]
	LookBack   int              // blocks from a marker to where an entry is found; 0: [LookBack]
	MinTokens  int64            // of a prefix that the model caches
	Estimator  *measure.Measure // counts tokens of prefixes; nil: [measure.QuarterTokens]
}

// Write writes the body of a request.
//
//   - A tool has name, description and input_schema, or its definition as it is.
//   - System and developer messages that lead are blocks of the system prompt, after the others; further ones keep their
//     place, with the role system.
//   - Tool messages are messages of the user. Those that follow each other are one, and so are messages of the assistant:
//     parallel results belong together, directly after the whole answer with their calls.
//   - Arguments that are a text must be an object in JSON. A result that is JSON becomes a text; an error becomes its text,
//     with is_error.
//   - Images and files that are spelled for OpenAI's APIs become image and document blocks. Other media are an error.
//   - A thought without a signature is left out, and so is a blank block of the system prompt.
//   - Ids and metadata of messages are the host's and are not sent.
//
// Every block of the content counts as one for the look-back, and so does every tool. An error names the message and the
// block; two markers in the wrong order are a [request.TTLOrderError]. A marker that [request.Request.Params] places
// automatically is not among those of the body.
func Write(q request.Request, o Options) (request.Body, error) {
	w := writer{estimator: measure.QuarterTokens()}
	if o.Estimator != nil {
		w.estimator = *o.Estimator
	}
	rules := markers.Rules{Max: o.MaxMarkers, LookBack: o.LookBack, MinTokens: o.MinTokens}
	if rules.Max == 0 {
		rules.Max = MaxMarkers
	}
	if rules.LookBack == 0 {
		rules.LookBack = LookBack
	}
	if err := w.convert(&q, &rules); err != nil {
		return request.Body{}, edge(err)
	}
	var err error
	if w.body, err = w.body.Canonical(); err != nil {
		return request.Body{}, err // with the name of the format, which is this package's too
	}
	body, err := w.place(&q, rules)
	if err != nil {
		return request.Body{}, edge(err)
	}
	const around = 512 // the messages: brackets, parameters, markers
	if body.JSON, err = w.body.AppendJSON(make([]byte, 0, w.length+around)); err != nil {
		return request.Body{}, err // as above
	}
	return body, nil
}

// edge says which package an error comes from, where it leaves it.
func edge(err error) error { return fmt.Errorf("anthropic: %w", err) }

// A writer holds the body while it is made.
type writer struct {
	estimator measure.Measure
	body      format.Request
	findings  []request.Finding

	leading   int    // how many messages went into the system prompt
	systemEnd []int  // of the request's system blocks, then of leading messages: the blocks written up to its end
	ends      []int  // of the request's messages: the same among the blocks of messages
	volatile  []bool // of the blocks of the system prompt
	spots     []markers.Spot
	first     []int // of the messages of the body: the spots before it
	length    int   // of the body in bytes, roughly
	wants     []markers.Want
	lifted    []markers.Want // of blocks in messages, their spots counted from the first of these
}

// convert makes the body of a request that is as it should be, but for its markers.
func (w *writer) convert(q *request.Request, rules *markers.Rules) error {
	if err := markers.Check(q); err != nil {
		return err
	}
	if err := w.params(q, rules); err != nil {
		return err
	}
	for _, step := range []func(*request.Request) error{w.tools, w.system, w.messages} {
		if err := step(q); err != nil {
			return err
		}
	}
	return nil
}

// place decides where markers stand and puts them there. The body that it returns has no JSON yet.
func (w *writer) place(q *request.Request, rules markers.Rules) (request.Body, error) {
	if err := w.survey(q); err != nil {
		return request.Body{}, err
	}
	marks, places, findings, err := markers.Place(w.spots, w.at, w.wants, rules)
	if err != nil {
		return request.Body{}, err
	}
	for i, place := range places {
		if err := w.mark(place, marks[i].TTL); err != nil {
			return request.Body{}, err
		}
	}
	return request.Body{Markers: marks, Findings: append(w.findings, findings...)}, nil
}
