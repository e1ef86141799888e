package sessions

import (
	"slices"
	"strconv"

	"github.com/quirehq/quire/composer/internal/wire"
)

// usageNames are the names that somebody gives the counts of a [Usage].
type usageNames struct {
	input, cached, written, output []string
	apart                          bool // what the cache was used for is not in the input
}

var (
	openAIUsage = usageNames{
		input: []string{"prompt_tokens", "input_tokens"},
		cached: []string{"cache_read_input_tokens", "input_tokens_cache_read", "cached_input_tokens", "prompt_tokens_details",
			"input_tokens_details"},
		written: []string{"cache_creation_input_tokens", "input_tokens_cache_write"},
		output:  []string{"completion_tokens", "output_tokens"},
	}
	anthropicUsage = usageNames{
		input:   []string{"input_tokens"},
		cached:  []string{"cache_read_input_tokens"},
		written: []string{"cache_creation_input_tokens"},
		output:  []string{"output_tokens"},
		apart:   true,
	}
	geminiUsage = usageNames{
		input:  []string{"input", "prompt_token_count", "promptTokenCount"},
		cached: []string{"cached", "cached_content_token_count", "cachedContentTokenCount"},
		output: []string{"output", "candidates_token_count", "candidatesTokenCount"},
	}
	piUsage = usageNames{
		input:   []string{"input"},
		cached:  []string{"cacheRead"},
		written: []string{"cacheWrite"},
		output:  []string{"output"},
		apart:   true,
	}
)

// read reads the counts of an object; anything else has none. A count may be among details, as cached_tokens.
func (names usageNames) read(m wire.Member) Usage {
	if m.Kind() != '{' {
		return Usage{}
	}
	members, err := m.Read().Members("usage, an object")
	if err != nil {
		return Usage{}
	}
	u := Usage{Recorded: true}
	for _, v := range members {
		n := integer(v)
		if details, ok := wire.Path(v, "cached_tokens"); ok {
			n = integer(details)
		}
		switch {
		case slices.Contains(names.input, v.Name):
			u.Input = n
		case slices.Contains(names.cached, v.Name):
			u.Cached = max(u.Cached, n)
		case slices.Contains(names.written, v.Name):
			u.Written = n
		case slices.Contains(names.output, v.Name):
			u.Output = n
		}
	}
	if names.apart {
		u.Input += u.Cached + u.Written
	}
	return u
}

// inspectUsage reads inspect's own counts. Whether the input tokens include what the cache was used for depends on the
// provider; the total tells.
func inspectUsage(m wire.Member) Usage {
	u := openAIUsage.read(m)
	if total, ok := wire.Path(m, "total_tokens"); ok && integer(total) > u.Input+u.Output {
		u.Input = integer(total) - u.Output
	}
	return u
}

// integer reads a whole number; anything else is 0.
func integer(m wire.Member) int64 {
	n, err := strconv.ParseInt(string(m.Value), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
