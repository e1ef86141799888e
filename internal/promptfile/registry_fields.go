package promptfile

import (
	"math"
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
	plugins       []owned
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
			return list(d, n, "scope", &r.scopes, scopeFields(), func(s *scope, _ string, line int) error { s.line = line; return nil })
		}},
		field[registry]{key: "plugins", read: func(d *decoder, n *node, r *registry) error {
			return list(d, n, "plugin", &r.plugins, pluginFields(), nil)
		}})
	return append(fields, adapt(ownedFields(true), func(r *registry) *owned { return &r.owned })...)
}

func scopeFields() []field[scope] {
	return []field[scope]{
		textField("name", func(s *scope) *string { return &s.name }),
		textField("parent", func(s *scope) *string { return &s.parent }),
	}
}

func pluginFields() []field[owned] {
	return append([]field[owned]{
		textField("name", func(o *owned) *string { return &o.plugin }),
		textField("scope", func(o *owned) *string { return &o.scope }),
	}, ownedFields(false)...)
}

// ownedFields are what an owner contributes. The things of a plugin are all in the plugin's scope.
func ownedFields(ownScope bool) []field[owned] {
	return []field[owned]{
		{key: "sections", read: func(d *decoder, n *node, o *owned) error {
			return list(d, n, "section", &o.sections, contributedFields(ownScope), func(c *contributed, label string, line int) error {
				c.item.line = line
				return c.complete(d, label, line)
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
			return list(d, n, "variable", &o.variables, fields, func(v *variable, _ string, line int) error { v.line = line; return nil })
		}},
		{key: "tools", read: func(d *decoder, n *node, o *owned) error {
			return list(d, n, "provider", &o.providers, providerFields(ownScope), func(p *provider, _ string, line int) error { p.line = line; return nil })
		}},
	}
}

func contributedFields(ownScope bool) []field[contributed] {
	fields := append(itemFields(func(c *contributed) *item { return &c.item }, ownScope),
		field[contributed]{key: "order", read: func(d *decoder, n *node, c *contributed) error {
			order, err := d.integer(n, math.MinInt32, math.MaxInt32)
			c.order = int(order)
			return err
		}},
		field[contributed]{key: "mode", not: "order", read: func(d *decoder, n *node, c *contributed) error {
			c.hasMode = true
			return choose(d, n, namesOf(fragments.ParseMode), fragments.ParseMode, &c.mode)
		}},
		boolField("owner-final", func(c *contributed) *bool { return &c.ownerFinal }))
	return append(fields, adapt(sectionFields(), func(c *contributed) *section { return &c.section }, "id", "size", "bytes")...)
}

// itemFields are name, scope, and whom it is for.
func itemFields[T any](of func(*T) *item, ownScope bool) []field[T] {
	fields := []field[T]{
		textField("name", func(v *T) *string { return &of(v).name }),
		textField("channel", func(v *T) *string { return &of(v).match.Channel }),
		textField("tenant", func(v *T) *string { return &of(v).match.Tenant }),
		textField("role", func(v *T) *string { return &of(v).match.Role }),
	}
	if ownScope {
		fields = append(fields, textField("scope", func(v *T) *string { return &of(v).scope }))
	}
	return fields
}

func providerFields(ownScope bool) []field[provider] {
	return append(itemFields(func(p *provider) *item { return &p.item }, ownScope),
		field[provider]{key: "tools", read: func(d *decoder, n *node, p *provider) error {
			return list(d, n, "tool", &p.result.Tools, toolFields(), nil)
		}},
		textsField("known", func(p *provider) *[]string { return &p.result.KnownNames }),
		textsField("owner-final", func(p *provider) *[]string { return &p.result.OwnerFinalNames }))
}

func toolFields() []field[fragments.Tool] {
	return []field[fragments.Tool]{
		textField("name", func(t *fragments.Tool) *string { return &t.Name }),
		textField("description", func(t *fragments.Tool) *string { return &t.Description }),
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
