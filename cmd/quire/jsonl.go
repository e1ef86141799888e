package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/internal/promptfile"
)

// compileLines composes one JSON prompt a line until standard input ends. It holds one line at a time. What cannot be kept
// ends it, after the line before.
func compileLines(s *streams, flags *promptFlags, keep *keeper) error {
	open, done := opener(".", flags.allowOutside)
	defer done()
	opts := promptfile.Options{Open: open, Set: settings(flags.cmd, overrides), JSON: true}
	lines := lineReader{in: bufio.NewReaderSize(s.in, 64<<10)}
	out := bufio.NewWriterSize(s.out, 64<<10)
	var bad, over, firstOver int
	var record []byte
	for {
		line, err := lines.next()
		if err == io.EOF {
			break
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return errors.Join(out.Flush(), fileError("<stdin>", err))
		}
		var c composer.Composition
		if err == nil {
			opts.Line = lines.number
			c, err = composeLine(line, opts)
		}
		if err != nil {
			bad++
			record, err = appendLine(record[:0], lineError{lineMessage(err), lines.number})
		} else {
			if _, err := keep.composition(c); err != nil {
				return cmp.Or(out.Flush(), at(fmt.Sprintf("<stdin>:%d", lines.number), err))
			}
			if c.Explain().Warning() != "" {
				over++
				if over == 1 {
					firstOver = lines.number
				}
			}
			record, err = appendComposition(record[:0], c)
		}
		if err != nil {
			return err
		}
		if _, err := out.Write(record); err != nil {
			return err
		}
		if lines.in.Buffered() == 0 { // whoever feeds us may be waiting for the answer
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if over > 0 {
		s.warn("<stdin>:%d: under the published gate %s exceed a budget that core fits, this the first; gate reserved keeps within it",
			firstOver, plural(over, "composition"))
	}
	if bad > 0 {
		return fmt.Errorf("<stdin>: %s of %d could not be composed; their output lines say why", plural(bad, "line"), lines.number)
	}
	return nil
}

// A lineError is the output line of an input line that is no prompt.
type lineError struct {
	Error string `json:"error"`
	Line  int    `json:"line"`
}

// lineMessage leaves out where: the record has the line.
func lineMessage(err error) string {
	var at *promptfile.Error
	if errors.As(err, &at) && at.File == "<stdin>" {
		message := *at
		message.File, message.Line = "", 0
		return message.Error()
	}
	return err.Error()
}

func composeLine(line []byte, opts promptfile.Options) (composer.Composition, error) {
	docs, err := promptfile.Read(line, "<stdin>", opts)
	if err != nil {
		return composer.Composition{}, err
	}
	p, err := compose(&docs[0])
	return p.Composition, err
}

var errLongLine = fmt.Errorf("the line has more than %d MiB; keep long texts in files", promptfile.MaxSource>>20)

// A lineReader reads lines of at most the size of a prompt file. It steps over longer ones.
type lineReader struct {
	in     *bufio.Reader
	buf    []byte
	number int // of the line that next returned, from 1
}

// next returns the next line without its end. The last one may lack it. It is valid until the following call.
func (r *lineReader) next() ([]byte, error) {
	r.buf = r.buf[:0]
	tooLong := false
	for {
		part, err := r.in.ReadSlice('\n')
		if tooLong = tooLong || len(r.buf)+len(part) > promptfile.MaxSource+1; !tooLong {
			r.buf = append(r.buf, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && (err != io.EOF || len(r.buf) == 0 && !tooLong) {
			return nil, err
		}
		r.number++
		if tooLong {
			return nil, errLongLine
		}
		return bytes.TrimSuffix(r.buf, []byte("\n")), nil
	}
}
