package composer

import (
	"fmt"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/tiers"
)

// A Section is one candidate for the text. Only ID is required.
type Section struct {
	ID         string     // unique in one composition, not empty
	Content    string     // valid UTF-8 of any length; an empty content that is included still takes part in the join
	Tier       tiers.Tier // the zero value is Core: a section that nobody gave a tier is never dropped
	Cost       tiers.Cost // the zero value: measured by Compose; tiers.Charged is trusted, also when it is 0
	Alternates []string   // shorter forms, tried in order when Content does not fit; core is never condensed
	Priority   int        // the higher is offered room first; equal ones in candidate order
	Chain      string     // once one of a chain is refused or condensed, all offered later in it are refused; "": none
	Group      string     // members of a group are admitted together or not at all; "": none
	Breakpoint bool       // a cacheable prefix ends after this section
}

// A Config says how sections are composed. The zero value is the published gate without a budget, in UTF-16 units,
// joined by blank lines.
type Config struct {
	Gate           tiers.Gate
	Measure        measure.Measure // the zero value counts UTF-16 units
	Budget         tiers.Budget    // in the measure; when it is not set, Resolver is asked; else unlimited
	Resolver       tiers.Resolver  // may be nil; called at most once
	Depth          int             // for Resolver alone
	Role           string          // for Resolver alone
	MaxBytes       tiers.Budget    // a second cap, in UTF-8 bytes
	ActiveFraction tiers.Fraction  // the zero value: 0.95
	TailReserve    int64           // PrefixStable: what the head leaves for the tail, in the measure, >= 0
	Join           Join
}

// A Join is what stands between two included sections.
type Join uint8

// The joins.
const (
	BlankLine Join = 0 // "\n\n"
	Line      Join = 1 // "\n"
	NoJoin    Join = 2 // nothing
)

var joins = []struct{ name, text string }{
	BlankLine: {"blank-line", "\n\n"},
	Line:      {"line", "\n"},
	NoJoin:    {"none", ""},
}

// String returns the join's name as prompt files and recipes spell it.
func (j Join) String() string {
	if int(j) >= len(joins) {
		return fmt.Sprint(uint8(j))
	}
	return joins[j].name
}

// Text returns what stands between two sections; "" for an unknown join.
func (j Join) Text() string {
	if int(j) >= len(joins) {
		return ""
	}
	return joins[j].text
}

// ParseJoin reads a name that [Join.String] writes.
func ParseJoin(name string) (Join, error) {
	for j := range joins {
		if joins[j].name == name {
			return Join(j), nil
		}
	}
	return 0, fmt.Errorf("composer: unknown join %q; want blank-line, line or none", name)
}

// MarshalText writes the join's name.
func (j Join) MarshalText() ([]byte, error) {
	if int(j) >= len(joins) {
		return nil, fmt.Errorf("composer: unknown join %d", j)
	}
	return []byte(joins[j].name), nil
}

// UnmarshalText reads the join's name. After an error the join is what it was.
func (j *Join) UnmarshalText(text []byte) error {
	join, err := ParseJoin(string(text))
	if err == nil {
		*j = join
	}
	return err
}
