package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// A progress is a line on a terminal that says how far a command has come. A nil one is not there.
type progress struct {
	w           io.Writer
	verb        string
	done, total int64
	written     time.Time
	width       int // of the line that stands there
}

// newProgress returns the line of a command, or nil where standard error is no terminal.
func (s *streams) newProgress(verb string) *progress {
	file, ok := s.err.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return &progress{w: file, verb: verb}
}

// step counts one more. It writes at most ten times a second.
func (p *progress) step() {
	if p == nil {
		return
	}
	p.done++
	if now := time.Now(); now.Sub(p.written) >= time.Second/10 {
		p.written = now
		p.width, _ = fmt.Fprintf(p.w, "\r%s %d of %d", p.verb, p.done, p.total)
	}
}

// clear takes the line away, before another is written and at the end.
func (p *progress) clear() {
	if p != nil && p.width > 0 {
		fmt.Fprintf(p.w, "\r%*s\r", p.width, "")
		p.width, p.written = 0, time.Time{}
	}
}
