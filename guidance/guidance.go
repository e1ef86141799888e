// Package guidance decides which advice applies to a call of a tool.
//
// A [Registry] is an ordered list of entries, each a pattern of tool names and a text. [Resolve] gives the texts that
// apply to one tool, and that tool's recent errors as the caller recorded them: as one text, and as sections ready to be
// contributed. It adds no word of its own but two constant headings: no counters, no dates, no ids.
package guidance

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/tiers"
)

// A Mode says how a pattern is held against a tool's name.
type Mode uint8

// The modes.
const (
	Exact  Mode = 0 // the name is the pattern
	Prefix Mode = 1 // the name begins with the pattern; a "*" at the pattern's end is not part of it
	Glob   Mode = 2 // path.Match: * and ? stop at "/", [a-z] is one of a range, \ takes the next as it is
)

var modeNames = []string{"exact", "prefix", "glob"}

// String returns the mode's name.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("mode %d", uint8(m))
}

// ParseMode reads a name that [Mode.String] writes.
func ParseMode(name string) (Mode, error) {
	if i := slices.Index(modeNames, name); i >= 0 {
		return Mode(i), nil
	}
	return 0, fmt.Errorf("guidance: %w %q; want %s", ErrMode, name, strings.Join(modeNames, ", "))
}

// What [New] refuses. The error names the entry.
var (
	ErrMode    = errors.New("unknown mode")
	ErrPattern = errors.New("bad pattern")
	ErrText    = errors.New("bad text")
)

// A Match is a pattern of tool names.
type Match struct{ ToolName string }

// An Entry is a piece of advice and the tools that it is for.
type Entry struct {
	Match Match
	Mode  Mode
	Text  string
}

// A Registry is a checked list of entries. It does not change. The zero Registry has none.
type Registry struct{ entries []Entry }

// New returns a registry of the entries, whose order counts: see [Resolve]. It is an error when a mode is unknown, when
// a pattern is empty (as a prefix also "*" is), is no glob, or not UTF-8, and when a text is empty or not UTF-8.
func New(entries []Entry) (Registry, error) {
	for i, e := range entries {
		if err := e.check(); err != nil {
			return Registry{}, fmt.Errorf("guidance: entry %d (%q): %w", i+1, e.Match.ToolName, err)
		}
	}
	return Registry{slices.Clone(entries)}, nil
}

func (e *Entry) check() error {
	if e.Mode > Glob {
		return fmt.Errorf("%w %d; want %s", ErrMode, uint8(e.Mode), strings.Join(modeNames, ", "))
	}
	switch pattern := e.pattern(); {
	case pattern == "":
		return fmt.Errorf("%w: it is empty; name a tool, or use the glob \"*\" for all", ErrPattern)
	case !utf8.ValidString(pattern):
		return fmt.Errorf("%w: not UTF-8", ErrPattern)
	case e.Mode == Glob:
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("%w: %w", ErrPattern, err)
		}
	}
	switch {
	case e.Text == "":
		return fmt.Errorf("%w: it is empty", ErrText)
	case !utf8.ValidString(e.Text):
		return fmt.Errorf("%w: not UTF-8", ErrText)
	}
	return nil
}

// pattern returns what names are held against.
func (e *Entry) pattern() string {
	if e.Mode == Prefix {
		return strings.TrimSuffix(e.Match.ToolName, "*")
	}
	return e.Match.ToolName
}

func (e *Entry) matches(tool string) bool {
	switch e.Mode {
	case Exact:
		return tool == e.pattern()
	case Prefix:
		return strings.HasPrefix(tool, e.pattern())
	}
	matched, _ := path.Match(e.pattern(), tool) // New found the pattern good
	return matched
}

// rank puts exact entries, whose patterns all have the length of the name, before the others.
func (e *Entry) rank() int { return int(min(e.Mode, Prefix)) }

// A ToolError is a failed call, as the caller recorded it.
type ToolError struct {
	ToolName string
	Text     string
}

// DefaultRecentToolErrorsLimit is how many errors are listed where the caller sets no limit.
const DefaultRecentToolErrorsLimit = 3

// Params are what [Resolve] decides by.
type Params struct {
	Registry         Registry
	ToolName         string
	RecentToolErrors []ToolError // of any tools, in the order in which they happened, the newest last

	// RecentToolErrorsLimit is how many errors of this tool are listed. 0: DefaultRecentToolErrorsLimit; less: none.
	RecentToolErrorsLimit int
}

// A Resolved is what applies to one tool.
type Resolved struct {
	ToolName string
	Text     string   // the texts and the list of errors, joined by blank lines; empty when nothing applies
	Entries  []Entry  // those that match, in the order of their texts
	Errors   []string // the errors listed, each on one line, the newest first

	// Sections are the same as Text, at most two: "guidance:TOOL", active, and "guidance:TOOL:errors", informational.
	// An agent that runs short of room forgets what went wrong before it forgets how the tool is used.
	Sections []composer.Section
}

// Resolve returns the guidance for one tool. All entries that match apply: exact ones first, then those with the longer
// pattern (in bytes; of a prefix without its "*"), equal ones in the order of the registry. Errors of the tool follow,
// the newest first, every line break in them a space.
func Resolve(p Params) Resolved {
	r := Resolved{ToolName: p.ToolName}
	for _, e := range p.Registry.entries {
		if e.matches(p.ToolName) {
			r.Entries = append(r.Entries, e)
		}
	}
	slices.SortStableFunc(r.Entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(len(b.pattern()), len(a.pattern())))
	})
	limit := cmp.Or(p.RecentToolErrorsLimit, DefaultRecentToolErrorsLimit)
	for _, e := range slices.Backward(p.RecentToolErrors) {
		if e.ToolName == p.ToolName && len(r.Errors) < limit {
			r.Errors = append(r.Errors, OneLine(e.Text))
		}
	}

	texts := make([]string, len(r.Entries))
	for i, e := range r.Entries {
		texts[i] = e.Text
	}
	if len(texts) > 0 {
		r.add("", strings.Join(texts, "\n\n"), tiers.Active)
	}
	if len(r.Errors) > 0 {
		r.add(":errors", "Recent errors of this tool, newest first:\n- "+strings.Join(r.Errors, "\n- "), tiers.Informational)
	}
	return r
}

func (r *Resolved) add(suffix, text string, tier tiers.Tier) {
	r.Sections = append(r.Sections, composer.Section{ID: "guidance:" + r.ToolName + suffix, Content: text, Tier: tier})
	if r.Text != "" {
		r.Text += "\n\n"
	}
	r.Text += text
}

// OneLine turns every line break, as Unicode counts them, into a space. Nothing else of the text changes.
func OneLine(text string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\v", " ", "\f", " ",
		"\u0085", " ", "\u2028", " ", "\u2029", " ").Replace(text)
}

// EstimateChars returns the size of the text in UTF-16 code units, the measure that budgets are in by default.
func EstimateChars(r Resolved) int64 { return measure.UTF16().Count(r.Text) }
