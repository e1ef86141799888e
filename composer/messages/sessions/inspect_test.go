package sessions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer/messages/sessions"
)

// TestInspectAttachments: an attachment's address may be spelled in any way that JSON has for it.
func TestInspectAttachments(t *testing.T) {
	const file = `{"eval":{},"samples":[{"id":1,"attachments":{"aa":"long \"text\""},"events":[{"event":"model","input":[%s]}]}]}`
	for _, test := range []struct{ name, messages, want string }{
		{"as it is", `{"role":"user","content":"attachment://aa"}`, `{"role":"user","content":"long \"text\""}`},
		{"escaped slashes", `{"role":"user","content":"attachment:\/\/aa"}`, `{"role":"user","content":"long \"text\""}`},
		{"an escaped letter", `{"role":"user","content":"\u0061ttachment:\/\/a\u0061"}`, `{"role":"user","content":"long \"text\""}`},
		{"the other prefix", `{"role":"user","content":"tc:\/\/aa"}`, `{"role":"user","content":"long \"text\""}`},
		{"one and the other", `{"role":"user","content":[{"type":"text","text":"attachment://aa"},{"type":"text","text":"attachment:\/\/aa"}]}`,
			`{"role":"user","content":[{"type":"text","text":"long \"text\""},{"type":"text","text":"long \"text\""}]}`},
		{"inside a text", `{"role":"user","content":"see \"attachment://aa"}`, `{"role":"user","content":"see \"attachment://aa"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := sessions.Read("x", strings.NewReader(fmt.Sprintf(file, test.messages)), sessions.Options{})
			if err != nil || len(s.Calls) != 1 {
				t.Fatalf("%d calls, %v", len(s.Calls), err)
			}
			got, err := s.Calls[0].AppendJSON(nil)
			if want := `{"tools":[],"messages":[` + test.want + `]}`; string(got) != want {
				t.Errorf("got  %s, %v\nwant %s", got, err, want)
			}
		})
	}
}
