package promptfile

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/measure/bpe"
	"github.com/quirehq/quire/tiers"
)

// A field is a key that a mapping of a prompt file may have. The reader and the schema are both made from fields, so
// they cannot disagree.
type field[T any] struct {
	key    string
	doc    string // for the schema
	schema string // what a value has to be, as a JSON Schema without description
	read   func(d *decoder, n *node, into *T) error
}

// A prompt is what promptFields fill in.
type prompt struct {
	config      composer.Config
	sections    []section
	hasSections bool
}

// A section is what sectionFields fill in.
type section struct {
	composer.Section
	line            int
	hasText, isFile bool
	size, bytes     int64    // -1: not stated
	origins         []origin // of the content, and of each alternate
}

// An origin says where a text stands.
type origin struct {
	file    string // of its own; "": the prompt file
	line    int
	literal bool // its lines are those of the file, from the next one on
}

// from notes where the content of a section stands, or its next alternate.
func (s *section) from(content bool, at origin) {
	if s.origins == nil {
		s.origins = make([]origin, 1)
	}
	if content {
		s.origins[0] = at
	} else {
		s.origins = append(s.origins, at)
	}
}

const (
	schemaCount = `{"type":"integer","minimum":0,"maximum":9223372036854775807}`
	schemaText  = `{"type":"string"}`
)

var promptFields = sync.OnceValue(func() []field[prompt] {
	return []field[prompt]{
		{"budget", "The most that the sections may add up to, in the measure. Absent or null: no limit. by-depth gives a limit for an agent of depth 0, 1, 2 and so on; the last one holds for every deeper one.",
			`{"anyOf":[{"type":["integer","null"],"minimum":0,"maximum":9223372036854775807},` + schemaByDepth() + `]}`,
			func(d *decoder, n *node, p *prompt) (err error) {
				p.config.Budget, p.config.Resolver = tiers.Budget{}, nil
				if n.kind != mapping || d.outside {
					p.config.Budget, err = d.budget(n)
					return err
				}
				var limits []int64
				if err := decode(d, n, byDepthFields(), &limits); err != nil {
					return err
				}
				if limits == nil {
					return d.wrong(n, "want a non-negative integer, or {by-depth: [60000, 40000]}")
				}
				p.config.Resolver = tiers.ByDepth(limits...)
				return nil
			}},
		{"max-bytes", "A second limit, in bytes of UTF-8. Both have to hold. Absent or null: none.",
			`{"type":["integer","null"],"minimum":0,"maximum":9223372036854775807}`,
			func(d *decoder, n *node, p *prompt) (err error) { p.config.MaxBytes, err = d.budget(n); return err }},
		{"measure", "What budget and sizes are counted in. Absent: utf16, what JavaScript calls length.",
			enum(measureNames()),
			func(d *decoder, n *node, p *prompt) error {
				return choose(d, n, measureNames(), measureByName, &p.config.Measure)
			}},
		{"gate", "What is charged when. Absent: published. reserved keeps within the budget whenever core fits it.",
			enum(gateNames()),
			func(d *decoder, n *node, p *prompt) error {
				return choose(d, n, gateNames(), tiers.ParseGate, &p.config.Gate)
			}},
		{"active-fraction", "The share of what core leaves that active sections may fill: a decimal with at most 18 digits after the point. Absent: 0.95.",
			`{"type":"number","minimum":0,"maximum":1}`,
			func(d *decoder, n *node, p *prompt) (err error) {
				p.config.ActiveFraction, err = d.fraction(n)
				return err
			}},
		{"tail-reserve", "Gate prefix-stable: what the sections up to the last breakpoint leave for those behind it. Absent: 0.",
			schemaCount,
			func(d *decoder, n *node, p *prompt) (err error) {
				p.config.TailReserve, err = d.integer(n, 0, math.MaxInt64)
				return err
			}},
		{"join", "What stands between two sections. Absent: blank-line.",
			enum(joinNames()),
			func(d *decoder, n *node, p *prompt) error {
				return choose(d, n, joinNames(), composer.ParseJoin, &p.config.Join)
			}},
		{"depth", "How deep the agent stands below the main one, for by-depth. Absent: 0.",
			`{"type":"integer","minimum":0,"maximum":2147483647}`,
			func(d *decoder, n *node, p *prompt) error {
				depth, err := d.integer(n, 0, math.MaxInt32)
				p.config.Depth = int(depth)
				return err
			}},
		{"role", "The agent's role.", schemaText,
			func(d *decoder, n *node, p *prompt) (err error) { p.config.Role, err = d.text(n); return err }},
		{"sections", "The candidates, in the order in which they are emitted.",
			`{"type":"array","items":{"$ref":"#/$defs/section"}}`,
			func(d *decoder, n *node, p *prompt) error {
				if n.kind != sequence {
					return d.wrong(n, "want a list of sections")
				}
				p.hasSections = true
				d.path = make([]string, 0, 4) // the section's own name is enough
				p.sections = make([]section, len(n.items))
				for i := range n.items {
					if err := d.section(&n.items[i], i, &p.sections[i]); err != nil {
						return err
					}
				}
				return nil
			}},
	}
})

