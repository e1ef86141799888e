package sessions

import (
	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

// A piEntry is a line of pi's log. Later versions have a tree: an entry names its parent.
type piEntry struct {
	record    int
	line      int
	parent    int // index; -1: none
	message   *messages.Message
	answers   bool // the model made the message
	call      Call
	summary   string // of a compaction
	compacts  bool
	firstKept int // index of the first entry that stays; -1: none does
}

// A piLog is the tree of a log.
type piLog struct {
	r       *reader
	entries []piEntry // of all lines that are not blank
	byID    map[string]int
	forked  int // entries that were taken again for a branch
}

func (r *reader) readPi(in *lines) error {
	log := piLog{r: r, byID: map[string]int{}}
	err := r.eachLine(in, log.read)
	if other := log.calls(); err == nil {
		err = other
	}
	return err
}

func (log *piLog) read(line int, doc []byte) error {
	e := piEntry{line: line, record: -1, parent: len(log.entries) - 1, firstKept: -1}
	id, err := log.entry(&e, doc)
	if err != nil { // the line still links what stands before it to what stands after
		e.message, e.compacts = nil, false
	}
	if id != "" {
		log.byID[id] = len(log.entries)
	}
	log.entries = append(log.entries, e)
	return err
}

// entry reads a line and returns the id by which others name it, if they do.
func (log *piLog) entry(e *piEntry, doc []byte) (id string, err error) {
	whole, err := wire.Read(doc).Whole()
	if err != nil {
		return "", err
	}
	members, err := whole.Read().Members("a line of the log, an object")
	if err != nil {
		return "", err
	}
	var kind string
	var message *wire.Member
	for i, m := range members {
		text, isText := m.Text()
		switch m.Name {
		case "type":
			kind = text
		case "id":
			id = text
		case "parentId":
			if parent, ok := log.byID[text]; ok && isText {
				e.parent = parent
			} else if m.Kind() == 'n' {
				e.parent = -1
			}
		case "timestamp":
			e.call.Time = parseTime(text)
		case "message":
			message = &members[i]
		case "summary":
			e.summary = text
		case "firstKeptEntryIndex":
			if n := integer(m); n < int64(len(log.entries)) {
				e.firstKept = int(n)
			}
		case "firstKeptEntryId":
			if kept, ok := log.byID[text]; ok {
				e.firstKept = kept
			}
		}
	}
	reason := noCall
	switch kind {
	case "":
		return id, whole.Errorf("a line of the log without a type")
	case "message":
		if message == nil {
			return id, whole.Errorf("a message line without a message")
		}
		if reason, err = e.decode(*message); err != nil {
			return id, err
		}
	case "compaction":
		e.compacts = true
	case "branch_summary":
		m := textMessage(messages.User, e.summary)
		e.message = &m
	default:
		reason = "a line of type " + kind
	}
	e.record = log.r.note(e.line, "", Aside, reason)
	if kind == "session" {
		return "", nil
	}
	return id, nil
}

// decode reads a message and says why it is not used: for now, or because it is none of the prompt.
func (e *piEntry) decode(message wire.Member) (reason string, err error) {
	members, err := message.Read().Members("a message, an object")
	if err != nil {
		return "", err
	}
	var role, stop, command, output string
	var content *wire.Member
	b := messages.Block{Kind: messages.KindToolResult}
	for i, m := range members {
		text, _ := m.Text()
		switch m.Name {
		case "role":
			role = text
		case "content":
			content = &members[i]
		case "toolCallId":
			b.ID = text
		case "toolName":
			b.Name = text
		case "isError":
			if m.Kind() == 't' {
				b.Extra = []messages.Member{{Name: "is_error", Value: "true"}}
			}
		case "model":
			e.call.Model = text
		case "usage":
			e.call.Usage = piUsage.read(m)
		case "stopReason":
			stop = text
		case "command":
			command = text
		case "output":
			output = text
		}
	}
	if role == "bashExecution" {
		m := textMessage(messages.User, "Ran `"+command+"`\n```\n"+output+"\n```")
		e.message = &m
		return noCall, nil
	}
	if content == nil {
		return "", message.Errorf("a message without content")
	}
	m := messages.Message{}
	switch role {
	case "user":
		m.Role = messages.User
	case "assistant":
		m.Role = messages.Assistant
		e.answers = true
	case "toolResult":
		m.Role = messages.Tool
	default:
		return "a message of role " + role, nil
	}
	if m.Content, m.Shape, err = piContent(*content); err != nil {
		return "", err
	}
	if e.answers && len(m.Content) == 0 {
		e.answers = false
		return "an answer that did not come: " + stop, nil
	}
	if m.Role == messages.Tool {
		b.Content = m.Content
		if len(b.Content) == 0 {
			b.Content, b.Value = nil, `""`
			m.Shape = messages.ShapeString
		}
		m.Content = []messages.Block{b}
	}
	e.message = &m
	return noCall, nil
}

// piContent reads a string or blocks.
func piContent(content wire.Member) ([]messages.Block, messages.Shape, error) {
	if text, ok := content.Text(); ok {
		return []messages.Block{messages.Text(text)}, messages.ShapeString, nil
	}
	var blocks []messages.Block
	r := content.Read()
	err := r.Array("content: a string or a list of blocks", func() error {
		place := r.Place()
		kind, members, err := r.Typed("a content block")
		if err != nil {
			return err
		}
		b := messages.Block{}
		var skip []string
		switch kind {
		case "text":
			b.Kind, skip = messages.KindText, []string{"text"}
		case "thinking":
			b.Kind, skip = messages.KindThinking, []string{"thinking"}
		case "toolCall":
			b.Kind, skip = messages.KindToolCall, []string{"id", "name", "arguments"}
		case "image":
			blocks = append(blocks, piImage(members))
			return nil
		default:
			b.Kind = messages.Kind(string(wire.Pi) + ":" + kind)
		}
		for _, m := range members {
			text, isText := m.Text()
			switch {
			case len(skip) > 0 && m.Name == skip[0] && b.Kind != messages.KindToolCall:
				if !isText {
					return m.Errorf("%s: want a string; found %s", m.Name, m.Kind())
				}
				b.Text = text
			case b.Kind == messages.KindToolCall && m.Name == "id":
				b.ID = text
			case b.Kind == messages.KindToolCall && m.Name == "name":
				b.Name = text
			case b.Kind == messages.KindToolCall && m.Name == "arguments":
				b.Text = string(m.JSON())
			default:
				b.Extra = append(b.Extra, wire.Pi.Keep(m, wire.Taken(b.Kind)))
			}
		}
		if b.Kind == messages.KindToolCall && b.Name == "" {
			return place.Errorf("a toolCall without the name of the tool")
		}
		blocks = append(blocks, b)
		return nil
	})
	return blocks, messages.ShapeBlocks, err
}

// piImage makes the provider's form of an image.
func piImage(members []wire.Member) messages.Block {
	var data, mime string
	for _, m := range members {
		switch text, _ := m.Text(); m.Name {
		case "data":
			data = text
		case "mimeType":
			mime = text
		}
	}
	return messages.Block{Kind: messages.KindImage, Extra: wire.ImageURL("data:"+mime+";base64,"+data, "")}
}

// calls makes a call of each answer. A path is built anew where the tree forks or the history was compacted; else it
// grows.
func (log *piLog) calls() error {
	c := log.r.conversation("", OpenAIChat)
	tip := -1 // the entry that the conversation has come to
	for i := range log.entries {
		e := &log.entries[i]
		if !e.answers || e.message == nil {
			continue
		}
		way, joined := log.way(e.parent, tip)
		if !joined {
			if log.forked += len(way); log.forked > MaxForked {
				return &Error{File: log.r.name, Line: e.line, Err: ErrForked}
			}
			c.restart()
		}
		for k := len(way) - 1; k >= 0; k-- {
			log.take(c, way[k])
		}
		tip = e.parent
		call := e.call
		call.Line = e.line
		c.call(call)
	}
	return nil
}

// way returns the entries from one back to another, which it does not include, and whether it came there.
func (log *piLog) way(from, to int) (way []int, joined bool) {
	for at := from; at >= 0; at = log.entries[at].parent {
		if at == to {
			return way, true
		}
		way = append(way, at)
	}
	return way, to < 0
}

func (log *piLog) take(c *conversation, i int) {
	e := &log.entries[i]
	switch {
	case e.compacts:
		kept, _ := log.way(e.parent, -1)
		c.restart()
		c.add(textMessage(messages.User, "The conversation before this point was compacted:\n"+e.summary), e.record)
		for k := len(kept) - 1; k >= 0; k-- {
			if old := &log.entries[kept[k]]; e.firstKept >= 0 && kept[k] >= e.firstKept && old.message != nil {
				c.add(*old.message, old.record)
			}
		}
	case e.message != nil:
		c.add(*e.message, e.record)
	}
}
