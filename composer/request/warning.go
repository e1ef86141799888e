package request

import "fmt"

// A Code names what a [Warning] is about. Codes are stable.
type Code string

// The codes, in the order in which warnings come.
const (
	UnknownSlot                 Code = "unknown_slot"                    // Name in braces reads like a slot and is none; it stays text
	PerCallSlotBeforeBreakpoint Code = "per_call_slot_before_breakpoint" // Name changes the stable block, which gets no marker
	CacheBreakpointMissing      Code = "cache_breakpoint_missing"        // caching is on, and the prompt is one block without a marker
	SkillsSlotMissing           Code = "skills_slot_missing"             // Count skills have no place
	FileDropped                 Code = "file_dropped"                    // the file Name is empty, or of a type the model does not read
	TurnsTrimmed                Code = "turns_trimmed"                   // Count units of history, the oldest, were left out
	ChunksTrimmed               Code = "kb_chunks_trimmed"               // Count chunks, the lowest-ranked, were left out
	ContextOverflow             Code = "context_overflow"                // the request exceeds the context without the reserve by Count tokens
)

// A Warning says what is wrong with an input, or what was left out of a request.
type Warning struct {
	Code  Code   `json:"code"`
	Name  string `json:"name,omitempty"`  // of the slot or file
	Count int64  `json:"count,omitempty"` // how many
}

// String writes the warning for people, its code first.
func (w Warning) String() string {
	about := ""
	switch w.Code {
	case UnknownSlot:
		about = fmt.Sprintf("%q reads like a slot and is none", w.Name)
	case PerCallSlotBeforeBreakpoint:
		about = fmt.Sprintf("%q changes from call to call and stands before the breakpoint; the block gets no marker", w.Name)
	case CacheBreakpointMissing:
		about = "the template has no {cacheBreakpoint}; the prompt is one block without a marker"
	case SkillsSlotMissing:
		about = fmt.Sprintf("the template has no {skills}; left out: %d", w.Count)
	case FileDropped:
		about = fmt.Sprintf("%q is empty, or of a type that the model does not read", w.Name)
	case TurnsTrimmed:
		about = fmt.Sprintf("turns of history left out: %d", w.Count)
	case ChunksTrimmed:
		about = fmt.Sprintf("chunks left out: %d", w.Count)
	case ContextOverflow:
		about = fmt.Sprintf("tokens above the context without the reserve: %d", w.Count)
	}
	return string(w.Code) + ": " + about
}