var byDepthFields = sync.OnceValue(func() []field[[]int64] {
	return []field[[]int64]{
		{"by-depth", "The limits for depth 0, 1, 2 and so on.",
			`{"type":"array","minItems":1,"items":` + schemaCount + `}`,
			func(d *decoder, n *node, limits *[]int64) error {
				if n.kind != sequence || len(n.items) == 0 {
					return d.wrong(n, "want a list of non-negative integers, for depth 0, 1, 2 and so on")
				}
				for i := range n.items {
					limit, err := d.integer(&n.items[i], 0, math.MaxInt64)
					if err != nil {
						return err
					}
					*limits = append(*limits, limit)
				}
				return nil
			}},
	}
})

var sectionFields = sync.OnceValue(func() []field[section] {
	return []field[section]{
		{"id", "Its name, unique in the prompt.", `{"type":"string","minLength":1}`,
			func(d *decoder, n *node, s *section) (err error) {
				if s.ID, err = d.text(n); err == nil && s.ID == "" {
					err = d.wrong(n, "want a name, unique in the prompt")
				}
				return err
			}},
		{"tier", "core is never dropped, active fits below the ceiling, informational within the budget. Absent: core.",
			enum(tierNames()),
			func(d *decoder, n *node, s *section) error {
				return choose(d, n, tierNames(), tiers.ParseTier, &s.Tier)
			}},
		{"text", "The content. It is never trimmed.", schemaText,
			func(d *decoder, n *node, s *section) (err error) {
				s.hasText = true
				s.from(true, origin{line: n.line, literal: n.literal})
				s.Content, err = d.text(n)
				return err
			}},
		{"file", "A file with the content, in UTF-8, relative to the prompt file and with / between folders. Its bytes are used as they are.", `{"type":"string","minLength":1}`,
			func(d *decoder, n *node, s *section) (err error) {
				s.isFile = true
				s.from(true, origin{file: n.text, line: n.line})
				s.Content, err = d.file(n)
				return err
			}},
		{"alternates", "Shorter forms, tried in order where the content does not fit.", `{"type":"array","items":` + schemaText + `}`,
			func(d *decoder, n *node, s *section) error {
				if n.kind != sequence {
					return d.wrong(n, "want a list of texts")
				}
				for i := range n.items {
					alternate, err := d.text(&n.items[i])
					if err != nil {
						return err
					}
					s.Alternates = append(s.Alternates, alternate)
					s.from(false, origin{line: n.items[i].line, literal: n.items[i].literal})
				}
				return nil
			}},
		{"breakpoint", "Whether a cacheable prefix ends after this section. Absent: false.", `{"type":"boolean"}`,
			func(d *decoder, n *node, s *section) (err error) { s.Breakpoint, err = d.boolean(n); return err }},
		{"priority", "The higher is offered room first; equal ones in order. Absent: 0.", `{"type":"integer","minimum":-2147483648,"maximum":2147483647}`,
			func(d *decoder, n *node, s *section) error {
				priority, err := d.integer(n, math.MinInt32, math.MaxInt32)
				s.Priority = int(priority)
				return err
			}},
		{"chain", "Once one section of a chain is refused or shortened, all that are offered later in it are refused.", schemaText,
			func(d *decoder, n *node, s *section) (err error) { s.Chain, err = d.text(n); return err }},
		{"group", "The sections of a group are admitted together or not at all.", schemaText,
			func(d *decoder, n *node, s *section) (err error) { s.Group, err = d.text(n); return err }},
		{"size", "Its size in the measure, trusted instead of counted. Absent: counted.", schemaCount,
			func(d *decoder, n *node, s *section) (err error) {
				s.size, err = d.integer(n, 0, math.MaxInt64)
				return err
			}},
		{"bytes", "Its size in bytes of UTF-8, trusted instead of counted. Absent: counted.", schemaCount,
			func(d *decoder, n *node, s *section) (err error) {
				s.bytes, err = d.integer(n, 0, math.MaxInt64)
				return err
			}},
	}
})

