package promptfile

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Schema returns the JSON Schema (2020-12) of a prompt, as JSON with a line end. It says what one document of a prompt
// file may hold; that ids differ and that files exist is beyond it.
func Schema() []byte {
	var b strings.Builder
	b.WriteString(`{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Quire prompt file","description":"A prompt: sections, and the budget under which they are composed.",`)
	writeObject(&b, promptFields(), `"sections"`)
	b.WriteString(`,"$defs":{"section":{"description":"A candidate for the text. It has a text or a file.",`)
	writeObject(&b, sectionFields(), `"id"`)
	b.WriteString(`,"oneOf":[{"required":["text"]},{"required":["file"]}]}}}`)
	schema := jsontext.Value(b.String())
	_ = schema.Indent(jsontext.WithIndent("  ")) // the fields hold JSON, as the test of the schema makes sure
	return append(schema, '\n')
}

func schemaByDepth() string {
	var b strings.Builder
	b.WriteString("{")
	writeObject(&b, byDepthFields(), `"by-depth"`)
	b.WriteString("}")
	return b.String()
}

// writeObject writes the members of a schema for a mapping that has these fields and no other.
func writeObject[T any](b *strings.Builder, fields []field[T], required string) {
	b.WriteString(`"type":"object","additionalProperties":false,"required":[` + required + `],"properties":{`)
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + f.key + `":{"description":"` + f.doc + `",` + f.schema[1:])
	}
	b.WriteByte('}')
}
