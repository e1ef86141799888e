package sessions

import (
	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

// An openHandsView is what the model is given of a stream of events: the messages of those that no condensation forgot, and
// the summary of the last one that has one.
type openHandsView struct {
	*conversation
	id     string // of the event at hand
	events []viewedEvent
}

// A viewedEvent is an event that counts for the place of a summary.
type viewedEvent struct {
	id         string
	hasMessage bool // in the list; else it has none, or it is part of the one before
	isSummary  bool
}

// add adds the message of the event at hand.
func (v *openHandsView) add(m messages.Message, record int) {
	v.events = append(v.events, viewedEvent{id: v.id, hasMessage: true})
	v.conversation.add(m, record)
}

// count adds the event at hand, which has no message of its own.
func (v *openHandsView) count() { v.events = append(v.events, viewedEvent{id: v.id}) }

// condense forgets events, and puts the summary where the members of the condensation say: after as many events as its
// offset. The members are those of the event in the SDK, and of its args before.
func (v *openHandsView) condense(c wire.Member, forgets func(id string) bool, line int, path string) {
	summary, hasSummary := wire.Path(c, "summary")
	place, hasPlace := wire.Path(c, "summary_offset")
	hasSummary = hasSummary && hasPlace && summary.Kind() == '"' && place.Kind() == '0'
	offset := int(integer(place))

	events, list, records := v.events, v.list, v.records
	v.restart()
	v.events = nil
	summarise := func() {
		v.add(textMessage(messages.User, wire.TextAt(summary)), v.r.note(line, path, Aside, noCall))
		v.events[len(v.events)-1] = viewedEvent{id: v.id + "-summary", hasMessage: true, isSummary: true}
		hasSummary = false
	}
	if !hasSummary {
		v.r.note(line, path, Aside, "events are forgotten from here on")
	}
	replaced := hasSummary
	next := 0
	for _, e := range events {
		at := next
		if e.hasMessage {
			next++
		}
		if forgets(e.id) || e.isSummary && replaced {
			continue
		}
		if hasSummary && len(v.events) == offset {
			summarise()
		}
		v.events = append(v.events, e)
		if e.hasMessage {
			v.conversation.add(list[at], records[at])
		}
	}
	if hasSummary {
		summarise()
	}
}
