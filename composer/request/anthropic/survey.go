package anthropic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/composer/request/internal/markers"
)

// survey lists the blocks of the body, and the markers that were asked for.
func (w *writer) survey(q *request.Request) error {
	for _, t := range w.body.Tools {
		w.spots = append(w.spots, markers.Spot{Carries: true, Tokens: w.estimator.Count(string(t.Definition))})
		w.length += len(t.Definition)
	}
	for i := range w.body.System.Content {
		b := &w.body.System.Content[i]
		w.spots = append(w.spots, markers.Spot{Carries: true, Volatile: w.volatile[i], Tokens: w.estimator.Count(b.Text)})
		w.length += len(b.Text)
	}
	first := len(w.spots)
	w.spots = slices.Grow(w.spots, len(w.body.Messages))
	w.first = make([]int, len(w.body.Messages))
	var json []byte
	for i := range w.body.Messages {
		m := &w.body.Messages[i]
		w.first[i] = len(w.spots)
		for k := range m.Content {
			var text string
			var err error
			one := messages.Message{Role: m.Role, Content: m.Content[k : k+1]}
			if json, text, err = one.AppendJSONText(json[:0]); err != nil {
				return fmt.Errorf("%s: %w", w.at(len(w.spots)), err)
			}
			w.length += len(json) + 1
			w.spots = append(w.spots, markers.Spot{Carries: carries(&m.Content[k]), Tokens: w.estimator.Count(text)})
		}
	}
	for _, want := range w.lifted {
		w.wants = append(w.wants, markers.Want{Spot: first + want.Spot, TTL: want.TTL})
	}
	for _, b := range q.Breakpoints {
		spot := b.At.Index
		switch {
		case b.At.Part == request.System:
			spot = len(w.body.Tools) + w.systemEnd[b.At.Index] - 1
		case b.At.Part == request.Messages && b.At.Index < w.leading:
			spot = len(w.body.Tools) + w.systemEnd[len(q.System)+b.At.Index] - 1
		case b.At.Part == request.Messages:
			spot = first + w.ends[b.At.Index] - 1
		}
		w.wants = append(w.wants, markers.Want{Spot: spot, TTL: b.TTL})
	}
	return nil
}

// at returns the JSON pointer of a spot.
func (w *writer) at(spot int) string {
	if spot < len(w.body.Tools) {
		return fmt.Sprintf("/tools/%d", spot)
	}
	if block := spot - len(w.body.Tools); block < len(w.body.System.Content) {
		return fmt.Sprintf("/system/%d", block)
	}
	message, block := w.block(spot)
	return fmt.Sprintf("/messages/%d/content/%d", message, block)
}

// block returns the message of a spot after the system prompt, and its block.
func (w *writer) block(spot int) (message, block int) {
	behind, _ := slices.BinarySearch(w.first, spot+1) // the message after it; one without blocks begins where the next does
	return behind - 1, spot - w.first[behind-1]
}

// lift takes the markers off a block, the at-th of the conversation, and its parts. They would show in the shape of the
// content; those that stay are put back where they are allowed.
func (w *writer) lift(b *messages.Block, at int) error {
	if b.Cache != "" && b.Cache != "null" {
		ttl, err := readMarker(b.Cache)
		if err != nil {
			return err
		}
		w.lifted = append(w.lifted, markers.Want{Spot: at, TTL: ttl})
	}
	b.Cache = ""
	if b.Kind != messages.KindToolResult {
		return nil
	}
	for i := range b.Content {
		if err := w.lift(&b.Content[i], at); err != nil {
			return err
		}
	}
	return nil
}

// carries reports whether the provider takes a marker on the block.
func carries(b *messages.Block) bool {
	switch b.Kind {
	case messages.KindText:
		return strings.TrimSpace(b.Text) != ""
	case messages.KindImage, messages.KindDocument, messages.KindToolCall, messages.KindToolResult:
		return true
	}
	return false
}

// mark puts a marker on a block.
func (w *writer) mark(spot int, ttl request.TTL) error {
	if spot < len(w.body.Tools) {
		t := &w.body.Tools[spot]
		definition, _, err := remark(t.Definition, marker(ttl))
		if err == nil {
			t.Definition, err = wire.Canonical(definition)
		}
		return err
	}
	if block := spot - len(w.body.Tools); block < len(w.body.System.Content) {
		w.body.System.Content[block].Cache = marker(ttl)
		return nil
	}
	message, block := w.block(spot)
	w.body.Messages[message].Content[block].Cache = marker(ttl)
	return nil
}
