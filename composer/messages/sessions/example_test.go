package sessions_test

import (
	"fmt"
	"strings"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
)

const log = `{"type":"summary","summary":"Greetings","leafUuid":"3"}
{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"hi"}}
{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"Hello."}]}}
{"type":"user","uuid":"3","parentUuid":"2","sessionId":"s","message":{"role":"user","content":"bye"}}
{"type":"assistant","uuid":"4","parentUuid":"3","sessionId":"s","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"Bye."}]}}
`

func ExampleRead() {
	s, err := sessions.Read("session.jsonl", strings.NewReader(log), sessions.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Format)
	for _, c := range s.Calls {
		body, _ := c.AppendJSON(nil)
		fmt.Printf("%s\n", body)
	}
	for _, o := range s.Outcomes {
		fmt.Printf("%d: %s %q\n", o.Line, o.Status, o.Reason)
	}
	// Output:
	// claude-code
	// {"messages":[{"role":"user","content":"hi"}]}
	// {"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"text","text":"Hello."}]},{"role":"user","content":"bye"}]}
	// 1: not part of a prompt "a line of type summary"
	// 2: used ""
	// 3: used ""
	// 4: used ""
	// 5: not part of a prompt "no call follows"
}

func ExampleSession_Breaks() {
	bodies := `{"model":"m","messages":[{"role":"user","content":"hi"}]}
{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":"Hello."},{"role":"user","content":"bye"}]}
{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"Hello!"},{"role":"user","content":"bye"}]}
`
	s, err := sessions.Read("bodies.jsonl", strings.NewReader(bodies), sessions.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range s.Breaks() {
		fmt.Printf("call %d does not extend call %d: %s\n", b.Call, b.Last, b.Difference)
	}
	// Output:
	// call 2 does not extend call 1: message_changed at 1
}

func ExampleExtends() {
	a := sessions.Call{Messages: []messages.Message{messages.TextMessage(messages.User, "hi")}}
	b := sessions.Call{Messages: []messages.Message{messages.TextMessage(messages.User, "hi"), messages.TextMessage(messages.Assistant, "Hello.")}}
	fmt.Println(sessions.Extends(a, b))
	fmt.Println(sessions.Extends(b, a))
	// Output:
	// unchanged
	// messages_removed at 1
}

func ExampleConvertTool() {
	tool, err := sessions.ConvertTool(messages.ToolSpec{
		Name:       "add",
		Definition: `{"name":"add","description":"adds","parameters":{"type":"dict","properties":{"n":{"type":"float"}}}}`,
	}, sessions.Anthropic)
	fmt.Println(tool.Definition, err)
	// Output: {"name":"add","input_schema":{"type":"object","properties":{"n":{"type":"number"}}}} <nil>
}

func ExampleCall_As() {
	s, err := sessions.Read("session.jsonl", strings.NewReader(log), sessions.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	call, left, err := s.Calls[1].As(sessions.OpenAIChat)
	if err != nil {
		fmt.Println(err)
		return
	}
	body, _ := call.AppendJSON(nil)
	fmt.Printf("%s %d\n", body, len(left))
	// Output: {"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"Hello."},{"role":"user","content":"bye"}]} 0
}

func ExampleParseFormat() {
	f, err := sessions.ParseFormat("codex")
	fmt.Println(f, err)
	_, err = sessions.ParseFormat("morse")
	fmt.Println(err != nil)
	// Output:
	// codex <nil>
	// true
}

func ExampleCall_With() {
	call := sessions.Call{API: sessions.Anthropic, System: messages.TextMessage(messages.System, "Be brief.")}
	call = call.With([]messages.Message{call.System, messages.TextMessage(messages.User, "hi")})
	body, err := call.AppendJSON(nil)
	fmt.Printf("%s %v\n", body, err)
	// Output: {"system":[{"type":"text","text":"Be brief."}],"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]} <nil>
}
