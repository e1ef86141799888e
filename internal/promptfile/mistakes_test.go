package promptfile_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/quirehq/quire/internal/promptfile"
)

// memory opens files that are held in a map.
func memory(files map[string]string) func(string) (fs.File, error) {
	m := fstest.MapFS{}
	for name, content := range files {
		m[name] = &fstest.MapFile{Data: []byte(content)}
	}
	m["folder"] = &fstest.MapFile{Mode: fs.ModeDir}
	m["pipe"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	return m.Open
}

// mistakes are sources with one mistake, and the whole message. Line numbers count.
var mistakes = []struct{ name, src, want string }{
	{"empty", "", "p: the prompt file is empty; want a mapping with the key sections"},
	{"only comments", "# nothing\n\n", "p: the prompt file is empty; want a mapping with the key sections"},
	{"empty document", "sections: []\n---\n", "p:2: the prompt is nothing; want a mapping with the key sections"},
	{"a text", "hello\n", `p:1: the prompt is the text "hello"; want a mapping with the key sections`},
	{"a list", "- a\n", "p:1: the prompt is a list; want a mapping with the key sections"},
	{"no sections", "budget: 1\n", "p:1: no sections; want the key sections with a list"},

	{"unknown key", "bugdet: 12\nsections: []\n", `p:1: unknown key "bugdet"; did you mean budget?`},
	{"unknown key, far from all", "x-color: 12\nsections: []\n", `p:1: unknown key "x-color"; want budget, max-bytes, measure, gate, active-fraction, tail-reserve, join, depth, role or sections`},
	{"unknown key, near to one by its length alone", "gap: 12\nsections: []\n", `p:1: unknown key "gap"; want budget, max-bytes, measure, gate, active-fraction, tail-reserve, join, depth, role or sections`},
	{"unknown key of a section", "sections:\n- id: a\n  teir: core\n  text: x\n", `p:3: section "a": unknown key "teir"; did you mean tier?`},
	{"unknown key of budget", "budget: {by_depth: [1]}\nsections: []\n", `p:1: budget: unknown key "by_depth"; did you mean by-depth?`},
	{"key twice", "budget: 1\nsections: []\nbudget: 2\n", "p:3: the key budget stands twice; it is at line 1 already"},
	{"key twice in JSON", "{\"budget\": 1,\n\"sections\": [],\n\"\\u0062udget\": 2}", "p:3: the key budget stands twice; it is at line 1 already"},
	{"key twice in a section", "sections:\n- id: a\n  text: x\n  text: y\n", `p:4: section "a": the key text stands twice; it is at line 3 already`},
	{"unknown tier", "sections:\n- id: a\n  tier: cor\n  text: x\n", `p:3: section "a": tier: the text "cor"; want core, active or informational; did you mean core?`},
	{"unknown gate", "gate: strict\nsections: []\n", `p:1: gate: the text "strict"; want published, reserved or prefix-stable`},
	{"unknown measure", "measure: UTF16\nsections: []\n", `p:1: measure: the text "UTF16"; want utf16, bytes, runes, chars/4, o200k_base or cl100k_base`},
	{"unknown join", "join: lines\nsections: []\n", `p:1: join: the text "lines"; want blank-line, line or none; did you mean line?`},

	{"budget 12k", "budget: 12k\nsections: []\n", `p:1: budget: the text "12k"; want a non-negative decimal integer, such as 2000`},
	{"budget -1", "budget: -1\nsections: []\n", "p:1: budget: the number -1; want a non-negative decimal integer, such as 2000"},
	{"budget 1.5", "budget: 1.5\nsections: []\n", "p:1: budget: the number 1.5; want a non-negative decimal integer, such as 2000"},
	{"budget 2000.0", "budget: 2000.0\nsections: []\n", "p:1: budget: the number 2000.0; want a non-negative decimal integer, such as 2000"},
	{"budget 1e3", "budget: 1e3\nsections: []\n", "p:1: budget: the number 1e3; want a non-negative decimal integer, such as 2000"},
	{"budget 0x10", "budget: 0x10\nsections: []\n", "p:1: budget: the number 0x10; want a non-negative decimal integer, such as 2000"},
	{"budget 010", "budget: 010\nsections: []\n", "p:1: budget: the number 010; want a non-negative decimal integer, such as 2000"},
	{"budget 1_000", "budget: 1_000\nsections: []\n", `p:1: budget: the text "1_000"; want a non-negative decimal integer, such as 2000`},
	{"budget in quotes", "budget: \"2000\"\nsections: []\n", `p:1: budget: the text "2000"; want a non-negative decimal integer, such as 2000`},
	{"budget too large", "budget: 9223372036854775808\nsections: []\n", "p:1: budget: the number 9223372036854775808; want a non-negative decimal integer, such as 2000"},
	{"budget a list", "budget: [1]\nsections: []\n", "p:1: budget: a list; want a non-negative decimal integer, such as 2000"},
	{"budget an empty mapping", "budget: {}\nsections: []\n", "p:1: budget: a mapping; want a non-negative integer, or {by-depth: [60000, 40000]}"},
	{"by-depth empty", "budget: {by-depth: []}\nsections: []\n", "p:1: budget: by-depth: a list; want a list of non-negative integers, for depth 0, 1, 2 and so on"},
	{"by-depth negative", "budget:\n  by-depth:\n  - 1\n  - -1\nsections: []\n", "p:4: budget: by-depth: the number -1; want a non-negative decimal integer, such as 2000"},
	{"max-bytes -1", "max-bytes: -1\nsections: []\n", "p:1: max-bytes: the number -1; want a non-negative decimal integer, such as 2000"},
	{"tail-reserve null", "tail-reserve: null\nsections: []\n", "p:1: tail-reserve: nothing; want a non-negative decimal integer, such as 2000"},
	{"depth too large", "depth: 2147483648\nsections: []\n", "p:1: depth: the number 2147483648; want a decimal integer from 0 to 2147483647"},
	{"fraction 1.2", "active-fraction: 1.2\nsections: []\n", "p:1: active-fraction: the number 1.2; want a decimal from 0 to 1 with at most 18 digits after the point, such as 0.95"},
	{"fraction 19/20", "active-fraction: 19/20\nsections: []\n", `p:1: active-fraction: the text "19/20"; want a decimal from 0 to 1 with at most 18 digits after the point, such as 0.95`},
	{"fraction of 19 digits", "active-fraction: 0.1234567890123456789\nsections: []\n", "p:1: active-fraction: the number 0.1234567890123456789; want a decimal from 0 to 1 with at most 18 digits after the point, such as 0.95"},
	{"fraction in quotes", "active-fraction: '0.5'\nsections: []\n", `p:1: active-fraction: the text "0.5"; want a decimal from 0 to 1 with at most 18 digits after the point, such as 0.95`},

	{"section a text", "sections:\n- a\n", `p:2: section 1 is the text "a"; want a mapping with id and more`},
	{"sections a mapping", "sections: {id: a}\n", "p:1: sections: a mapping; want a list of sections"},
	{"sections null", "sections:\n", "p:1: sections: nothing; want a list of sections"},
	{"no id", "sections:\n- text: x\n", "p:2: section 1 has no id; want the key id"},
	{"id empty", "sections:\n- id: ''\n  text: x\n", `p:2: section 1: id: the text ""; want a name, unique in the prompt`},
	{"id a number", "sections:\n- id: 2024\n  text: x\n", `p:2: section "2024": id: the number 2024; want a text; write it in quotes`},
	{"text true", "sections:\n- id: a\n  text: true\n", `p:3: section "a": text: the truth value true; want a text; write it in quotes`},
	{"text null", "sections:\n- id: a\n  text:\n", `p:3: section "a": text: nothing; want a text; "" is the empty one`},
	{"text a mapping", "sections:\n- id: a\n  text:\n    b: c\n", `p:4: section "a": text: a mapping; want a text`},
	{"neither text nor file", "sections:\n\n- id: a\n", `p:3: section "a" has neither text nor file; want one of them; text: "" is an empty section`},
	{"text and file", "sections:\n- id: a\n  text: x\n  file: rules.md\n", `p:4: section "a": text and file together; want one of them`},
	{"alternates a text", "sections:\n- id: a\n  text: x\n  alternates: y\n", `p:4: section "a": alternates: the text "y"; want a list of texts`},
	{"breakpoint yes", "sections:\n- id: a\n  text: x\n  breakpoint: yes\n", `p:4: section "a": breakpoint: the text "yes"; want true or false`},
	{"breakpoint in quotes", "sections:\n- id: a\n  text: x\n  breakpoint: \"true\"\n", `p:4: section "a": breakpoint: the text "true"; want true or false`},
	{"priority 1.5", "sections:\n- id: a\n  text: x\n  priority: 1.5\n", `p:4: section "a": priority: the number 1.5; want a decimal integer from -2147483648 to 2147483647`},
	{"size -1", "sections:\n- {id: a, text: x, size: -1}\n", `p:2: section "a": size: the number -1; want a non-negative decimal integer, such as 2000`},

	{"file missing", "sections:\n- id: a\n  file: rules.txt\n", `p:3: section "a": file: "rules.txt" does not exist; want a path relative to the prompt file`},
	{"file a folder", "sections:\n- id: a\n  file: folder\n", `p:3: section "a": file: "folder" is a directory; want a text file`},
	{"file a pipe", "sections:\n- id: a\n  file: pipe\n", `p:3: section "a": file: "pipe" is not a regular file; want a text file`},
	{"file not UTF-8", "sections:\n- id: a\n  file: bad.md\n", `p:3: section "a": file: "bad.md" has invalid UTF-8 at byte 3; want a text in UTF-8`},
	{"file empty", "sections:\n- id: a\n  file: \"\"\n", `p:3: section "a": file: the text ""; want the path of a text file`},

	{"not UTF-8", "sections: []\n# \xff\n", "p:2: invalid UTF-8 at byte 15; want the file in UTF-8"},
	{"UTF-16", "\xff\xfes\x00", "p:1: invalid UTF-8 at byte 0; want the file in UTF-8"},
	{"control character", "sections: []\n# \x01\n", `p:2: the character U+0001 at byte 15; YAML wants it as \x01 in double quotes`},
	{"tab in the indentation", "sections:\n\t- id: a\n", "p:2: not YAML: found character that cannot start any token; want spaces and no tabs before a line, and quotes around a text that begins with @, ` or %"},
	{"tab in the indentation of a key", "sections:\n- id: a\n\ttext: x\n", "p:3: not YAML: found a tab character that violates indentation; want spaces"},
	{"tab behind a dash", "sections:\n-\tid: a\n", "p:2: not YAML: found a tab character where an indentation space is expected; want spaces"},
	{"anchor", "sections:\n- &base {id: a, text: x}\n- *base\n", `p:2: an anchor ("&base"); prompt files have none; repeat the text, keep it in a file, or put it in quotes`},
	{"bomb", "a: &a [\"lol\"]\nb: &b [*a,*a,*a]\nsections: *b\n", `p:1: an anchor ("&a"); prompt files have none; repeat the text, keep it in a file, or put it in quotes`},
	{"cycle", "sections: &s\n- *s\n", `p:1: an anchor ("&s"); prompt files have none; repeat the text, keep it in a file, or put it in quotes`},
	{"alias", "sections: *s\n", `p:1: not YAML: unknown anchor 's' referenced; there are no anchors and aliases here; put a text with * in quotes`},
	{"merge key", "<<: {budget: 1}\nsections: []\n", "p:1: a merge key; prompt files have none; write the keys out"},
	{"tag", "sections: !!seq []\n", `p:1: a tag ("!!seq"); prompt files have none; put a text with ! in quotes`},
	{"tag without a name", "budget: ! 12\nsections: []\n", `p:1: a tag ("!"); prompt files have none; put a text with ! in quotes`},
	{"directive", "%YAML 1.2\n---\nsections: []\n", "p:1: a YAML directive; prompt files have none"},
	{"complex key", "? [a]\n: b\n", "p:1: a key that is a list; want KEY: VALUE"},
	{"colon in a text", "sections:\n- id: a\n  text: Note: read this.\n", `p:3: not YAML: mapping values are not allowed in this context; want quotes around a text with ": ", or | before it, and keys in the column of their neighbours`},
	{"colon further down in a text", "sections:\n- id: a\n  text: Read\n    this: now\n", `p:4: not YAML: mapping values are not allowed in this context; want quotes around a text with ": ", or | before it, and keys in the column of their neighbours`},
	{"quotes do not end", "sections:\n- id: \"a\n  text: x\n", "p:2: not YAML: found unexpected end of stream; want the closing quote"},
	{"brackets do not end", "sections: [\n", "p:1: not YAML: did not find expected node content; want a value, and each bracket closed"},
	{"too much behind quotes", "role: \"a\" b\nsections: []\n", "p:1: not YAML: did not find expected key; want KEY: VALUE in the column of its neighbours, and quotes around a text with : # [ ] { or }"},
	{"bad indentation", "sections:\n- id: a\n    text: x\n", `p:3: not YAML: mapping values are not allowed in this context; want quotes around a text with ": ", or | before it, and keys in the column of their neighbours`},
	{"outdented", "  sections: []\nbudget: 1\n", "p:2: not YAML: did not find expected <document start>; want the line indented as its neighbours are"},
	{"not a key", "budget: 1\nsections\n", "p:2: not YAML: could not find expected ':'; want KEY: VALUE"},
	{"lone surrogate behind a byte order mark", "\ufeff{\"role\": \"\\udc00\", \"sections\": []}", `p:1: not JSON: the lone surrogate \udc00 at byte 13; want a pair of them, or the character itself`},
	{"control character behind a byte order mark", "\ufeffrole: \x01\nsections: []\n", `p:1: the character U+0001 at byte 9; YAML wants it as \x01 in double quotes`},
	{"lone surrogate in YAML", "role: \"\\udc00\"\nsections: []\n", `p:1: not YAML: found invalid Unicode character escape code; want one code point, such as \U0001F600; surrogates are JSON's`},
	{"surrogates in YAML", "role: \"\\ud83d\\ude00\"\nsections: []\n", `p:1: not YAML: found invalid Unicode character escape code; want one code point, such as \U0001F600; surrogates are JSON's`},
	{"hex that is none", "role: \"\\xZZ\"\nsections: []\n", `p:1: not YAML: did not find expected hexadecimal number; want two digits behind \x, four behind \u, eight behind \U`},
	{"line separator", "sections:\n- {id: a, text: 'b\u2028c'}\n", `p:2: the character U+2028 at byte 28; YAML wants it as \u2028 in double quotes`},
	{"next line", "role: a\u0085b\nsections: []\n", `p:1: the character U+0085 at byte 7; YAML wants it as \x85 in double quotes`},
	{"bad escape", "role: \"\\q\"\nsections: []\n", `p:1: not YAML: found unknown escape character; want \\ for a backslash, or the text in single quotes`},
	{"too deep", "sections: " + strings.Repeat("[", 100), "p:1: not YAML: exceeded max depth of 64; want fewer levels"},
	{"too deep in both notations", "sections:\n " + strings.Repeat("- ", 40) + strings.Repeat("[", 40) + strings.Repeat("]", 40), "p:2: nested more than 64 deep; want fewer levels"},
	{"header of a block text", "role: |text\nsections: []\n", "p:1: not YAML: did not find expected comment or line break; want only +, - or a digit behind | or >, and the text on the next line"},

	{"JSON ends", "{\"sections\": [\n", "p:2: the JSON ends in the middle; want its closing bracket"},
	{"JSON with a comma too many", "{\"sections\": [],\n}", "p:1: not JSON: invalid character ',' at start of value; a file that begins with { is read as JSON"},
	{"two JSON values", "{\"sections\": []}\n{\"sections\": []}", "p:2: something follows the JSON value; want one prompt in a JSON file"},
	{"YAML in braces", "{sections: []}", "p:1: not JSON: invalid character 's' at start of value; a file that begins with { is read as JSON"},
	{"JSON nested deep", `{"sections":` + strings.Repeat("[", 100), "p:1: nested more than 64 deep; want fewer levels"},
}

func TestMistakes(t *testing.T) {
	files := map[string]string{"rules.md": "Rules.\n", "bad.md": "caf\xe9"}
	for _, tt := range mistakes {
		t.Run(tt.name, func(t *testing.T) {
			docs, err := read(tt.src, files)
			if err == nil {
				t.Fatalf("no error, but %v", docs)
			}
			if err.Error() != tt.want {
				t.Errorf("\n got %s\nwant %s", err, tt.want)
			}
			checkError(t, tt.src, err)
		})
	}
}

// JSON's own mistakes with text are worded by the decoder; what counts is that they are refused, and where.
func TestJSONText(t *testing.T) {
	for name, src := range map[string]string{
		"high surrogate alone": "{\n\"role\": \"\\ud800\", \"sections\": []}",
		"low surrogate alone":  "{\n\"role\": \"\\udc00\", \"sections\": []}",
		"surrogates turned":    "{\n\"role\": \"\\udc00\\ud800\", \"sections\": []}",
		"raw control":          "{\n\"role\": \"\x01\", \"sections\": []}",
	} {
		_, err := read(src, nil)
		var at *promptfile.Error
		if !errors.As(err, &at) || at.Line != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
