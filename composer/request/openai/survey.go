package openai

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quirehq/quire/composer/messages"
	format "github.com/quirehq/quire/composer/messages/openai"
	"github.com/quirehq/quire/composer/request/internal/markers"
)

// lift takes the markers off the blocks: they are another API's, and would show in the shape of the content. Those that
// are one ask for a breakpoint after the block.
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

// survey lists the blocks of the body and what a breakpoint would be put on, and notes what stands before each message.
func (w *writer) survey() (spots []markers.Spot, targets []*messages.Block) {
	for _, t := range w.body.Tools {
		spots = append(spots, markers.Spot{Tokens: w.estimator.Count(string(t.Definition))})
		targets = append(targets, nil)
	}
	for i := range w.body.Messages {
		m := &w.body.Messages[i]
		w.first = append(w.first, len(spots))
		for k := range m.Content {
			b := &m.Content[k]
			if b.Kind == messages.KindToolResult && len(b.Content) > 0 {
				spots, targets = w.results(b, spots, targets)
				continue
			}
			spots = append(spots, markers.Spot{Carries: m.Role != messages.Assistant && carries(b),
				Volatile: i < w.prompt && w.volatile[k], Tokens: w.tokens(m.Role, b)})
			targets = append(targets, b)
		}
	}
	w.first = append(w.first, len(spots))
	return spots, targets
}

// results lists the parts of a result. The tokens of all stand at the last: a prefix that ends inside counts as less.
func (w *writer) results(b *messages.Block, spots []markers.Spot, targets []*messages.Block) ([]markers.Spot, []*messages.Block) {
	tokens, last := w.tokens(messages.Tool, b), len(b.Content)-1
	for k := range b.Content {
		s := markers.Spot{Carries: carries(&b.Content[k])}
		if k == last {
			s.Tokens = tokens
		}
		spots, targets = append(spots, s), append(targets, &b.Content[k])
	}
	return spots, targets
}

// at returns the JSON pointer of a spot.
func (w *writer) at(spot int) string {
	if spot < len(w.body.Tools) {
		return fmt.Sprintf("/tools/%d", spot)
	}
	list, content := "messages", "content"
	if w.body.API == format.Responses {
		list = "input"
	}
	behind, _ := slices.BinarySearch(w.first, spot+1) // the message after it; one without blocks begins where the next does
	message := behind - 1
	k := spot - w.first[message]
	switch blocks := w.body.Messages[message].Content; {
	case blocks[0].Kind == messages.KindToolResult && len(blocks[0].Content) > 0: // it stands alone
		if w.body.API == format.Responses {
			content = "output"
		}
	case blocks[k].Kind == messages.KindToolResult || blocks[k].Kind == messages.KindToolCall:
		return fmt.Sprintf("/%s/%d", list, message)
	}
	return fmt.Sprintf("/%s/%d/%s/%d", list, message, content, k)
}

func (w *writer) tokens(role messages.Role, b *messages.Block) int64 {
	var text string
	var err error
	one := messages.Message{Role: role, Content: []messages.Block{*b}}
	if w.json, text, err = one.AppendJSONText(w.json[:0]); err != nil { // writing the body tells it with the place
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
