package promptfile_test

import (
	"strings"
	"testing"

	"github.com/quirehq/quire/internal/promptfile"
)

func TestJSON(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"mapping", "a: 1.50\nb: [x, \"1\", ~, true]\nc: |\n  text\n", `{"a":1.50,"b":["x","1",null,true],"c":"text\n"}`},
		{"JSON", `{"a": [1e2, "é"]}`, `{"a":[1e2,"é"]}`},
		{"a key twice", "a: 1\na: 2\n", `f:2: the key "a" stands twice; it is at line 1 already`},
		{"a number that is none in JSON", "a: 0x1F\n", "f:1: the number 0x1F; want a number as JSON writes it; in quotes it is a text"},
		{"two documents", "a: 1\n---\nb: 2\n", "a second document"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := promptfile.JSON([]byte(test.src), "f", "description")
			if err != nil {
				got = []byte(err.Error())
			}
			if string(got) != test.want && (err == nil || !strings.Contains(string(got), test.want)) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
