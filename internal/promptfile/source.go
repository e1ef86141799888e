package promptfile

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/internal/wellformed"
)

// maxDepth bounds how deep collections may nest. A prompt file that means something nests four deep.
const maxDepth = 64

// A form says what a file describes, for messages.
type form struct {
	noun string // such as "prompt"
	keys string // what its mapping holds
}

// A source is the text of a file and the name that messages call it by.
type source struct {
	form
	name   string
	text   string // without its byte order mark
	mark   int    // how many bytes that had
	first  int    // the number of its first line
	values int    // how many were read so far
}

func newSource(src []byte, name string, f form, firstLine int) *source {
	return &source{form: f, name: name, text: string(src), first: max(firstLine, 1)}
}

// lineOf returns the number of the line at an offset.
func (s *source) lineOf(offset int) int { return s.first + strings.Count(s.text[:offset], "\n") }

// count counts a value that was read, and refuses one too many: a value of two bytes takes a hundred in memory.
func (s *source) count(line int) error {
	if s.values++; s.values > MaxValues {
		return s.fail(line, "more than 1,000,000 values", "want fewer sections in one "+s.noun+" file")
	}
	return nil
}

func (s *source) fail(line int, what, want string) error {
	return &Error{File: s.name, Line: line, What: what, Want: want}
}

func (s *source) tooDeep(line int) error {
	return s.fail(line, fmt.Sprintf("nested more than %d deep", maxDepth), "want fewer levels")
}

const byteOrderMark = "\ufeff"

// documents reads the values that stand in the source, in whichever notation it is.
func (s *source) documents(onlyJSON bool) ([]node, error) {
	if len(s.text) > MaxSource {
		return nil, s.fail(0, "the "+s.noun+" file has more than 64 MiB", "keep long texts in files of their own")
	}
	if offset := wellformed.Invalid(s.text); offset >= 0 {
		return nil, s.fail(s.lineOf(offset), fmt.Sprintf("invalid UTF-8 at byte %d", offset), "want the file in UTF-8")
	}
	if strings.HasPrefix(s.text, byteOrderMark) {
		s.mark, s.text = len(byteOrderMark), s.text[len(byteOrderMark):]
	}
	first := strings.TrimLeft(s.text, " \t\r\n")
	if onlyJSON || strings.HasPrefix(first, "{") {
		if first == "" {
			return nil, s.fail(s.first, "nothing here", "want a "+s.noun+" as a JSON object")
		}
		hint := "want a " + s.noun + " as a JSON object"
		if !onlyJSON {
			hint = "a file that begins with { is read as JSON"
		}
		n, err := s.readJSON(hint)
		return []node{n}, err
	}
	nodes, err := s.readYAML()
	if err == nil && len(nodes) == 0 {
		err = s.fail(0, "the "+s.noun+" file is empty", "want a mapping with "+s.keys)
	}
	return nodes, err
}

// document reads the one mapping that the source has to be.
func (s *source) document(onlyJSON bool) (*node, error) {
	roots, err := s.documents(onlyJSON)
	if err != nil {
		return nil, err
	}
	if len(roots) > 1 {
		return nil, s.fail(roots[1].line, "a second document", "want one "+s.noun+" in a file")
	}
	return &roots[0], s.isMapping(&roots[0])
}

func (s *source) isMapping(root *node) error {
	if root.kind != mapping {
		return s.fail(root.line, "the "+s.noun+" is "+root.String(), "want a mapping with "+s.keys)
	}
	return nil
}

// checkPrintable refuses characters that may not stand in YAML: control characters but for tabs and line ends, and
// U+FFFE and U+FFFF; and those that were line ends in YAML 1.1 and are none in 1.2, of which parsers make what they like.
func (s *source) checkPrintable() error {
	for i, r := range s.text {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || 0x7f <= r && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfffe || r == 0xffff {
			escape := fmt.Sprintf(`\x%02x`, r)
			if r > 0xff {
				escape = fmt.Sprintf(`\u%04x`, r)
			}
			return s.fail(s.lineOf(i), fmt.Sprintf("the character U+%04X at byte %d", r, s.mark+i),
				"YAML wants it as "+escape+" in double quotes")
		}
	}
	return nil
}

// quoted writes a text from a prompt file for a message: in quotes, on one line, and cut where it is long.
func quoted(text string) string { return strconv.Quote(shown(text)) }

// shown cuts a text where it is long.
func shown(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	end := most
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
