package sessions

import (
	"slices"
	"strings"

	"github.com/quirehq/quire/composer/internal/wire"
)

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
