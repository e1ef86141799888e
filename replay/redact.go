package replay

import (
	"fmt"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
)

// A Redactor takes out of a text what must not be stored. It goes over every content, every alternate and the response,
// one by one, before anything is hashed or stored; its name stands in the record.
//
// The composition is made again from the redacted contents with the sizes of the original ones, so the same sections
// are in and the record holds the fingerprint of the redacted text. To look a recorded turn up, redact what was sent in
// the same way first.
type Redactor struct {
	Name   string
	Redact func(section, content string) string // must be pure; section is the section's id, or ResponseID
}

// ResponseID stands for a section's id when a [Redactor] goes over a response. No section has it.
const ResponseID = ""

// compose returns the redacted composition.
func (d Redactor) compose(c composer.Composition) (composer.Composition, error) {
	if d.Name == "" {
		return composer.Composition{}, fmt.Errorf("replay: redactor without a name; want the name that records say")
	}
	recipe := c.Recipe()
	redacted := map[fingerprint.Digest]string{}
	replace := func(id, content string, form *composer.Form) {
		content = d.Redact(id, content)
		form.Digest = fingerprint.SumString(content)
		redacted[form.Digest] = content
	}
	i := 0
	for s := range c.Sections() {
		in := &recipe.Sections[i]
		i++
		replace(s.ID, s.Content, &in.Content)
		for k, alternate := range s.Alternates {
			replace(s.ID, alternate, &in.Alternates[k])
		}
	}
	again, err := recipe.Compose(func(name fingerprint.Digest) (string, error) { return redacted[name], nil })
	if err != nil {
		return composer.Composition{}, fmt.Errorf("replay: redactor %q: %w", d.Name, err)
	}
	return again, nil
}
