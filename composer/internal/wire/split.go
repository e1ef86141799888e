package wire

import "github.com/quirehq/quire/composer/messages"

// Split sorts the messages of a request by what they are: the system prompt, the system messages that lead and the first
// messages, as many as there are examples, are instructions; what stands after the last message of the assistant is the
// current input, or, where nothing does, the last message; the rest is history.
func Split(system messages.Message, all []messages.Message, examples int) messages.Groups {
	var g messages.Groups
	if system.Role != "" {
		g.Instructions = append(g.Instructions, system)
	}
	lead := 0
	for lead < len(all) && (all[lead].Role == messages.System || all[lead].Role == messages.Developer) {
		lead++
	}
	lead = min(max(lead, examples), len(all))
	g.Instructions = append(g.Instructions, all[:lead]...)
	current := len(all)
	for current > lead && all[current-1].Role != messages.Assistant {
		current--
	}
	if current == len(all) && current > lead {
		current--
	}
	g.History, g.Current = all[lead:current:current], all[current:]
	return g
}
