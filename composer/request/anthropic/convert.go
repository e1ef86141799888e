package anthropic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/composer/request/internal/markers"
)

// params sets the members beside tools, system prompt and messages.
func (w *writer) params(q *request.Request, rules *markers.Rules) error {
	if q.Model != "" {
		w.body.Params = append(w.body.Params, messages.Member{Name: "model", Value: wire.Quote(q.Model)})
	}
	if q.MaxOutput > 0 && !wire.Has(q.Params, "max_tokens") {
		w.body.Params = append(w.body.Params, messages.Member{Name: "max_tokens", Value: messages.JSON(strconv.FormatInt(q.MaxOutput, 10))})
	}
	taken := map[string]bool{"messages": true, "system": true, "tools": true}
	for _, m := range w.body.Params {
		taken[m.Name] = true
	}
	for _, m := range q.Params {
		if taken[m.Name] {
			return fmt.Errorf("parameter %q stands twice", m.Name)
		}
		taken[m.Name] = true
		w.body.Params = append(w.body.Params, m)
		if m.Name == "cache_control" && m.Value != "null" {
			ttl, err := readMarker(m.Value)
			if err != nil {
				return fmt.Errorf("parameter %q: %w", m.Name, err)
			}
			rules.Automatic = &ttl
		}
	}
	return nil
}

// readMarker reads the lifetime of a marker.
func readMarker(marker messages.JSON) (request.TTL, error) {
	var m struct {
		Type string `json:"type"`
		TTL  string `json:"ttl"`
	}
	if err := json.Unmarshal([]byte(marker), &m); err != nil {
		return 0, fmt.Errorf("cache marker %.60s: %w", marker, err)
	}
	if m.TTL == "" {
		return request.FiveMinutes, nil
	}
	ttl, err := request.ParseTTL(m.TTL)
	if err != nil {
		return 0, fmt.Errorf("cache marker: unknown lifetime %q; want 5m or 1h", m.TTL)
	}
	return ttl, nil
}

// marker writes a marker. A bare one lives for five minutes.
func marker(ttl request.TTL) messages.JSON {
	if ttl == request.FiveMinutes {
		return `{"type":"ephemeral"}`
	}
	return `{"ttl":"` + messages.JSON(ttl.String()) + `","type":"ephemeral"}`
}

// tools spells the tools. Markers in definitions become wants.
func (w *writer) tools(q *request.Request) error {
	for i, t := range q.Tools {
		definition := t.Definition
		if definition == "" {
			if t.Name == "" {
				return fmt.Errorf("tool %d: no name", i+1)
			}
			schema := t.Schema
			if schema == "" {
				schema = `{"properties":{},"type":"object"}`
			}
			definition = `{"description":` + wire.Quote(t.Description) + `,"input_schema":` + schema + `,"name":` + wire.Quote(t.Name) + `}`
		}
		definition, held, err := remark(definition, "")
		if err == nil && held != "" && held != "null" {
			err = w.want(i, held)
		}
		if err != nil {
			return fmt.Errorf("tool %d (%q): %w", i+1, t.Name, err)
		}
		w.body.Tools = append(w.body.Tools, messages.ToolSpec{Name: t.Name, Definition: definition})
	}
	return nil
}

// remark returns a definition with a marker in place of the one it had; "" is none.
func remark(definition, marker messages.JSON) (marked, had messages.JSON, err error) {
	r := wire.Read([]byte(definition))
	members, err := r.Members("a tool, an object")
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return "", "", err
	}
	w := wire.Append(nil)
	w.Open('{')
	for _, m := range members {
		if m.Name == "cache_control" {
			had = m.JSON()
			continue
		}
		w.Member(m.Member())
	}
	if marker != "" {
		w.Name("cache_control")
		w.Value(marker)
	}
	w.Close('}')
	return messages.JSON(w.Buf), had, w.Err
}

func (w *writer) want(spot int, marker messages.JSON) error {
	ttl, err := readMarker(marker)
	w.wants = append(w.wants, markers.Want{Spot: spot, TTL: ttl})
	return err
}

// system makes the blocks of the system prompt: the request's own, then those of the messages that lead.
func (w *writer) system(q *request.Request) error {
	system := &w.body.System
	add := func(b messages.Block, volatile bool, from request.Place) error {
		if strings.TrimSpace(b.Text) == "" {
			w.findings = append(w.findings, request.Finding{Code: request.BlankBlock, At: from.String()})
			return nil
		}
		b.Extra = wire.Anthropic.Own(b.Extra)
		if b.Cache != "" && b.Cache != "null" {
			if err := w.want(len(w.body.Tools)+len(system.Content), b.Cache); err != nil {
				return fmt.Errorf("%v: %w", from, err)
			}
		}
		b.Cache = ""
		system.Role = messages.System
		system.Content = append(system.Content, b)
		w.volatile = append(w.volatile, volatile)
		return nil
	}
	for i, b := range q.System {
		if err := add(messages.Text(b.Text), b.Volatile, request.Place{Part: request.System, Index: i}); err != nil {
			return err
		}
		w.systemEnd = append(w.systemEnd, len(system.Content))
	}
	for i, m := range q.Messages {
		if m.Role != messages.System && m.Role != messages.Developer {
			break
		}
		from := request.Place{Part: request.Messages, Index: i}
		for k, b := range m.Content {
			if b.Kind != messages.KindText {
				return fmt.Errorf("%v: block %d: a system prompt takes texts; found %s", from, k+1, b.Kind)
			}
			if err := add(b, false, from); err != nil {
				return err
			}
		}
		w.leading++
		w.systemEnd = append(w.systemEnd, len(system.Content))
	}
	return nil
}

