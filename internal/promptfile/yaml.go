package promptfile

import (
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// readYAML reads a source that may hold several documents. One without content is a null node.
func (s *source) readYAML() ([]node, error) {
	if err := s.checkYAML(); err != nil {
		return nil, err
	}
	loader, err := yaml.NewLoader(strings.NewReader(s.text), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth))))
	if err != nil {
		return nil, s.fail(0, "not YAML: "+err.Error(), "")
	}
	var documents []node
	for {
		var document yaml.Node
		if err := loader.Load(&document); errors.Is(err, io.EOF) {
			return documents, nil
		} else if err != nil {
			return nil, s.notYAML(err)
		}
		root, err := s.fromYAML(document.Content[0], 0)
		if err != nil {
			return nil, err
		}
		if root.isNull() {
			root.line = s.first - 1 + document.Line // where it is, rather than where the next thing is
		}
		documents = append(documents, root)
	}
}

// fromYAML turns a node of a parsed document into ours.
func (s *source) fromYAML(y *yaml.Node, depth int) (node, error) {
	n := node{line: s.first - 1 + y.Line, text: y.Value, literal: y.Style&yaml.LiteralStyle != 0}
	switch {
	case depth > maxDepth:
		return node{}, s.tooDeep(n.line)
	case y.Kind == yaml.AliasNode:
		return node{}, s.fail(n.line, "an alias ("+quoted("*"+y.Value)+")", s.noun+" files have none; repeat the text, or keep it in a file")
	case y.Anchor != "":
		return node{}, s.fail(n.line, "an anchor ("+quoted("&"+y.Anchor)+")", s.noun+" files have none; repeat the text, keep it in a file, or put it in quotes")
	case y.Style&yaml.TaggedStyle != 0 || y.Tag == "!":
		return node{}, s.fail(n.line, "a tag ("+quoted(y.Tag)+")", s.noun+" files have none; put a text with ! in quotes")
	}
	if err := s.count(n.line); err != nil {
		return node{}, err
	}
	const asText = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	switch {
	case y.Kind == yaml.MappingNode:
		n.kind = mapping
		n.keys = make([]scalar, 0, len(y.Content)/2)
		n.items = make([]node, 0, len(y.Content)/2)
	case y.Kind == yaml.SequenceNode:
		n.kind = sequence
		n.items = make([]node, 0, len(y.Content))
	case y.Style&asText != 0:
		n.kind = text
	}
	for i, child := range y.Content {
		item, err := s.fromYAML(child, depth+1)
		switch {
		case err != nil:
			return node{}, err
		case n.kind == sequence || i%2 == 1:
			n.items = append(n.items, item)
		case child.Kind != yaml.ScalarNode:
			return node{}, s.fail(item.line, "a key that is "+item.String(), "want KEY: VALUE")
		case item.kind == plain && item.text == "<<":
			return node{}, s.fail(item.line, "a merge key", s.noun+" files have none; write the keys out")
		default:
			n.keys = append(n.keys, scalar{item.text, item.line})
		}
	}
	return n, nil
}

// checkYAML refuses what the parser would read as something else than YAML 1.2 has it, or would take long over.
func (s *source) checkYAML() error {
	if err := s.checkPrintable(); err != nil {
		return err
	}
	separators := 0
	for i := 0; i < len(s.text); i++ {
		next := byte('\n')
		if i+1 < len(s.text) {
			next = s.text[i+1]
		}
		switch c := s.text[i]; c {
		case ',', '[', '{':
			separators++
		case '-', ':', '?':
			if next <= ' ' {
				separators++
			}
		case '%':
			if i == 0 || s.text[i-1] == '\n' || s.text[i-1] == '\r' {
				return s.fail(s.lineOf(i), "a YAML directive", s.noun+" files have none")
			}
		}
	}
	if separators > MaxValues { // the parser takes up to a kilobyte for each, before we see the first
		return s.fail(0, "more than 1,000,000 of , [ { - : and ?, which may be as many values", "want fewer sections in one "+s.noun+" file, and long texts in files of their own")
	}
	return nil
}

// notYAML turns an error of the parser into ours. Where something does not end, the line is that of its beginning.
func (s *source) notYAML(err error) error {
	var at *yaml.LoadError
	if !errors.As(err, &at) {
		return &Error{File: s.name, What: "not YAML: " + err.Error(), Err: err}
	}
	located := &Error{File: s.name, Line: at.Mark.Line, What: "not YAML: " + at.Message, Err: err}
	for _, hint := range yamlHints {
		if strings.Contains(at.Message, hint.message) {
			located.Want = hint.want
			if hint.atStart && at.ContextMark.Line > 0 {
				located.Line = at.ContextMark.Line
			}
			break
		}
	}
	if located.Line > 0 {
		located.Line = s.first - 1 + min(located.Line, lines(s.text)) // the parser may blame the line after the last
	}
	return located
}

// lines returns the number of the last line that holds anything.
func lines(text string) int {
	text = strings.TrimRight(text, " \t\r\n")
	return 1 + max(strings.Count(text, "\n"), strings.Count(text, "\r"))
}

// yamlHints say what would be right, for the mistakes that people make.
var yamlHints = [...]struct {
	message string // of the parser
	want    string
	atStart bool // whether to blame the beginning of what the parser was reading
}{
	{message: "exceeded max depth", want: "want fewer levels"},
	{message: "mapping values are not allowed", want: `want quotes around a text with ": ", or | before it, and keys in the column of their neighbours`},
	{message: "could not find expected ':'", want: "want KEY: VALUE", atStart: true},
	{message: "did not find expected key", want: "want KEY: VALUE in the column of its neighbours, and quotes around a text with : # [ ] { or }"},
	{message: "did not find expected <document start>", want: "want the line indented as its neighbours are"},
	{message: "did not find expected node content", want: "want a value, and each bracket closed"},
	{message: "did not find expected ','", want: "want a comma, and each bracket closed"},
	{message: "block sequence entries are not allowed", want: "want the entry on a line of its own, or the text in quotes"},
	{message: "found unexpected end of stream", want: "want the closing quote", atStart: true},
	{message: "found unexpected document indicator", want: "want the closing quote before it", atStart: true},
	{message: "tab character", want: "want spaces"},
	{message: "cannot start any token", want: "want spaces and no tabs before a line, and quotes around a text that begins with @, ` or %"},
	{message: "invalid Unicode character escape", want: `want one code point, such as \U0001F600; surrogates are JSON's`},
	{message: "unknown escape character", want: `want \\ for a backslash, or the text in single quotes`},
	{message: "expected hexadecimal number", want: `want two digits behind \x, four behind \u, eight behind \U`},
	{message: "expected comment or line break", want: "want only +, - or a digit behind | or >, and the text on the next line"},
	{message: "unknown anchor", want: "there are no anchors and aliases here; put a text with * in quotes"},
	{message: "did not find expected '-' indicator", want: "want - before each entry of a list, and keys in the column of their neighbours"},
}
