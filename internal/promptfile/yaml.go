package promptfile

import "strings"

// A yamlReader reads the structure of a YAML source by recursive descent over its lines. It looks at every character a
// bounded number of times and keeps no copy of what it can cut out of the source.
//
// Columns count from 0 and are indentations: a block collection is one that starts at the same column on every line.
type yamlReader struct {
	*source
	pos  int // where it reads
	line int // of pos, from 1
	bol  int // where the line of pos begins
}

// readYAML reads a source that may hold several documents. One without content is a null node.
func (s *source) readYAML() ([]node, error) {
	r := yamlReader{source: s, line: s.first}
	var documents []node
	for {
		if err := r.skipBlank(); err != nil {
			return nil, err
		}
		explicit := r.atMarker("---")
		switch {
		case explicit:
			r.pos += 3
		case r.pos < len(r.text) && r.text[r.pos] == '%':
			return nil, r.fail(r.line, "a YAML directive", "prompt files have none")
		case r.atMarker("..."):
			r.pos += 3
			if err := r.endLine(); err != nil {
				return nil, err
			}
			continue
		case r.pos == len(r.text):
			return documents, nil
		}
		document := node{line: r.line}
		if err := r.skipSpace(); err != nil {
			return nil, err
		}
		if !explicit || !r.atLineEnd() {
			var err error
			if document, err = r.blockNode(-1, r.column(), 0); err != nil {
				return nil, err
			}
		} else if err := r.skipBlank(); err != nil {
			return nil, err
		} else if !r.atDocumentEnd() {
			if document, err = r.blockNode(-1, r.column(), 0); err != nil {
				return nil, err
			}
		}
		if err := r.count(r.line); err != nil {
			return nil, err
		}
		documents = append(documents, document)
		if err := r.skipBlank(); err != nil {
			return nil, err
		}
		if !r.atDocumentEnd() {
			return nil, r.fail(r.line, "the line belongs to nothing above it", "want it indented as its neighbours are")
		}
	}
}

func (r *yamlReader) column() int { return r.pos - r.bol }

// peek returns the character i places ahead, or a line end behind the end of the source.
func (r *yamlReader) peek(i int) byte {
	if r.pos+i < len(r.text) {
		return r.text[r.pos+i]
	}
	return '\n'
}

