package sessions

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
)

// readAider reads a chat history. It is written for people, and what it does not mark stays text: lines that begin with
// "#### " are the user's, "> " is what the program said, and all else is the model's. What the program said is not part
// of a prompt as it stands there.
func (r *reader) readAider(in *lines) error {
	c := r.conversation("", OpenAIChat)
	var kind byte // of the block at hand: '#' user, '>' program, 'h' a head, 0 none, 'a' the model
	var text []byte
	start, sessions := 0, 0
	flush := func() {
		body := string(bytes.TrimRight(text, "\n"))
		switch kind {
		case '#':
			c.add(textMessage(messages.User, body), r.note(start, "", Aside, noCall))
		case 'a':
			c.call(Call{Line: start})
			c.add(textMessage(messages.Assistant, body), r.note(start, "", Aside, noCall))
		case '>':
			r.note(start, "", Aside, "what the program said")
		case 'h':
			r.note(start, "", Aside, "the head of a session")
		}
		kind, text = 0, text[:0]
	}
	for {
		line, number, err := in.raw()
		if errors.Is(err, io.EOF) {
			flush()
			return nil
		}
		r.open(line, number)
		if err != nil {
			return r.fail("", err)
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		next := byte('a')
		switch {
		case bytes.HasPrefix(line, []byte("# aider chat started at")):
			next = 'h'
		case bytes.HasPrefix(line, []byte("#### ")):
			next, line = '#', bytes.TrimSuffix(line[len("#### "):], []byte("  "))
		case bytes.HasPrefix(line, []byte(">")):
			next = '>'
		case len(line) == 0:
			if kind == 'a' {
				text = append(text, '\n')
			}
			continue
		}
		if !utf8.Valid(line) {
			flush()
			if err := r.broken("", fingerprint.ErrInvalidUTF8); err != nil {
				return err
			}
			continue
		}
		if next != kind || next == 'h' {
			flush()
			kind, start = next, number
		}
		if next == 'h' {
			if sessions++; sessions > 1 {
				c = r.conversation(strconv.Itoa(sessions), OpenAIChat)
			}
		}
		text = append(append(text, line...), '\n')
	}
}
