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
	at := map[string]wire.Member{}
	for _, m := range members {
		at[m.Name] = m
	}
	has := func(name string) bool { return at[name].Kind() != 0 }
	list, input := at["messages"], at["input"]
	switch {
	case at["contents"].Kind() == '[':
		return Gemini, true
	case list.Kind() == '[':
		blocks := anthropicBlocks(list, at["tools"])
		switch {
		case has("anthropic_version"), blocks && at["max_tokens"].Kind() == '0':
			return Anthropic, true
		case converseBlocks(list):
			return Bedrock, true
		case has("system"), blocks:
			return Anthropic, true
		}
		return OpenAIChat, true
	case has("encoding_format"), has("dimensions"): // of embeddings
		return 0, false
	case input.Kind() == '"', input.Kind() == '[' && every(input, func(v wire.Member) bool { return v.Kind() == '{' }):
		return OpenAIResponses, true
	}
	return 0, false
}

// anthropicBlocks reports whether something in the messages or tools is only of Anthropic's API.
func anthropicBlocks(list, tools wire.Member) bool {
	return some(tools, func(t wire.Member) bool { _, ok := wire.Path(t, "input_schema"); return ok }) ||
		some(list, func(m wire.Member) bool {
			content, _ := wire.Path(m, "content")
			return some(content, func(b wire.Member) bool {
				switch wire.TextAt(b, "type") {
				case "tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document", "server_tool_use":
					return true
				}
				return false
			})
		})
}

// converseBlocks reports whether the content is lists of blocks without a type.
func converseBlocks(list wire.Member) bool {
	return some(list, func(m wire.Member) bool {
		content, _ := wire.Path(m, "content")
		return some(content, func(b wire.Member) bool {
			_, typed := wire.Path(b, "type")
			return b.Kind() == '{' && !typed
		})
	})
}

// some reports whether the condition holds for an element of a list. What is no list has none.
func some(list wire.Member, holds func(wire.Member) bool) bool {
	found := false
	if list.Kind() == '[' {
		_ = list.Each("a list", func(_ int, v wire.Member) error {
			found = found || holds(v)
			return nil
		})
	}
	return found
}

// every reports whether the condition holds for all elements.
func every(list wire.Member, holds func(wire.Member) bool) bool {
	return !some(list, func(v wire.Member) bool { return !holds(v) })
}
