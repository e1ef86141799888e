package fragments

import (
	"fmt"
	"slices"
	"sync"

	"github.com/quirehq/quire/fragments/template"
)

// Options are what a registry is made with. The zero value opens with [DefaultIdentity] and an empty persona, and has
// all tools in the order of their names.
type Options struct {
	Identity   string // the text of [IdentitySection]; "": DefaultIdentity
	NoIdentity bool   // leaves that section out, and its name free
	Persona    string // the text of [PersonaSection]; a scoped section of that name shadows it

	// ToolOrder is the order of tools by name, with [UnlistedTools] exactly once. Nil: all by name.
	ToolOrder []string
}

// A VariableProvider gives the value of a variable to one assembly. With ok false the variable has none this time, and
// a reference to it is an error.
type VariableProvider func(AssembleContext) (value string, ok bool, err error)

// StaticValue returns a provider that always gives this value.
func StaticValue(value string) VariableProvider {
	return func(AssembleContext) (string, bool, error) { return value, true, nil }
}

// A Transform changes an assembly before it is returned. It may change whatever the assembly holds; the slices and the
// map are the assembly's own. An error fails the assembly.
type Transform func(AssembleContext, *Assembly) error

// A Change is a registration or a removal.
type Change struct {
	Kind    Kind
	Name    string
	Owner   string
	Scope   Scope
	Removed bool
}

// A Registry holds what owners contribute. It is made by [New] and safe for concurrent use. Several values made by
// [Registry.As] are the same registry under different owners' names.
type Registry struct {
	owner string
	state *state
}

type state struct {
	order toolOrder

	mu        sync.Mutex
	layers    map[Scope]*layer
	views     map[Scope]*view // what a scope sees, made when it is first asked for; all are dropped by a change
	listeners []*func(Change)
}

// A layer holds what was registered in one scope, by name.
type layer [kinds]map[string]*entry

// An entry is one registration. It does not change.
type entry struct {
	kind  Kind
	name  string
	owner string
	scope Scope
	order int
	rank  int // tells apart what has the same order: core templates stand in list order, before the name is asked
	conditions

	// One of these is set, by kind.
	section   Section
	variable  VariableProvider
	tools     ToolProvider
	transform Transform
}

// New returns a registry with the sections that it opens with: [IdentitySection] and [PersonaSection]. A tool order that
// has not exactly one rest entry, or a name twice, is an error.
func New(opts Options) (*Registry, error) {
	order, err := newToolOrder(opts.ToolOrder)
	if err != nil {
		return nil, err
	}
	r := &Registry{"quire", &state{order: order, layers: map[Scope]*layer{}, views: map[Scope]*view{}}}
	openers := []Contribution{AddSection(Section{Name: PersonaSection, Order: OrderPersona, Text: opts.Persona})}
	if !opts.NoIdentity {
		identity := opts.Identity
		if identity == "" {
			identity = DefaultIdentity
		}
		openers = append(openers, AddSection(Section{Name: IdentitySection, Order: OrderIdentity, Text: identity}))
	}
	if _, err := r.Contribute(Scope{}, openers...); err != nil {
		return nil, err
	}
	return r.As("host"), nil
}

// As returns the same registry for another owner, whose name stands in errors and in changes. It decides nothing else.
func (r *Registry) As(owner string) *Registry { return &Registry{owner, r.state} }

// Section registers a section. Remove takes it away again and may be called more than once.
//
// It is an error when the layer has a section of that name ([ErrDuplicateName], which names both owners), when a scoped
// section would shadow a global owner-final one ([ErrOwnerFinal], whichever of the two came first), and when the name
// is empty or a text is not UTF-8.
func (r *Registry) Section(scope Scope, s Section) (remove func(), err error) {
	return r.Contribute(scope, AddSection(s))
}

// Tools registers a provider of tools. The name is the provider's, not a tool's: it tells providers apart and puts them
// in order.
func (r *Registry) Tools(scope Scope, name string, provider ToolProvider) (remove func(), err error) {
	return r.Contribute(scope, AddTools(name, provider))
}

// Variable registers a variable, which texts refer to as {{name}}. A name that no reference can have (see
// template.ValidName) is an error.
func (r *Registry) Variable(scope Scope, name string, provider VariableProvider) (remove func(), err error) {
	return r.Contribute(scope, AddVariable(name, provider))
}

// Transform registers a transform. All transforms that a scope sees run, in ascending order, equal ones by name, equal
// names from the global layer to the nearest.
func (r *Registry) Transform(scope Scope, order int, name string, fn Transform) (remove func(), err error) {
	return r.Contribute(scope, AddTransform(order, name, fn))
}

