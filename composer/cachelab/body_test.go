package cachelab_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer/cachelab"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
)

// A talk is a request in neither of the two shapes, of which a test makes both.
type talk struct {
	model  string
	system []string // blocks
	tools  []tool
	turns  []turn
	params map[string]any
	marks  map[string]string // place ("system", "tools", "3") to lifetime; "5m" is a bare marker
}

type tool struct {
	name, description string
	schema            string // JSON
}

// A turn is a message of one kind.
type turn struct {
	user   string
	parts  []string // of the user, as a list of blocks
	said   string   // by the assistant
	call   string   // id of a call, with args
	args   string   // JSON
	result string   // id of the call that it answers
	text   string   // of the result
	image  string   // base64
}

func (k talk) clone() talk {
	c := k
	c.system = append([]string(nil), k.system...)
	c.tools = append([]tool(nil), k.tools...)
	c.turns = append([]turn(nil), k.turns...)
	c.params = map[string]any{}
	for name, v := range k.params {
		c.params[name] = v
	}
	c.marks = map[string]string{}
	for place, v := range k.marks {
		c.marks[place] = v
	}
	return c
}

type object = map[string]any

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func (k talk) mark(o object, place, name string) object {
	ttl, ok := k.marks[place]
	switch {
	case !ok:
	case name == "prompt_cache_breakpoint":
		o[name] = object{"mode": "explicit"}
	case ttl == "5m":
		o[name] = object{"type": "ephemeral"}
	default:
		o[name] = object{"type": "ephemeral", "ttl": ttl}
	}
	return o
}

func number(i int) string { return string(rune("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i])) }

// anthropic writes the talk as a body of Anthropic's messages API.
func (k talk) anthropic() object {
	const cc = "cache_control"
	body := object{"model": k.model, "max_tokens": 100}
	var tools, system, list []any
	for i, t := range k.tools {
		o := object{"name": t.name, "description": t.description, "input_schema": raw(t.schema)}
		if i == len(k.tools)-1 {
			o = k.mark(o, "tools", cc)
		}
		tools = append(tools, o)
	}
	for i, s := range k.system {
		o := object{"type": "text", "text": s}
		if i == len(k.system)-1 {
			o = k.mark(o, "system", cc)
		}
		system = append(system, o)
	}
	for i, t := range k.turns {
		role, content := "user", any(nil)
		block := func(o object) any { return []any{k.mark(o, number(i), cc)} }
		switch {
		case t.said != "":
			role, content = "assistant", block(object{"type": "text", "text": t.said})
		case t.call != "":
			role, content = "assistant", block(object{"type": "tool_use", "id": t.call, "name": "read", "input": raw(t.args)})
		case t.result != "":
			content = block(object{"type": "tool_result", "tool_use_id": t.result, "content": t.text})
		case t.image != "":
			content = block(object{"type": "image", "source": object{"type": "base64", "media_type": "image/png", "data": t.image}})
		case t.parts != nil:
			var blocks []any
			for n, p := range t.parts {
				o := object{"type": "text", "text": p}
				if n == len(t.parts)-1 {
					o = k.mark(o, number(i), cc)
				}
				blocks = append(blocks, o)
			}
			content = blocks
		case k.marks[number(i)] != "":
			content = block(object{"type": "text", "text": t.user})
		default:
			content = t.user
		}
		list = append(list, object{"role": role, "content": content})
	}
	body["messages"] = list
	if tools != nil {
		body["tools"] = tools
	}
	if system != nil {
		body["system"] = system
	}
	for name, v := range k.params {
		body[name] = v
	}
	return body
}

// openai writes the talk as a body of OpenAI's chat completions.
func (k talk) openai() object {
	const bp = "prompt_cache_breakpoint"
	body := object{"model": k.model}
	var tools, list []any
	for _, t := range k.tools {
		tools = append(tools, object{"type": "function", "function": object{"name": t.name, "description": t.description,
			"parameters": raw(t.schema)}})
	}
	for i, s := range k.system {
		if _, ok := k.marks["system"]; ok && i == len(k.system)-1 {
			list = append(list, object{"role": "system", "content": []any{k.mark(object{"type": "text", "text": s}, "system", bp)}})
			continue
		}
		list = append(list, object{"role": "system", "content": s})
	}
	for i, t := range k.turns {
		var m object
		switch {
		case t.said != "":
			m = object{"role": "assistant", "content": t.said}
		case t.call != "":
			m = object{"role": "assistant", "content": nil, "tool_calls": []any{object{"id": t.call, "type": "function",
				"function": object{"name": "read", "arguments": t.args}}}}
		case t.result != "":
			m = object{"role": "tool", "tool_call_id": t.result, "content": t.text}
		case t.image != "":
			m = object{"role": "user", "content": []any{object{"type": "image_url", "image_url": object{"url": "data:image/png;base64," + t.image}}}}
		case t.parts != nil:
			var blocks []any
			for _, p := range t.parts {
				blocks = append(blocks, object{"type": "text", "text": p})
			}
			m = object{"role": "user", "content": blocks}
		case k.marks[number(i)] != "":
			m = object{"role": "user", "content": []any{k.mark(object{"type": "text", "text": t.user}, number(i), bp)}}
		default:
			m = object{"role": "user", "content": t.user}
		}
		list = append(list, m)
	}
	body["messages"] = list
	if tools != nil {
		body["tools"] = tools
	}
	for name, v := range k.params {
		body[name] = v
	}
	return body
}

// request reads a body as the commands do.
func request(t testing.TB, body any) cachelab.Request {
	t.Helper()
	src, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(src))
}

func parse(t testing.TB, src string) cachelab.Request {
	t.Helper()
	s, err := sessions.Read("body.json", strings.NewReader(src), sessions.Options{Format: sessions.Requests})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Calls) != 1 {
		t.Fatalf("%d calls in one body", len(s.Calls))
	}
	var r cachelab.Reader
	q, err := r.Call(s.Calls[0])
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func profile(t testing.TB, name string) cachelab.Profile {
	t.Helper()
	p, ok := cachelab.ProfileByName(name)
	if !ok {
		t.Fatalf("no profile %q", name)
	}
	return p
}

// callOf returns a call of messages; every second one is the assistant's.
func callOf(texts []string) sessions.Call {
	c := sessions.Call{Model: "m"}
	for i, text := range texts {
		role := messages.User
		if i%2 == 1 {
			role = messages.Assistant
		}
		c.Messages = append(c.Messages, messages.TextMessage(role, text))
	}
	return c
}
