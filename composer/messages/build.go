package messages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quirehq/quire/fingerprint"
)

// Build makes the messages of a prompt. It is an error when a resource is asked for and there is no loader, or the
// loader gives an error; both name the URI. Nothing else has an effect.
func Build(in Input) (Prompt, error) {
	p := Prompt{Context: in.Context, Skills: in.Skills, Tools: in.Tools, Tail: in.Tail, Model: in.Model}
	p.History, p.Current = in.History, in.Current
	for _, text := range in.System {
		p.Instructions = append(p.Instructions, TextMessage(System, "System instruction:\n"+text))
	}
	for _, text := range in.Developer {
		p.Instructions = append(p.Instructions, TextMessage(System, "Developer instruction:\n"+text))
	}
	for _, i := range in.Instructions {
		m := TextMessage(System, labelled(i.Label, i.Text))
		m.Metadata = i.Metadata
		p.Instructions = append(p.Instructions, m)
	}
	for _, s := range in.Summaries {
		m := TextMessage(System, "Summary:\n"+s.Text)
		if len(s.Content) > 0 {
			m.Content = s.Content
		}
		m.Metadata = s.Metadata
		p.Summaries = append(p.Summaries, m)
	}
	for _, a := range in.Attachments {
		m, err := a.message(in.Load)
		if err != nil {
			return Prompt{}, err
		}
		if m.Content != nil {
			p.Attachments = append(p.Attachments, m)
		}
	}
	for _, uri := range in.Resources {
		m, err := Attachment{URI: uri}.message(in.Load)
		if err != nil {
			return Prompt{}, err
		}
		p.Attachments = append(p.Attachments, m)
	}
	for _, r := range in.ToolResults {
		p.ToolResults = append(p.ToolResults, r.message())
	}
	return p, nil
}

// labelled puts a label on a line of its own before the text.
func labelled(label, text string) string {
	if label == "" {
		return text
	}
	return label + ":\n" + text
}

func (a Attachment) message(load func(string) (string, error)) (Message, error) {
	m := Message{Role: User, Metadata: a.metadata()}
	switch {
	case len(a.Content) > 0:
		m.Content = a.Content
	case a.Text != "":
		text := a.Text
		if a.Name != "" {
			text = "Attachment " + a.Name + ":\n" + text
		}
		m.Content = []Block{Text(text)}
	case a.URI != "":
		if load == nil {
			return Message{}, fmt.Errorf("messages: resource %q: there is no loader", a.URI)
		}
		text, err := load(a.URI)
		if err != nil {
			return Message{}, fmt.Errorf("messages: resource %q: %w", a.URI, err)
		}
		name := a.Name
		if name == "" {
			name = a.URI
		}
		m.Content = []Block{Text("Resource " + name + ":\n" + text)}
		m.Segment = "resource:" + a.URI
	}
	return m, nil
}

// metadata names the attachment for the host, in the order name, uri, media type.
func (a Attachment) metadata() JSON {
	var object []byte
	for _, member := range []struct{ name, text string }{{"name", a.Name}, {"uri", a.URI}, {"mediaType", a.MediaType}} {
		if member.text == "" {
			continue
		}
		if object != nil {
			object = append(object, ',')
		}
		object = fingerprint.AppendJSONString(object, member.name)
		object = append(object, ':')
		object = fingerprint.AppendJSONString(object, member.text)
	}
	return "{" + JSON(object) + "}"
}

func (r ToolResult) message() Message {
	result := Block{Kind: KindToolResult, ID: r.CallID, Name: r.Name, Value: r.Value, Error: r.Error}
	var texts []string
	var media []Block
	for _, b := range r.Content {
		switch {
		case b.Kind != KindText:
			media = append(media, b)
		case b.Text != "":
			texts = append(texts, b.Text)
		}
	}
	if r.Value == "" {
		switch {
		case len(texts) > 0:
			result.Text = strings.Join(texts, "\n")
		case r.Error == "" || r.Error == "null":
			result.Text = EmptyToolResult
		}
	}
	return Message{Role: Tool, Content: append([]Block{result}, media...)}
}

// A Layout is an order of the groups in the prompt.
type Layout uint8

// The layouts.
const (
	// CacheAware puts what changes least first: leading system messages | context, skills, text tools | attachments,
	// summaries, history, tool results, current input | tail. The bars are breakpoints.
	CacheAware Layout = 0

	// Legacy is the order from before there were caches: context, skills, text tools, instructions, summaries, history,
	// current input, attachments, tool results; then the tail.
	Legacy Layout = 1
)

var layouts = []string{CacheAware: "cache_aware", Legacy: "legacy"}

// String returns the layout's name.
func (l Layout) String() string {
	if int(l) >= len(layouts) {
		return fmt.Sprint(uint8(l))
	}
	return layouts[l]
}

// ParseLayout reads a name that [Layout.String] writes.
func ParseLayout(name string) (Layout, error) {
	l, err := parseLayout(name)
	return l, edge(err)
}

func parseLayout(name string) (Layout, error) {
	if l := slices.Index(layouts, name); l >= 0 {
		return Layout(l), nil
	}
	return 0, fmt.Errorf("unknown layout %q; want cache_aware or legacy", name)
}

// Messages returns the messages of all groups in the order of the layout. What a [Prompt] adds to them is not among
// them.
func (g Groups) Messages(layout Layout) []Message {
	out := []Message{}
	for _, kind := range layout.groups() {
		out = append(out, *g.of(kind)...)
	}
	return out
}

// groups returns the groups of messages in the order of the layout.
func (l Layout) groups() []Group {
	if l == Legacy {
		return []Group{GroupInstructions, GroupSummaries, GroupHistory, GroupCurrent, GroupAttachments, GroupToolResults}
	}
	return []Group{GroupInstructions, GroupAttachments, GroupSummaries, GroupHistory, GroupToolResults, GroupCurrent}
}

// of returns the messages of one group.
func (g *Groups) of(group Group) *[]Message {
	switch group {
	case GroupInstructions:
		return &g.Instructions
	case GroupAttachments:
		return &g.Attachments
	case GroupSummaries:
		return &g.Summaries
	case GroupHistory:
		return &g.History
	case GroupToolResults:
		return &g.ToolResults
	}
	return &g.Current
}