// Contribute registers all contributions in a scope, or none: the first error undoes what went before. Remove takes all
// of them away.
func (r *Registry) Contribute(scope Scope, contributions ...Contribution) (remove func(), err error) {
	entries := make([]*entry, len(contributions))
	for i, c := range contributions {
		e := c.entry
		e.owner, e.scope = r.owner, scope
		err := c.err
		if err == nil {
			err = e.check()
		}
		if err != nil {
			return nil, e.fail(err)
		}
		entries[i] = &e
	}

	s := r.state
	s.mu.Lock()
	for i, e := range entries {
		if err := s.add(e); err != nil {
			for _, undo := range entries[:i] {
				s.drop(undo)
			}
			s.mu.Unlock()
			return nil, e.fail(err)
		}
	}
	listeners := s.changed()
	s.mu.Unlock()
	notify(listeners, entries, false)

	return func() {
		s.mu.Lock()
		removed := slices.DeleteFunc(slices.Clone(entries), func(e *entry) bool { return !s.drop(e) })
		var listeners []*func(Change)
		if len(removed) > 0 {
			listeners = s.changed()
		}
		s.mu.Unlock()
		notify(listeners, removed, true)
	}, nil
}

// OnChange has fn called after every registration and removal, in every scope, by the goroutine that made it. No lock is
// held then: fn may use the registry.
func (r *Registry) OnChange(fn func(Change)) (remove func()) {
	s, listener := r.state, &fn
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(slices.Clone(s.listeners), listener)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.listeners = slices.DeleteFunc(slices.Clone(s.listeners), func(l *func(Change)) bool { return l == listener })
	}
}

func notify(listeners []*func(Change), entries []*entry, removed bool) {
	for _, e := range entries {
		for _, listener := range listeners {
			(*listener)(Change{e.kind, e.name, e.owner, e.scope, removed})
		}
	}
}

// changed drops what was made of the layers before, and returns whom to tell.
func (s *state) changed() []*func(Change) {
	clear(s.views)
	return s.listeners
}

func (s *state) add(e *entry) error {
	if other := s.find(e.scope, e.kind, e.name); other != nil {
		return fmt.Errorf("%w: %q has it already", ErrDuplicateName, other.owner)
	}
	if e.kind == KindSection {
		if err := s.checkFinal(e); err != nil {
			return err
		}
	}
	l := s.layers[e.scope]
	if l == nil {
		l = new(layer)
		s.layers[e.scope] = l
	}
	if l[e.kind] == nil {
		l[e.kind] = map[string]*entry{}
	}
	l[e.kind][e.name] = e
	return nil
}

// find returns what a layer has under a name, or nil.
func (s *state) find(scope Scope, kind Kind, name string) *entry {
	if l := s.layers[scope]; l != nil {
		return l[kind][name]
	}
	return nil
}

// checkFinal refuses a section of a name that is final in the global layer, or would be while a scope has it.
func (s *state) checkFinal(e *entry) error {
	var global Scope
	if e.scope != global {
		if reserved := s.find(global, KindSection, e.name); reserved != nil && reserved.section.OwnerFinal {
			return fmt.Errorf("%w: it is %q's", ErrOwnerFinal, reserved.owner)
		}
		return nil
	}
	if !e.section.OwnerFinal {
		return nil
	}
	var nearest *entry
	for _, l := range s.layers { // the least scope is told, in whatever order they come
		if other := l[KindSection][e.name]; other != nil && (nearest == nil || other.scope.path < nearest.scope.path) {
			nearest = other
		}
	}
	if nearest == nil {
		return nil
	}
	return fmt.Errorf("%w: %q has one in scope %v", ErrOwnerFinal, nearest.owner, nearest.scope)
}

// drop takes an entry away and reports whether it was there.
func (s *state) drop(e *entry) bool {
	if s.find(e.scope, e.kind, e.name) != e {
		return false
	}
	l := s.layers[e.scope]
	delete(l[e.kind], e.name)
	if !slices.ContainsFunc(l[:], func(names map[string]*entry) bool { return len(names) > 0 }) {
		delete(s.layers, e.scope) // scopes come and go with sessions
	}
	return true
}

func (e *entry) fail(err error) error { return &Error{e.kind, e.name, e.owner, e.scope, err} }

// check refuses what could not be named, referred to or called.
func (e *entry) check() error {
	if e.name == "" {
		return fmt.Errorf("%w: it is empty", ErrName)
	}
	if err := checkUTF8("name", e.name); err != nil {
		return err
	}
	switch {
	case e.kind == KindSection:
		if err := e.section.check(); err != nil {
			return err
		}
	case e.variable == nil && e.tools == nil && e.transform == nil:
		return fmt.Errorf("%w: %v without a function", ErrIncomplete, e.kind)
	case e.kind == KindVariable && !template.ValidName(e.name):
		return fmt.Errorf("%w: want one of a-z, 0-9 and _ that begins with a letter", ErrName)
	}
	return e.conditions.check()
}
