package anthropic_test

import (
	"fmt"

	"github.com/quirehq/quire/composer/messages/anthropic"
)

func ExampleParse() {
	q, err := anthropic.Parse([]byte(`{"max_tokens": 9, "system": "Be brief.", "model": "m", "messages": [
		{"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	body, _ := q.AppendJSON(nil)
	fmt.Printf("%s\n", body)

	q, _ = q.Canonical()
	body, _ = q.AppendJSON(nil)
	fmt.Printf("%s\n", body)
	// Output:
	// {"model":"m","system":"Be brief.","messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}],"max_tokens":9}
	// {"model":"m","system":[{"type":"text","text":"Be brief."}],"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}],"max_tokens":9}
}

func ExampleParseMessage() {
	m, err := anthropic.ParseMessage([]byte(`{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{"n":1.50}}]}`))
	fmt.Println(m.Content[0].Kind, m.Content[0].Name, m.Content[0].Value, err)
	// Output: tool_call f {"n":1.50} <nil>
}

func ExampleParseContent() {
	blocks, shape, err := anthropic.ParseContent([]byte(`"hi"`))
	fmt.Println(blocks[0].Text, shape, err)
	// Output: hi 1 <nil>
}

func ExampleRequest_Prompt() {
	q, err := anthropic.Parse([]byte(`{"system":"Be brief.","messages":[{"role":"user","content":"hi"},
		{"role":"assistant","content":"Hello."},{"role":"user","content":"bye"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p := q.Prompt()
	fmt.Println(len(p.Instructions), len(p.History), len(p.Current))
	// Output: 1 2 1
}
