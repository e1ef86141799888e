package wire

import (
	"slices"
	"strings"

	"github.com/quirehq/quire/composer/messages"
)

// Find returns the value of a member.
func Find(members []messages.Member, name string) (messages.JSON, bool) {
	for i := range members {
		if members[i].Name == name {
			return members[i].Value, true
		}
	}
	return "", false
}

// Has reports whether there is a member of this name.
func Has(members []messages.Member, name string) bool {
	_, ok := Find(members, name)
	return ok
}

// KeepRest returns the member that keeps what an object has beside its fields, or none where that is nothing.
func KeepRest(name string, rest []Member) []messages.Member {
	if len(rest) == 0 {
		return nil
	}
	w := Append(nil)
	w.Open('{')
	for _, m := range rest {
		w.Member(m.Member())
	}
	w.Close('}')
	return []messages.Member{{Name: name, Value: messages.JSON(w.Buf)}}
}

// WriteRest writes what [KeepRest] kept, but for the members of the names in except.
func WriteRest(w *Writer, extra []messages.Member, name string, except ...string) {
	kept, ok := Find(extra, name)
	if !ok {
		return
	}
	members, err := Read([]byte(kept)).Members(name + ", an object")
	if err != nil {
		w.Fail(err)
	}
	for _, m := range members {
		if !slices.Contains(except, m.Name) {
			w.Member(m.Member())
		}
	}
}

// SetPayload sets arguments or a result: a string is a text, but an empty one is a value, for it is not absent.
func SetPayload(b *messages.Block, v Member) {
	if text, _ := v.Text(); text != "" {
		b.Text = text
		return
	}
	b.Value = v.JSON()
}

func sortMembers(members []messages.Member) {
	slices.SortStableFunc(members, func(a, b messages.Member) int { return strings.Compare(a.Name, b.Name) })
}
