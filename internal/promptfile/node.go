package promptfile

// A node is a value of a prompt file, before anything is known about what it should be. Both notations become nodes.
type node struct {
	kind    kind
	line    int
	text    string   // of a scalar
	literal bool     // whether it is a YAML block that keeps its lines: the first one is below line
	keys    []scalar // of a mapping, one for each item
	items   []node   // of a mapping, its values; of a sequence, its elements
}

// A scalar is a key of a mapping.
type scalar struct {
	text string
	line int
}

type kind uint8

const (
	plain    kind = iota // a scalar without quotes: a number, true, false, null, or (in YAML) a text
	text                 // a scalar in quotes, or a YAML block scalar: a text whatever it looks like
	sequence             // in order
	mapping              // in order; a key that stands twice is still there twice
)

// isNull reports whether the node says "nothing here", which is the same as leaving the key out.
func (n *node) isNull() bool {
	if n.kind != plain {
		return false
	}
	switch n.text {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// isBool reports whether a plain scalar is a truth value under the YAML 1.2 core schema.
func (n *node) isBool() bool {
	if n.kind != plain {
		return false
	}
	switch n.text {
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return true
	}
	return false
}

// isNumber reports whether a plain scalar is a number under the YAML 1.2 core schema.
func (n *node) isNumber() bool {
	if n.kind != plain {
		return false
	}
	s := n.text
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'o') {
		for _, c := range []byte(s[2:]) {
			hex := s[1] == 'x' && ('a' <= c|0x20 && c|0x20 <= 'f' || c > '7' && c <= '9')
			if (c < '0' || c > '7') && !hex {
				return false
			}
		}
		return true
	}
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	switch s {
	case ".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN":
		return true
	}
	whole := digits(s)
	s = s[whole:]
	fraction := 0
	if s != "" && s[0] == '.' {
		fraction = digits(s[1:])
		s = s[1+fraction:]
	}
	if whole+fraction == 0 {
		return false
	}
	if s != "" && s[0]|0x20 == 'e' {
		s = s[1:]
		if s != "" && (s[0] == '-' || s[0] == '+') {
			s = s[1:]
		}
		exponent := digits(s)
		return exponent > 0 && exponent == len(s)
	}
	return s == ""
}

// digits returns how many decimal digits s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// String names what the node is, for messages.
func (n *node) String() string {
	switch {
	case n.kind == mapping:
		return "a mapping"
	case n.kind == sequence:
		return "a list"
	case n.isNull():
		return "nothing"
	case n.isBool():
		return "the truth value " + n.text
	case n.isNumber():
		return "the number " + shown(n.text)
	}
	return "the text " + quoted(n.text)
}
