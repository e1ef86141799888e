package promptfile

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quirehq/quire/fragments"
)

// A registry is what registryFields fill in.
type registry struct {
	prompt        // the configuration
	owned         // what stands at the top, owned by the file
	options       fragments.Options
	toolOrderLine int
	openers       map[string]int // the lines of the sections that options have, by name
	scopes        []scope
	plugins       []*owned
}

func (r *registry) opens(section string, line int) {
	if r.openers == nil {
		r.openers = make(map[string]int)
	}
	r.openers[section] = line
}

type scope struct {
	name, parent string
	line         int
}

// An owned is what one owner contributes: a plugin, or the file.
type owned struct {
	plugin    string // its name; "": the file, whose things have scopes of their own
	scope     string
	sections  []contributed
	variables []variable
	providers []provider
}

// An item is what everything that is registered has.
type item struct {
	name  string
	scope string
	match fragments.Match
	line  int
}

type contributed struct {
	item
	section
	order      int
	hasOrder   bool
	mode       fragments.Mode
	hasMode    bool
	ownerFinal bool
}

func (c *contributed) registered() fragments.Section {
	return fragments.Section{Name: c.name, Order: c.order, Text: c.Content, OwnerFinal: c.ownerFinal, Tier: c.Tier,
		Alternates: c.Alternates, Priority: c.Priority, Chain: c.Chain, Group: c.Group, Breakpoint: c.Breakpoint}
}

type variable struct {
	item
	value    string
	hasValue bool
}

type provider struct {
	item
	result fragments.ToolResult
}

// adapt makes fields of a part fields of the whole.
func adapt[T, Part any](fields []field[Part], part func(*T) *Part, without ...string) []field[T] {
	var out []field[T]
	for _, f := range fields {
		if !slices.Contains(without, f.key) {
			out = append(out, field[T]{f.key, f.doc, f.schema, func(d *decoder, n *node, into *T) error { return f.read(d, n, part(into)) }})
		}
	}
	return out
}

// configFields are the keys of a prompt file but for its sections.
func configFields() []field[registry] {
	return adapt(promptFields(), func(r *registry) *prompt { return &r.prompt }, "sections")
}

func registryFields() []field[registry] {
	fields := append(configFields(),
		field[registry]{key: "identity", read: func(d *decoder, n *node, r *registry) (err error) {
			if n.isNull() || n.text == "false" && n.kind == plain {
				r.options.NoIdentity = true
				return nil
			}
			r.opens(fragments.IdentitySection, n.line)
			if r.options.Identity, err = d.text(n); err == nil && r.options.Identity == "" {
				err = d.wrong(n, "want a text, or false for none")
			}
			return err
		}},
		field[registry]{key: "persona", read: func(d *decoder, n *node, r *registry) (err error) {
			r.opens(fragments.PersonaSection, n.line)
			r.options.Persona, err = d.text(n)
			return err
		}},
		field[registry]{key: "tool-order", read: func(d *decoder, n *node, r *registry) (err error) {
			r.toolOrderLine = n.line
			r.options.ToolOrder, err = d.texts(n)
			return err
		}},
		field[registry]{key: "scopes", read: func(d *decoder, n *node, r *registry) error {
			return list(d, n, "scope", &r.scopes, scopeFields(), func(s *scope, line int) (string, error) { s.line = line; return s.name, nil })
		}},
		field[registry]{key: "plugins", read: func(d *decoder, n *node, r *registry) error {
			var plugins []owned
			err := list(d, n, "plugin", &plugins, pluginFields(), func(o *owned, _ int) (string, error) { return o.plugin, nil })
			for i := range plugins {
				r.plugins = append(r.plugins, &plugins[i])
			}
			return err
		}})
	return append(fields, adapt(ownedFields(true), func(r *registry) *owned { return &r.owned })...)
}

func scopeFields() []field[scope] {
	return []field[scope]{
		{key: "name", read: func(d *decoder, n *node, s *scope) (err error) { s.name, err = d.text(n); return err }},
		{key: "parent", read: func(d *decoder, n *node, s *scope) (err error) { s.parent, err = d.text(n); return err }},
	}
}

func pluginFields() []field[owned] {
	return append(ownedFields(false),
		field[owned]{key: "name", read: func(d *decoder, n *node, o *owned) (err error) { o.plugin, err = d.text(n); return err }},
		field[owned]{key: "scope", read: func(d *decoder, n *node, o *owned) (err error) { o.scope, err = d.text(n); return err }})
}

// ownedFields are what an owner contributes. The things of a plugin are all in the plugin's scope.
func ownedFields(ownScope bool) []field[owned] {
	return []field[owned]{
		{key: "sections", read: func(d *decoder, n *node, o *owned) error {
			return list(d, n, "section", &o.sections, contributedFields(ownScope), func(c *contributed, line int) (string, error) {
				c.item.line = line
				switch {
				case c.hasText && c.isFile:
					return c.name, d.fail(line, "section "+quoted(c.name)+" has a text and a file", "want one of them")
				case !c.hasText && !c.isFile:
					return c.name, d.fail(line, "section "+quoted(c.name)+" has neither text nor file", `want one of them; text: "" is an empty section`)
				case c.hasMode && c.hasOrder:
					return c.name, d.fail(line, "section "+quoted(c.name)+" has a mode and an order", "want one of them: a mode has an order of its own")
				}
				return c.name, nil
			})
		}},
		{key: "variables", read: func(d *decoder, n *node, o *owned) error {
			fields := append(itemFields(func(v *variable) *item { return &v.item }, ownScope),
				field[variable]{key: "value", read: func(d *decoder, n *node, v *variable) (err error) {
					if v.hasValue = !n.isNull(); v.hasValue {
						v.value, err = d.text(n)
					}
					return err
				}})
			return list(d, n, "variable", &o.variables, fields, func(v *variable, line int) (string, error) { v.line = line; return v.name, nil })
		}},
		{key: "tools", read: func(d *decoder, n *node, o *owned) error {
			return list(d, n, "provider", &o.providers, providerFields(ownScope), func(p *provider, line int) (string, error) { p.line = line; return p.name, nil })
		}},
	}
}

