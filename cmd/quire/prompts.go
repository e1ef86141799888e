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

// An override is a key of a file that has a flag of the same name.
type override struct{ key, usage string }

func addOverrides(cmd *cobra.Command, list []override) {
	for _, o := range list {
		cmd.Flags().String(o.key, "", "instead of the file's: "+o.usage)
	}
}

// settings returns the overrides that were given.
func settings(cmd *cobra.Command, list []override) []promptfile.Setting {
	var set []promptfile.Setting
	for _, o := range list {
		if flag := cmd.Flags().Lookup(o.key); flag.Changed {
			set = append(set, promptfile.Setting{Key: o.key, Value: flag.Value.String(), Origin: "--" + o.key})
		}
	}
	return set
}

// overrides are those of a prompt file.
var overrides = []override{
	{"budget", "the most that the sections may add up to; null: no limit"},
	{"max-bytes", "a second limit, in bytes of UTF-8"},
	{"measure", "what budget and sizes are counted in: utf16, bytes, runes, chars/4, o200k_base or cl100k_base"},
	{"gate", "what is charged when: published, reserved or prefix-stable"},
	{"active-fraction", "the share of what core leaves that active sections may fill, such as 0.95"},
	{"tail-reserve", "gate prefix-stable: what the head leaves for the tail"},
	{"join", "what stands between sections: blank-line, line or none"},
	{"depth", "how deep the agent stands below the main one"},
	{"role", "the agent's role"},
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
	addOverrides(cmd, overrides)
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

// readWithFiles reads a file that may name others, relative to its folder.
func readWithFiles(s *streams, file string, anywhere bool, read func(src []byte, name string, opts promptfile.Options) error) error {
	src, name, err := readInput(s, file)
	if err != nil {
		return err
	}
	open, done := opener(folderOf(file), anywhere)
	defer done()
	return read(src, name, promptfile.Options{Open: open, JSON: strings.EqualFold(filepath.Ext(file), ".json")})
}

// folderOf returns the folder of a file; for standard input it is the current one.
func folderOf(file string) string {
	if file == "-" {
		return "."
	}
	return filepath.Dir(file)
}

// opener returns what opens the files that a file in the folder names, and what closes it.
func opener(folder string, anywhere bool) (open func(string) (fs.File, error), done func() error) {
	if anywhere {
		return promptfile.Anywhere(folder), func() error { return nil }
	}
	in := promptfile.NewFolder(folder)
	return in.Open, in.Close
}

// read reads the prompts of a file, or the one that --doc picks.
func (f *promptFlags) read(s *streams, file string) (docs []promptfile.Document, err error) {
	err = readWithFiles(s, file, f.allowOutside, func(src []byte, name string, opts promptfile.Options) (err error) {
		opts.Set = settings(f.cmd, overrides)
		docs, err = promptfile.Read(src, name, opts)
		return err
	})
	if err != nil || !f.cmd.Flags().Changed("doc") {
		return docs, err
	}
	if f.document < 1 || f.document > len(docs) {
		return nil, fmt.Errorf("--doc: %d; %s has %s, counted from 1", f.document, docs[0].Name, plural(len(docs), "document"))
	}
	return docs[f.document-1 : f.document], nil
}

// A prompt is a document that was composed.
type prompt struct {
	doc *promptfile.Document
	composer.Composition
}

// prompts reads a file and composes its documents; for an output that cannot hold several, it wants one.
func (f *promptFlags) prompts(s *streams, file string, single bool) ([]prompt, error) {
	docs, err := f.read(s, file)
	if err != nil {
		return nil, err
	}
	if single && len(docs) > 1 {
		return nil, fmt.Errorf("%s:%d: a second document; pick one of %d with --doc N, or print all with -o json", docs[1].Name, docs[1].Line, len(docs))
	}
	list := make([]prompt, len(docs))
	for i := range docs {
		if list[i], err = compose(&docs[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// prompt reads a file of one document, and composes it.
func (f *promptFlags) prompt(s *streams, file string) (prompt, error) {
	list, err := f.prompts(s, file, true)
	if err != nil {
		return prompt{}, err
	}
	return list[0], nil
}

func compose(doc *promptfile.Document) (prompt, error) {
	c, err := composer.Compose(doc.Sections, doc.Config)
	if err != nil {
		return prompt{}, doc.Locate(err)
	}
	return prompt{doc, c}, nil
}

// warn warns where the published gate exceeds a budget that another gate would have kept.
func (p prompt) warn(s *streams) {
	if warning := p.Explain().Warning(); warning != "" {
		s.warn("%s:%d: %s", p.doc.Name, p.doc.Line, warning)
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
