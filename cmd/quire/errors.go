package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// packageNames begin errors to tell programmers, and no one else, where they come from. So does import, which is in
// package replay.
var packageNames = []string{"anthropic", "cachelab", "composer", "fingerprint", "fragments", "import", "measure", "messages", "openai",
	"postgres", "replay", "request", "sessions", "sqlite", "template", "tiers"}

// bare returns the text of an error without the names of the packages that it came through.
func bare(err error) string {
	text := err.Error()
	for {
		name, rest, _ := strings.Cut(text, ": ")
		if !slices.Contains(packageNames, name) {
			return text
		}
		text = rest
	}
}

// at puts a place before an error.
func at(place string, err error) error { return &placedError{place, err} }

type placedError struct {
	place string
	err   error
}

func (e *placedError) Error() string { return e.place + ": " + bare(e.err) }
func (e *placedError) Unwrap() error { return e.err }

// oneLine writes a message on one line, with nothing in it that would steer a terminal.
func oneLine(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\n':
			for i+size < len(text) && strings.IndexByte(" \t\n", text[i+size]) >= 0 {
				size++
			}
			if b.WriteString(" "); !strings.HasSuffix(text[:i], ":") && i+size < len(text) {
				b.WriteString("/ ")
			}
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
		i += size
	}
	return strings.TrimRight(b.String(), " ")
}

// fileError says what happened to a file, without the name of the system call.
func fileError(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", plain(name), err)
}

// plain returns a text as it is, or quoted where it is empty or holds what would break the line or steer the terminal.
func plain(text string) string {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
