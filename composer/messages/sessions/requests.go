package sessions

import (
	"slices"
	"strings"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/anthropic"
	"github.com/quirehq/quire/composer/messages/openai"
)

// requestLine reads a request: a body, an object with uri and body, or a completion log.
func (r *reader) requestLine(line int, doc []byte) error {
	d := wire.Read(doc)
	whole, err := d.Value("")
	if err == nil {
		err = d.End()
	}
	if err != nil {
		return err
	}
	members, err := whole.Read().Members("a request, an object")
	if err != nil {
		return err
	}
	var uri string
	var body, log, time, model *wire.Member
	var usage Usage
	for i, m := range members {
		switch m.Name {
		case "uri", "url":
			uri, _ = m.Text()
		case "body":
			body = &members[i]
		case "kwargs", "latency_sec", "raw_messages":
			log = &whole
		case "timestamp":
			time = &members[i]
		case "response":
			if u, ok := wire.Path(m, "usage"); ok {
				usage = openAIUsage(u)
			}
			if v, ok := wire.Path(m, "model"); ok {
				model = &v
			}
		}
	}
	var call Call
	switch {
	case body != nil && uri != "":
		if body.Kind() != '{' {
			r.note(line, "", Aside, "a request without a JSON body")
			return nil
		}
		api, reason := apiOf(uri, *body)
		if reason != "" {
			r.note(line, "", Aside, reason)
			return nil
		}
		call, err = r.readBody(api, *body)
	case log != nil:
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
	call.Line = line
	if call.Model == "" && model != nil {
		call.Model, _ = model.Text()
	}
	if time != nil {
		call.Time = memberTime(*time)
	}
	if usage.Recorded {
		call.Usage = usage
	}
	r.share(&call)
	reason := ""
	if _, ok := wire.Find(call.Params, "previous_response_id"); ok && call.API == OpenAIResponses {
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

// apiOf tells whose body it is, by the request's path if there is one, or why it is no prompt.
func apiOf(uri string, body wire.Member) (api API, reason string) {
	path, _, _ := strings.Cut(uri, "?")
	switch {
	case slices.ContainsFunc(notCalls, func(end string) bool { return strings.HasSuffix(path, end) }),
		strings.HasSuffix(path, "/messages") && strings.Contains(path, "/threads/"): // of OpenAI's assistants
		return 0, "a request to " + pathOf(path)
	case strings.HasSuffix(path, "/chat/completions"):
		return OpenAIChat, ""
	case strings.HasSuffix(path, "/responses"):
		return OpenAIResponses, ""
	case strings.HasSuffix(path, "/messages"):
		return Anthropic, ""
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return Gemini, ""
	case strings.HasSuffix(path, "/converse"), strings.HasSuffix(path, "/converse-stream"):
		return Bedrock, ""
	}
	if api, ok := shapeOf(body); ok {
		return api, ""
	}
	if path == "" {
		return 0, "a body of none of the APIs that are read: it has no messages, input or contents"
	}
	return 0, "a request to " + pathOf(path)
}

// Ends of paths whose bodies can look like those of a model call, though no model answers them.
var notCalls = []string{"/count_tokens", "/count-tokens", ":countTokens", "/input_tokens", "/cachedContents", "/embeddings",
	"/moderations", "/audio/speech"}

// pathOf returns what an address has after the host.
func pathOf(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			return rest[i:]
		}
	}
	return address
}

// shapeOf tells the API from the members of a body.
func shapeOf(body wire.Member) (API, bool) {
	members, err := body.Read().Members("a body, an object")
	if err != nil {
		return 0, false
	}
	has := map[string]wire.Member{}
	for _, m := range members {
		has[m.Name] = m
	}
	is := func(name string, kind byte) bool {
		m, ok := has[name]
		return ok && byte(m.Kind()) == kind
	}
	switch {
	case is("contents", '['):
		return Gemini, true
	case is("messages", '['):
		_, version := has["anthropic_version"]
		_, system := has["system"]
		if version || is("max_tokens", '0') && anthropicBlocks(has["messages"], has["tools"]) {
			return Anthropic, true
		}
		if converseBlocks(has["messages"]) {
			return Bedrock, true
		}
		if system || anthropicBlocks(has["messages"], has["tools"]) {
			return Anthropic, true
		}
		return OpenAIChat, true
	case is("input", '"'), is("input", '['):
		for _, name := range []string{"encoding_format", "dimensions"} {
			if _, ok := has[name]; ok {
				return 0, false
			}
		}
		if is("input", '[') && !elements(has["input"], func(m wire.Member) bool { return m.Kind() == '{' }, true) {
			return 0, false
		}
		return OpenAIResponses, true
	}
	return 0, false
}

// elements reports whether the condition holds for all elements of a list, or for any.
func elements(list wire.Member, holds func(wire.Member) bool, all bool) bool {
	if len(list.Value) == 0 || list.Kind() != '[' {
		return all
	}
	result := all
	r := list.Read()
	_ = r.Array("a list", func() error {
		m, err := r.Value("")
		if err == nil && holds(m) != all {
			result = !all
		}
		return err
	})
	return result
}

// anthropicBlocks reports whether something in the messages or tools is only of Anthropic's API.
func anthropicBlocks(list, tools wire.Member) bool {
	if elements(tools, func(m wire.Member) bool { _, ok := wire.Path(m, "input_schema"); return ok }, false) {
		return true
	}
	return elements(list, func(m wire.Member) bool {
		content, ok := wire.Path(m, "content")
		return ok && elements(content, func(b wire.Member) bool {
			kind, _ := wire.Path(b, "type")
			if len(kind.Value) == 0 {
				return false
			}
			switch text, _ := kind.Text(); text {
			case "tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document", "server_tool_use":
				return true
			}
			return false
		}, false)
	}, false)
}

// converseBlocks reports whether the content is lists of blocks without a type.
func converseBlocks(list wire.Member) bool {
	return elements(list, func(m wire.Member) bool {
		content, ok := wire.Path(m, "content")
		return ok && content.Kind() == '[' && elements(content, func(b wire.Member) bool {
			_, typed := wire.Path(b, "type")
			return b.Kind() == '{' && !typed
		}, false)
	}, false)
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
		foreign := elements(list, func(m wire.Member) bool {
			role, _ := wire.Path(m, "role")
			if len(role.Value) == 0 {
				return false
			}
			text, _ := role.Text()
			return text == "tool" || text == "system" || text == "developer"
		}, false)
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
			if call.Tools, err = readTools(m); err != nil {
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

// questionLine reads a BFCL question: the turns of a user, to which no answers are given.
func (r *reader) questionLine(line int, doc []byte) error {
	d := wire.Read(doc)
	members, err := d.Members("a question, an object")
	if err == nil {
		err = d.End()
	}
	if err != nil {
		return err
	}
	c := r.conversation("line", OpenAIChat)
	var turns *wire.Member
	for i, m := range members {
		switch text, isText := m.Text(); {
		case m.Name == "id" && isText:
			c.thread = text
		case m.Name == "function" && m.Kind() == '[':
			tools, err := readTools(m)
			if err != nil {
				return err
			}
			c.tools = toolsFor(OpenAIChat, tools)
		case m.Name == "question" && m.Kind() == '[':
			turns = &members[i]
		}
	}
	if turns == nil {
		return wire.Read(doc).Errorf("a question without turns: want question, a list")
	}
	var calls []int // how many messages each call has
	var list []messages.Message
	t := turns.Read()
	err = t.Array("question: a list of turns", func() error {
		turn, err := t.Value("")
		if err != nil {
			return err
		}
		if turn.Kind() == '{' { // older questions are one turn, without a list around it
			m, err := openai.ParseMessage(turn.Value)
			if err != nil {
				return turn.Wrap(err)
			}
			list = append(list, m)
			return nil
		}
		said, err := openai.ParseMessages(turn.Value)
		if err != nil {
			return turn.Wrap(err)
		}
		list = append(list, said...)
		calls = append(calls, len(list))
		return nil
	})
	if err != nil {
		return err
	}
	if len(calls) == 0 && len(list) > 0 {
		calls = []int{len(list)}
	}
	r.note(line, "", Used, "turns of the user; no answers are recorded")
	for _, n := range calls {
		r.add(Call{Thread: c.thread, Line: line, API: OpenAIChat, Messages: list[:n:n], Tools: c.tools})
	}
	return nil
}
