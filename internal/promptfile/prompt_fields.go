package promptfile

import (
	"fmt"
	"math"
	"sync"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/measure/bpe"
	"github.com/quirehq/quire/tiers"
)

// A prompt is what promptFields fill in.
type prompt struct {
	config      composer.Config
	sections    []section
	hasSections bool
}

// A section is what sectionFields fill in.
type section struct {
	composer.Section
	line              int
	hasContent        bool
	hasSize, hasBytes bool
	size, bytes       int64
	origins           []origin // of the content, and of each alternate
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
		{key: "budget", doc: "The most that the sections may add up to, in the measure. Absent or null: no limit. by-depth gives a limit for an agent of depth 0, 1, 2 and so on; the last one holds for every deeper one.",
			schema: `{"anyOf":[{"type":["integer","null"],"minimum":0,"maximum":9223372036854775807},` + schemaByDepth() + `]}`,
			read: func(d *decoder, n *node, p *prompt) (err error) {
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
		{key: "max-bytes", doc: "A second limit, in bytes of UTF-8. Both have to hold. Absent or null: none.",
			schema: `{"type":["integer","null"],"minimum":0,"maximum":9223372036854775807}`,
			read:   func(d *decoder, n *node, p *prompt) (err error) { p.config.MaxBytes, err = d.budget(n); return err }},
		{key: "measure", doc: "What budget and sizes are counted in. Absent: utf16, what JavaScript calls length.",
			schema: enum(measureNames()),
			read: func(d *decoder, n *node, p *prompt) error {
				return choose(d, n, measureNames(), measureByName, &p.config.Measure)
			}},
		{key: "gate", doc: "What is charged when. Absent: published. reserved keeps within the budget whenever core fits it.",
			schema: enum(gateNames()),
			read: func(d *decoder, n *node, p *prompt) error {
				return choose(d, n, gateNames(), tiers.ParseGate, &p.config.Gate)
			}},
		{key: "active-fraction", doc: "The share of what core leaves that active sections may fill: a decimal with at most 18 digits after the point. Absent: 0.95.",
			schema: `{"type":"number","minimum":0,"maximum":1}`,
			read: func(d *decoder, n *node, p *prompt) (err error) {
				p.config.ActiveFraction, err = d.fraction(n)
				return err
			}},
		{key: "tail-reserve", doc: "Gate prefix-stable: what the sections up to the last breakpoint leave for those behind it. Absent: 0.",
			schema: schemaCount,
			read: func(d *decoder, n *node, p *prompt) (err error) {
				p.config.TailReserve, err = d.integer(n, 0, math.MaxInt64)
				return err
			}},
		{key: "join", doc: "What stands between two sections. Absent: blank-line.",
			schema: enum(joinNames()),
			read: func(d *decoder, n *node, p *prompt) error {
				return choose(d, n, joinNames(), composer.ParseJoin, &p.config.Join)
			}},
		{key: "depth", doc: "How deep the agent stands below the main one, for by-depth. Absent: 0.",
			schema: `{"type":"integer","minimum":0,"maximum":2147483647}`,
			read: func(d *decoder, n *node, p *prompt) error {
				depth, err := d.integer(n, 0, math.MaxInt32)
				p.config.Depth = int(depth)
				return err
			}},
		{key: "role", doc: "The agent's role.", schema: schemaText,
			read: func(d *decoder, n *node, p *prompt) (err error) { p.config.Role, err = d.text(n); return err }},
		{key: "sections", doc: "The candidates, in the order in which they are emitted.",
			schema: `{"type":"array","items":{"$ref":"#/$defs/section"}}`,
			read: func(d *decoder, n *node, p *prompt) error {
				p.hasSections = true
				return list(d, n, "section", &p.sections, sectionFields(), func(s *section, label string, line int) error {
					s.line = line
					return s.complete(d, label, line)
				})
			}},
	}
})

