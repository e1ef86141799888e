package openai_test

import (
	"fmt"

	"github.com/quirehq/quire/composer/messages/openai"
)

func ExampleParse() {
	q, err := openai.Parse([]byte(`{"model": "m", "seed": 12345678901234567890, "messages": [
		{"role": "user", "content": [{"type": "text", "text": "hi"}]}]}`))
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
	// {"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"seed":12345678901234567890}
	// {"model":"m","messages":[{"role":"user","content":"hi"}],"seed":12345678901234567890}
}

func ExampleParse_error() {
	_, err := openai.Parse([]byte("{\"messages\": [\n  {\"role\": \"user\", \"content\": 7}\n]}"))
	fmt.Println(err)
	// Output: openai: line 2, byte 45 (/messages/0/content): content: want a string, a list of parts or null; found number
}

func ExampleParseMessages() {
	list, err := openai.ParseMessages([]byte(`[{"role":"user","content":"hi"},{"role":"assistant","content":"Hello."}]`))
	fmt.Println(len(list), list[1].Content[0].Text, err)
	// Output: 2 Hello. <nil>
}

func ExampleParseMessage() {
	m, err := openai.ParseMessage([]byte(`{"role":"tool","tool_call_id":"c1","content":"42"}`))
	fmt.Println(m.Content[0].Kind, m.Content[0].ID, m.Content[0].Text, err)
	// Output: tool_result c1 42 <nil>
}

func ExampleParseItem() {
	m, err := openai.ParseItem([]byte(`{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`))
	fmt.Println(m.Role, m.Content[0].Kind, m.Content[0].Name, err)
	// Output: assistant tool_call f <nil>
}

func ExampleRequest_Prompt() {
	q, err := openai.Parse([]byte(`{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"hi"},
		{"role":"assistant","content":"Hello."},{"role":"user","content":"bye"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p := q.Prompt()
	fmt.Println(len(p.Instructions), len(p.History), len(p.Current))
	// Output: 1 2 1
}
