package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/internal/promptfile"
)

func renderCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "render FILE",
		Short: "Assemble a registry of sections, tools and variables, and print the prompt",
		Long: `Assemble what a registry file registers, as one scope sees it, and print the prompt: sections in order, references to
variables replaced, empty sections left out.

With --compose the assembly goes on to be composed, under the budget of the file or of the flags, which then mean what
they mean to "quire compile".

Other outputs, by -o:
  text         the prompt (the default)
  json         the assembly on one line; with --compose the composition
  fingerprint  the 64 hex digits that b3sum prints for the text
  recipe       with --compose: the recipe of kind fragments, without a line end

With --compose, --record and --session, the assembly is stored as well, as a turn that replays from the registered texts.`,
		Example: `  quire render examples/registry.yaml --scope responder --var service=checkout
  quire render examples/registry.yaml --scope responder -o json
  quire render examples/registry.yaml --scope responder --compose --budget 4000
  quire render examples/registry.yaml --scope responder --compose --record --session oncall`,
		Args: takesFile,
	}
	prompt := addPromptFlags(cmd)
	cmd.Flags().Lookup("doc").Hidden = true // a registry file has one document
	var r render
	cmd.Flags().StringVar(&r.scope, "scope", "", "the scope to assemble for; absent: the global one")
	cmd.Flags().StringArrayVar(&r.variables, "var", nil, "NAME=VALUE: a variable's value instead of the file's; may be given more than once")
	cmd.Flags().StringVar(&r.context.Channel, "channel", "", "where the conversation takes place, for what is limited to a channel")
	cmd.Flags().StringVar(&r.context.Tenant, "tenant", "", "whose it is: for what is limited to a tenant, and whose record it becomes")
	cmd.Flags().BoolVar(&r.compose, "compose", false, "compose the assembly under the budget")
	choiceVar(cmd, &r.format, "output", "o", "text", "what to print", "text", "json", "fingerprint", "recipe")
	turn := addRecordFlags(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) (err error) {
		if cmd.Flags().Changed("doc") {
			return fmt.Errorf("--doc: a registry file has one document")
		}
		if !r.compose {
			if r.format == "recipe" {
				return fmt.Errorf("-o recipe goes with --compose")
			}
			names := slices.DeleteFunc(prompt.names(), func(name string) bool { return name == "role" || name == "allow-outside" })
			if err := goesWith(cmd, "--compose", append(names, "record")...); err != nil {
				return err
			}
		}
		turn.store.tenant = r.context.Tenant
		if r.keep, err = turn.keeper(); err != nil {
			return err
		}
		defer r.keep.close(&err)
		return r.run(s, prompt, args[0])
	}
	return cmd
}

// A render is what the flags of the command say.
type render struct {
	scope     string
	variables []string
	context   fragments.AssembleContext
	compose   bool
	format    string
	keep      *keeper
}

func (r *render) run(s *streams, prompt *promptFlags, file string) error {
	doc, err := r.read(s, prompt, file)
	if err != nil {
		return err
	}
	if r.context.Scope, err = doc.Scope(r.scope); err != nil {
		return err
	}
	r.context.Role = doc.Config.Role
	a, err := doc.Registry.Assemble(r.context)
	if err != nil {
		return doc.Locate(err, r.context.Scope)
	}
	if r.compose {
		return r.composed(s, doc, a)
	}
	text, err := a.Render() // for -o json too: an assembly that cannot be rendered is of no use to a program
	if err != nil {
		return doc.Locate(err, r.context.Scope)
	}
	var out []byte
	switch r.format {
	case "text":
		out = append(out, text...)
	case "json":
		out = append(a.AppendJSON(out), '\n')
	case "fingerprint":
		out = fmt.Appendln(out, fingerprint.SumString(text))
	}
	_, err = s.out.Write(out)
	return err
}

func (r *render) read(s *streams, prompt *promptFlags, file string) (doc *promptfile.RegistryDocument, err error) {
	o := promptfile.RegistryOptions{}
	for _, v := range r.variables {
		key, value, given := strings.Cut(v, "=")
		if !given {
			return nil, fmt.Errorf("--var: %q; want NAME=VALUE", v)
		}
		o.Variables = append(o.Variables, promptfile.Setting{Key: key, Value: value, Origin: "--var"})
	}
	err = readWithFiles(s, file, prompt.allowOutside, func(src []byte, name string, opts promptfile.Options) (err error) {
		o.Options = opts
		o.Set = settings(prompt.cmd, overrides)
		doc, err = promptfile.ReadRegistry(src, name, o)
		return err
	})
	return doc, err
}

// composed prints a composition of the assembly.
func (r *render) composed(s *streams, doc *promptfile.RegistryDocument, a fragments.Assembly) error {
	c, err := a.Compile(doc.Config)
	if err != nil {
		return doc.Locate(err, r.context.Scope)
	}
	var out []byte
	if r.format == "recipe" {
		out = c.Recipe
	} else if out, err = formats()[r.format](out, c.Composition); err != nil {
		return err
	}
	if _, err := r.keep.compilation(c); err != nil {
		return err
	}
	if _, err := s.out.Write(out); err != nil {
		return err
	}
	if warning := c.Composition.Explain().Warning(); warning != "" {
		s.warn("%s: %s", doc.Name, warning)
	}
	return nil
}