var byDepthFields = sync.OnceValue(func() []field[[]int64] {
	return []field[[]int64]{
		{key: "by-depth", doc: "The limits for depth 0, 1, 2 and so on.",
			schema: `{"type":"array","minItems":1,"items":` + schemaCount + `}`,
			read: func(d *decoder, n *node, limits *[]int64) error {
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
		{key: "id", doc: "Its name, unique in the prompt.", schema: `{"type":"string","minLength":1}`,
			read: func(d *decoder, n *node, s *section) (err error) {
				if s.ID, err = d.text(n); err == nil && s.ID == "" {
					err = d.wrong(n, "want a name, unique in the prompt")
				}
				return err
			}},
		{key: "tier", doc: "core is never dropped, active fits below the ceiling, informational within the budget. Absent: core.",
			schema: enum(tierNames()),
			read: func(d *decoder, n *node, s *section) error {
				return choose(d, n, tierNames(), tiers.ParseTier, &s.Tier)
			}},
		{key: "text", doc: "The content. It is never trimmed.", schema: schemaText,
			read: func(d *decoder, n *node, s *section) (err error) {
				s.hasContent = true
				s.from(true, origin{line: n.line, literal: n.literal})
				s.Content, err = d.text(n)
				return err
			}},
		{key: "file", not: "text", doc: "A file with the content, in UTF-8, relative to the prompt file and with / between folders. Its bytes are used as they are.", schema: `{"type":"string","minLength":1}`,
			read: func(d *decoder, n *node, s *section) (err error) {
				s.hasContent = true
				s.from(true, origin{file: n.text, line: n.line})
				s.Content, err = d.file(n)
				return err
			}},
		{key: "alternates", doc: "Shorter forms, tried in order where the content does not fit.", schema: `{"type":"array","items":` + schemaText + `}`,
			read: func(d *decoder, n *node, s *section) error {
				var err error
				s.Alternates, err = d.texts(n)
				for i := range n.items {
					s.from(false, origin{line: n.items[i].line, literal: n.items[i].literal})
				}
				return err
			}},
		{key: "breakpoint", doc: "Whether a cacheable prefix ends after this section. Absent: false.", schema: `{"type":"boolean"}`,
			read: func(d *decoder, n *node, s *section) (err error) { s.Breakpoint, err = d.boolean(n); return err }},
		{key: "priority", doc: "The higher is offered room first; equal ones in order. Absent: 0.", schema: `{"type":"integer","minimum":-2147483648,"maximum":2147483647}`,
			read: func(d *decoder, n *node, s *section) error {
				priority, err := d.integer(n, math.MinInt32, math.MaxInt32)
				s.Priority = int(priority)
				return err
			}},
		{key: "chain", doc: "Once one section of a chain is refused or shortened, all that are offered later in it are refused.", schema: schemaText,
			read: func(d *decoder, n *node, s *section) (err error) { s.Chain, err = d.text(n); return err }},
		{key: "group", doc: "The sections of a group are admitted together or not at all.", schema: schemaText,
			read: func(d *decoder, n *node, s *section) (err error) { s.Group, err = d.text(n); return err }},
		{key: "size", doc: "Its size in the measure, trusted instead of counted. Absent: counted.", schema: schemaCount,
			read: func(d *decoder, n *node, s *section) (err error) {
				s.hasSize = true
				s.size, err = d.integer(n, 0, math.MaxInt64)
				return err
			}},
		{key: "bytes", doc: "Its size in bytes of UTF-8, trusted instead of counted. Absent: counted.", schema: schemaCount,
			read: func(d *decoder, n *node, s *section) (err error) {
				s.hasBytes = true
				s.bytes, err = d.integer(n, 0, math.MaxInt64)
				return err
			}},
	}
})

// complete refuses a section without content.
func (s *section) complete(d *decoder, label string, line int) error {
	if !s.hasContent {
		return d.fail(line, label+" has neither text nor file", `want one of them; text: "" is an empty section`)
	}
	return nil
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
