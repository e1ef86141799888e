package sessions

import (
	"cmp"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages/anthropic"
	"github.com/quirehq/quire/composer/messages/openai"
)

// requestLine reads a request: a body, an object with uri and body, or a completion log.
func (r *reader) requestLine(line int, doc []byte) error {
	whole, err := wire.Read(doc).Whole()
	if err != nil {
		return err
	}
	members, err := whole.Read().Members("a request, an object")
	if err != nil {
		return err
	}
	var uri string
	var body, time, response wire.Member
	isLog := false
	for _, m := range members {
		switch m.Name {
		case "uri", "url":
			uri, _ = m.Text()
		case "body":
			body = m
		case "kwargs", "latency_sec", "raw_messages":
			isLog = true
		case "timestamp":
			time = m
		case "response":
			response = m
		}
	}
	var call Call
	switch {
	case body.Name != "" && uri != "":
		if body.Kind() != '{' {
			r.note(line, "", Aside, "a request without a JSON body")
			return nil
		}
		api, reason := apiOf(uri, body)
		if reason != "" {
			r.note(line, "", Aside, reason)
			return nil
		}
		call, err = r.readBody(api, body)
	case isLog:
		call, err = completionLog(whole)
	default:
		api, reason := apiOf("", whole)
		if reason != "" {
			return whole.Errorf("%s", reason)
		}
		call, err = r.readBody(api, whole)
	}
	if err != nil {
		return err
	}
	usage, _ := wire.Path(response, "usage")
	call.Line, call.Time, call.Usage = line, memberTime(time), openAIUsage.read(usage)
	call.Model = cmp.Or(call.Model, wire.TextAt(response, "model"))
	r.share(&call)
	reason := ""
	if wire.Has(call.Params, "previous_response_id") && call.API == OpenAIResponses {
		reason = "the history is not in the body: previous_response_id"
	}
	r.note(line, "", Used, reason)
	r.add(call)
	return nil
}

// share gives equal messages of one request and the next the same memory: a series repeats almost all of itself.
func (r *reader) share(call *Call) {
	if len(r.out.Calls) == 0 {
		return
	}
	last := &r.out.Calls[len(r.out.Calls)-1]
	for i := range min(len(call.Messages), len(last.Messages)) {
		if !identical(&call.Messages[i], &last.Messages[i]) {
			return
		}
		call.Messages[i] = last.Messages[i]
	}
}

// readBody reads a body. Where the caller named the API, one that can only be of another is refused.
func (r *reader) readBody(api API, body wire.Member) (Call, error) {
	list, _ := wire.Path(body, "messages")
	switch r.out.Format {
	case OpenAIBodies:
		if api != OpenAIChat && api != OpenAIResponses {
			return Call{}, body.Errorf("a body of another API; want one of OpenAI's")
		}
	case AnthropicBodies:
		foreign := some(list, func(m wire.Member) bool {
			role := wire.TextAt(m, "role")
			return role == "tool" || role == "system" || role == "developer"
		})
		if api != Anthropic && (api != OpenAIChat || foreign) {
			return Call{}, body.Errorf("a body of another API; want one of Anthropic's")
		}
		api = Anthropic // a short body can be of either
	}
	call := Call{API: api}
	switch api {
	case Anthropic:
		q, err := anthropic.Parse(body.Value)
		if err != nil {
			return call, body.Wrap(err)
		}
		call.System, call.Messages, call.Tools, call.Params = q.System, q.Messages, q.Tools, q.Params
	case OpenAIChat, OpenAIResponses:
		q, err := openai.Parse(body.Value)
		if err != nil {
			return call, body.Wrap(err)
		}
		call.System, call.Messages, call.Tools, call.Params, call.Bare = q.System, q.Messages, q.Tools, q.Params, q.Bare
		if q.API == openai.Chat {
			call.API = OpenAIChat
		} else {
			call.API = OpenAIResponses
		}
	case Gemini:
		if err := readGemini(&call, body); err != nil {
			return call, err
		}
	case Bedrock:
		if err := readConverse(&call, body); err != nil {
			return call, err
		}
	}
	if model, ok := wire.Find(call.Params, "model"); ok {
		call.Model, _ = wire.Unquote(model)
	}
	return call, nil
}

// completionLog reads a log of OpenHands' SDK: the messages and tools beside what else the call was made with.
func completionLog(whole wire.Member) (Call, error) {
	members, err := whole.Read().Members("a completion log, an object")
	if err != nil {
		return Call{}, err
	}
	call := Call{API: OpenAIChat}
	found := false
	for _, m := range members {
		switch {
		case m.Name == "messages":
			found = true
			if call.Messages, err = openai.ParseMessages(m.Value); err != nil {
				return call, m.Wrap(err)
			}
		case m.Name == "tools" && m.Kind() == '[':
			if call.Tools, err = wire.ReadTools(m.Read()); err != nil {
				return call, err
			}
		case m.Name == "kwargs" && m.Kind() == '{':
			rest, err := m.Read().Members("kwargs, an object")
			if err != nil {
				return call, err
			}
			for _, v := range rest {
				if v.Name != "tools" && v.Name != "messages" {
					call.Params = append(call.Params, v.Member())
				}
			}
		}
	}
	if !found {
		return call, whole.Errorf("a completion log without messages")
	}
	return call, nil
}
