package sessions

import (
	"strconv"
	"time"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/anthropic"
)

// A claudeLine is a line of the log that has a place in its tree.
type claudeLine struct {
	line      int
	record    int // its outcome
	parent    int // index; -1: none, or not read yet
	root      int // index
	uuid      string
	parentID  string
	message   *messages.Message // nil: the line only links others
	response  string            // of an answer: the message's id, or the line's own
	answers   bool
	orphan    bool // its parent is not in the file
	sidechain bool
	again     bool // a compaction kept it: what stands before it is the anchor of the kept ones
	agent     string
	model     string
	time      time.Time
	usage     Usage
}

// A claudeLog is the tree of a log.
type claudeLog struct {
	r      *reader
	lines  []claudeLine
	byUUID map[string]int // lines that the next one can name; of those that were kept the last copy
	kept   map[string]int // the last line that a compaction kept, by the anchor that they stand after
	forked int            // lines that were taken again for a branch or by a compaction
	flat   bool           // no line names a parent: the order is the file's
}

func (r *reader) claudeLog() *claudeLog {
	return &claudeLog{r: r, byUUID: map[string]int{}, kept: map[string]int{}, flat: true}
}

func (r *reader) readClaudeCode(in *lines) error {
	log := r.claudeLog()
	err := r.eachLine(in, log.read)
	if other := log.calls(); err == nil {
		err = other
	}
	return err
}

// readExport reads the document that Claude Code's web version exports.
func (r *reader) readExport() error {
	log := r.claudeLog()
	aside := func(string) string { return "" }
	_, err := r.eachIn("loglines", aside, func(_ string, v wire.Member) error {
		if err := v.Check(); err != nil {
			return err
		}
		return log.member(r.lineOf(v), v)
	})
	if other := log.calls(); err == nil {
		err = other
	}
	return err
}

func (log *claudeLog) read(line int, doc []byte) error {
	m, err := wire.Read(doc).Whole()
	if err != nil {
		return err
	}
	return log.member(line, m)
}

func (log *claudeLog) member(line int, value wire.Member) error {
	members, err := value.Read().Members("a line of the log, an object")
	if err != nil {
		return err
	}
	l := claudeLine{line: line, parent: -1}
	var message, compaction *wire.Member
	var kind string
	apiError, hasType := false, false // what is marked as meta is hidden from the user, not from the model
	for i, m := range members {
		text, isText := m.Text()
		switch m.Name {
		case "type":
			kind, hasType = text, isText
		case "uuid":
			l.uuid = text
		case "parentUuid":
			l.parentID = text
		case "isSidechain":
			l.sidechain = m.Kind() == 't'
		case "isApiErrorMessage":
			apiError = m.Kind() == 't'
		case "agentId":
			l.agent = text
		case "timestamp":
			l.time = parseTime(text)
		case "message":
			message = &members[i]
		case "compactMetadata":
			compaction = &members[i]
		}
	}
	if !hasType {
		return value.Errorf("a line of the log without a type")
	}
	if first, ok := log.byUUID[l.uuid]; ok {
		log.r.note(line, "", Aside, "repeats line "+strconv.Itoa(log.lines[first].line))
		return nil
	}
	reason := noCall
	switch {
	case kind != "user" && kind != "assistant":
		reason = "a line of type " + kind
	case message == nil:
		err = value.Errorf("a line of type %s without a message", kind)
	case apiError:
		reason = "an error shown to the user"
	default:
		err = l.decode(kind, *message)
	}
	if err == nil {
		l.record = log.r.note(line, "", Aside, reason)
	} else {
		l.message, l.record = nil, -1
	}
	// A broken line still links what stands before it to what stands after.
	if l.uuid != "" || l.message != nil {
		log.flat = log.flat && l.parentID == ""
		if last, ok := log.kept[l.parentID]; ok {
			l.parent = last
		} else if parent, ok := log.byUUID[l.parentID]; ok {
			l.parent = parent
		}
		if l.uuid != "" {
			log.byUUID[l.uuid] = len(log.lines)
		}
		log.lines = append(log.lines, l)
	}
	if err == nil && compaction != nil {
		err = log.compact(*compaction)
	}
	return err
}

// decode reads the message of a line. What an answer has beside role and content is not sent again.
func (l *claudeLine) decode(kind string, message wire.Member) error {
	members, err := message.Read().Members("a message, an object")
	if err != nil {
		return err
	}
	m := messages.Message{Role: messages.Role(kind), Shape: messages.ShapeAbsent}
	l.response = "line " + strconv.Itoa(l.line)
	for _, v := range members {
		switch text, isText := v.Text(); v.Name {
		case "role":
			if text, err = v.WantText(); err != nil {
				return err
			}
			m.Role = messages.Role(text)
		case "content":
			if m.Content, m.Shape, err = anthropic.ParseContent(v.Value); err != nil {
				return v.Wrap(err)
			}
		case "id":
			if isText && text != "" {
				l.response = text
			}
		case "model":
			l.model = text
		case "usage":
			l.usage = anthropicUsage.read(v)
		}
	}
	if m.Shape == messages.ShapeAbsent {
		return message.Errorf("a message without content")
	}
	l.message = &m
	l.answers = kind == "assistant"
	return nil
}
