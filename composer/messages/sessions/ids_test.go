package sessions_test

import (
	"strings"
	"testing"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/fingerprint"
)

// Where a call has something for its id that is none, the id that it is given stands in its place, once.
func TestIDsThatAreNone(t *testing.T) {
	for name, body := range map[string]string{
		"chat": `{"model":"m","messages":[{"role":"user","content":"u"},
			{"role":"assistant","content":null,"tool_calls":[{"id":ID,"type":"function","function":{"name":"f","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":ID,"content":"r"}]}`,
		"responses": `{"model":"m","input":[{"role":"user","content":"u"},
			{"type":"function_call","call_id":ID,"name":"f","arguments":"{}"},{"type":"function_call_output","call_id":ID,"output":"r"}]}`,
		"anthropic": `{"model":"claude","max_tokens":9,"messages":[{"role":"user","content":"u"},
			{"role":"assistant","content":[{"type":"tool_use","id":ID,"name":"f","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":ID,"content":"r"}]}]}`,
		"gemini": `{"contents":[{"role":"user","parts":[{"text":"u"}]},
			{"role":"model","parts":[{"functionCall":{"id":ID,"name":"f","args":{}}}]},
			{"role":"user","parts":[{"functionResponse":{"id":ID,"name":"f","response":{"a":1}}}]}]}`,
		"converse": `{"messages":[{"role":"user","content":[{"text":"u"}]},
			{"role":"assistant","content":[{"toolUse":{"toolUseId":ID,"name":"f","input":{}}}]},
			{"role":"user","content":[{"toolResult":{"toolUseId":ID,"content":[{"text":"r"}]}}]}]}`,
	} {
		for _, id := range []string{`""`, `null`, `7`} {
			body := strings.Join(strings.Fields(strings.ReplaceAll(body, "ID", id)), "")
			s, err := sessions.Read(name, strings.NewReader(body), sessions.Options{Format: sessions.Requests})
			if err != nil || len(s.Calls) != 1 {
				t.Fatalf("%s: %d calls, error %v", name, len(s.Calls), err)
			}
			c := s.Calls[0]
			a, err := c.Prompt().Assemble(messages.Options{})
			if err != nil {
				t.Fatal(err)
			}
			written, err := c.With(a.Messages).AppendJSON(nil)
			if err != nil {
				t.Fatalf("%s with the id %s: %v", name, id, err)
			}
			if _, err := fingerprint.Canonical(written); err != nil {
				t.Errorf("%s with the id %s: %v in %s", name, id, err, written)
			}
			if strings.Contains(string(written), `d":`+id) {
				t.Errorf("%s with the id %s still has it: %s", name, id, written)
			}
			back, err := c.AppendJSON(nil)
			if err != nil || strings.Count(string(back), `d":`+id) != 2 {
				t.Errorf("%s with the id %s: %v, and as it was read %s", name, id, err, back)
			}
		}
	}
}
