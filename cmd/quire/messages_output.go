package main

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/fingerprint"
)

// append appends one request, or its report.
func (f *messagesFlags) append(out []byte, s *streams, q messagesRequest) ([]byte, error) {
	if f.report {
		return f.appendReport(out, q.assembly.Report)
	}
	switch f.output {
	case "json":
		return appendAssembly(out, q)
	case "text":
		for _, m := range q.assembly.Messages {
			text, err := m.Text()
			if err != nil {
				return out, err
			}
			out = fmt.Appendf(out, "%s:\n%s\n\n", m.Role, text)
		}
		return out, nil
	}
	call := q.call.With(q.assembly.Messages)
	api := sessions.OpenAIChat
	if f.output == "anthropic" {
		api = sessions.Anthropic
	}
	call, left, err := call.As(api)
	if err != nil {
		return out, err
	}
	for _, what := range left {
		s.warn("%s: left out, it has no form there", what)
	}
	if out, err = call.AppendJSON(out); err != nil {
		return out, err
	}
	return append(out, '\n'), nil
}

func appendAssembly(line []byte, q messagesRequest) ([]byte, error) {
	line = append(line, `{"fingerprint":"`...)
	line = append(line, q.assembly.Composition.Fingerprint().String()...)
	line = append(line, `","messages":[`...)
	var err error
	for i, m := range q.assembly.Messages {
		if i > 0 {
			line = append(line, ',')
		}
		if line, err = m.AppendJSON(line); err != nil {
			return line, err
		}
	}
	line = append(line, `],"tools":[`...)
	for i, t := range q.call.Tools {
		if i > 0 {
			line = append(line, ',')
		}
		definition := jsontext.Value(t.Definition)
		if len(definition) == 0 {
			definition = append(fingerprint.AppendJSONString([]byte(`{"name":`), t.Name), '}')
		}
		if err := definition.Compact(); err != nil {
			return line, fmt.Errorf("tool %q: %w", t.Name, err)
		}
		line = append(line, definition...)
	}
	report, err := json.Marshal(q.assembly.Report, json.Deterministic(true))
	if err != nil {
		return line, err
	}
	return append(append(append(line, `],"report":`...), report...), "}\n"...), nil
}

func (f *messagesFlags) appendReport(out []byte, r messages.Report) ([]byte, error) {
	if f.output != "text" {
		return appendLine(out, r)
	}
	out = fmt.Appendf(out, "kept %d tokens, %d bytes; left out %d\n", r.KeptTokens, r.KeptBytes, r.OmittedCount)
	for _, o := range r.Omitted {
		id := ""
		if o.ID != "" {
			id = " " + strconv.Quote(o.ID)
		}
		out = fmt.Appendf(out, "%s%s: %d tokens, %d bytes\n", o.Kind, id, o.Tokens, o.Bytes)
	}
	return out, nil
}
