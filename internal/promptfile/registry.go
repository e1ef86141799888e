package promptfile

import (
	"errors"
	"fmt"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/fragments/template"
	"github.com/quirehq/quire/internal/wellformed"
)

// A RegistryDocument is a registry file that was read: what is registered, and the configuration under which an assembly
// is composed.
type RegistryDocument struct {
	Name     string // of the source, as it was given to [ReadRegistry]
	Registry *fragments.Registry
	Config   composer.Config

	scopes    map[string]fragments.Scope // by name; the global one has none
	lines     map[place]int
	texts     map[place][]origin // of sections
	toolOrder int                // its line
}

// A place is what a line of the file registers. Two scopes may have the same name for different things.
type place struct {
	kind  fragments.Kind
	name  string
	scope fragments.Scope
}

// RegistryOptions say how a registry file is read.
type RegistryOptions struct {
	// Options are those of prompt files: Set replaces keys of the configuration.
	Options

	// Variables replace values: of every variable of that name, in whatever scope it is, or of a new global one.
	Variables []Setting
}

// ReadRegistry reads a registry file, of at most [MaxSource] bytes and of one document, and registers what it holds.
// Every error is an [Error].
func ReadRegistry(src []byte, name string, opts RegistryOptions) (*RegistryDocument, error) {
	s := newSource(src, name, form{"registry", "keys such as sections and variables"}, opts.Line)
	root, err := s.document(opts.JSON)
	if err != nil {
		return nil, err
	}
	d := decoder{source: s, files: files{open: opts.Open}}
	var r registry
	if err := decode(&d, root, registryFields(), &r); err != nil {
		return nil, err
	}
	if err := apply(opts.Set, configFields(), &r); err != nil {
		return nil, err
	}
	if err := r.setVariables(opts.Variables); err != nil {
		return nil, err
	}
	return d.register(&r)
}

// owners yields the file, and then the plugins.
func (r *registry) owners() iter.Seq[*owned] {
	return func(yield func(*owned) bool) {
		if !yield(&r.owned) {
			return
		}
		for i := range r.plugins {
			if !yield(&r.plugins[i]) {
				return
			}
		}
	}
}

// setVariables puts values in the place of those in the file.
func (r *registry) setVariables(variables []Setting) error {
	for _, set := range variables {
		if !template.ValidName(set.Key) {
			return &Error{File: set.Origin, What: quoted(set.Key) + " is no name of a variable", Want: "want a-z, 0-9 and _, beginning with a letter"}
		}
		if offset := wellformed.Invalid(set.Value); offset >= 0 {
			return &Error{File: set.Origin, What: fmt.Sprintf("%s has invalid UTF-8 at byte %d", set.Key, offset), Want: "want a text in UTF-8"}
		}
		found := false
		for owner := range r.owners() {
			for i := range owner.variables {
				if v := &owner.variables[i]; v.name == set.Key {
					v.value, v.hasValue, found = set.Value, true, true
				}
			}
		}
		if !found {
			r.variables = append(r.variables, variable{item: item{name: set.Key}, value: set.Value, hasValue: true})
		}
	}
	return nil
}