// section decodes one element of sections.
func (d *decoder) section(n *node, index int, s *section) error {
	s.line, s.size, s.bytes = n.line, -1, -1
	label := ""
	for i := range n.keys {
		if n.keys[i].text == "id" && (n.items[i].kind == text || n.items[i].kind == plain) {
			label = "section " + quoted(n.items[i].text)
			break
		}
	}
	if label == "" {
		label = fmt.Sprintf("section %d", index+1)
	}
	if n.kind != mapping {
		return d.fail(n.line, label+" is "+n.String(), "want a mapping with id and text")
	}
	return d.within(label, func() error {
		if err := decode(d, n, sectionFields(), s); err != nil {
			return err
		}
		switch {
		case s.ID == "":
			return d.fail(n.line, label+" has no id", "want a name, unique in the prompt")
		case s.hasText && s.isFile:
			return d.fail(n.line, label+" has a text and a file", "want one of them")
		case !s.hasText && !s.isFile:
			return d.fail(n.line, label+" has neither text nor file", `want one of them; text: "" is an empty section`)
		}
		return nil
	})
}

// The names of the enumerations.
var (
	measureNames = sync.OnceValue(bpe.Names)
	gateNames    = sync.OnceValue(func() []string { return namesOf(tiers.ParseGate) })
	joinNames    = sync.OnceValue(func() []string { return namesOf(composer.ParseJoin) })
	tierNames    = sync.OnceValue(func() []string { return namesOf(tiers.ParseTier) })
)

func measureByName(name string) (measure.Measure, error) {
	m, known := bpe.ByName(name)
	if !known {
		return m, fmt.Errorf("unknown measure %q", name)
	}
	return m, nil
}

// namesOf lists the names of an enumeration whose values count from 0.
func namesOf[T interface {
	~uint8
	fmt.Stringer
}](parse func(string) (T, error)) []string {
	var names []string
	for v := T(0); ; v++ {
		name := v.String()
		if _, err := parse(name); err != nil {
			return names
		}
		names = append(names, name)
	}
}

func enum(names []string) string { return `{"enum":["` + strings.Join(names, `","`) + `"]}` }

// choose reads one of the names.
func choose[T any](d *decoder, n *node, names []string, parse func(string) (T, error), into *T) error {
	if n.kind != plain && n.kind != text {
		return d.wrong(n, "want "+oneOf(names))
	}
	if !slices.Contains(names, n.text) {
		want := "want " + oneOf(names)
		if nearest := nearestTo(n.text, names); nearest != "" {
			want += "; did you mean " + nearest + "?"
		}
		return d.wrong(n, want)
	}
	value, err := parse(n.text)
	if err != nil {
		return d.wrong(n, err.Error())
	}
	*into = value
	return nil
}

func oneOf(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
