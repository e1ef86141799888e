package canonical_test

import (
	"strings"
	"testing"

	"github.com/quirehq/quire/internal/canonical"
)

func TestCheckObject(t *testing.T) {
	for _, text := range []string{`{}`, " {\"type\": \"object\"}\n", `{"a":{"a":[1,{}]}}`} {
		if err := canonical.CheckObject(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, test := range []struct{ text, want string }{
		{``, "want a JSON object: EOF"},
		{` `, "want a JSON object: EOF"},
		{`{`, "want a JSON object: "},
		{`null`, "want a JSON object; found null"},
		{`[{}]`, "want a JSON object; found ["},
		{`"{}"`, "want a JSON object; found string"},
		{`{},"type":"bash"`, "something follows the JSON object at byte 2"},
		{`{} {}`, "something follows the JSON object at byte 2"},
		{`{}}`, "something follows the JSON object at byte 2"},
		{`{"a":1,"a":2}`, "want a JSON object: "},
		{"{\"a\":\"\xff\"}", "want a JSON object: "},
		{`{"a":"\ud800"}`, "want a JSON object: "},
		{`}`, "want a JSON object: "},
	} {
		if err := canonical.CheckObject(test.text); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %q", test.text, err, test.want)
		}
	}
}
