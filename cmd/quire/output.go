package main

import (
	"io"

	"github.com/go-json-experiment/json"
)

// An output remembers the first error of writing, so that no command has to ask after every line.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

// appendLine appends a value as one line of JSON, with members in a fixed order and nothing escaped that JSON does not
// want escaped.
func appendLine(out []byte, v any) ([]byte, error) {
	line, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return out, err
	}
	return append(append(out, line...), '\n'), nil
}

// printLine prints a value as appendLine writes it.
func printLine(s *streams, v any) error {
	line, err := appendLine(nil, v)
	if err != nil {
		return err
	}
	_, err = s.out.Write(line)
	return err
}
