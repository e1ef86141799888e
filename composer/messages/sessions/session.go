package sessions

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/anthropic"
	"github.com/quirehq/quire/composer/messages/openai"
)

// A Format is a kind of file.
type Format string

// The formats; see the package comment.
const (
	Auto            Format = "auto" // found from the first records
	ClaudeCode      Format = "claude-code"
	Codex           Format = "codex"
	OpenHands       Format = "openhands"
	OpenHandsLLM    Format = "openhands-llm"
	SWEAgent        Format = "swe-agent"
	Inspect         Format = "inspect"
	Transcript      Format = "transcript"
	Pi              Format = "pi"
	GeminiCLI       Format = "gemini-cli"
	ADK             Format = "adk"
	Aider           Format = "aider"
	Requests        Format = "requests"
	OpenAIBodies    Format = "openai"    // requests, all of OpenAI's APIs; never found by itself
	AnthropicBodies Format = "anthropic" // requests, all of Anthropic's API; never found by itself
	BFCL            Format = "bfcl"
	Tools           Format = "tools"
)

// Formats returns all formats, in the order of the package comment, [Auto] first.
func Formats() []Format {
	return []Format{Auto, ClaudeCode, Codex, OpenHands, OpenHandsLLM, SWEAgent, Inspect, Transcript, Pi, GeminiCLI, ADK,
		Aider, Requests, OpenAIBodies, AnthropicBodies, BFCL, Tools}
}

// ParseFormat reads the name of a format.
func ParseFormat(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if string(f) == name {
			return f, nil
		}
		names = append(names, string(f))
	}
	return "", fmt.Errorf("sessions: unknown format %q; want one of %s", name, strings.Join(names, ", "))
}

// Options say how a file is read. The zero value finds the format and stops at the first broken record.
type Options struct {
	Format  Format              // "": Auto
	SkipBad bool                // broken records are counted, and the reading goes on; see [MaxBroken]
	Tools   []messages.ToolSpec // for calls of which the file records no tools
}

// MaxBroken is how many broken records of one JSON document are skipped: one with more is not what it is taken for.
// Lines are skipped without a limit.
const MaxBroken = 1000

// A Session is what a file holds.
type Session struct {
	Format       Format
	Calls        []Call              // in the order of the file
	Tools        []messages.ToolSpec // of a tool list
	Instructions string              // that came with a tool list
	Outcomes     []Outcome           // of every record, in the order in which they were read
	Broken       int                 // how many records are
}

// A Status says what became of a record.
type Status uint8

// The statuses.
const (
	Used   Status = 0 // it is part of a call
	Aside  Status = 1 // it is no part of a prompt
	Broken Status = 2 // it cannot be read
)

var statuses = [...]string{"used", "not part of a prompt", "broken"}

// String returns the status in words.
func (s Status) String() string {
	if int(s) >= len(statuses) {
		return fmt.Sprint(uint8(s))
	}
	return statuses[s]
}

// An Outcome says what became of one record.
type Outcome struct {
	Line   int    // where it begins, from 1
	Path   string // within a file that is one JSON document, or an archive: where it stands
	Status Status
	Reason string // why it is not used, or what is particular about it; "" where there is nothing to say
}

// An API says whose request body a call is, or would be.
type API uint8

// The APIs.
const (
	OpenAIChat      API = 0
	OpenAIResponses API = 1
	Anthropic       API = 2
	Gemini          API = 3   // generateContent
	Bedrock         API = 4   // Converse
	NoAPI           API = 255 // none: what was no request. [Call.As] makes one of it
)

// A Call is one model call: what the model was given.
type Call struct {
	Thread string // the conversation it belongs to: "" the main one, else an id from the file
	Line   int    // of the record that holds the body, or that the model answered with
	API    API

	System   messages.Message // the zero value: none is recorded, or it stands among the messages
	Messages []messages.Message
	Lead     int // how many messages at the front are examples that no budget evicts
	Tools    []messages.ToolSpec
	Params   []messages.Member // what else a body holds
	Bare     bool              // see [openai.Request.Bare]

	Model string    // "" is not recorded
	Time  time.Time // when the call was made or answered, as recorded; the zero value: not recorded
	Usage Usage
}

// A Usage is what the provider counted. Input tokens include those read from and written to its cache.
type Usage struct {
	Recorded bool
	Input    int64
	Cached   int64 // read from the cache
	Written  int64 // to the cache
	Output   int64
}

// AppendJSON appends the body of the call in its own API. A body that was read is written with the same meaning. It is an
// error when a block has no form in the API, or the call is of none.
func (c Call) AppendJSON(dst []byte) ([]byte, error) {
	switch c.API {
	case Anthropic:
		return anthropic.Request{System: c.System, Messages: c.Messages, Tools: c.Tools, Params: c.Params}.AppendJSON(dst)
	case Gemini:
		return appendGemini(dst, c)
	case Bedrock:
		return appendConverse(dst, c)
	case OpenAIResponses:
		return openai.Request{API: openai.Responses, System: c.System, Messages: c.Messages, Tools: c.Tools,
			Params: c.Params, Bare: c.Bare}.AppendJSON(dst)
	case OpenAIChat:
		list := c.Messages
		if c.System.Role != "" {
			list = append([]messages.Message{c.System}, list...)
		}
		return openai.Request{Messages: list, Tools: c.Tools, Params: c.Params}.AppendJSON(dst)
	}
	return dst, fmt.Errorf("sessions: a call of no API (%d) has no body", c.API)
}

// Prompt returns the call as a prompt that can be assembled under a budget. The system message, the system and developer
// messages that lead and the examples are instructions; what stands after the last message of the assistant is the
// current input, or, where nothing does, the last message; the rest is history.
func (c Call) Prompt() messages.Prompt {
	return messages.Prompt{
		Groups: wire.Split(c.System, c.Messages, c.Lead),
		Tools:  c.Tools,
		Model:  messages.Model{Tools: len(c.Tools) > 0},
	}
}

// An Error is about one record.
type Error struct {
	File string
	Line int
	Path string // as in [Outcome]
	Err  error
}

// Error names the file, the line and what is wrong.
func (e *Error) Error() string {
	at := ""
	if e.Path != "" {
		at = " " + e.Path + ":"
	}
	return fmt.Sprintf("sessions: %s:%d:%s %v", e.File, e.Line, at, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Why a file is refused as a whole.
var (
	ErrFormat   = errors.New("the format is none of those that are read")
	ErrEmpty    = errors.New("the file is empty")
	ErrForked   = errors.New("the log has more branches than are read")
	ErrMismatch = errors.New("the file is not of this format")
)

// Read reads a file; the name is for errors. What it returns beside an error is what was read up to there.
func Read(name string, src io.Reader, o Options) (Session, error) {
	r := &reader{name: name, opts: o, room: MaxUnpacked}
	err := r.read(src)
	return r.out, err
}
