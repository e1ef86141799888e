package promptfile_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/quirehq/quire/internal/promptfile"
)

func TestReadDescription(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"mapping", "a: 1.50\nb: [x, \"1\", ~, true]\nc: |\n  text\n", `{"a":1.50,"b":["x","1",null,true],"c":"text\n"}`},
		{"JSON stays as it is", ` {"a": [1e2, "\u00e9", 12345678901234567890]} `, ` {"a": [1e2, "\u00e9", 12345678901234567890]} `},
		{"JSON behind a byte order mark", "\ufeff{\"a\": 1e2}", `{"a":1e2}`},
		{"nothing", "", "f: the description file is empty; want a mapping with keys such as input and history"},
		{"null", "null", "f:1: the description is nothing; want a mapping with keys such as input and history"},
		{"a list", "\n[1]", "f:2: the description is a list; want a mapping with keys such as input and history"},
		{"a key twice", "a: 1\na: 2\n", `f:2: the key "a" stands twice; it is at line 1 already`},
		{"a key twice in JSON", "{\"a\": 1,\n\"a\": 2}", `f:2: the key "a" stands twice; it is at line 1 already`},
		{"a number that is none in JSON", "a: 0x1F\n", "f:1: the number 0x1F; want a number as JSON writes it; in quotes it is a text"},
		{"two documents", "a: 1\n---\nb: 2\n", "f:3: a second document; want one description in a file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc, err := promptfile.ReadDescription([]byte(test.src), "f")
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = string(doc.JSON)
			}
			if got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
		})
	}
}

// An error is at the line of the member that is wrong by itself, in both notations.
func TestDescriptionLocate(t *testing.T) {
	wrong := func(src []byte) bool { return bytes.Contains(src, []byte("bad")) }
	for _, test := range []struct{ name, src, want string }{
		{"a member", "a: 1\n\nb: bad\n", "f:3: wrong"},
		{"an element", "a: 1\nb:\n- good\n-\n  - bad\n", "f:5: wrong"},
		{"a member in JSON", "{\"a\": 1,\n\"b\": {\n\"c\": \"bad\"}}", "f:2: wrong"},
		{"none by itself", "a: 1\nb: 2\n", "f: wrong"},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc, err := promptfile.ReadDescription([]byte(test.src), "f")
			if err != nil {
				t.Fatal(err)
			}
			if got := doc.Locate(errors.New("messages: wrong"), wrong); got.Error() != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
