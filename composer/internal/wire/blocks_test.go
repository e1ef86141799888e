package wire_test

import (
	"testing"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

func TestResultText(t *testing.T) {
	for _, test := range []struct {
		name   string
		b      messages.Block
		want   string
		failed bool
	}{
		{"a text", messages.Block{Text: "a"}, "a", false},
		{"a value", messages.Block{Value: `{"a": 1}`, Text: "b"}, `{"a": 1}`, false},
		{"a string", messages.Block{Value: `"a\n"`}, "a\n", false},
		{"a list", messages.Block{Content: []messages.Block{messages.Text("a")}, Error: `"b"`}, "", true},
		{"an error", messages.Block{Error: `"b"`}, "b", true},
		{"an error with a code", messages.Block{Error: `{"code":1}`}, `{"code":1}`, true},
		{"an error with a text", messages.Block{Text: "a", Error: "true"}, "a", true},
		{"no error", messages.Block{Error: "false"}, "", false},
		{"no error at all", messages.Block{Error: "null"}, "", false},
	} {
		if got := wire.ResultText(&test.b); got != test.want || wire.Failed(&test.b) != test.failed {
			t.Errorf("%s: %q, failed %v", test.name, got, !test.failed)
		}
	}
}
