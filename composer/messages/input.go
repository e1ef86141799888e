package messages

// An Input is what a host has for one model call. [Build] makes a [Prompt] of it. Every list keeps its order.
type Input struct {
	System       []string      // each a system message "System instruction:\n…"
	Developer    []string      // each a system message "Developer instruction:\n…"
	Instructions []Instruction // each a system message "LABEL:\n…", after the two above
	Summaries    []Summary     // each a system message
	History      []Message     // what was said before, unchanged, from the session's start
	Attachments  []Attachment  // each a user message
	Resources    []string      // URIs, each a user message "Resource URI:\n…", after the attachments
	ToolResults  []ToolResult  // of the calls that were made last; each a tool message
	Current      []Message     // the current input, unchanged; [TextMessage] makes one of a string

	Load func(uri string) (string, error) // gives the text of a resource; may be nil when none is asked for

	Context []Context
	Skills  []Skill
	Tools   []ToolSpec
	Tail    *Tail // nil: the caller keeps none
	Model   Model
}

// An Instruction is a labelled instruction.
type Instruction struct {
	Label    string // "" leaves the text as it is
	Text     string
	Metadata JSON
}

// A Summary stands for a part of the conversation that is no longer in the history: "Summary:\n" and the text, or, where
// there is content, that unchanged.
type Summary struct {
	Text     string
	Content  []Block
	Metadata JSON
}

// An Attachment comes along with the current input. It is what its first non-empty field says: blocks, which pass
// unchanged; a text, as "Attachment NAME:\n…", or as it is without a name; a resource to load, as "Resource NAME:\n…",
// or with its URI for a name. One that holds nothing brings no message.
type Attachment struct {
	Content   []Block
	Text      string
	URI       string
	Name      string
	MediaType string
}

// A ToolResult is what a tool call gave. Without a value, a text and an error it carries [EmptyToolResult]. A value
// wins over the texts of Content, which are joined by "\n"; blocks that are no text follow the result.
type ToolResult struct {
	CallID  string
	Name    string
	Value   JSON
	Content []Block
	Error   JSON
}

// EmptyToolResult is the result of a tool that completed without giving anything. Providers refuse an empty one.
const EmptyToolResult = "(tool completed with no output)"

// OmissionNotice is the text of the message that says that the history was cut, where one is asked for. It is constant:
// a counter in it would change all that follows with every turn.
const OmissionNotice = "(earlier messages were left out)"

// A Context is a block of background: a system message "TITLE:\n…", or "Context:\n…".
type Context struct {
	ID       string // for reports; else the title stands there
	Title    string
	Content  []Block
	Priority int // the lowest is evicted first; of equal ones the last
	Metadata JSON
}

// MaxSkills is how many skills a catalog lists; further ones are counted in [Report.UnlistedSkills].
const MaxSkills = 64

// A Skill is something the model can be told how to do: a line of the catalog, "Skill NAME: DESCRIPTION", and a body,
// "Skill NAME:\n…". The description is trimmed of what JavaScript's trim takes off; without one the line says
// "(no description)".
type Skill struct {
	Name        string
	Description string
	Body        string
	Loaded      bool // the body is wanted too, if there is one
}

// A ToolSpec declares a tool.
type ToolSpec struct {
	Name        string
	Description string
	Definition  JSON // as the provider is told it; charged when the model takes declarations; "" costs nothing
}

// A Model says what the model takes.
type Model struct {
	Tools      bool   // it is given tool definitions; without, a text lists the tools
	Modalities []Kind // the kinds of media it reads, of image, audio, file and document; nil: not declared, all pass
}

// A Tail is what stands after the current input, in an order that never changes: whatever is there first stays first,
// so that only what is new or different costs. Where the caller keeps a tail, resources and the bodies of loaded skills
// stand there (their ids are "resource:URI" and "skill:NAME"), and so do the caller's own segments, each a user message.
//
// The first turn passes an empty tail, each later one the order that [Assembly.Tail] gave.
type Tail struct {
	Order    []string  // ids, in order of their first insertion; not all need have a text in this turn
	Segments []Segment // the caller's own for this turn; a new text for a known id takes its place
}

// A Segment is a text of the caller's in the tail.
type Segment struct {
	ID   string
	Text string
}

// Groups are the messages of a prompt by what they are.
type Groups struct {
	Instructions []Message // never evicted
	Attachments  []Message // resources included
	Summaries    []Message
	History      []Message
	ToolResults  []Message
	Current      []Message // never evicted
}

// A Prompt is what goes into one model call unless a budget leaves something out. [Build] makes one from an [Input];
// a caller that has ready messages (from a request file, say) fills it directly.
type Prompt struct {
	Groups
	Context []Context
	Skills  []Skill
	Tools   []ToolSpec
	Tail    *Tail // nil: the caller keeps none
	Model   Model
}
