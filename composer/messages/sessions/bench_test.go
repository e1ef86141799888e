package sessions_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/quirehq/quire/composer/messages/sessions"
)

// claudeLog returns a log of n turns, each with a call and its result.
func claudeLog(n int) []byte {
	var b bytes.Buffer
	parent := "null"
	for i := range n {
		fmt.Fprintf(&b, `{"type":"user","uuid":"u%d","parentUuid":%s,"sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"step %d"}}`+"\n", i, parent, i)
		fmt.Fprintf(&b, `{"type":"assistant","uuid":"a%d","parentUuid":"u%d","sessionId":"s","message":{"id":"m%d","role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Read","input":{"path":"file%d.go"}}],"usage":{"input_tokens":10}}}`+"\n", i, i, i, i, i)
		fmt.Fprintf(&b, `{"type":"user","uuid":"r%d","parentUuid":"a%d","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}}`+"\n", i, i, i, bytes.Repeat([]byte("x := y + 1\n"), 60))
		parent = fmt.Sprintf(`"r%d"`, i)
	}
	return b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		log := claudeLog(n)
		b.Run(fmt.Sprintf("turns=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(log)))
			for b.Loop() {
				s, err := sessions.Read("x", bytes.NewReader(log), sessions.Options{})
				if err != nil || len(s.Calls) != n {
					b.Fatal(len(s.Calls), err)
				}
			}
		})
	}
}
