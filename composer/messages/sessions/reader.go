package sessions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

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
	r.open(nil, 1)
	format, isLines, err := r.detect(in)
	if err != nil {
		return r.fail("", err)
	}
	r.out.Format, r.isLines = format, isLines
	if isLines {
		err = r.readLines(format, in)
	} else {
		var doc []byte
		if doc, err = in.rest(); err == nil {
			r.open(doc, 1)
			err = r.readDocument(format)
		}
	}
	if err != nil {
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
	return fmt.Errorf("%w: %s is one JSON document, not lines", ErrMismatch, format)
}

func (r *reader) readDocument(format Format) error {
	switch format {
	case ClaudeCode:
		return r.readExport()
	case OpenHands:
		return r.openHandsLine(r.openHandsLog(""), 1, r.doc)
	case OpenHandsLLM, Requests, OpenAIBodies, AnthropicBodies:
		return r.requestLine(1, r.doc)
	case SWEAgent:
		return r.readSWEAgent()
	case Inspect:
		return r.readInspect()
	case Transcript:
		return r.readTranscript()
	case GeminiCLI:
		return r.readGeminiCLI()
	case ADK:
		return r.readADK()
	case Tools:
		return r.toolLine(1, r.doc)
	}
	return fmt.Errorf("%w: %s is JSON lines, not one document", ErrMismatch, format)
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
			return err
		}
		if err := read(line, doc); err != nil {
			if err = r.broken("", err); err != nil {
				return err
			}
		}
	}
}

// each hands over the elements of a list with their paths. An error of the function breaks the element.
func (r *reader) each(list wire.Member, path string, read func(path string, v wire.Member) error) error {
	return list.Each("a list", r.record(path, read))
}

func (r *reader) record(path string, read func(path string, v wire.Member) error) func(i int, v wire.Member) error {
	return func(i int, v wire.Member) error {
		at := path + "/" + strconv.Itoa(i)
		if err := read(at, v); err != nil {
			return r.broken(at, err)
		}
		return nil
	}
}

// eachIn reads a document that is an object, and hands over the elements of one of its members, a list. An error of the
// function breaks the element. Of the other members aside says why they are not used; nothing is noted where that is "".
func (r *reader) eachIn(list string, aside func(member string) string, read func(path string, v wire.Member) error) (found bool, err error) {
	d := wire.ReadRecords(r.doc)
	err = d.Object("an object with "+list, func(name string) error {
		if name == list && d.Kind() == '[' {
			found = true
			return d.Each(list+": a list", r.record("/"+list, read))
		}
		v, err := d.Value(name)
		if reason := aside(name); err == nil && reason != "" {
			r.note(r.lineOf(v), "/"+name, Aside, reason)
		}
		return err
	})
	if err == nil {
		err = d.End()
	}
	return found, err
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

// broken ends the reading, or notes the record and goes on. An error that ended it within the record stays as it is.
func (r *reader) broken(path string, err error) error {
	e := (*Error)(nil)
	if errors.As(err, &e) {
		return err
	}
	err = r.fail(path, err)
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
