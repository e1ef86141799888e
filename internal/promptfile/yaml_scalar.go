package promptfile

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// plain reads a scalar without quotes in a block collection at column parent. It may go on over lines that are indented
// deeper: their line ends become spaces, and blank lines between them line ends.
func (r *yamlReader) plain(parent int) (node, error) {
	n := node{line: r.line, text: r.plainLine(false)}
	var folded strings.Builder // once there is a second line
	for {
		// A comment ends the scalar, whether it stands behind a line of it or on a line of its own.
		ahead := *r
		ahead.skipSpaces()
		if !ahead.atLineEnd() {
			break
		}
		breaks := ahead.takeBreaks()
		if ahead.pos == len(ahead.text) || ahead.indentation() <= parent || ahead.peek(0) == '#' || ahead.atDocumentEnd() {
			break
		}
		if isKey, err := ahead.atKey(); err != nil {
			return node{}, err
		} else if isKey {
			return node{}, r.fail(ahead.line, "a key in the middle of a text", `want quotes around a text with ": ", or | before it`)
		}
		*r = ahead
		if folded.Len() == 0 {
			folded.WriteString(n.text)
		}
		fold(&folded, breaks)
		folded.WriteString(r.plainLine(false))
	}
	if folded.Len() > 0 {
		n.text = folded.String()
	}
	return n, nil
}

// plainLine reads what one line has of a scalar without quotes, up to a comment or (in a flow collection) an indicator.
func (r *yamlReader) plainLine(flow bool) string {
	start := r.pos
	for ; r.pos < len(r.text); r.pos++ {
		c := r.text[r.pos]
		if isBreak(c) || c == '#' && r.pos > start && isSpace(r.text[r.pos-1]) {
			break
		}
		if flow && (strings.IndexByte(",[]{}", c) >= 0 || r.atFlowColon()) {
			break
		}
	}
	line := strings.TrimRight(r.text[start:r.pos], " \t")
	r.pos = start + len(line)
	return line
}

// takeBreaks steps over line ends and blank lines to the next character, and counts the line ends.
func (r *yamlReader) takeBreaks() int {
	breaks := 0
	for r.pos < len(r.text) && isBreak(r.text[r.pos]) {
		r.takeBreak()
		breaks++
		r.skipSpaces()
	}
	return breaks
}

// fold writes what a run of line ends inside a scalar stands for: one is a space, n+1 are n line ends.
func fold(b *strings.Builder, breaks int) {
	if breaks == 1 {
		b.WriteByte(' ')
	}
	for range breaks - 1 {
		b.WriteByte('\n')
	}
}

// quoted reads a scalar in single or double quotes.
func (r *yamlReader) quoted(quote byte) (node, error) {
	n := node{kind: text, line: r.line}
	r.pos++
	start := r.pos // of what is not copied yet
	var b strings.Builder
	flush := func(end int) { b.WriteString(r.text[start:end]) }
	for {
		if r.pos == len(r.text) {
			return node{}, r.fail(n.line, "a text in quotes does not end", "want a closing "+string(rune(quote)))
		}
		switch c := r.text[r.pos]; {
		case c == quote && quote == '\'' && r.pos+1 < len(r.text) && r.peek(1) == quote:
			flush(r.pos + 1)
			r.pos += 2
			start = r.pos
		case c == quote:
			if b.Len() == 0 {
				n.text = r.text[start:r.pos]
			} else {
				flush(r.pos)
				n.text = b.String()
			}
			r.pos++
			return n, nil
		case c == '\\' && quote == '"':
			flush(r.pos)
			if err := r.escape(&b); err != nil {
				return node{}, err
			}
			start = r.pos
		case isBreak(c):
			// Blanks on both sides of the line end are layout. What an escape wrote lies before start and stays.
			flush(start + len(strings.TrimRight(r.text[start:r.pos], " \t")))
			fold(&b, r.takeBreaks())
			if r.atMarker("---") || r.atMarker("...") {
				return node{}, r.fail(n.line, "a text in quotes does not end before the document does", "want a closing "+string(rune(quote)))
			}
			start = r.pos
		default:
			r.pos++
		}
	}
}

