package sessions

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer/internal/wire"
)

// How far the format is looked for: logs begin with lines of many kinds.
const (
	sniffLines = 64
	sniffBytes = 1 << 20
)

// detect finds out whether the file is JSON lines or one document, and its format where that is asked for.
func (r *reader) detect(in *lines, format *Format) (isLines bool, err error) {
	first := in.peek(2, sniffBytes)
	if len(first) == 0 {
		if in.err != nil {
			return false, r.fail("", in.err)
		}
		return false, r.fail("", ErrEmpty)
	}
	if *format == Auto {
		*format = ""
	}
	if bytes.HasPrefix(first[0], []byte("PK\x03\x04")) {
		return false, r.settle(format, Inspect)
	}
	if *format == Aider || *format == "" && bytes.HasPrefix(first[0], []byte("# aider chat started at")) {
		return true, r.settle(format, Aider)
	}
	whole := wellFormed(first[0])
	isLines = len(first) > 1 && (whole || wellFormed(first[1]))
	if !isLines && (!whole || len(first) > 1) {
		return false, r.detectDocument(in, format)
	}
	found := Format("")
	for _, line := range in.peek(sniffLines, sniffBytes) {
		f, alone := sniff(line)
		if len(first) == 1 && alone && (*format == "" || *format == f || f == Requests && (*format == OpenAIBodies || *format == AnthropicBodies)) {
			return false, r.settle(format, f)
		}
		if f != "" && found == "" {
			found = f
		}
	}
	if *format == "" && found == "" {
		return true, r.fail("", ErrFormat)
	}
	return true, r.settle(format, found)
}

func (r *reader) detectDocument(in *lines, format *Format) error {
	if *format != "" {
		return nil
	}
	doc, err := in.rest()
	if err != nil {
		return r.fail("", err)
	}
	in.at, in.line = 0, 0
	if !wellFormed(doc) {
		// The error that says where is worth more than that the format is unknown.
		v := wire.ReadRecords(doc)
		if _, err := v.Value(""); err != nil {
			return r.fail("", err)
		}
		if err := v.End(); err != nil {
			return r.fail("", err)
		}
	}
	f, _ := sniff(doc)
	if f == "" {
		return r.fail("", ErrFormat)
	}
	return r.settle(format, f)
}

// settle takes the format that was found, unless another one was asked for.
func (r *reader) settle(format *Format, found Format) error {
	if *format == "" {
		*format = found
	}
	return nil
}

func valid(line []byte) bool { return jsontext.Value(line).IsValid() }

// wellFormed reports whether the text is JSON, with whatever its strings hold.
func wellFormed(line []byte) bool {
	return jsontext.Value(line).IsValid(jsontext.AllowInvalidUTF8(true))
}

// sniff names the format of a document or line, "" when it says nothing, and whether it is a document by itself.
func sniff(value []byte) (f Format, alone bool) {
	switch jsontext.Value(bytes.TrimLeft(value, " \t\r\n")).Kind() {
	case '{':
		members, err := wire.ReadRecords(value).Members("an object")
		if err != nil {
			return "", false
		}
		return sniffObject(members)
	case '[':
		n := 0
		v := wire.ReadRecords(value)
		err := v.Array("a list", func() error {
			m, err := v.Value("")
			if n++; err == nil && f == "" && n <= sniffLines {
				f, _ = sniff(m.Value)
			}
			return err
		})
		switch {
		case err != nil:
			return "", false
		case n == 0:
			return Transcript, true
		case f == Requests, f == ClaudeCode, f == Codex:
			return "", false
		}
		return f, f != ""
	}
	return "", false
}

func sniffObject(members []wire.Member) (f Format, alone bool) {
	kinds := make(map[string]jsontext.Kind, len(members))
	kind := ""
	for _, m := range members {
		kinds[m.Name] = m.Kind()
		if m.Name == "type" {
			kind, _ = m.Text()
		}
	}
	has := func(names ...string) bool {
		for _, name := range names {
			if kinds[name] == 0 {
				return false
			}
		}
		return true
	}
	switch {
	case kinds["loglines"] == '[':
		return ClaudeCode, true
	case has("uri", "body"):
		return Requests, false
	case has("history") && (has("trajectory") || has("environment") || has("info")):
		return SWEAgent, true
	case has("history") && (has("instance_id") || has("metadata") || has("test_result") || has("instruction")):
		return OpenHands, false
	case kinds["history"] == '[' && len(members) == 1: // a demonstration that was cut down
		return SWEAgent, true
	case has("eval") && (has("samples") || has("plan") || has("version")):
		return Inspect, true
	case has("traj"), has("simulations"), has("trajectory_format"), has("messages", "info"):
		return Transcript, true
	case kinds["messages"] == '[' && (has("kwargs") || has("latency_sec") || has("raw_messages")):
		return OpenHandsLLM, true
	case has("eval_cases"), has("app_name", "events"), has("appName", "events"), has("eval_id", "conversation"),
		has("query", "reference"), has("query", "expected_tool_use"), kinds["events"] == '[' && (has("context") || has("state")):
		return ADK, true
	case has("sessionId", "messages"):
		return GeminiCLI, true
	case has("session_id", "messages"), kinds["role"] == '"' && has("content"):
		return Transcript, true
	case has("messages"), has("contents"), has("input", "model"):
		return Requests, true
	case kinds["tools"] == '[', has("jsonrpc", "result"), has("name", "parameters"), has("name", "inputSchema"),
		has("name", "input_schema"), kind == "function" && has("function"):
		return Tools, true
	case kinds["question"] == '[':
		return BFCL, true
	case has("payload") && has("timestamp"), kind == "session_meta":
		return Codex, false
	case has("id", "timestamp", "instructions"):
		return Codex, false
	case kind == "session" && has("cwd"), kind == "message" && has("message"):
		return Pi, false
	case has("leafUuid"), has("parentUuid"), has("uuid", "sessionId"), has("messageId", "snapshot"),
		(kind == "user" || kind == "assistant") && has("message"), strings.HasSuffix(kind, "-operation") && has("sessionId"):
		return ClaudeCode, false
	case has("kind", "source", "id", "timestamp"):
		return OpenHands, false
	case has("source") && (has("action") || has("observation")), has("action", "args"):
		return OpenHands, true
	}
	return "", false
}
