package promptfile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/internal/promptfile"
)

// scalars are texts as they may be written behind "  text: ", and what they are under YAML 1.2.
var scalars = []struct{ name, yaml, want string }{
	{"plain", "a b", "a b"},
	{"plain with a tab", "a\tb", "a\tb"},
	{"plain with a comment", "a b  # c", "a b"},
	{"plain with a #", "a#b", "a#b"},
	{"plain with a colon", "a:b http://x", "a:b http://x"},
	{"plain over lines", "a\n    b\n\n    c\n\n\n  tier: core", "a b\nc"},
	{"plain with a dash", "-a - b", "-a - b"},
	{"plain with CRLF", "a\r\n    b\r\n", "a b"},
	{"plain on the next line", "\n    a", "a"},
	{"not a number", "1.2.3", "1.2.3"},
	{"single quotes", `'it''s "so"'`, `it's "so"`},
	{"single quotes over lines", "'a \t\n    b\n\n    '' c\n  '", "a b\n' c "},
	{"single quotes with CRLF", "'a\r\n\r\n    b'", "a\nb"},
	{"double quotes", `"a\tb\\\"\x41\u00e9\U0001F600\0\e\N\_\L\P\/\a"`, "a\tb\\\"Aé😀\x00\x1b\u0085\u00a0\u2028\u2029/\a"},
	{"double quotes over lines", "\"a\\\n    b \\\n    c\n    d\"", "ab c d"},
	{"double quotes keep escaped blanks", "\"a\\t \n    b\\ \n    c\"", "a\t b  c"},
	{"double quotes with a carriage return", `"a\r\nb"`, "a\r\nb"},
	{"literal", "|\n    a\n     b\n\n    c  \n", "a\n b\n\nc  \n"},
	{"literal, strip", "|-\n    a\n\n", "a"},
	{"literal, keep", "|+\n    a\n\n\n", "a\n\n\n"},
	{"literal with an indentation", "|2\n      a\n", "  a\n"},
	{"literal with both", "|-2 # so\n      a\n", "  a"},
	{"literal without a line end", "|\n    a", "a"},
	{"literal with tabs", "|\n    \ta\t\n", "\ta\t\n"},
	{"literal with CRLF", "|\r\n    a\r\n\r\n    b\r\n", "a\n\nb\n"},
	{"literal, what would be markup", "|\n    # a\n    b: &c [\n    ---\n    - *d\n", "# a\nb: &c [\n---\n- *d\n"},
	{"literal, empty", "|\n", ""},
	{"literal, empty and keep", "|+\n\n\n", "\n\n"},
	{"literal and a comment", "|\n    a\n# c\n  tier: core", "a\n"},
	{"literal, blanks for a last line", "|\n    a\n  ", "a\n"},
	{"literal, a deeper last line", "|\n    a\n      ", "a\n  \n"}, // the parser ends the line; YAML 1.2 would not
	{"folded", ">\n    a\n    b\n\n    c\n      d\n    e\n\n\n    f\n", "a b\nc\n  d\ne\n\nf\n"},
	{"folded with tabs", ">\n    a\n    \tb\n    c\n", "a\n\tb\nc\n"},
	{"folded, leading blanks", ">\n\n    a\n", "\na\n"},
	{"folded, strip", ">-\n    a\n    b\n\n", "a b"},
}

func TestScalars(t *testing.T) {
	for _, tt := range scalars {
		t.Run(tt.name, func(t *testing.T) {
			src := "sections:\n- id: a\n  text: " + tt.yaml
			docs, err := read(src, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, docs[0].Sections[0].Content); diff != "" {
				t.Errorf("%q (-want +got):\n%s", src, diff)
			}
		})
	}
}

