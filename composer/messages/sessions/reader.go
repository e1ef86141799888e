package sessions

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

// A reader reads one file.
type reader struct {
	name string
	opts Options
	out  Session

	isLines  bool
	supplied map[API][]messages.ToolSpec // the caller's tools, by the form they were brought into
	room     int64                       // bytes that may still be unpacked; see MaxUnpacked

	doc     []byte // the document at hand: the file, or a line of it
	first   int    // the line in which it begins
	counted int    // bytes of doc whose lines are counted
	newline int    // lines before that
}

func (r *reader) read(src io.Reader) error {
	in := &lines{src: src}
	in.skipMark()
	format := r.opts.Format
	r.open(nil, 1)
	isLines, err := r.detect(in, &format)
	if err != nil {
		return err
	}
	r.out.Format, r.isLines = format, isLines
	if isLines {
		if err := r.readLines(format, in); err != nil {
			return r.fail("", err)
		}
		return nil
	}
	doc, err := in.rest()
	if err != nil {
		return r.fail("", err)
	}
	r.open(doc, 1)
	if err := r.readDocument(format); err != nil {
		return r.fail("", err)
	}
	return nil
}

func (r *reader) readLines(format Format, in *lines) error {
	switch format {
	case ClaudeCode:
		return r.readClaudeCode(in)
	case Codex:
		return r.readCodex(in)
	case OpenHands:
		return r.readOpenHands(in)
	case Transcript:
		return r.readTranscripts(in)
	case Pi:
		return r.readPi(in)
	case Requests, OpenAIBodies, AnthropicBodies, OpenHandsLLM:
		return r.eachLine(in, r.requestLine)
	case BFCL:
		return r.eachLine(in, r.questionLine)
	case Tools:
		return r.eachLine(in, r.toolLine)
	case Aider:
		return r.readAider(in)
	}
	return r.fail("", fmt.Errorf("%w: %s is one JSON document, not lines", ErrMismatch, format))
}

func (r *reader) readDocument(format Format) error {
	switch format {
	case ClaudeCode:
		return r.readExport()
	case OpenHands:
		return r.readTrajectory()
	case OpenHandsLLM, Requests, OpenAIBodies, AnthropicBodies:
		return r.requestLine(1, r.doc)
	case SWEAgent:
		return r.readSWEAgent()
	case Inspect:
		return r.readInspect()
	case Transcript:
		return r.transcriptValue(wire.ReadRecords(r.doc))
	case GeminiCLI:
		return r.readGeminiCLI()
	case ADK:
		return r.readADK()
	case Tools:
		return r.readToolList()
	}
	return r.fail("", fmt.Errorf("%w: %s is JSON lines, not one document", ErrMismatch, format))
}

// eachLine hands over the lines that are not blank. An error of the function breaks the line.
func (r *reader) eachLine(in *lines, read func(line int, doc []byte) error) error {
	for {
		doc, line, err := in.next()
		r.open(doc, line)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return r.fail("", err)
		}
		if err := read(line, doc); err != nil {
			if err = r.broken("", err); err != nil {
				return err
			}
		}
	}
}

// open turns to a document that begins in the line.
func (r *reader) open(doc []byte, line int) { r.doc, r.first, r.counted, r.newline = doc, line, 0, 0 }

// fail returns an error about a record of the document at hand.
func (r *reader) fail(path string, err error) error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return err
	}
	line := r.first
	if e := (*wire.Error)(nil); errors.As(err, &e) {
		line += e.Line - 1
		where := ""
		if e.Where != "" {
			where = " (" + e.Where + ")"
		}
		err = fmt.Errorf("byte %d%s: %w", e.Offset, where, e.Err)
	}
	return &Error{File: r.name, Line: line, Path: path, Err: err}
}

// broken ends the reading, or notes the record and goes on.
func (r *reader) broken(path string, err error) error {
	err = r.fail(path, err)
	e := (*Error)(nil)
	errors.As(err, &e)
	r.note(e.Line, path, Broken, e.Err.Error())
	r.out.Broken++
	if r.opts.SkipBad && (r.isLines || r.out.Broken <= MaxBroken) {
		return nil
	}
	return err
}

// note adds an outcome and returns its place, for those that are settled later.
func (r *reader) note(line int, path string, status Status, reason string) int {
	r.out.Outcomes = append(r.out.Outcomes, Outcome{Line: line, Path: path, Status: status, Reason: reason})
	return len(r.out.Outcomes) - 1
}

// lineOf returns the line in which a value of the document begins. Values come in order.
func (r *reader) lineOf(m wire.Member) int {
	at := min(m.Offset(), len(r.doc))
	if at < r.counted {
		r.counted, r.newline = 0, 0
	}
	r.newline += bytes.Count(r.doc[r.counted:at], []byte{'\n'})
	r.counted = at
	return r.first + r.newline
}

// noCall is the reason of messages that stand after the last call.
const noCall = "no call follows"

// A conversation grows message by message. Its calls share the memory of the messages.
type conversation struct {
	r       *reader
	thread  string
	api     API
	system  messages.Message
	tools   []messages.ToolSpec
	list    []messages.Message
	records []int // their outcomes
	settled int   // how many of the outcomes are
}

func (r *reader) conversation(thread string, api API) *conversation {
	return &conversation{r: r, thread: thread, api: api}
}

// add appends a message. Its record is used as soon as a call follows.
func (c *conversation) add(m messages.Message, record int) {
	c.list = append(c.list, m)
	c.records = append(c.records, record)
}

// call makes a call of all messages so far.
func (c *conversation) call(call Call) {
	for ; c.settled < len(c.records); c.settled++ {
		c.r.out.Outcomes[c.records[c.settled]].settle()
	}
	call.Thread, call.API, call.System = c.thread, c.api, c.system
	call.Messages = c.list[:len(c.list):len(c.list)]
	call.Tools = c.tools
	c.r.add(call)
}

// settle turns a record that waited for a call into a used one.
func (o *Outcome) settle() {
	if o.Status == Aside && o.Reason == noCall {
		o.Status, o.Reason = Used, ""
	}
}

// add adds a call.
func (r *reader) add(call Call) {
	if call.Tools == nil && r.opts.Tools != nil {
		if _, done := r.supplied[call.API]; !done {
			if r.supplied == nil {
				r.supplied = map[API][]messages.ToolSpec{}
			}
			r.supplied[call.API] = toolsFor(call.API, r.opts.Tools)
		}
		call.Tools = r.supplied[call.API]
	}
	r.out.Calls = append(r.out.Calls, call)
}

// textMessage returns a message as formats with bare strings have it.
func textMessage(role messages.Role, text string) messages.Message {
	m := messages.TextMessage(role, text)
	m.Shape = messages.ShapeString
	return m
}

// restart begins the history anew. Calls that were made keep their messages.
func (c *conversation) restart() { c.list, c.records, c.settled = nil, nil, 0 }
