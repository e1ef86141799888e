package sessions

import (
	"fmt"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

// toolLine reads a line that defines a tool, as BFCL's function documents have them, or a list: the answer of an MCP server
// to tools/list, with or without its envelope, or a bare list of tools.
func (r *reader) toolLine(line int, doc []byte) error {
	v, err := wire.Read(doc).Whole()
	if err != nil {
		return err
	}
	return r.toolValue(v, "", line)
}

func (r *reader) toolValue(v wire.Member, path string, line int) error {
	if v.Kind() == '[' {
		return r.each(v, path, func(path string, v wire.Member) error { return r.tool(v, path, r.lineOf(v)) })
	}
	members, err := v.Read().Members("a tool or an object with tools")
	if err != nil {
		return err
	}
	isList := false
	for _, m := range members {
		isList = isList || m.Name == "tools" && m.Kind() == '[' || m.Name == "result" && m.Kind() == '{'
	}
	if !isList {
		return r.tool(v, path, line)
	}
	for _, m := range members {
		at := path + "/" + m.Name
		switch text, isText := m.Text(); {
		case m.Name == "tools" && m.Kind() == '[', m.Name == "result" && m.Kind() == '{':
			if err := r.toolValue(m, at, r.lineOf(m)); err != nil {
				return err
			}
		case m.Name == "instructions" && isText:
			r.out.Instructions = text
			r.note(r.lineOf(m), at, Used, "the server's instructions")
		default:
			r.note(r.lineOf(m), at, Aside, "about the server")
		}
	}
	return nil
}

func (r *reader) tool(v wire.Member, path string, line int) error {
	spec, err := wire.ReadTool(v)
	if err == nil && spec.Name == "" {
		err = v.Errorf("a tool without a name")
	}
	if err != nil {
		return err
	}
	r.out.Tools = append(r.out.Tools, spec)
	r.note(line, path, Used, "")
	return nil
}

// ConvertTool returns the tool in the form of another API: name, description and the schema of its arguments. The schema
// is taken as it is, but for BFCL's "dict", which JSON Schema calls "object". Everything else that a definition holds
// (MCP's annotations, titles and output schemas; a provider's own switches) is left out: no provider takes another's.
// A tool that is already of this form is not changed. A provider's own tools have no form elsewhere: that is an error.
func ConvertTool(spec messages.ToolSpec, form API) (messages.ToolSpec, error) {
	if spec.Definition == "" {
		spec.Definition = "{}"
	}
	doc, err := wire.Read([]byte(spec.Definition)).Whole()
	if err != nil {
		return spec, fmt.Errorf("sessions: tool %q: %w", spec.Name, err)
	}
	if formOf(doc) == form {
		return spec, nil
	}
	function := doc
	if f, ok := wire.Path(doc, "function"); ok && f.Kind() == '{' {
		function = f
	}
	schema := messages.JSON("")
	for _, name := range []string{"parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema"} {
		if s, ok := wire.Path(function, name); ok {
			if inner, ok := wire.Path(s, "json"); ok && name == "inputSchema" && inner.Kind() == '{' {
				s = inner // Bedrock
			}
			if schema, err = plainSchema(s); err != nil {
				return spec, fmt.Errorf("sessions: tool %q: %w", spec.Name, err)
			}
			break
		}
	}
	if schema == "" {
		if kind := wire.TextAt(doc, "type"); kind != "" && kind != "function" && kind != "custom" {
			return spec, fmt.Errorf("sessions: tool %q: a tool of type %s has no form in another API", spec.Name, kind)
		}
		schema = `{"type":"object","properties":{}}`
	}
	w := wire.Append(nil)
	named := func(schemaName string) {
		w.Text("name", spec.Name)
		if spec.Description != "" {
			w.Text("description", spec.Description)
		}
		w.Name(schemaName)
		w.Value(schema)
	}
	w.Open('{')
	switch form {
	default:
		return spec, fmt.Errorf("sessions: tool %q: no API %d has a form of tools", spec.Name, form)
	case OpenAIChat:
		w.Text("type", "function")
		w.Name("function")
		w.Open('{')
		named("parameters")
		w.Close('}')
	case OpenAIResponses:
		w.Text("type", "function")
		named("parameters")
	case Anthropic:
		named("input_schema")
	case Gemini:
		named("parametersJsonSchema")
	case Bedrock:
		w.Name("toolSpec")
		w.Open('{')
		schema = `{"json":` + schema + `}`
		named("inputSchema")
		w.Close('}')
	}
	w.Close('}')
	if w.Err != nil {
		return spec, fmt.Errorf("sessions: tool %q: %w", spec.Name, w.Err)
	}
	spec.Definition = messages.JSON(w.Buf)
	return spec, nil
}

// toolsFor returns the tools in the form of an API, those that have none there as they are.
func toolsFor(api API, tools []messages.ToolSpec) []messages.ToolSpec {
	out := make([]messages.ToolSpec, len(tools))
	for i, t := range tools {
		out[i] = t
		if converted, err := ConvertTool(t, api); err == nil {
			out[i] = converted
		}
	}
	return out
}

// formOf tells which API's form a definition has, if it has one.
func formOf(doc wire.Member) API {
	has := func(name string) bool { _, ok := wire.Path(doc, name); return ok }
	switch {
	case has("function"):
		return OpenAIChat
	case has("input_schema"):
		return Anthropic
	case has("toolSpec"):
		return Bedrock
	case wire.TextAt(doc, "type") == "function":
		return OpenAIResponses
	case has("parametersJsonSchema"), has("parameters_json_schema"):
		return Gemini
	}
	return NoAPI
}

// plainSchema returns a schema with BFCL's names for types replaced by JSON Schema's.
func plainSchema(s wire.Member) (messages.JSON, error) {
	if s.Kind() != '{' && s.Kind() != '[' {
		return s.JSON(), nil
	}
	w := wire.Append(nil)
	err := rewriteTypes(w, s)
	return messages.JSON(w.Buf), err
}

// bfclTypes are the types of BFCL's dialect that JSON Schema does not know.
var bfclTypes = map[string]string{"dict": "object", "float": "number", "tuple": "array"}

func rewriteTypes(w *wire.Writer, v wire.Member) error {
	switch v.Kind() {
	case '{':
		members, err := v.Read().Members("a schema, an object")
		if err != nil {
			return err
		}
		w.Open('{')
		for _, m := range members {
			w.Name(m.Name)
			if text, ok := m.Text(); ok && m.Name == "type" && bfclTypes[text] != "" {
				w.String(bfclTypes[text])
				continue
			}
			if err := rewriteTypes(w, m); err != nil {
				return err
			}
		}
		w.Close('}')
	case '[':
		w.Open('[')
		err := v.Each("a list", func(_ int, e wire.Member) error { return rewriteTypes(w, e) })
		w.Close(']')
		return err
	default:
		w.Value(v.JSON())
	}
	return nil
}
