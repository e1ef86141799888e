package wire

import (
	"slices"
	"strings"

	"github.com/quirehq/quire/composer/messages"
)

// A Format escapes the names that mean one thing in its bodies and another in a [messages.Message]. Such a name, and one
// that looks escaped already, gets the format's name in front, as in "openai:image".
type Format string

// The formats.
const (
	OpenAI    Format = "openai"
	Anthropic Format = "anthropic"
	Gemini    Format = "gemini"
	Bedrock   Format = "bedrock"
	Pi        Format = "pi"
)

// Foreign reports whether the name is one that another format escaped.
func (f Format) Foreign(name string) bool {
	for _, other := range [...]Format{OpenAI, Anthropic, Gemini, Bedrock, Pi} {
		if other != f && other.escaped(name) {
			return true
		}
	}
	return false
}

// Own returns the members without those whose names another format escaped.
func (f Format) Own(members []messages.Member) []messages.Member {
	for i := range members {
		if f.Foreign(members[i].Name) {
			return slices.DeleteFunc(slices.Clone(members), func(m messages.Member) bool { return f.Foreign(m.Name) })
		}
	}
	return members
}

// Escape returns the name under which the format's name is kept where those in taken have a meaning of their own.
func (f Format) Escape(name string, taken []string) string {
	if slices.Contains(taken, name) || f.escaped(name) {
		return string(f) + ":" + name
	}
	return name
}

// Unescape returns the format's name.
func (f Format) Unescape(name string) string {
	if f.escaped(name) {
		return name[len(f)+1:]
	}
	return name
}

func (f Format) escaped(name string) bool {
	return len(name) > len(f) && name[len(f)] == ':' && strings.HasPrefix(name, string(f))
}

// Keep returns the member under its escaped name.
func (f Format) Keep(m Member, taken []string) messages.Member {
	return messages.Member{Name: f.Escape(m.Name, taken), Value: m.JSON()}
}

// Write writes members under the format's names, but for those of the names in except.
func (f Format) Write(w *Writer, members []messages.Member, except ...string) {
	for _, m := range members {
		if slices.Contains(except, m.Name) {
			continue
		}
		w.Name(f.Unescape(m.Name))
		w.Value(m.Value)
	}
}

// WriteID writes the id of a call or a result, where there is one, under the format's name for it. It returns the names of
// what was kept in its place, if anything was: a value that is no id, and is not to be written beside one.
func (f Format) WriteID(w *Writer, name, id string) (replaced []string) {
	if id == "" {
		return nil
	}
	w.Text(name, id)
	return []string{name, string(f) + ":" + name}
}

// KeepBeside keeps a member that a message has beside role and content.
func (f Format) KeepBeside(m *messages.Message, v Member) {
	switch text, _ := v.Text(); {
	case v.Name == "id" && text != "":
		m.ID = text
	case v.Name == "metadata":
		m.Metadata = v.JSON()
	default:
		m.Extra = append(m.Extra, f.Keep(v, takenByMessage))
	}
}

// WriteBeside writes what [Format.KeepBeside] kept, but for the members of the names in except.
func (f Format) WriteBeside(w *Writer, m *messages.Message, except ...string) {
	if m.ID != "" {
		w.Text("id", m.ID)
	}
	if m.Metadata != "" {
		w.Name("metadata")
		w.Value(m.Metadata)
	}
	f.Write(w, m.Extra, except...)
}

// Names that the fields of blocks and messages have in the canonical JSON of a message.
var (
	taken = map[messages.Kind][]string{
		messages.KindText:       {"text", "type"},
		messages.KindThinking:   {"text", "type"},
		messages.KindToolCall:   {"arguments", "id", "name", "type"},
		messages.KindToolResult: {"content", "error", "name", "result", "toolCallId", "type"},
	}
	takenByOthers = []string{"type"}
)

// Taken returns the names that the fields of a block have in its canonical JSON.
func Taken(kind messages.Kind) []string {
	if names, ok := taken[kind]; ok {
		return names
	}
	return takenByOthers
}

var takenByMessage = []string{"content", "id", "metadata", "role"}
