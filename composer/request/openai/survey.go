package openai

import (
	"fmt"
	"strings"

	"github.com/quirehq/quire/composer/messages"
	wire "github.com/quirehq/quire/composer/messages/openai"
	"github.com/quirehq/quire/composer/request/internal/markers"
)

// lift takes the markers off the blocks: they are another API's, and would show in the shape of the content. Those that
// are one ask for a breakpoint behind the block.
func (w *writer) lift() {
	var take func(b *messages.Block) bool
	take = func(b *messages.Block) bool {
		asked := b.Cache != "" && b.Cache != "null"
		b.Cache = ""
		for i := range b.Content {
			asked = take(&b.Content[i]) || asked
		}
		return asked
	}
	for i := range w.body.Messages {
		content := w.body.Messages[i].Content
		for k := range content {
			if take(&content[k]) {
				w.lifted = append(w.lifted, block{i, k})
			}
		}
	}
}

// spell makes lists of parts of all content that takes a breakpoint.
func (w *writer) spell() {
	for i := range w.body.Messages {
		m := &w.body.Messages[i]
		if m.Role == messages.Assistant || len(m.Content) == 0 {
			continue
		}
		if b := &m.Content[0]; b.Kind == messages.KindToolResult && b.Content == nil && b.Text != "" {
			b.Content, b.Text = []messages.Block{messages.Text(b.Text)}, ""
		}
		m.Shape = messages.ShapeBlocks
	}
}

// survey lists the blocks of the body, what a breakpoint would be put on, and for each message how many blocks stand
// before it (one more entry is for the end).
func (w *writer) survey() (spots []markers.Spot, targets []*messages.Block, first []int) {
	for i, t := range w.body.Tools {
		spots = append(spots, markers.Spot{At: fmt.Sprintf("/tools/%d", i), Tokens: w.estimator.Count(string(t.Definition))})
		targets = append(targets, nil)
	}
	list := "messages"
	if w.body.API == wire.Responses {
		list = "input"
	}
	for i := range w.body.Messages {
		m := &w.body.Messages[i]
		first = append(first, len(spots))
		for k := range m.Content {
			b := &m.Content[k]
			at := fmt.Sprintf("/%s/%d/content/%d", list, i, k)
			if b.Kind == messages.KindToolCall {
				at = fmt.Sprintf("/%s/%d", list, i)
			}
			if b.Kind == messages.KindToolResult {
				if len(b.Content) == 0 {
					at = fmt.Sprintf("/%s/%d", list, i)
				} else {
					name := "content"
					if w.body.API == wire.Responses {
						name = "output"
					}
					spots, targets = w.results(b, fmt.Sprintf("/%s/%d/%s", list, i, name), spots, targets)
					continue
				}
			}
			spots = append(spots, markers.Spot{At: at, Carries: m.Role != messages.Assistant && carries(b),
				Volatile: i < w.prompt && w.volatile[k], Tokens: w.tokens(m.Role, b)})
			targets = append(targets, b)
		}
	}
	return spots, targets, append(first, len(spots))
}

// results lists the parts of a result. The tokens of all stand at the last: a prefix that ends inside counts as less.
func (w *writer) results(b *messages.Block, at string, spots []markers.Spot, targets []*messages.Block) ([]markers.Spot, []*messages.Block) {
	tokens, last := w.tokens(messages.Tool, b), len(b.Content)-1
	for k := range b.Content {
		s := markers.Spot{At: fmt.Sprintf("%s/%d", at, k), Carries: carries(&b.Content[k])}
		if k == last {
			s.Tokens = tokens
		}
		spots, targets = append(spots, s), append(targets, &b.Content[k])
	}
	return spots, targets
}

func (w *writer) tokens(role messages.Role, b *messages.Block) int64 {
	text, err := messages.Message{Role: role, Content: []messages.Block{*b}}.Text()
	if err != nil { // writing the body tells it with the place
		return 0
	}
	return w.estimator.Count(text)
}

// carries reports whether the provider takes a breakpoint on the part.
func carries(b *messages.Block) bool {
	switch b.Kind {
	case messages.KindText:
		return strings.TrimSpace(b.Text) != ""
	case messages.KindImage, messages.KindFile:
		return true
	}
	return false
}
