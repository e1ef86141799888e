package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
)

// A requestLine is one request body of a file.
type requestLine struct {
	number int
	body   []byte
}

// maxRequest bounds one line: a body of more than that is no request that a provider takes.
const maxRequest = 256 << 20

// requestLines yields the lines of a file that are not empty.
func requestLines(in io.Reader, name string) iter.Seq2[requestLine, error] {
	return func(yield func(requestLine, error) bool) {
		lines := bufio.NewScanner(in)
		lines.Buffer(make([]byte, 64<<10), maxRequest)
		number := 0
		for lines.Scan() {
			number++
			if body := bytes.TrimSpace(lines.Bytes()); len(body) > 0 && !yield(requestLine{number, body}, nil) {
				return
			}
		}
		if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
			yield(requestLine{}, fmt.Errorf("%s:%d: a line of more than %d MiB", name, number+1, maxRequest>>20))
		} else if err != nil {
			yield(requestLine{}, fileError(name, err))
		}
	}
}

// requestParser returns what makes sections of a request body. Both formats put the conversation into "messages"; the
// content of a section is the canonical JSON of one message, or of one of the other fields, which come first, by name.
func requestParser(format string) (func(body []byte) ([]composer.Section, error), error) {
	if !slices.Contains([]string{"openai", "anthropic", "auto"}, format) {
		return nil, fmt.Errorf("--from: unknown format %q; want openai, anthropic or auto", format)
	}
	return func(body []byte) ([]composer.Section, error) {
		canonical, err := fingerprint.Canonical(body)
		if err != nil {
			return nil, err
		}
		var fields map[string]jsontext.Value
		if err := json.Unmarshal(canonical, &fields); err != nil {
			return nil, errors.New("not a JSON object; want a request body")
		}
		var messages []jsontext.Value
		if err := json.Unmarshal(fields["messages"], &messages); err != nil || messages == nil {
			return nil, errors.New(`no array "messages"; want a chat request`)
		}
		if _, anthropic := fields["system"]; anthropic && format == "openai" {
			return nil, errors.New(`a field "system"; want a chat completion, or --from anthropic`)
		}
		var sections []composer.Section
		for _, name := range sortedNames(fields) {
			if name != "messages" {
				sections = append(sections, composer.Section{ID: name, Content: string(fields[name])})
			}
		}
		if n := len(sections); n > 0 {
			sections[n-1].Breakpoint = true
		}
		for i, message := range messages {
			sections = append(sections, composer.Section{ID: fmt.Sprintf("messages/%d", i), Content: string(message)})
		}
		return sections, nil
	}, nil
}

func sortedNames(fields map[string]jsontext.Value) []string {
	names := make([]string, 0, len(fields))
	for name := range fields { // sorted below, in whatever order they come
		names = append(names, name)
	}
	slices.SortFunc(names, strings.Compare)
	return names
}