// register makes the registry and fills it, in the order of the file.
func (d *decoder) register(r *registry) (*RegistryDocument, error) {
	made, err := fragments.New(r.options)
	if err != nil {
		return nil, d.fail(r.toolOrderLine, strings.TrimPrefix(err.Error(), "fragments: "), "")
	}
	doc := &RegistryDocument{Name: d.name, Registry: made.As("the file"), Config: r.config,
		scopes: map[string]fragments.Scope{"": {}}, lines: map[place]int{}, texts: map[place][]origin{}, toolOrder: r.toolOrderLine}
	for name, line := range r.openers { // from a map into a map: no order shows
		doc.lines[place{kind: fragments.KindSection, name: name}] = line
	}
	for _, s := range r.scopes {
		parent, declared := doc.scopes[s.parent]
		if !declared {
			return nil, d.fail(s.line, "the parent of scope "+quoted(s.name)+" is "+quoted(s.parent), doc.wantScope(s.parent, "declared before it"))
		}
		if _, twice := doc.scopes[s.name]; twice {
			return nil, d.fail(s.line, "the scope "+quoted(s.name)+" is declared twice", "want a name for each")
		}
		doc.scopes[s.name] = parent.Child(s.name)
	}
	for owner := range r.owners() {
		if err := doc.add(d, owner); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// add registers what one owner has: piece by piece for the file itself, all or nothing for a plugin.
func (doc *RegistryDocument) add(d *decoder, owner *owned) error {
	var contributions []fragments.Contribution // of a plugin, which has one scope
	put := func(kind fragments.Kind, it item, c fragments.Contribution) error {
		name := it.scope
		if owner.plugin != "" {
			name = owner.scope
		}
		scope, declared := doc.scopes[name]
		if !declared {
			return d.fail(it.line, fmt.Sprintf("%v %s is in the scope %s", kind, quoted(it.name), quoted(name)), doc.wantScope(name, "declared under scopes"))
		}
		if it.match != (fragments.Match{}) {
			c = fragments.Scoped(it.match, c)
		}
		at := place{kind, it.name, scope}
		if line, taken := doc.lines[at]; taken {
			return d.fail(it.line, fmt.Sprintf("%v %s: %v", kind, quoted(it.name), fragments.ErrDuplicateName),
				fmt.Sprintf("it is at line %d already, and a scope has a name once", line))
		}
		doc.lines[at] = it.line
		if owner.plugin != "" {
			contributions = append(contributions, c)
			return nil
		}
		_, err := doc.Registry.Contribute(scope, c)
		return doc.Locate(err)
	}
	for _, s := range owner.sections {
		c := fragments.AddSection(s.registered())
		if s.hasMode {
			c = fragments.Contribute(s.mode, s.registered())
		}
		scope := s.scope
		if owner.plugin != "" {
			scope = owner.scope
		}
		doc.texts[place{fragments.KindSection, s.name, doc.scopes[scope]}] = s.origins
		if err := put(fragments.KindSection, s.item, c); err != nil {
			return err
		}
	}
	for _, v := range owner.variables {
		provider := func(fragments.AssembleContext) (string, bool, error) { return v.value, v.hasValue, nil }
		if err := put(fragments.KindVariable, v.item, fragments.AddVariable(v.name, provider)); err != nil {
			return err
		}
	}
	for _, p := range owner.providers {
		provider := func(fragments.AssembleContext) (fragments.ToolResult, error) { return p.result, nil }
		if err := put(fragments.KindTools, p.item, fragments.AddTools(p.name, provider)); err != nil {
			return err
		}
	}
	if owner.plugin == "" {
		return nil
	}
	_, err := fragments.NewPlugin(owner.plugin, contributions...).Register(doc.Registry, doc.scopes[owner.scope])
	return doc.Locate(err)
}

// Scope returns the scope of a name; "" is the global one. For an unknown one the error lists those of the file.
func (doc *RegistryDocument) Scope(name string) (fragments.Scope, error) {
	scope, declared := doc.scopes[name]
	if !declared {
		return scope, &Error{File: doc.Name, What: "no scope " + quoted(name), Want: doc.wantScope(name, "")}
	}
	return scope, nil
}

func (doc *RegistryDocument) wantScope(name, how string) string {
	var names []string
	for known := range doc.scopes { // sorted below: no order shows
		if known != "" {
			names = append(names, known)
		}
	}
	slices.Sort(names)
	switch {
	case nearestTo(name, names) != "":
		return "did you mean " + nearestTo(name, names) + "?"
	case len(names) == 0:
		return "the file declares none under scopes"
	case how != "":
		return "want one " + how + ": " + strings.Join(names, ", ")
	}
	return "want " + oneOf(names)
}

// Locate turns an error of package fragments or composer about something that the file registers into an [Error] at its line. An
// error about an assembly knows no scope: pass the one it was made for, and the nearest of that name is meant.
func (doc *RegistryDocument) Locate(err error, assembled ...fragments.Scope) error {
	if err == nil {
		return nil
	}
	located := &Error{File: doc.Name, What: strings.TrimPrefix(strings.TrimPrefix(err.Error(), "fragments: "), "composer: "), Err: err}
	var about *fragments.Error
	var composed *composer.SectionError
	switch {
	case errors.As(err, &about):
		located.What = fmt.Sprintf("%v %s: %v", about.Kind, quoted(about.Name), about.Err)
		at := place{about.Kind, about.Name, about.Scope}
		if about.Owner == "" {
			at = doc.placeOf(about.Kind, about.Name, assembled)
		}
		located.Line = doc.lines[at]
		doc.locateReference(located, at, about.Err)
	case errors.As(err, &composed):
		located.What = fmt.Sprintf("section %s: %v", quoted(composed.ID), composed.Err)
		located.Line = doc.lines[doc.placeOf(fragments.KindSection, composed.ID, assembled)]
	case errors.Is(err, fragments.ErrUnregisteredTool):
		located.Line = doc.toolOrder
	}
	return located
}

// locateReference gives an error about a reference the line that the reference stands on: in the file, or in the file
// that holds the text. Where that is not known, it is the line of the text, and the message has the line within.
func (doc *RegistryDocument) locateReference(located *Error, at place, err error) {
	var ref *template.ReferenceError
	var form int // 0: the content
	if !errors.As(err, &ref) {
		return
	}
	fmt.Sscanf(err.Error(), "alternate %d: ", &form)
	origins := doc.texts[at]
	if form >= len(origins) {
		return
	}
	what := ref.Error()
	what = what[strings.Index(what, ": ")+2:] // without the line and the byte
	if form > 0 {
		what = fmt.Sprintf("alternate %d: %s", form, what)
	}
	switch from := origins[form]; {
	case from.file != "":
		if located.File, located.Line = from.file, ref.Line; !path.IsAbs(from.file) {
			located.File = path.Join(path.Dir(filepath.ToSlash(doc.Name)), from.file)
		}
	case from.literal:
		located.Line = from.line + ref.Line
	case ref.Line == 1:
		located.Line = from.line
	default:
		located.Line = from.line
		what = fmt.Sprintf("line %d of the text: %s", ref.Line, what)
	}
	located.What = fmt.Sprintf("section %s: %s", quoted(at.name), what)
}

// placeOf returns the nearest thing of a name, as seen from the scopes.
func (doc *RegistryDocument) placeOf(kind fragments.Kind, name string, from []fragments.Scope) place {
	for _, scope := range from {
		for at, more := scope, true; more; at, more = at.Parent() {
			if p := (place{kind, name, at}); doc.lines[p] > 0 {
				return p
			}
		}
	}
	return place{}
}
