package sessions

import (
	"slices"
	"strconv"
	"strings"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

// readTranscript reads a transcript: a list of messages, an object that holds one, or a list of such.
func (r *reader) readTranscript() error {
	whole, err := wire.ReadRecords(r.doc).Whole()
	if err != nil {
		return err
	}
	return r.transcript(whole, "", "")
}

// readTranscripts reads lines: each is a message of one transcript, or a transcript.
func (r *reader) readTranscripts(in *lines) error {
	c := r.conversation("", OpenAIChat)
	return r.eachLine(in, func(line int, doc []byte) error {
		v, err := wire.Read(doc).Whole()
		if err != nil {
			return err
		}
		if _, ok := wire.Path(v, "role"); ok {
			return r.transcriptMessage(c, v, "")
		}
		return r.transcript(v, "", "line "+strconv.Itoa(line))
	})
}

func (r *reader) transcript(m wire.Member, path, thread string) error {
	switch m.Kind() {
	case '{':
		return r.transcriptObject(m, path, thread)
	case '[':
	default:
		return m.Errorf("want a list of messages, or an object with one; found %s", m.Kind())
	}
	c := r.conversation(thread, OpenAIChat)
	return r.each(m, path, func(at string, v wire.Member) error {
		if _, ok := wire.Path(v, "role"); !ok && holdsMessages(v) {
			return r.transcriptObject(v, at, strings.TrimPrefix(at, "/"))
		}
		return r.transcriptMessage(c, v, at)
	})
}

// The members that hold the messages.
var transcriptLists = []string{"traj", "messages", "simulations"}

func holdsMessages(v wire.Member) bool {
	for _, name := range transcriptLists {
		if list, ok := wire.Path(v, name); ok && list.Kind() == '[' {
			return true
		}
	}
	return false
}

func (r *reader) transcriptObject(m wire.Member, path, thread string) error {
	members, err := m.Read().Members("a transcript, an object")
	if err != nil {
		return err
	}
	var id []string
	var list *wire.Member
	for i, v := range members {
		switch {
		case v.Kind() == '[' && slices.Contains(transcriptLists, v.Name):
			list = &members[i]
		case v.Name == "task_id" || v.Name == "trial" || v.Name == "id":
			if text, ok := v.Text(); ok {
				id = append(id, text)
			} else if v.Kind() == '0' {
				id = append(id, string(v.Value))
			}
		}
	}
	if list == nil {
		return m.Errorf("a transcript without messages: want one of %s", strings.Join(transcriptLists, ", "))
	}
	if thread != "" && len(id) > 0 { // one of several
		thread = strings.Join(id, "/")
	}
	return r.transcript(*list, path+"/"+list.Name, thread)
}

// transcriptMessage adds a message of a transcript, and a call before it where the model made it.
func (r *reader) transcriptMessage(c *conversation, v wire.Member, path string) error {
	m, err := chatMessage(v)
	if err != nil {
		return err
	}
	line := r.lineOf(v)
	if m.Role == messages.Assistant {
		call := Call{Line: line}
		for _, way := range [][]string{{"extra", "response"}, {}} { // mini-SWE-agent's, tau2-bench's
			if usage, ok := wire.Path(v, append(way, "usage")...); ok && !call.Usage.Recorded {
				call.Usage = openAIUsage.read(usage)
			}
			if model, ok := wire.Path(v, append(way, "model")...); ok && call.Model == "" {
				call.Model, _ = model.Text()
			}
		}
		if at, ok := wire.Path(v, "timestamp"); ok {
			call.Time = memberTime(at)
		}
		c.call(call)
	}
	c.add(m, r.note(line, path, Aside, noCall))
	return nil
}
