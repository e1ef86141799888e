package canonical

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// CheckObject returns an error unless the text is one JSON object and nothing else, white space aside. Only such a text
// can be put into another as a member's value without a look at what follows it.
func CheckObject(text string) error {
	d := jsontext.NewDecoder(strings.NewReader(text))
	v, err := d.ReadValue()
	if err != nil {
		return fmt.Errorf("want a JSON object: %w", err)
	}
	if kind := v.Kind(); kind != '{' {
		return fmt.Errorf("want a JSON object; found %s", kind)
	}
	end := d.InputOffset()
	if _, err := d.ReadToken(); err != io.EOF {
		return fmt.Errorf("something follows the JSON object at byte %d", end)
	}
	return nil
}
