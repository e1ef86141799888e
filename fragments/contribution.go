package fragments

import (
	"fmt"
	"slices"
	"strings"
)

// A Mode says how a contribution of text relates to what is there.
type Mode uint8

// The modes.
const (
	ModeAppend  Mode = 0 // after the rest, at [OrderAppend]
	ModePrepend Mode = 1 // ahead of the persona, at [OrderPrepend]
	ModeReplace Mode = 2 // in the place of a core template, at [OrderCore]
)

var modeNames = []string{"append", "prepend", "replace"}

// String returns the mode's name as registry files spell it.
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
	return 0, fmt.Errorf("fragments: unknown mode %q; want %s", name, strings.Join(modeNames, ", "))
}

// A Contribution is something that can be registered. It is made by a constructor, bound to a scope and an owner when it
// is registered ([Registry.Contribute], [Plugin.Register]), and may be registered more than once.
type Contribution struct {
	entry entry
	err   error // what was wrong with the arguments; told when it is registered
}

// AddSection contributes a section as it is.
func AddSection(s Section) Contribution {
	s.Alternates = slices.Clone(s.Alternates)
	return Contribution{entry: entry{kind: KindSection, name: s.Name, order: s.Order, rank: coreRank(s.Name), section: s}}
}

// AddVariable contributes a variable.
func AddVariable(name string, provider VariableProvider) Contribution {
	return Contribution{entry: entry{kind: KindVariable, name: name, variable: provider}}
}

// AddTools contributes a provider of tools.
func AddTools(name string, provider ToolProvider) Contribution {
	return Contribution{entry: entry{kind: KindTools, name: name, tools: provider}}
}

// AddTransform contributes a transform.
func AddTransform(order int, name string, fn Transform) Contribution {
	return Contribution{entry: entry{kind: KindTransform, name: name, order: order, transform: fn}}
}

// Contribute returns the contribution of a section under a mode: at the mode's default order, whatever s.Order is. With
// [ModeReplace] the name must be one of [CoreTemplateIDs]; another is an [ErrUnknownCore] that suggests the nearest.
func Contribute(mode Mode, s Section) Contribution {
	var err error
	switch mode {
	case ModeAppend:
		s.Order = OrderAppend
	case ModePrepend:
		s.Order = OrderPrepend
	case ModeReplace:
		s.Order = OrderCore
		if coreRank(s.Name) == 0 {
			err = fmt.Errorf("%w %q; the nearest is %q", ErrUnknownCore, s.Name, nearestCoreTemplate(s.Name))
		}
	default:
		err = fmt.Errorf("unknown %v", mode)
	}
	c := AddSection(s)
	c.err = err
	return c
}

// Append contributes text after all that has no greater order.
func Append(name, text string) Contribution {
	return Contribute(ModeAppend, Section{Name: name, Text: text})
}

// PrependPersona contributes text ahead of the persona.
func PrependPersona(name, text string) Contribution {
	return Contribute(ModePrepend, Section{Name: name, Text: text})
}

// ReplaceCore contributes the text of a core template, which is composed only because of that.
func ReplaceCore(id, text string) Contribution {
	return Contribute(ModeReplace, Section{Name: id, Text: text})
}

// A Match says which assemble contexts a contribution is for. An empty field matches any.
type Match struct{ Channel, Tenant, Role string }

// Matches reports whether the context is one of them.
func (m Match) Matches(ctx AssembleContext) bool {
	return (m.Channel == "" || m.Channel == ctx.Channel) &&
		(m.Tenant == "" || m.Tenant == ctx.Tenant) &&
		(m.Role == "" || m.Role == ctx.Role)
}

// Scoped returns the contribution limited to the contexts that match. In others it is not there at all: what it would
// shadow is seen.
func Scoped(match Match, c Contribution) Contribution {
	return Gated(match.Matches, c)
}

// Gated returns the contribution limited to the assemblies for which when returns true. It is asked at most once an
// assembly, before any provider; gates around a gate are asked first, and one that says no ends the asking.
func Gated(when func(AssembleContext) bool, c Contribution) Contribution {
	c.entry.conditions = append(conditions{when}, c.entry.conditions...)
	return c
}

// conditions must all hold for an entry to be there.
type conditions []func(AssembleContext) bool

func (cs conditions) hold(ctx AssembleContext) bool {
	for _, holds := range cs {
		if !holds(ctx) {
			return false
		}
	}
	return true
}

func (cs conditions) check() error {
	for _, c := range cs {
		if c == nil {
			return fmt.Errorf("%w: a gate without a function", ErrIncomplete)
		}
	}
	return nil
}

// A Plugin is a list of contributions of one owner.
type Plugin struct {
	name          string
	contributions []Contribution
}

// NewPlugin returns a plugin. Its name is the owner of what it contributes. The order of the list decides nothing.
func NewPlugin(name string, contributions ...Contribution) Plugin {
	return Plugin{name, slices.Clone(contributions)}
}

// Register registers all that the plugin contributes, or nothing. Remove takes all of it away.
func (p Plugin) Register(r *Registry, scope Scope) (remove func(), err error) {
	return r.As(p.name).Contribute(scope, p.contributions...)
}
