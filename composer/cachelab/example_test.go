package cachelab_test

import (
	"fmt"
	"strings"

	"github.com/quirehq/quire/composer/cachelab"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
)

// calls reads a session of request bodies, one a line.
func calls(lines ...string) []sessions.Call {
	s, err := sessions.Read("session.jsonl", strings.NewReader(strings.Join(lines, "\n")), sessions.Options{})
	if err != nil {
		fmt.Println(err)
	}
	return s.Calls
}

func ExampleExplain() {
	var r cachelab.Reader
	turns, err := r.Turns(calls(
		`{"model":"gpt-5","messages":[{"role":"system","content":"[12 messages removed]"},{"role":"user","content":"Hello."}]}`,
		`{"model":"gpt-5","messages":[{"role":"system","content":"[13 messages removed]"},{"role":"user","content":"Hello."}]}`,
	), 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _ := cachelab.ProfileByName("sglang")
	e := cachelab.Explain(turns[0].Request, turns[1].Request, p)
	for _, c := range e.Changes {
		fmt.Printf("%s: %s: %q, was %q\n", c.Place, c.Code, c.B, c.A)
	}
	fmt.Printf("byte %d, %d bytes lost; %s reads %d of %d tokens\n", e.At, e.LostBytes, e.Profile, e.Readings[0].Read, e.Tokens)
	// Output:
	// system[0] (system): volatile_value: "[13 messages removed]", was "[12 messages removed]"
	// byte 41, 94 bytes lost; sglang reads 3 of 8 tokens
}

func ExampleSimulate() {
	system := strings.Repeat("Read a file before you change it. ", 200)
	line := func(rest string) string {
		return `{"model":"claude-opus-5","max_tokens":9,"system":[{"type":"text","text":"` + system +
			`","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"Hello."}` + rest + `]}`
	}
	var r cachelab.Reader
	turns, err := r.Turns(calls(
		line(``),
		line(`,{"role":"assistant","content":"Hi."},{"role":"user","content":"Go on."}`),
	), 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _ := cachelab.ProfileOf("claude-opus-5")
	sim := cachelab.Simulate(turns, p)
	for _, o := range sim.Turns {
		fmt.Println(o.Tokens, o.Read, o.Written, o.Plain, o.Cost)
	}
	fmt.Println(sim.Total.Cost, sim.Total.Relative())
	// Output:
	// 1702 0 1700 2 2127
	// 1705 1700 0 5 175
	// 2302 6757
}

func ExampleParseWhatIf() {
	w, err := cachelab.ParseWhatIf("budget=20000,policy=quantised,quantum=5000")
	fmt.Println(w.Options.Policy == messages.Quantised, w.Options.Quantum, err)
	_, err = cachelab.ParseWhatIf("budget=0")
	fmt.Println(err)
	// Output:
	// true 5000 <nil>
	// cachelab: what if "budget=0": want an integer from 1 to 2000000
}

func ExampleReader_Compare() {
	var lines []string
	said := `{"role":"user","content":"Question 0."}`
	for i := range 40 {
		lines = append(lines, `{"model":"gpt-5","messages":[`+said+`]}`)
		said += fmt.Sprintf(`,{"role":"assistant","content":"Answer %d."},{"role":"user","content":"Question %d."}`, i, i+1)
	}
	var ways []cachelab.WhatIf
	for _, text := range []string{"budget=60,policy=item", "budget=60,policy=quantised"} {
		w, err := cachelab.ParseWhatIf(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		ways = append(ways, w)
	}
	p, _ := cachelab.ProfileByName("sglang")
	var r cachelab.Reader
	c, err := r.Compare(calls(lines...), 10, ways, []cachelab.Profile{p})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, column := range c.Columns {
		fmt.Println(column.Name, column.Tokens, column.Cells[0].Read)
	}
	// Output:
	// budget=60,policy=item 2100 328
	// budget=60,policy=quantised 1920 1264
}

func ExampleFit() {
	system := sessions.Call{Messages: []messages.Message{messages.TextMessage(messages.User, "Eight tokens by the estimate here")}}
	system.Usage = sessions.Usage{Recorded: true, Input: 5009}
	var r cachelab.Reader
	turns, _ := r.Turns([]sessions.Call{system}, 10)
	for _, p := range cachelab.Fit(turns)[0].Request.Pieces {
		fmt.Println(p, p.Tokens)
	}
	// Output:
	// tools[0] ((not recorded)) 5000
	// messages[0] (user) 9
}

func ExampleReader_Messages() {
	p := messages.Prompt{Groups: messages.Groups{
		Instructions: []messages.Message{messages.TextMessage(messages.System, "Be brief."), messages.TextMessage(messages.System, "Be kind.")},
		Current:      []messages.Message{messages.TextMessage(messages.User, "Hello.")},
	}}
	a, err := p.Assemble(messages.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var r cachelab.Reader
	q, err := r.Messages(a, nil, "claude-opus-5")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, piece := range q.Pieces {
		fmt.Println(piece, piece.Tokens, piece.Marked)
	}
	// Output:
	// system[0] (system) 3 false
	// system[1] (system) 2 true
	// messages[2] (user) 2 true
}

func ExampleProfile_Mark() {
	var r cachelab.Reader
	q, err := r.Call(calls(`{"model":"gpt-5.6","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hello."}]}`)[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"anthropic-opus-5", "openai-gpt-5.6", "openai-gpt-5"} {
		p, _ := cachelab.ProfileByName(name)
		fmt.Print(name)
		for _, piece := range p.Mark(q).Pieces {
			fmt.Print(" ", piece.Marked)
		}
		fmt.Println()
	}
	// Output:
	// anthropic-opus-5 true true
	// openai-gpt-5.6 true false
	// openai-gpt-5 false false
}

func ExampleParseProfile() {
	src, _ := cachelab.ProfileDocument("vllm")
	p, err := cachelab.ParseProfile([]byte(strings.Replace(string(src), `"value": 16,`, `"value": 32,`, 1)))
	fmt.Println(p.Name, p.Quantum.Value, err)
	_, err = cachelab.ParseProfile([]byte(strings.Replace(string(src), `"value": 16,`, `"value": 0,`, 1)))
	fmt.Println(err)
	// Output:
	// vllm 32 <nil>
	// cachelab: profile: line 9, column 31 (/quantum_tokens/value): 0; want 1 or more
}

func ExampleRequest_Scale() {
	var r cachelab.Reader
	q, err := r.Call(calls(`{"model":"m","messages":[{"role":"user","content":"Hello, you."},{"role":"user","content":"Hello."}]}`)[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(q.Tokens(), q.Scale(11).Pieces[0].Tokens, q.Scale(11).Pieces[1].Tokens)
	// Output: 5 6 5
}

func ExampleSimulation_Accuracy() {
	var r cachelab.Reader
	list := calls(
		`{"model":"m","messages":[{"role":"user","content":"One, two, three."}]}`,
		`{"model":"m","messages":[{"role":"user","content":"One, two, three."},{"role":"assistant","content":"Four."},{"role":"user","content":"Five."}]}`)
	list[0].Usage = sessions.Usage{Recorded: true, Input: 10}
	list[1].Usage = sessions.Usage{Recorded: true, Input: 20, Cached: 9}
	turns, err := r.Turns(list, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _ := cachelab.ProfileByName("sglang")
	fmt.Printf("%+v\n", cachelab.Simulate(cachelab.Fit(turns), p).Accuracy())
	// Output: {Turns:2 Agree:2 Input:30 Cached:9 Read:17 Absolute:8}
}
