package vectors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/quirehq/quire/fingerprint"
)

// A Vector is one line of a file: an input and what is decided about it.
type Vector struct {
	Name     string    `json:"name"`
	Config   Config    `json:"config"`
	Sections []Section `json:"sections"`
	Outcome
}

// A Config is a composer.Config in the words of a recipe. A limit that is nil is not set.
type Config struct {
	Gate           string `json:"gate"`
	Measure        string `json:"measure"`
	Budget         *int64 `json:"budget,string"`
	MaxBytes       *int64 `json:"max-bytes,string"`
	ActiveFraction string `json:"active-fraction,omitempty"` // "": the default
	TailReserve    int64  `json:"tail-reserve,string"`
	Join           string `json:"join"`
}

// A Section is a composer.Section, or several: with Copies there are so many of it, and in the k-th, from 0, every "#"
// in ID and Content is k in decimal.
type Section struct {
	ID         string   `json:"id"`
	Copies     int      `json:"copies,omitempty"`
	Content    Text     `json:"content"`
	Tier       string   `json:"tier"`
	Charged    *Charged `json:"charged,omitempty"` // nil: measured
	Alternates []Text   `json:"alternates,omitempty"`
	Priority   int      `json:"priority,omitempty"`
	Chain      string   `json:"chain,omitempty"`
	Group      string   `json:"group,omitempty"`
	Breakpoint bool     `json:"breakpoint,omitempty"`
}

// Charged is a cost that is trusted.
type Charged struct {
	Size  int64 `json:"size,string"`
	Bytes int64 `json:"bytes,string"`
}

// A Text is Unit, Times times over. In JSON it is a string when Times is 1, else {"repeat": unit, "times": n}.
type Text struct {
	Unit  string
	Times int
}

// String returns the text itself.
func (t Text) String() string { return strings.Repeat(t.Unit, t.Times) }

type repeated struct {
	Repeat string `json:"repeat"`
	Times  int    `json:"times"`
}

// MarshalJSON writes the shorter of the two forms.
func (t Text) MarshalJSON() ([]byte, error) {
	if t.Times == 1 {
		return marshal(t.Unit)
	}
	return marshal(repeated{t.Unit, t.Times})
}

// UnmarshalJSON reads either form.
func (t *Text) UnmarshalJSON(src []byte) error {
	if src[0] == '"' {
		*t = Text{Times: 1}
		return json.Unmarshal(src, &t.Unit)
	}
	var r repeated
	if err := json.Unmarshal(src, &r); err != nil {
		return err
	}
	*t = Text{r.Repeat, r.Times}
	return nil
}

// An Outcome is what is decided: an error, or everything that can be read off a composition.
type Outcome struct {
	Error         string             `json:"error,omitempty"`         // one of the words of README.md; then nothing else is set
	ErrorSection  *int               `json:"error-section,omitempty"` // from 0, when it is about one
	Total         int64              `json:"total,string"`
	Tokens        int64              `json:"tokens,string"`
	UsedPercent   int64              `json:"used-percent,string"`
	Overflow      int64              `json:"overflow,string"`
	OverflowBytes int64              `json:"overflow-bytes,string"`
	Length        int64              `json:"length,string"`
	Fingerprint   fingerprint.Digest `json:"fingerprint"`
	Recipe        fingerprint.Key    `json:"recipe"`
	Decisions     List[Decision]     `json:"decisions"`
	Prefixes      List[Prefix]       `json:"prefixes"`
}

// A Decision is about the section of the same place.
type Decision struct {
	Reason    string `json:"reason"`
	Alternate int    `json:"alternate,omitempty"`
	Size      int64  `json:"size,string"`
	Limit     *int64 `json:"limit,string"`
	Before    int64  `json:"before,string"`
	Start     int64  `json:"start,string"`
	End       int64  `json:"end,string"`
}

// A Prefix is of the section of the same place among the included ones.
type Prefix struct {
	Bytes      int64              `json:"bytes,string"`
	Size       int64              `json:"size,string"`
	Digest     fingerprint.Digest `json:"digest"`
	Breakpoint bool               `json:"breakpoint,omitempty"`
}

// A List is written in full up to maxListed elements. A longer one is written as {"count": n, "digest": d}, with the
// digest of what it would have been in full.
type List[T any] []T

const maxListed = 32

// MarshalJSON writes the list, or its digest.
func (l List[T]) MarshalJSON() ([]byte, error) {
	full, err := marshal([]T(l))
	if err != nil || len(l) <= maxListed {
		return full, err
	}
	return fmt.Appendf(nil, `{"count":%d,"digest":%q}`, len(l), fingerprint.Sum(full)), nil
}

// UnmarshalJSON skips the list: vectors are compared as they are written.
func (l *List[T]) UnmarshalJSON([]byte) error { return nil }

// Line returns the vector as one line of its file.
func (v Vector) Line() ([]byte, error) {
	var fields any = v
	if v.Error != "" {
		fields = struct {
			Name         string    `json:"name"`
			Config       Config    `json:"config"`
			Sections     []Section `json:"sections"`
			Error        string    `json:"error"`
			ErrorSection *int      `json:"error-section"`
		}{v.Name, v.Config, v.Sections, v.Error, v.ErrorSection}
	}
	line, err := marshal(fields)
	return append(line, '\n'), err
}

// marshal is json.Marshal but for < > &, which stay as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// expand returns the sections with each of its copies by itself.
func expand(sections []Section) []Section {
	var all []Section
	for _, s := range sections {
		if s.Copies == 0 {
			all = append(all, s)
			continue
		}
		for k := range s.Copies {
			c := s
			number := strconv.Itoa(k)
			c.ID = strings.ReplaceAll(s.ID, "#", number)
			c.Content.Unit = strings.ReplaceAll(s.Content.Unit, "#", number)
			all = append(all, c)
		}
	}
	return all
}
