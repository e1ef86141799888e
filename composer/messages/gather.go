package messages

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quirehq/quire/composer/measure"
)

// A gathering turns a prompt into items, each message written and measured once.
type gathering struct {
	encoder                 // holds one message at a time, as long as the cache remembers it
	written strings.Builder // the contents, one after the other
	texts   []string        // of one message

	rules     rules
	estimator measure.Measure
	items     []item
}

// gather makes the items of a prompt. Its errors name the group and the message.
func (p *Prompt) gather(o Options, r rules, estimator measure.Measure) ([]item, error) {
	g := gathering{rules: r, estimator: estimator}
	g.grow(p)
	listed, _ := p.catalog(o.EagerSkills)
	for _, step := range []func() error{
		func() error { return g.fixed(p) },
		func() error { return g.conversation(p, o.Fold) },
		func() error { return g.context(p.Context) },
		func() error { return g.skills(listed, o.EagerSkills, p.Tail != nil) },
		func() error { return g.tools(p) },
		func() error { return g.tail(p.Tail, o.Notice) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return g.items, nil
}

// grow makes room for all messages, roughly: what is written is little longer than the texts.
func (g *gathering) grow(p *Prompt) {
	items, bytes := 8, 0
	for _, group := range CacheAware.groups() {
		list := *p.of(group)
		items += len(list)
		for i := range list {
			bytes += jsonLen(list[i].Content)
		}
	}
	items += len(p.Context) + 2*len(p.Skills) + len(p.Tools)
	for i := range p.Context {
		bytes += jsonLen(p.Context[i].Content)
	}
	for i := range p.Skills {
		bytes += len(p.Skills[i].Body)
	}
	for i := range p.Tools {
		bytes += len(p.Tools[i].Definition)
	}
	g.items = make([]item, 0, items)
	g.written.Grow(bytes)
}

// price returns the costs of texts, one a line.
func (g *gathering) price(texts ...string) (size, bytes int64, err error) {
	size = g.estimator.CountJoined(texts, "\n")
	if size < 0 {
		return 0, 0, fmt.Errorf("%w: %q counts %d", ErrEstimator, g.estimator.Name(), size)
	}
	bytes = int64(max(len(texts)-1, 0))
	for _, text := range texts {
		bytes += int64(len(text))
	}
	return size, bytes, nil
}

// add writes a message, charges it for its text and makes an item of it. Whoever has more to say about it changes the
// item that it returns.
func (g *gathering) add(group Group, index int, m *Message) (*item, error) {
	t, err := g.write(group, index, m)
	if err != nil {
		return nil, err
	}
	g.texts = pieceTexts(&g.encoder, t.content, g.texts[:0])
	return t, g.charge(t, g.texts...)
}

// write writes a message and makes an item of it.
func (g *gathering) write(group Group, index int, m *Message) (*item, error) {
	g.buf = g.buf[:0]
	if err := g.message(m); err != nil {
		return nil, &MessageError{group, index, err}
	}
	t := g.item(group, index)
	t.message, t.id = m, m.ID
	for i := range m.Content {
		t.mark = t.mark || m.Content[i].Cache != ""
	}
	return t, nil
}

// item makes an item of what stands in the encoder.
func (g *gathering) item(group Group, index int) *item {
	start := g.written.Len()
	g.written.Write(g.buf)
	g.items = append(g.items, item{group: group, index: index, unit: -1, line: -1, content: g.written.String()[start:]})
	return &g.items[len(g.items)-1]
}

// charge charges an item for texts, one a line.
func (g *gathering) charge(t *item, texts ...string) (err error) {
	if t.size, t.bytes, err = g.price(texts...); err != nil {
		return &MessageError{t.group, t.index, err}
	}
	t.whole = g.rules.counted(t.size, t.bytes)
	return nil
}

// fixed adds the groups of messages around the conversation.
func (g *gathering) fixed(p *Prompt) error {
	for _, group := range []Group{GroupInstructions, GroupAttachments, GroupSummaries} {
		list := *p.of(group)
		for i := range list {
			t, err := g.add(group, i, &list[i])
			if err != nil {
				return err
			}
			if group == GroupAttachments && p.Tail != nil {
				t.segment = list[i].Segment
			}
		}
	}
	return nil
}

// conversation adds history, tool results and current input. Calls get their ids and units are found over all of it.
func (g *gathering) conversation(p *Prompt, fold *Fold) error {
	turns := make([]*Message, 0, len(p.History)+len(p.ToolResults)+len(p.Current))
	groups := g.rules.layout.conversation()
	for _, group := range groups {
		list := *p.of(group)
		for i := range list {
			turns = append(turns, &list[i])
		}
	}
	units := link(turns)
	old := 0
	if fold != nil {
		old = fold.border(len(p.History))
	}
	for _, group := range groups {
		for i := range *p.of(group) {
			m, whole := turns[0], int64(-1)
			if group == GroupHistory && i < old {
				var err error
				if m, whole, err = g.folded(m, fold.Cap); err != nil {
					return &MessageError{group, i, err}
				}
			}
			t, err := g.add(group, i, m)
			if err != nil {
				return err
			}
			t.unit = units[0]
			if whole >= 0 {
				t.whole = whole
			}
			if group == GroupToolResults && t.id == "" {
				t.id = m.firstResult()
			}
			turns, units = turns[1:], units[1:]
		}
	}
	return nil
}

// conversation returns the groups that make up the conversation, in the order in which calls and results stand.
func (l Layout) conversation() []Group {
	if l == Legacy {
		return []Group{GroupHistory, GroupCurrent, GroupToolResults}
	}
	return []Group{GroupHistory, GroupToolResults, GroupCurrent}
}

// folded returns m with its tool results shortened, and what it was before where that changed it, else -1.
func (g *gathering) folded(m *Message, limit int) (*Message, int64, error) {
	shorter, cut := FoldToolResults(*m, limit)
	if !cut {
		return m, -1, nil
	}
	g.buf = g.buf[:0]
	if err := g.message(m); err != nil {
		return nil, 0, err
	}
	size, bytes, err := g.price(g.text())
	return &shorter, g.rules.counted(size, bytes), err
}

// firstResult returns the id of the call that the message's first result is for.
func (m *Message) firstResult() string {
	for i := range m.Content {
		if m.Content[i].Kind == KindToolResult {
			return m.Content[i].ID
		}
	}
	return ""
}

// context adds the blocks of background. They are charged for their title and their texts, as the published builder
// does: the name of a tool call, which the model is shown, is not charged.
func (g *gathering) context(blocks []Context) error {
	for i := range blocks {
		c := &blocks[i]
		title := c.Title
		if title == "" {
			title = "Context"
		}
		shown, charged, err := shownText(c.Content)
		if err != nil {
			return &MessageError{GroupContext, i, err}
		}
		m := TextMessage(System, labelled(title, shown))
		m.Metadata = c.Metadata
		t, err := g.write(GroupContext, i, &m)
		if err == nil {
			err = g.charge(t, labelled(title, charged))
		}
		if err != nil {
			return err
		}
		t.priority, t.id = c.Priority, c.ID
		if t.id == "" {
			t.id = c.Title
		}
	}
	return nil
}

// shownText returns blocks as one text for the model, and the text that is charged for them.
func shownText(blocks []Block) (shown, charged string, err error) {
	textOf := func(blocks []Block) (string, error) {
		var e encoder
		err := e.message(&Message{Content: blocks})
		return e.text(), err
	}
	if charged, err = textOf(blocks); err != nil {
		return "", "", err
	}
	var pieces []string
	for i := range blocks {
		text, err := textOf(blocks[i : i+1])
		if err != nil {
			return "", "", err
		}
		switch b := &blocks[i]; b.Kind {
		case KindText, KindThinking, KindToolResult:
		case KindToolCall:
			text = b.Name + "(" + text + ")"
		default:
			text = "[" + string(b.Kind) + "]"
		}
		if text != "" {
			pieces = append(pieces, text)
		}
	}
	return strings.Join(pieces, "\n"), charged, nil
}

// space is what JavaScript's trim takes off, as the published system does. Package strings takes another set.
const space = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

// skills adds the lines of the catalog, then the bodies.
func (g *gathering) skills(listed []Skill, eager, tail bool) error {
	first := len(g.items)
	for i, s := range listed {
		description := strings.Trim(s.Description, space)
		if description == "" {
			description = "(no description)"
		}
		m := TextMessage(System, "Skill "+s.Name+": "+description)
		t, err := g.add(GroupSkills, i, &m)
		if err != nil {
			return err
		}
		t.id = s.Name
	}
	for i, s := range listed {
		if s.Body == "" || !s.Loaded && !eager {
			continue
		}
		m := TextMessage(System, "Skill "+s.Name+":\n"+s.Body)
		t, err := g.add(GroupSkillBodies, i, &m)
		if err != nil {
			return err
		}
		t.id, t.line = s.Name, first+i
		if s.Loaded && tail {
			t.segment = "skill:" + s.Name
		}
	}
	return nil
}

// catalog returns the skills of the catalog, and how many more there were.
func (p *Prompt) catalog(eager bool) (listed []Skill, more int) {
	listed = p.Skills
	if eager {
		listed = slices.DeleteFunc(slices.Clone(listed), func(s Skill) bool { return s.Body == "" })
	}
	more = max(0, len(listed)-MaxSkills)
	return listed[:len(listed)-more], more
}

// tools adds the tools, as a text or as the definitions that the provider is told.
func (g *gathering) tools(p *Prompt) error {
	if len(p.Tools) == 0 {
		return nil
	}
	if !p.Model.Tools {
		var text strings.Builder
		text.WriteString("Available tools:")
		for _, tool := range p.Tools {
			text.WriteString("\n- " + tool.Name)
			if tool.Description != "" {
				text.WriteString(": " + tool.Description)
			}
		}
		m := TextMessage(System, text.String())
		_, err := g.add(GroupTools, 0, &m)
		return err
	}
	told := 0
	for i, tool := range p.Tools {
		if tool.Definition == "" {
			continue
		}
		g.buf = g.buf[:0]
		if err := g.value("tool "+strconv.Quote(tool.Name), tool.Definition); err != nil {
			return &MessageError{GroupToolDefinitions, i, err}
		}
		t := g.item(GroupToolDefinitions, told)
		if err := g.charge(t, t.content); err != nil {
			return err
		}
		told++
	}
	return nil
}

// tail adds the caller's own segments, and the notice where one is asked for.
func (g *gathering) tail(tail *Tail, notice bool) error {
	if tail != nil {
		for i, s := range tail.Segments {
			m := TextMessage(User, s.Text)
			t, err := g.add(GroupTail, i, &m)
			if err != nil {
				return err
			}
			t.segment, t.id = s.ID, s.ID
		}
	}
	if notice {
		m := TextMessage(User, OmissionNotice)
		_, err := g.add(GroupNotice, 0, &m)
		return err
	}
	return nil
}
