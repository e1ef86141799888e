package messages

import (
	"slices"
	"strings"
)

// A Source says who contributes to a system prompt. Any other name is one more source, between packages and the
// application.
type Source string

// The sources, in the order in which they contribute.
const (
	SourceUser    Source = "user"
	SourcePackage Source = "package"
	SourceApp     Source = "app"
	SourceRun     Source = "run"
)

// rank returns the place of the source in the order.
func (s Source) rank() int {
	switch s {
	case SourceUser:
		return 0
	case SourcePackage:
		return 1
	case SourceApp:
		return 3
	case SourceRun:
		return 4
	}
	return 2
}

// A Mode says what a contribution does to what is there before it.
type Mode string

// The modes. The zero value appends.
const (
	Append  Mode = "append"
	Prepend Mode = "prepend"
	Replace Mode = "replace"
	Disable Mode = "disable" // clears everything before it; its text means nothing
)

// A Contribution is one layer of a system prompt. One with an empty text does nothing, unless it disables.
type Contribution struct {
	Source Source
	Mode   Mode
	Text   string
}

// ComposeSystem makes a system prompt of layers: the base, then the contributions by source (user, package, all others,
// app, run), those of one source as given. The texts are joined by a blank line, the empty ones left out.
func ComposeSystem(base []string, contributions []Contribution) string {
	layers := slices.Clone(base)
	ordered := slices.Clone(contributions)
	slices.SortStableFunc(ordered, func(a, b Contribution) int { return a.Source.rank() - b.Source.rank() })
	for _, c := range ordered {
		switch {
		case c.Mode == Disable:
			layers = nil
		case c.Text == "":
		case c.Mode == Replace:
			layers = []string{c.Text}
		case c.Mode == Prepend:
			layers = slices.Insert(layers, 0, c.Text)
		default:
			layers = append(layers, c.Text)
		}
	}
	return strings.Join(slices.DeleteFunc(layers, func(text string) bool { return text == "" }), "\n\n")
}