// messages puts the conversation into the API's shapes.
func (w *writer) messages(q *request.Request) error {
	w.body.Messages = make([]messages.Message, 0, len(q.Messages))
	w.ends = make([]int, len(q.Messages))
	written, after := 0, messages.Role("")
	for i := w.leading; i < len(q.Messages); i++ {
		m := q.Messages[i]
		from := request.Place{Part: request.Messages, Index: i}
		content := slices.Grow([]messages.Block(nil), len(m.Content))
		for k := range m.Content {
			b, err := block(m.Content[k])
			if err == nil {
				err = w.lift(&b, written+len(content))
			}
			if err != nil {
				return fmt.Errorf("%v: block %d: %w", from, k+1, err)
			}
			if b.Kind == "" {
				w.findings = append(w.findings, request.Finding{Code: request.ThinkingDropped, At: from.String()})
				continue
			}
			content = append(content, b)
		}
		written += len(content)
		w.ends[i] = written
		joins := m.Role == messages.Tool || m.Role == messages.Assistant && len(m.Extra) == 0
		if n := len(w.body.Messages); joins && m.Role == after {
			last := &w.body.Messages[n-1]
			last.Content = append(last.Content, content...)
			continue
		}
		if len(content) == 0 && len(m.Content) > 0 {
			continue // nothing is left of it
		}
		after = m.Role
		role := m.Role
		switch role {
		case messages.Tool:
			role = messages.User
		case messages.Developer:
			role = messages.System
		}
		w.body.Messages = append(w.body.Messages, messages.Message{Role: role, Content: content, Extra: wire.Anthropic.Own(m.Extra)})
	}
	return nil
}

// block puts a block into the API's shape. The zero block is one to leave out.
func block(b messages.Block) (messages.Block, error) {
	b.Extra = wire.Anthropic.Own(b.Extra)
	switch b.Kind {
	case messages.KindThinking:
		if !wire.Has(b.Extra, "signature") {
			return messages.Block{}, nil
		}
	case messages.KindToolCall:
		return call(b)
	case messages.KindToolResult:
		return result(b)
	case messages.KindImage, messages.KindFile, messages.KindDocument, messages.KindAudio:
		return media(b)
	}
	if wire.Anthropic.Foreign(string(b.Kind)) {
		return b, fmt.Errorf("%s has no form in this API", b.Kind)
	}
	return b, nil
}

func call(b messages.Block) (messages.Block, error) {
	switch {
	case b.Value != "":
	case b.Text == "":
		b.Value = "{}"
	default:
		b.Value, b.Text = messages.JSON(b.Text), ""
	}
	if b.Value == `""` {
		b.Value = "{}"
	}
	if v := jsontext.Value(b.Value); !v.IsValid() || v.Kind() != '{' {
		return b, fmt.Errorf("the call of %q has arguments that are no object in JSON: %.40s", b.Name, b.Value)
	}
	return b, nil
}

func result(b messages.Block) (messages.Block, error) {
	if wire.Failed(&b) && !wire.Has(b.Extra, "is_error") {
		b.Extra = append(slices.Clip(b.Extra), messages.Member{Name: "is_error", Value: "true"})
	}
	b.Text, b.Value, b.Error = wire.ResultText(&b), "", ""
	if b.Content != nil {
		content := make([]messages.Block, len(b.Content))
		for i := range b.Content {
			var err error
			if content[i], err = block(b.Content[i]); err != nil {
				return b, fmt.Errorf("block %d of the result: %w", i+1, err)
			}
		}
		b.Content = content
	}
	return b, nil
}

// media gives an image or a file a source.
func media(b messages.Block) (messages.Block, error) {
	if wire.Has(b.Extra, "source") {
		if b.Kind == messages.KindFile {
			b.Kind = messages.KindDocument
		}
		return b, nil
	}
	var out messages.Block
	m, err := wire.ReadMedia(&b)
	if err == nil {
		out, err = m.Anthropic()
	}
	if err != nil {
		return b, fmt.Errorf("%s: %w", b.Kind, err)
	}
	out.Cache = b.Cache
	return out, nil
}