// escape reads a backslash and what it escapes, in double quotes.
func (r *yamlReader) escape(b *strings.Builder) error {
	r.pos++
	c := r.peek(0)
	if isBreak(c) { // the line end is taken back; blank lines after it are not
		r.takeBreak()
		r.skipSpaces()
		for range r.takeBreaks() {
			b.WriteByte('\n')
		}
		return nil
	}
	r.pos++
	if i := strings.IndexByte(`0abtnvfre "/\N_LP`+"\t", c); i >= 0 {
		b.WriteString([]string{"\x00", "\a", "\b", "\t", "\n", "\v", "\f", "\r", "\x1b", " ", `"`, "/", `\`, "\u0085", "\u00a0", "\u2028", "\u2029", "\t"}[i])
		return nil
	}
	var width int
	switch c {
	case 'x':
		width = 2
	case 'u':
		width = 4
	case 'U':
		width = 8
	default:
		return r.fail(r.line, "an escape that YAML does not have: "+quoted(`\`+string(rune(c))), `want \\ for a backslash, or the text in single quotes`)
	}
	code, ok := r.hex(width)
	if ok && utf16.IsSurrogate(code) && c == 'u' && strings.HasPrefix(r.text[r.pos:], `\u`) {
		r.pos += 2
		var low rune
		if low, ok = r.hex(4); ok {
			code = utf16.DecodeRune(code, low)
			ok = code != utf8.RuneError
		}
	}
	if !ok || !utf8.ValidRune(code) {
		return r.fail(r.line, `an escape \`+string(rune(c))+" that denotes no character", "want "+strconv.Itoa(width)+" hex digits of a code point, or a pair of surrogates")
	}
	b.WriteRune(code)
	return nil
}

func (r *yamlReader) hex(width int) (rune, bool) {
	if r.pos+width > len(r.text) {
		return 0, false
	}
	code, err := strconv.ParseUint(r.text[r.pos:r.pos+width], 16, 31)
	r.pos += width
	return rune(code), err == nil
}

// blockScalar reads a text behind | or >, whose parent stands at column parent.
func (r *yamlReader) blockScalar(parent int) (node, error) {
	n := node{kind: text, line: r.line}
	folded := r.peek(0) == '>'
	r.pos++
	var chomp byte
	indent := 0
	for ; !isSpace(r.peek(0)) && !r.atLineEnd(); r.pos++ {
		switch c := r.peek(0); {
		case (c == '+' || c == '-') && chomp == 0:
			chomp = c
		case '1' <= c && c <= '9' && indent == 0:
			indent = max(parent, 0) + int(c-'0')
		default:
			return node{}, r.fail(r.line, "a block text begins with "+quoted(r.rest()), "want only +, - or a digit behind | or >, and the text on the next line")
		}
	}
	if err := r.endLine(); err != nil {
		return node{}, err
	}
	r.takeBreak()
	if indent == 0 {
		var err error
		if indent, err = r.blockIndent(parent); err != nil {
			return node{}, err
		}
	}

	var b strings.Builder
	breaks := r.blankLines(indent)
	lineBreak := 0
	for r.pos < len(r.text) && r.column() == indent && !(indent == 0 && r.atDocumentEnd()) {
		for range breaks {
			b.WriteByte('\n')
		}
		line := r.rest()
		r.pos += len(line)
		b.WriteString(line)
		lineBreak = 0
		if r.pos < len(r.text) {
			lineBreak = 1
			r.takeBreak()
		}
		breaks = r.blankLines(indent)
		if r.pos == len(r.text) || r.column() != indent || indent == 0 && r.atDocumentEnd() {
			break
		}
		switch {
		case !folded || isSpace(line[0]) || isSpace(r.peek(0)):
			b.WriteByte('\n')
		case breaks == 0:
			b.WriteByte(' ')
		}
	}
	if chomp != '-' && lineBreak > 0 {
		b.WriteByte('\n')
	}
	if chomp == '+' {
		for range breaks {
			b.WriteByte('\n')
		}
	}
	if r.pos < len(r.text) {
		r.pos = r.bol // the line that ended it is read again, with its indentation
	}
	n.text = b.String()
	return n, nil
}

// blockIndent finds the indentation of a block text: that of its first line with content, and deeper than its parent.
func (r *yamlReader) blockIndent(parent int) (int, error) {
	ahead := *r
	widest, widestLine := 0, 0
	for ahead.pos < len(ahead.text) {
		for ahead.peek(0) == ' ' {
			ahead.pos++
		}
		col := ahead.column()
		if !ahead.atLineEnd() {
			if col > parent && widest > col {
				return 0, r.fail(widestLine, "a blank line is indented deeper than the text that follows it", "want it empty, or a digit behind the | or >")
			}
			return max(col, parent+1), nil
		}
		if col > widest {
			widest, widestLine = col, ahead.line
		}
		ahead.takeBreak()
	}
	return max(widest, parent+1), nil
}

// blankLines steps over blank lines and over the indentation of the line behind them, and counts the line ends.
func (r *yamlReader) blankLines(indent int) int {
	breaks := 0
	for {
		for r.column() < indent && r.pos < len(r.text) && r.text[r.pos] == ' ' {
			r.pos++
		}
		if r.pos == len(r.text) || !isBreak(r.text[r.pos]) {
			return breaks
		}
		r.takeBreak()
		breaks++
	}
}