// Ways of writing one structure.
func TestLayouts(t *testing.T) {
	want := []composer.Section{{ID: "a", Content: "x", Alternates: []string{"y", "z"}}, {ID: "b", Content: ""}}
	for name, src := range map[string]string{
		"block":            "sections:\n  - id: a\n    text: x\n    alternates:\n      - y\n      - z\n  - id: b\n    text: \"\"\n",
		"flat lists":       "sections:\n- id: a\n  text: x\n  alternates:\n  - y\n  - z\n- id: b\n  text: ''\n",
		"dashes alone":     "sections:\n-\n  id: a\n  text: x\n  alternates:\n  -\n    y\n  - z\n-\n  # b\n\n  id: b\n  text: ''\n",
		"wide dashes":      "sections:\n-   id: a\n    text: x\n    alternates: [y, z]\n-   id: b\n    text: ''\n",
		"flow":             "---\n{sections: [{id: a, text: x, alternates: [y, z,],}, {\"id\":\"b\",\"text\":\"\"}]}\n",
		"flow over lines":  "sections: [ # so\n  {id: a, # and so\n   text:\n x,\n alternates: [\n y\n, z\n]\n}\n, {id: b, text: ''}\n]\n",
		"quoted keys":      "\"sections\" :\n- 'id': a\n  \"text\" : x\n  alternates: [y, z]\n- {id: b, 'text': ''}\n",
		"CRLF":             "sections:\r\n- id: a\r\n  text: x\r\n  alternates:\r\n  - y\r\n  - z\r\n- id: b\r\n  text: ''\r\n",
		"old Mac":          "sections:\r- id: a\r  text: x\r  alternates: [y, z]\r- id: b\r  text: ''\r",
		"indented":         "  sections:\n  - id: a\n    text: x\n    alternates: [y, z]\n  - id: b\n    text: ''\n",
		"on a marker":      "--- # first\nsections:\n- {id: a, text: x, alternates: [y, z]}\n- {id: b, text: ''}\n...\n# the end\n",
		"comments":         "# c\nsections: # c\n    # c\n  - id: a # c\n# c\n    text: x\n\n\t\n    alternates: [y, z]\n  - id: b\n    text: ''\n  # c\n",
		"JSON":             `{"sections": [{"id": "a", "text": "x", "alternates": ["y", "z"]}, {"id": "b", "text": ""}]}`,
		"JSON, indented":   "\n{\n\t\"sections\": [\n\t\t{\"id\": \"a\", \"text\": \"x\", \"alternates\": [\"y\", \"z\"]},\n\t\t{\"id\": \"b\", \"text\": \"\"}\n\t]\n}\n",
		"JSON as YAML":     "---\n{\n\t\"sections\": [\n\t\t{\"id\": \"a\", \"text\": \"x\", \"alternates\": [\"y\", \"z\"]},\n\t\t{\"id\": \"b\", \"text\": \"\"}\n\t]\n}\n",
		"block text below": "sections:\n- id: a\n  text: |-\n    x\n  alternates:\n  - |-\n    y\n  - >-\n   z\n- id: b\n  text: |-\n",
	} {
		t.Run(name, func(t *testing.T) {
			docs, err := read(src, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, docs[0].Sections, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Cost" }, cmp.Ignore())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// texts draws texts of what is hard for YAML.
func texts() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{"a", "word", " ", "  ", "\n", "\n\n", "\t", "#", " # ", ":", ": ", "- ", `"`, "'", "é", "😀",
		`\`, "|", ">", "%", "---\n", "...", "{", "}", ",", "[", "]", "&", "*", "!", "\u2028", "\u0085", "\ufeff", "null", "1"})
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "") })
}

// write writes a text as YAML behind "text: ", in one of the styles. It is an oracle: it knows the rules from the side
// of a writer and shares no code with the reader.
func write(t *rapid.T, text string) string {
	style := rapid.SampledFrom([]string{"double", "single", "literal"}).Draw(t, "style")
	if style == "literal" && strings.Trim(text, " \n") == "" {
		style = "double" // only blanks: there would be no line to show where they end
	}
	if strings.ContainsAny(text, "\u0085\u2028") {
		style = "double" // the others cannot hold them
	}
	switch style {
	case "single":
		lines := strings.Split(strings.ReplaceAll(text, "'", "''"), "\n")
		for i := range lines[1:] {
			if strings.HasPrefix(lines[i+1], " ") || strings.HasPrefix(lines[i+1], "\t") || strings.HasSuffix(lines[i], " ") || strings.HasSuffix(lines[i], "\t") {
				return write(t, text) // blanks beside a line end would be lost
			}
		}
		var b strings.Builder
		for i, line := range lines {
			if i > 0 {
				b.WriteString("\n")
				if lines[i-1] != "" || i == 1 {
					b.WriteString("\n") // a line end between two lines takes two, the next ones one each
				}
				if line != "" {
					b.WriteString("      ")
				}
			}
			b.WriteString(line)
		}
		return "'" + b.String() + "'"
	case "literal":
		body := strings.TrimRight(text, "\n")
		ends := len(text) - len(body)
		header := map[int]string{0: "|2-", 1: "|2"}[ends]
		if header == "" {
			header = "|2+"
		}
		var b strings.Builder
		b.WriteString(header + "\n")
		for _, line := range strings.Split(body, "\n") {
			if line != "" {
				b.WriteString("    ")
			}
			b.WriteString(line + "\n")
		}
		return b.String() + strings.Repeat("\n", max(ends-2, 0)) // the caller ends the line
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ' || r > '~':
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// A text comes out of the file as it went in, however it was written and whatever line ends the file has.
func TestTextsSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(texts(), 1, 4).Draw(t, "texts")
		src := "sections:\n"
		for i, text := range want {
			src += fmt.Sprintf("- id: s%d\n  text: %s\n", i, write(t, text))
		}
		if rapid.Bool().Draw(t, "crlf") {
			src = strings.ReplaceAll(src, "\n", "\r\n")
		}
		docs, err := read(src, nil)
		if err != nil {
			t.Fatalf("%v\n%q", err, src)
		}
		var got []string
		for _, s := range docs[0].Sections {
			got = append(got, s.Content)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", src, diff)
		}
	})
}

// Time is linear, whatever is repeated. Each source is large enough that a quadratic reader would not end.
func TestLongSources(t *testing.T) {
	const n = 1 << 19
	for name, src := range map[string]string{
		"tabs in quotes":  "sections:\n- id: a\n  text: \"" + strings.Repeat("\t", n) + "x\"\n",
		"plain lines":     "sections:\n- id: a\n  text: b\n" + strings.Repeat("   b\n", n),
		"literal lines":   "sections:\n- id: a\n  text: |\n" + strings.Repeat("   b\n", n),
		"blank lines":     "sections:\n- id: a\n  text: |\n" + strings.Repeat("\n", n),
		"escapes":         "sections:\n- id: a\n  text: \"" + strings.Repeat(`\n`, n) + "\"\n",
		"quotes":          "sections:\n- id: a\n  text: '" + strings.Repeat("''", n) + "'\n",
		"flow plain text": "sections:\n- {id: a, text: b" + strings.Repeat("\n b", n) + "}\n",
		"comments":        "sections: []\n" + strings.Repeat("# c\n", n),
	} {
		if _, err := promptfile.Read([]byte(src), "p", promptfile.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, src := range map[string]string{
		"keys":     strings.Repeat("a: 1\n", n),
		"brackets": "sections: " + strings.Repeat("[", n),
		"dashes":   "sections:\n" + strings.Repeat("- ", n),
		"quotes":   strings.Repeat(`"`, n),
	} {
		if _, err := promptfile.Read([]byte(src), "p", promptfile.Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
