package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/quirehq/quire/internal/promptfile"
)

// The bounds of what is read: what is larger is no such thing, and would fill the memory.
const (
	maxText   = promptfile.MaxSource // bytes of a file that is read whole: a prompt file, a profile, a response
	maxLog    = 1 << 30              // bytes of a file of calls
	maxBundle = 5 << 30              // more than any that is accepted
	unbounded = math.MaxInt64        // of what is hashed and not kept
)

// An input is a file or standard input. It remembers why it could not be read, so that what was read so far is not
// blamed.
type input struct {
	in   io.Reader
	name string // what messages call it
	most int64
	at   int64
	err  error
}

// open opens a file, or standard input for "-", of which at most so many bytes are read.
func (s *streams) open(file string, most int64) (*input, error) {
	if file == "-" {
		return &input{in: s.in, name: "<stdin>", most: most}, nil
	}
	return openFile(file, most)
}

func openFile(file string, most int64) (*input, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fileError(file, err)
	}
	return &input{in: f, name: file, most: most}, nil
}

// Read reads from the input, until there is too much of it.
func (i *input) Read(p []byte) (int, error) {
	n, err := i.in.Read(p)
	if i.at += int64(n); i.at > i.most {
		err = fmt.Errorf("more than %d MiB; split it, or keep long texts in files of their own", i.most>>20)
	}
	if err != nil && err != io.EOF {
		err = fileError(i.name, err)
		i.err = err
	}
	return n, err
}

// Seek implements io.Seeker where the input does.
func (i *input) Seek(offset int64, whence int) (int64, error) {
	in, ok := i.in.(io.Seeker)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	at, err := in.Seek(offset, whence)
	if err == nil {
		i.at = at
	}
	return at, err
}

// Close closes a file. Standard input stays open.
func (i *input) Close() error {
	if f, ok := i.in.(*os.File); ok && f != os.Stdin {
		return f.Close()
	}
	return nil
}

// readAll reads the whole of what is left of an input, and closes it.
func (i *input) readAll() ([]byte, error) {
	defer i.Close()
	return io.ReadAll(i)
}

// readInput reads a text from a file, or from standard input for "-", and returns what messages call it.
func readInput(s *streams, file string) (src []byte, name string, err error) {
	in, err := s.open(file, maxText)
	if err != nil {
		return nil, file, err
	}
	src, err = in.readAll()
	return src, in.name, err
}

// readFile reads a text from a file that a flag names.
func readFile(name string) ([]byte, error) {
	in, err := openFile(name, maxText)
	if err != nil {
		return nil, err
	}
	return in.readAll()
}
