package messages

// A Role says who speaks. Roles that have no constant here (a format's "function", say) are carried as they are.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
	Developer Role = "developer"
)

// A Kind says what a block holds. A block of a kind that has no constant here is carried as it is, all of it in
// [Block.Extra], and counts as no text.
type Kind string

// The kinds.
const (
	KindText       Kind = "text"
	KindThinking   Kind = "thinking"
	KindToolCall   Kind = "tool_call"
	KindToolResult Kind = "tool_result"
	KindImage      Kind = "image"
	KindAudio      Kind = "audio"
	KindFile       Kind = "file"
	KindDocument   Kind = "document"
)

// A JSON is one JSON text as its author spelled it; its numbers keep their digits. "" is an absent value, which is not
// null. What is not JSON, or holds a duplicate key, a lone surrogate or invalid UTF-8, is refused by what first has to
// read it, with the byte.
type JSON string

// A Member is one member of a JSON object that no field of a [Message] or [Block] stands for.
type Member struct {
	Name  string
	Value JSON
}

// A Message is one entry of a conversation. The zero value is a message without role and content.
//
// Two messages with the same role, content and extra members are the same message: they have one canonical JSON, which
// is what [Message.AppendJSON] writes, what is put into a prompt and what is hashed. ID, Metadata, Segment, Shape and
// Block.Cache belong to the host and to the wire; they change no byte and no decision.
type Message struct {
	Role    Role
	Content []Block
	Extra   []Member // members that have no field here, in the order read; part of the message

	ID       string // the host's name for the message, for reports; "" is none
	Metadata JSON   // the host's, carried along
	Segment  string // the id of the tail segment it stands in, where the caller keeps a [Tail]; "" is none
	Shape    Shape  // how Content was spelled where it was read
}

// A Shape says how a format spelled the content of a message, so that what was read can be written back as it was.
// Messages that differ in shape alone are the same message.
type Shape uint8

// The shapes. The zero value is the canonical one.
const (
	ShapeBlocks Shape = 0 // a list of blocks
	ShapeString Shape = 1 // a bare string, for exactly one text block that has no extra members and no cache marker
	ShapeNull   Shape = 2 // null, where there is no content, or only tool calls
	ShapeAbsent Shape = 3 // no such member, likewise
)

// A Block is one part of a message. Which fields mean something depends on Kind; fields that mean nothing for it are
// ignored, and Extra holds the members that have no field, in the order read (an image's source, a signature, is_error).
//
//	kind         fields
//	text         Text
//	thinking     Text
//	tool_call    ID, Name, and the arguments: Text when they are given as a string, else Value
//	tool_result  ID of the call, Name of the tool, and the result: Text when it is a string, Value when it is any other
//	             JSON value, Content when it is a list of blocks; Error
//	any other    none
//
// Of arguments and results that are given in several ways Value counts before Text, and Text before Content.
type Block struct {
	Kind    Kind
	Text    string
	ID      string
	Name    string
	Value   JSON
	Content []Block
	Error   JSON
	Extra   []Member

	// Cache is a format's cache marker on this block, as it was spelled ("" is none). A provider leaves it out of what
	// it caches, so it is no part of the message; it makes a breakpoint of the section instead.
	Cache JSON
}

// Text returns a text block.
func Text(text string) Block { return Block{Kind: KindText, Text: text} }

// TextMessage returns a message with one text block.
func TextMessage(role Role, text string) Message {
	return Message{Role: role, Content: []Block{Text(text)}}
}
