package promptfile

import "strings"

// flowNode reads a flow collection or a scalar inside one. Layout does not matter in it, nor do line ends.
func (r *yamlReader) flowNode(depth int) (node, error) {
	if depth > maxDepth {
		return node{}, r.tooDeep(r.line)
	}
	switch c := r.peek(0); c {
	case '[', '{':
		return r.flowCollection(c, depth)
	case '"', '\'':
		return r.quoted(c)
	}
	if err := r.checkPlainStart(); err != nil {
		return node{}, err
	}
	n := node{line: r.line, text: r.plainLine(true)}
	var folded strings.Builder // once there is a second line
	for {
		ahead := *r
		ahead.skipSpaces()
		if !ahead.atLineEnd() {
			break
		}
		breaks := ahead.takeBreaks()
		if ahead.pos == len(ahead.text) || ahead.atMarker("---") || ahead.atMarker("...") ||
			strings.IndexByte(",[]{}#", ahead.peek(0)) >= 0 || ahead.atFlowColon() {
			break
		}
		*r = ahead
		if folded.Len() == 0 {
			folded.WriteString(n.text)
		}
		fold(&folded, breaks)
		folded.WriteString(r.plainLine(true))
	}
	if folded.Len() > 0 {
		n.text = folded.String()
	}
	return n, nil
}

func (r *yamlReader) flowCollection(open byte, depth int) (node, error) {
	n := node{kind: sequence, line: r.line}
	end := byte(']')
	if open == '{' {
		n.kind, end = mapping, '}'
	}
	r.pos++
	for {
		if err := r.skipFlow(n.line, end); err != nil {
			return node{}, err
		}
		if r.peek(0) == end {
			r.pos++
			return n, nil
		}
		if r.peek(0) == ',' {
			return node{}, r.fail(r.line, "a comma without a value before it", "want one comma between two values")
		}
		item, err := r.flowNode(depth + 1)
		if err != nil {
			return node{}, err
		}
		if err := r.skipFlow(n.line, end); err != nil {
			return node{}, err
		}
		if n.kind == mapping {
			if item.kind != plain && item.kind != text {
				return node{}, r.fail(item.line, "a complex key", "want KEY: VALUE")
			}
			n.keys = append(n.keys, scalar{item.text, item.line})
			item, err = r.flowValue(item, n.line, end, depth)
			if err != nil {
				return node{}, err
			}
		} else if r.peek(0) == ':' {
			return node{}, r.fail(r.line, "a key in a list", `want quotes around a text with ": ", or braces around KEY: VALUE`)
		}
		if err := r.count(r.line); err != nil {
			return node{}, err
		}
		n.items = append(n.items, item)
		switch r.peek(0) {
		case ',':
			r.pos++
		case end:
		default:
			return node{}, r.fail(r.line, "a value follows another without a comma: "+quoted(r.rest()), "want a comma, or "+string(rune(end)))
		}
	}
}

// flowValue reads the value behind a key of a flow mapping, if it has one, and the blanks behind it.
func (r *yamlReader) flowValue(key node, start int, end byte, depth int) (node, error) {
	if r.peek(0) != ':' {
		return node{line: key.line}, nil
	}
	r.pos++
	if err := r.skipFlow(start, end); err != nil {
		return node{}, err
	}
	if r.peek(0) == ',' || r.peek(0) == end {
		return node{line: key.line}, nil
	}
	value, err := r.flowNode(depth + 1)
	if err != nil {
		return node{}, err
	}
	return value, r.skipFlow(start, end)
}

// skipFlow steps over blanks, line ends and comments to a character of the collection that began on line start.
func (r *yamlReader) skipFlow(start int, end byte) error {
	for {
		if err := r.skipSpace(); err != nil {
			return err
		}
		if r.pos == len(r.text) || r.atMarker("---") || r.atMarker("...") {
			return r.fail(start, "a collection in brackets does not end", "want a closing "+string(rune(end)))
		}
		if !r.atLineEnd() {
			return nil
		}
		r.takeBreak()
	}
}

// atFlowColon reports whether a colon that ends a plain key stands here.
func (r *yamlReader) atFlowColon() bool {
	if r.peek(0) != ':' {
		return false
	}
	c := r.peek(1)
	return isSpace(c) || isBreak(c) || strings.IndexByte(",[]{}", c) >= 0
}
