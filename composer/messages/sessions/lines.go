package sessions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxRecord is how many bytes a line may have, and a file that is one document: far more than providers take in a request.
const MaxRecord = 128 << 20

// lines reads a file line by line, and can look ahead.
type lines struct {
	src  io.Reader
	buf  []byte // what was read and not handed over
	at   int    // where the next line begins in buf
	line int    // handed over so far
	eof  bool
	err  error
}

// skipMark passes over a byte order mark in front of the file, which is no part of what the file says.
func (l *lines) skipMark() {
	mark := []byte("\ufeff")
	for len(l.buf) < len(mark) && !l.eof {
		l.fill()
	}
	l.buf = bytes.TrimPrefix(l.buf, mark)
}

// peek returns the next lines that are not blank, up to n of them or to size bytes, without handing them over.
func (l *lines) peek(n, size int) [][]byte {
	var out [][]byte
	at := l.at
	for len(out) < n && at-l.at < size {
		end, ok := l.end(at)
		if line := bytes.TrimSpace(l.buf[at:end]); len(line) > 0 {
			out = append(out, line)
		}
		if !ok {
			break
		}
		at = end + 1
	}
	return out
}

// end returns where the line that begins at from ends. It reads on, which may move buf but not what is in it.
func (l *lines) end(from int) (end int, more bool) {
	seen := from
	for {
		if i := bytes.IndexByte(l.buf[seen:], '\n'); i >= 0 {
			return seen + i, true
		}
		seen = len(l.buf)
		if l.eof {
			return seen, false
		}
		l.fill()
	}
}

func (l *lines) fill() {
	const chunk = 64 << 10
	if len(l.buf)-l.at > MaxRecord {
		l.eof, l.err = true, fmt.Errorf("a record of more than %d MiB", MaxRecord>>20)
		return
	}
	if cap(l.buf)-len(l.buf) < chunk {
		grown := make([]byte, len(l.buf), 2*cap(l.buf)+chunk)
		copy(grown, l.buf)
		l.buf = grown
	}
	n, err := io.ReadAtLeast(l.src, l.buf[len(l.buf):cap(l.buf)], 1)
	l.buf = l.buf[:len(l.buf)+n]
	if err != nil {
		l.eof = true
		if !errors.Is(err, io.EOF) {
			l.err = err
		}
	}
}

// next returns the next line that is not blank, and its number. The line is valid until the next call; at the end of the
// file the error is io.EOF.
func (l *lines) next() ([]byte, int, error) {
	for {
		line, number, err := l.raw()
		if err != nil || len(bytes.TrimSpace(line)) > 0 {
			return bytes.TrimRight(line, "\r\n"), number, err
		}
	}
}

// raw returns the next line, blank or not, without its end.
func (l *lines) raw() ([]byte, int, error) {
	if l.at > cap(l.buf)/2 {
		n := copy(l.buf, l.buf[l.at:])
		l.buf, l.at = l.buf[:n], 0
	}
	end, more := l.end(l.at)
	if l.err != nil {
		return nil, l.line + 1, l.err
	}
	line := l.buf[l.at:end]
	if !more && len(line) == 0 {
		return nil, l.line, io.EOF
	}
	l.at = end
	if more {
		l.at++
	}
	l.line++
	return line, l.line, nil
}

// rest returns the whole file. Nothing has been handed over yet.
func (l *lines) rest() ([]byte, error) {
	for !l.eof {
		l.fill()
	}
	return l.buf, l.err
}
