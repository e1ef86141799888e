package anthropic

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/composer/request/internal/markers"
)

// survey lists the blocks of the body, and the markers that were asked for.
func (w *writer) survey(q *request.Request) error {
	for i, t := range w.body.Tools {
		w.spots = append(w.spots, markers.Spot{At: fmt.Sprintf("/tools/%d", i), Carries: true, Tokens: w.estimator.Count(string(t.Definition))})
	}
	for i := range w.body.System.Content {
		b := &w.body.System.Content[i]
		w.spots = append(w.spots, markers.Spot{At: fmt.Sprintf("/system/%d", i), Carries: true, Volatile: w.volatile[i], Tokens: w.estimator.Count(b.Text)})
	}
	first := len(w.spots)
	for i := range w.body.Messages {
		m := &w.body.Messages[i]
		for k := range m.Content {
			b := &m.Content[k]
			at := fmt.Sprintf("/messages/%d/content/%d", i, k)
			text, err := messages.Message{Role: m.Role, Content: []messages.Block{*b}}.Text()
			if err != nil {
				return fmt.Errorf("%s: %w", at, err)
			}
			w.spots = append(w.spots, markers.Spot{At: at, Carries: carries(b), Tokens: w.estimator.Count(text)})
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
		members := map[string]jsontext.Value{}
		if err := json.Unmarshal([]byte(t.Definition), &members); err != nil {
			return err
		}
		members["cache_control"] = jsontext.Value(marker(ttl))
		spelled, err := object(members)
		t.Definition = spelled
		return err
	}
	spot -= len(w.body.Tools)
	if spot < len(w.body.System.Content) {
		w.body.System.Content[spot].Cache = marker(ttl)
		return nil
	}
	spot -= len(w.body.System.Content)
	for i := range w.body.Messages {
		content := w.body.Messages[i].Content
		if spot < len(content) {
			content[spot].Cache = marker(ttl)
			return nil
		}
		spot -= len(content)
	}
	return nil
}
