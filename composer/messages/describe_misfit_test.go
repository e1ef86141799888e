package messages_test

import (
	"testing"

	"github.com/quirehq/quire/composer/messages"
)

// What does not fit is told by its place in the document and in JSON's words.
func TestParseDescriptionSaysWhere(t *testing.T) {
	for src, want := range map[string]string{
		`{"method":"POST"}`:           `messages: description: at "/method": unknown name; a description has input, history, systemInstructions, tools and the like`,
		`{"policy":7}`:                `messages: description: at "/policy": a number does not fit here`,
		`{"quantum":5.0}`:             `messages: description: at "/quantum": the number 5.0; want a decimal integer, such as 8000`,
		`{"resourceUris":["a",true]}`: `messages: description: at "/resourceUris/1": a true does not fit here`,
	} {
		if _, _, err := messages.ParseDescription([]byte(src), nil); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
}