func contributedFields(ownScope bool) []field[contributed] {
	fields := append(itemFields(func(c *contributed) *item { return &c.item }, ownScope),
		field[contributed]{key: "order", read: func(d *decoder, n *node, c *contributed) error {
			order, err := d.integer(n, math.MinInt32, math.MaxInt32)
			c.order, c.hasOrder = int(order), true
			return err
		}},
		field[contributed]{key: "mode", read: func(d *decoder, n *node, c *contributed) error {
			c.hasMode = true
			return choose(d, n, namesOf(fragments.ParseMode), fragments.ParseMode, &c.mode)
		}},
		field[contributed]{key: "owner-final", read: func(d *decoder, n *node, c *contributed) (err error) {
			c.ownerFinal, err = d.boolean(n)
			return err
		}})
	return append(fields, adapt(sectionFields(), func(c *contributed) *section { return &c.section }, "id", "size", "bytes")...)
}

// itemFields are name, scope, and whom it is for.
func itemFields[T any](of func(*T) *item, ownScope bool) []field[T] {
	text := func(key string, into func(*item) *string) field[T] {
		return field[T]{key: key, read: func(d *decoder, n *node, v *T) (err error) {
			*into(of(v)), err = d.text(n)
			return err
		}}
	}
	fields := []field[T]{
		text("name", func(i *item) *string { return &i.name }),
		text("channel", func(i *item) *string { return &i.match.Channel }),
		text("tenant", func(i *item) *string { return &i.match.Tenant }),
		text("role", func(i *item) *string { return &i.match.Role }),
	}
	if ownScope {
		fields = append(fields, text("scope", func(i *item) *string { return &i.scope }))
	}
	return fields
}

func providerFields(ownScope bool) []field[provider] {
	return append(itemFields(func(p *provider) *item { return &p.item }, ownScope),
		field[provider]{key: "tools", read: func(d *decoder, n *node, p *provider) error {
			return list(d, n, "tool", &p.result.Tools, toolFields(), func(t *fragments.Tool, _ int) (string, error) { return t.Name, nil })
		}},
		field[provider]{key: "known", read: func(d *decoder, n *node, p *provider) (err error) {
			p.result.KnownNames, err = d.texts(n)
			return err
		}},
		field[provider]{key: "owner-final", read: func(d *decoder, n *node, p *provider) (err error) {
			p.result.OwnerFinalNames, err = d.texts(n)
			return err
		}})
}

func toolFields() []field[fragments.Tool] {
	return []field[fragments.Tool]{
		{key: "name", read: func(d *decoder, n *node, t *fragments.Tool) (err error) { t.Name, err = d.text(n); return err }},
		{key: "description", read: func(d *decoder, n *node, t *fragments.Tool) (err error) { t.Description, err = d.text(n); return err }},
		{key: "schema", read: func(d *decoder, n *node, t *fragments.Tool) error {
			if n.kind != mapping {
				return d.wrong(n, "want a JSON Schema as a mapping")
			}
			src, err := d.appendJSON(nil, n)
			if err != nil {
				return err
			}
			if t.Schema, err = fragments.ParseSchema(src); err != nil {
				return d.fail(n.line, d.prefix()+strings.TrimPrefix(err.Error(), "fragments: schema: "), "")
			}
			return nil
		}},
	}
}

// list reads a list of mappings. Each needs a name, which done returns when it has completed the element.
func list[T any](d *decoder, n *node, noun string, into *[]T, fields []field[T], done func(v *T, line int) (name string, err error)) error {
	if n.kind != sequence {
		return d.wrong(n, "want a list of "+noun+"s")
	}
	outer := d.path
	d.path = nil // the element's own name is enough
	defer func() { d.path = outer }()
	for i := range n.items {
		element := &n.items[i]
		label := noun + " " + strconv.Itoa(i+1)
		if element.kind != mapping {
			return d.fail(element.line, label+" is "+element.String(), "want a mapping with name and more")
		}
		for k := range element.keys {
			if element.keys[k].text == "name" && element.items[k].text != "" {
				label = noun + " " + quoted(element.items[k].text)
			}
		}
		var v T
		err := d.within(label, func() error { return decode(d, element, fields, &v) })
		if err != nil {
			return err
		}
		name, err := done(&v, element.line)
		switch {
		case name == "":
			return d.fail(element.line, label+" has no name", "want the key name")
		case err != nil:
			return err
		}
		*into = append(*into, v)
	}
	return nil
}

// texts reads a list of texts.
func (d *decoder) texts(n *node) ([]string, error) {
	if n.kind != sequence {
		return nil, d.wrong(n, "want a list of texts")
	}
	texts := make([]string, len(n.items))
	for i := range n.items {
		var err error
		if texts[i], err = d.text(&n.items[i]); err != nil {
			return nil, err
		}
	}
	return texts, nil
}
