package sessions

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer/internal/wire"
)

// How far the format is looked for: logs begin with lines of many kinds.
const (
	sniffLines = 64
	sniffBytes = 1 << 20
)

// detect finds out whether the file is JSON lines or one document, and its format, where none is asked for.
func (r *reader) detect(in *lines) (format Format, isLines bool, err error) {
	asked := r.opts.Format
	if asked == Auto {
		asked = ""
	}
	first := in.peek(2, sniffBytes)
	if len(first) == 0 {
		return "", false, cmp.Or(in.err, ErrEmpty)
	}
	if bytes.HasPrefix(first[0], []byte("PK\x03\x04")) {
		return cmp.Or(asked, Inspect), false, nil
	}
	if asked == Aider || asked == "" && bytes.HasPrefix(first[0], []byte("# aider chat started at")) {
		return Aider, true, nil
	}
	whole := wellFormed(first[0])
	isLines = len(first) > 1 && (whole || wellFormed(first[1]))
	if !isLines && (!whole || len(first) > 1) {
		if asked == "" {
			asked, err = sniffDocument(in)
		}
		return asked, false, err
	}
	found := Format("")
	for _, line := range in.peek(sniffLines, sniffBytes) {
		f, alone := sniff(line)
		bodies := f == Requests && (asked == OpenAIBodies || asked == AnthropicBodies)
		if len(first) == 1 && alone && (asked == "" || asked == f || bodies) {
			return cmp.Or(asked, f), false, nil
		}
		found = cmp.Or(found, f)
	}
	if asked == "" && found == "" {
		return "", true, ErrFormat
	}
	return cmp.Or(asked, found), true, nil
}

func sniffDocument(in *lines) (Format, error) {
	doc, err := in.rest()
	if err != nil {
		return "", err
	}
	if !wellFormed(doc) {
		// The error that says where is worth more than that the format is unknown.
		if _, err := wire.ReadRecords(doc).Whole(); err != nil {
			return "", err
		}
	}
	f, _ := sniff(doc)
	if f == "" {
		return "", ErrFormat
	}
	return f, nil
}

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
		err := wire.ReadRecords(value).Each("a list", func(i int, v wire.Member) error {
			if n = i + 1; f == "" && n <= sniffLines {
				f, _ = sniff(v.Value)
			}
			return nil
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
