package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/internal/promptfile"
)

// overrides are the keys of a prompt file that have a flag of the same name.
var overrides = [...]struct{ key, value, usage string }{
	{"budget", "N", "the most that the sections may add up to; null: no limit"},
	{"max-bytes", "N", "a second limit, in bytes of UTF-8"},
	{"measure", "M", "what budget and sizes are counted in: utf16, bytes, runes, chars/4, o200k_base or cl100k_base"},
	{"gate", "G", "what is charged when: published, reserved or prefix-stable"},
	{"active-fraction", "F", "the share of what core leaves that active sections may fill, such as 0.95"},
	{"tail-reserve", "N", "gate prefix-stable: what the head leaves for the tail"},
	{"join", "J", "what stands between sections: blank-line, line or none"},
	{"depth", "N", "how deep the agent stands below the main one"},
	{"role", "R", "the agent's role"},
}

// promptFlags are the flags of every command that reads prompt files.
type promptFlags struct {
	cmd          *cobra.Command
	document     int
	allowOutside bool
}

// addPromptFlags adds the flags to a command.
func addPromptFlags(cmd *cobra.Command) *promptFlags {
	f := &promptFlags{cmd: cmd}
	for _, o := range overrides {
		cmd.Flags().String(o.key, "", "instead of the file's: "+o.usage)
		cmd.Flags().Lookup(o.key).DefValue = ""
	}
	cmd.Flags().IntVar(&f.document, "doc", 0, "take the Nth document of the file, counted from 1")
	cmd.Flags().BoolVar(&f.allowOutside, "allow-outside", false, "let file: name files outside the prompt file's folder")
	return f
}

// names returns the names of the flags.
func (f *promptFlags) names() []string {
	names := []string{"doc", "allow-outside"}
	for _, o := range overrides {
		names = append(names, o.key)
	}
	return names
}

// settings returns the overrides that were given.
func (f *promptFlags) settings() []promptfile.Setting {
	var set []promptfile.Setting
	for _, o := range overrides {
		if flag := f.cmd.Flags().Lookup(o.key); flag.Changed {
			set = append(set, promptfile.Setting{Key: o.key, Value: flag.Value.String(), Origin: "--" + o.key})
		}
	}
	return set
}

// opener returns what opens the text files that a prompt file in the folder names, and what closes it.
func (f *promptFlags) opener(folder string) (open func(string) (fs.File, error), done func() error) {
	if f.allowOutside {
		return promptfile.Anywhere(folder), func() error { return nil }
	}
	in := promptfile.NewFolder(folder)
	return in.Open, in.Close
}

// read reads the prompts of a file, or the one that --doc picks.
func (f *promptFlags) read(s *streams, file string) ([]promptfile.Document, error) {
	src, name, err := readInput(s, file)
	if err != nil {
		return nil, err
	}
	folder := "."
	if file != "-" {
		folder = filepath.Dir(file)
	}
	open, done := f.opener(folder)
	defer done()
	docs, err := promptfile.Read(src, name, promptfile.Options{
		Open: open,
		Set:  f.settings(),
		JSON: strings.EqualFold(filepath.Ext(file), ".json"),
	})
	if err != nil || !f.cmd.Flags().Changed("doc") {
		return docs, err
	}
	if f.document < 1 || f.document > len(docs) {
		return nil, fmt.Errorf("--doc: %d; %s has %s, counted from 1", f.document, name, plural(len(docs), "document"))
	}
	return docs[f.document-1 : f.document], nil
}

// one returns the only document, for outputs that cannot hold several.
func one(docs []promptfile.Document) (*promptfile.Document, error) {
	if len(docs) > 1 {
		return nil, fmt.Errorf("%s:%d: a second document; pick one of %d with --doc N, or print all with -o json", docs[1].Name, docs[1].Line, len(docs))
	}
	return &docs[0], nil
}

// compose composes a document.
func compose(doc *promptfile.Document) (composer.Composition, error) {
	c, err := composer.Compose(doc.Sections, doc.Config)
	if err != nil {
		return c, doc.Locate(err)
	}
	return c, nil
}

// warnOverflow warns where the published gate exceeds a budget that another gate would have kept.
func warnOverflow(s *streams, doc *promptfile.Document, c composer.Composition) {
	if warning := c.Explain().Warning(); warning != "" {
		s.warn("%s:%d: %s", doc.Name, doc.Line, warning)
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