func isBreak(c byte) bool { return c == '\n' || c == '\r' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// takeBreak steps over a line end: LF, CRLF or CR.
func (r *yamlReader) takeBreak() {
	if r.pos == len(r.text) {
		return
	}
	if r.text[r.pos] == '\r' && r.peek(1) == '\n' && r.pos+1 < len(r.text) {
		r.pos++
	}
	r.pos++
	r.line++
	r.bol = r.pos
}

// skipSpaces steps over blanks on the line.
func (r *yamlReader) skipSpaces() {
	for r.pos < len(r.text) && isSpace(r.text[r.pos]) {
		r.pos++
	}
}

// skipSpace steps over blanks and a comment on the line.
func (r *yamlReader) skipSpace() error {
	r.skipSpaces()
	if r.pos < len(r.text) && r.text[r.pos] == '#' {
		if r.pos > r.bol && !isSpace(r.text[r.pos-1]) {
			return r.fail(r.line, "a # right behind a value", "want a space before a comment, and quotes around a text with #")
		}
		for r.pos < len(r.text) && !isBreak(r.text[r.pos]) {
			r.pos++
		}
	}
	return nil
}

// endLine steps over blanks and a comment, and wants the line to end there.
func (r *yamlReader) endLine() error {
	if err := r.skipSpace(); err != nil {
		return err
	}
	if !r.atLineEnd() {
		return r.fail(r.line, "something follows a complete value: "+quoted(r.rest()), "want one value, and quotes around a text with : # [ ] { or }")
	}
	return nil
}

// skipBlank steps to the first character of the next line that has content, from the end or the start of a line.
func (r *yamlReader) skipBlank() error {
	for {
		r.skipSpaces()
		switch {
		case r.pos == len(r.text):
			return nil
		case r.text[r.pos] == '#':
			if err := r.skipSpace(); err != nil {
				return err
			}
		case !isBreak(r.text[r.pos]):
			if r.indentation() < r.column() {
				return r.fail(r.line, "a tab in the indentation", "want spaces")
			}
			return nil
		}
		r.takeBreak()
	}
}

// indentation returns how many spaces the line begins with.
func (r *yamlReader) indentation() int {
	n := 0
	for r.bol+n < len(r.text) && r.text[r.bol+n] == ' ' {
		n++
	}
	return n
}

func (r *yamlReader) atLineEnd() bool { return isBreak(r.peek(0)) }

// atMarker reports whether a document marker stands here: --- or ... alone at the start of a line.
func (r *yamlReader) atMarker(marker string) bool {
	if r.pos != r.bol || !strings.HasPrefix(r.text[r.pos:], marker) {
		return false
	}
	return isSpace(r.peek(3)) || isBreak(r.peek(3))
}

func (r *yamlReader) atDocumentEnd() bool {
	return r.pos == len(r.text) || r.atMarker("---") || r.atMarker("...")
}

// atEntry reports whether a "- " stands here.
func (r *yamlReader) atEntry() bool {
	return r.peek(0) == '-' && (isSpace(r.peek(1)) || isBreak(r.peek(1)))
}

// rest returns what is left of the line.
func (r *yamlReader) rest() string {
	end := strings.IndexAny(r.text[r.pos:], "\r\n")
	if end < 0 {
		return r.text[r.pos:]
	}
	return r.text[r.pos : r.pos+end]
}

// blockNode reads the value that starts here. Its parent stands at column parent; the value itself counts as starting
// at column col, and a collection continues on further lines at that column.
func (r *yamlReader) blockNode(parent, col, depth int) (node, error) {
	if depth > maxDepth {
		return node{}, r.tooDeep(r.line)
	}
	if r.atEntry() {
		return r.blockSequence(col, depth)
	}
	isKey, err := r.atKey()
	if err != nil {
		return node{}, err
	}
	if isKey {
		return r.blockMapping(col, depth)
	}
	return r.inlineNode(parent, depth)
}

// inlineNode reads a scalar or a flow collection, and the line to its end.
func (r *yamlReader) inlineNode(parent, depth int) (node, error) {
	var n node
	var err error
	switch c := r.peek(0); c {
	case '|', '>':
		return r.blockScalar(parent)
	case '[', '{':
		n, err = r.flowNode(depth)
	case '"', '\'':
		n, err = r.quoted(c)
	default:
		if err := r.checkPlainStart(); err != nil {
			return node{}, err
		}
		n, err = r.plain(parent)
	}
	if err != nil {
		return node{}, err
	}
	return n, r.endLine()
}

// blockSequence reads "- " entries at column col.
func (r *yamlReader) blockSequence(col, depth int) (node, error) {
	n := node{kind: sequence, line: r.line}
	for {
		r.pos++ // the -
		item, err := r.blockValue(col, depth, true)
		if err != nil {
			return node{}, err
		}
		if err := r.count(r.line); err != nil {
			return node{}, err
		}
		n.items = append(n.items, item)
		if more, err := r.nextLine(col); err != nil || !more || !r.atEntry() {
			return n, err
		}
	}
}

// blockMapping reads "key: value" entries at column col.
func (r *yamlReader) blockMapping(col, depth int) (node, error) {
	n := node{kind: mapping, line: r.line}
	for {
		key, err := r.key()
		if err != nil {
			return node{}, err
		}
		n.keys = append(n.keys, key)
		item, err := r.blockValue(col, depth, false)
		if err != nil {
			return node{}, err
		}
		if err := r.count(r.line); err != nil {
			return node{}, err
		}
		n.items = append(n.items, item)
		more, err := r.nextLine(col)
		if err != nil || !more {
			return n, err
		}
		if isKey, err := r.atKey(); err != nil || !isKey {
			if err == nil {
				err = r.fail(r.line, quoted(r.rest())+" is no entry of the mapping above it", "want KEY: VALUE")
			}
			return node{}, err
		}
	}
}

// nextLine steps to the next line with content and reports whether it continues a collection at column col.
func (r *yamlReader) nextLine(col int) (bool, error) {
	if err := r.skipBlank(); err != nil {
		return false, err
	}
	if r.atDocumentEnd() || r.column() < col {
		return false, nil
	}
	if r.column() > col {
		return false, r.fail(r.line, "the line is indented deeper than its neighbours", "want it in their column")
	}
	return true, nil
}

// blockValue reads what stands behind the "-" or the "key:" of a collection at column col.
func (r *yamlReader) blockValue(col, depth int, entry bool) (node, error) {
	start := r.pos
	if err := r.skipSpace(); err != nil {
		return node{}, err
	}
	if !r.atLineEnd() {
		if entry {
			if isKey, err := r.atKey(); err != nil {
				return node{}, err
			} else if (isKey || r.atEntry()) && strings.IndexByte(r.text[start:r.pos], '\t') >= 0 {
				return node{}, r.fail(r.line, "a tab in the indentation", "want spaces")
			}
			return r.blockNode(col, r.column(), depth+1)
		}
		if isKey, err := r.atKey(); err != nil {
			return node{}, err
		} else if isKey {
			return node{}, r.fail(r.line, "a second key on one line", `want quotes around a text with ": "`)
		}
		if r.atEntry() {
			return node{}, r.fail(r.line, "a list entry behind a key", "want it on a line of its own, or the text in quotes")
		}
		return r.inlineNode(col, depth+1)
	}
	null := node{line: r.line}
	if err := r.skipBlank(); err != nil {
		return node{}, err
	}
	if r.atDocumentEnd() {
		return null, nil
	}
	switch {
	case r.column() > col:
		return r.blockNode(col, r.column(), depth+1)
	case r.column() == col && !entry && r.atEntry():
		return r.blockSequence(col, depth+1) // a list may stand in the column of its key
	}
	return null, nil
}

// atKey reports whether the line goes on with a key of a block mapping: a scalar on one line and a colon.
func (r *yamlReader) atKey() (bool, error) {
	probe := *r
	switch c := r.peek(0); c {
	case '"', '\'':
		if _, err := probe.quoted(c); err != nil || probe.line != r.line {
			return false, nil // as a value it will be read again, and complain
		}
		probe.skipSpaces()
		return probe.atColon(), nil
	case '[', '{', '|', '>':
		return false, nil
	case '?':
		if isSpace(r.peek(1)) || isBreak(r.peek(1)) {
			return false, r.fail(r.line, "a complex key", "want KEY: VALUE")
		}
	}
	for ; probe.pos < len(r.text) && !isBreak(r.text[probe.pos]); probe.pos++ {
		if probe.atColon() {
			return true, nil
		}
		if r.text[probe.pos] == '#' && probe.pos > r.pos && isSpace(r.text[probe.pos-1]) {
			return false, nil
		}
	}
	return false, nil
}

// atColon reports whether a colon that ends a key stands here.
func (r *yamlReader) atColon() bool {
	return r.peek(0) == ':' && (isSpace(r.peek(1)) || isBreak(r.peek(1)))
}

// key reads a key that atKey saw, and its colon.
func (r *yamlReader) key() (scalar, error) {
	key := scalar{line: r.line}
	if c := r.peek(0); c == '"' || c == '\'' {
		n, err := r.quoted(c)
		if err != nil {
			return key, err
		}
		key.text = n.text
		r.skipSpaces()
	} else {
		if err := r.checkPlainStart(); err != nil {
			return key, err
		}
		start := r.pos
		for !r.atColon() {
			r.pos++
		}
		key.text = strings.TrimRight(r.text[start:r.pos], " \t")
	}
	r.pos++ // the colon
	return key, nil
}

// checkPlainStart refuses what a scalar without quotes cannot begin with.
func (r *yamlReader) checkPlainStart() error {
	const quote = "want the text in quotes"
	switch c := r.peek(0); c {
	case '&', '*':
		return r.fail(r.line, "an anchor or an alias ("+quoted(r.word())+")", "prompt files have none; repeat the text, keep it in a file, or put it in quotes")
	case '!':
		return r.fail(r.line, "a tag ("+quoted(r.word())+")", "prompt files have none; put a text with ! in quotes")
	case '@', '`', '%', ',', ']', '}', '#':
		return r.fail(r.line, "a text without quotes begins with "+quoted(string(rune(c))), quote)
	case '<':
		if strings.HasPrefix(r.text[r.pos:], "<<:") {
			return r.fail(r.line, "a merge key", "prompt files have none; write the keys out")
		}
	case '-', '?', ':':
		if isSpace(r.peek(1)) || isBreak(r.peek(1)) {
			return r.fail(r.line, "a text without quotes begins with "+quoted(string(rune(c))), quote)
		}
	}
	return nil
}

// word returns what stands here up to a blank.
func (r *yamlReader) word() string {
	word, _, _ := strings.Cut(r.rest(), " ")
	return word
}
