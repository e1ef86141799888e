package request

import (
	"fmt"

	"github.com/quirehq/quire/composer/messages"
)

// A Request is what one model call sends, in no provider's spelling yet. The packages anthropic and openai below this one
// write it. [Assembler.Build] makes one; a caller that has all of it already fills it directly.
type Request struct {
	Model       string // as the provider calls it
	MaxOutput   int64  // tokens; 0: not said; a limit among Params takes its place
	Tools       []Tool
	System      []SystemBlock // in order, nothing between them
	Messages    []messages.Message
	Breakpoints []Breakpoint // in any order; markers that stand in the messages (Block.Cache) come on top

	// Namespace says who may share a provider's cache entries. It is in the cache key alone, never in a text.
	Namespace string

	// Params are further members of the body, as the provider spells them.
	Params []messages.Member
}

// A SystemBlock is a part of the system prompt.
type SystemBlock struct {
	Text     string
	Volatile bool // it changes from call to call: no marker may stand on it
}

// A Tool declares a tool. Where Definition is set, the provider is told that and nothing else.
type Tool struct {
	Name        string
	Description string
	Schema      messages.JSON // of the arguments, a JSON Schema that is an object; "" takes none
	Definition  messages.JSON // in the provider's spelling
}

// A Breakpoint asks for a cacheable prefix that ends at a place.
type Breakpoint struct {
	At  Place
	TTL TTL
}

// A Place is a tool, a block of the system prompt or a message of a [Request].
type Place struct {
	Part  Part
	Index int // from 0
}

// String names the place, counted from 1.
func (p Place) String() string { return fmt.Sprintf("%v %d", p.Part, p.Index+1) }

// A Part is a part of a [Request], in the order in which providers read them.
type Part uint8

// The parts.
const (
	Tools    Part = 0
	System   Part = 1
	Messages Part = 2
)

var partNames = []string{"tool", "system block", "message"}

// String names one thing of the part.
func (p Part) String() string {
	if int(p) >= len(partNames) {
		return fmt.Sprint(uint8(p))
	}
	return partNames[p]
}

// A TTL is how long a provider keeps a cached prefix.
type TTL uint8

// The lifetimes.
const (
	FiveMinutes TTL = 0
	OneHour     TTL = 1
)

var ttls = []string{"5m", "1h"}

// String returns the lifetime as providers spell it.
func (t TTL) String() string {
	if int(t) >= len(ttls) {
		return fmt.Sprint(uint8(t))
	}
	return ttls[t]
}

// MarshalText writes the lifetime as providers spell it.
func (t TTL) MarshalText() ([]byte, error) {
	if int(t) >= len(ttls) {
		return nil, fmt.Errorf("request: unknown lifetime %d", t)
	}
	return []byte(ttls[t]), nil
}

// UnmarshalText reads what MarshalText writes. After an error the lifetime is what it was.
func (t *TTL) UnmarshalText(text []byte) error {
	ttl, err := ParseTTL(string(text))
	if err == nil {
		*t = ttl
	}
	return err
}

// ParseTTL reads what [TTL.String] writes.
func ParseTTL(text string) (TTL, error) {
	for t := range ttls {
		if ttls[t] == text {
			return TTL(t), nil
		}
	}
	return 0, fmt.Errorf("request: unknown lifetime %q; want 5m or 1h", text)
}
