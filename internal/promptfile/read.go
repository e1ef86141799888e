package promptfile

import (
	"io/fs"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/tiers"
)

// The bounds of what is read. What is larger is refused before it is in memory.
const (
	MaxSource = 64 << 20  // bytes of a prompt file
	MaxValues = 1_000_000 // scalars, lists and mappings of a prompt file
	MaxFile   = 64 << 20  // bytes of one text file
	MaxFiles  = 256 << 20 // bytes of all text files of a prompt file, each counted as often as it is named
)

// A Document is one prompt of a prompt file: what composer.Compose takes.
type Document struct {
	Name     string // of the source, as it was given to [Read]
	Line     int    // where the prompt begins
	Sections []composer.Section
	Config   composer.Config

	lines []int // of the sections
}

// Options say how a prompt file is read. The zero value reads a source whose texts all stand in it.
type Options struct {
	// Open opens the text file that a section names; see [Folder]. It is called at most once for each name. With nil
	// the key file is an error.
	Open func(name string) (fs.File, error)

	// Set replaces keys of every prompt, as if they had stood in it.
	Set []Setting

	// JSON says that the source is JSON, whatever it begins with.
	JSON bool

	// Line is the number of the source's first line, for messages; 0 is 1.
	Line int
}

// A Setting is a key of a prompt and its value, given outside the file. Whatever the key takes as a scalar is right.
type Setting struct {
	Key    string
	Value  string
	Origin string // what messages call it: the name of a flag
}

// Read reads the prompts of a prompt file, of at most [MaxSource] bytes. The name is for messages. Every error is an
// [Error].
func Read(src []byte, name string, opts Options) ([]Document, error) {
	s := newSource(src, name, form{"prompt", "the key sections"}, opts.Line)
	roots, err := s.documents(opts.JSON)
	if err != nil {
		return nil, err
	}
	d := decoder{source: s, files: files{open: opts.Open}}
	documents := make([]Document, len(roots))
	for i := range roots {
		if documents[i], err = d.document(&roots[i], opts.Set); err != nil {
			return nil, err
		}
	}
	return documents, nil
}

// document decodes one prompt.
func (d *decoder) document(root *node, set []Setting) (Document, error) {
	var p prompt
	if err := d.isMapping(root); err != nil {
		return Document{}, err
	}
	if err := decode(d, root, promptFields(), &p); err != nil {
		return Document{}, err
	}
	if !p.hasSections {
		return Document{}, d.fail(root.line, "no sections", "want the key sections with a list")
	}
	if err := apply(set, promptFields(), &p); err != nil {
		return Document{}, err
	}
	doc := Document{Name: d.name, Line: root.line, Config: p.config}
	doc.Sections = make([]composer.Section, len(p.sections))
	doc.lines = make([]int, len(p.sections))
	for i, s := range p.sections {
		doc.Sections[i], doc.lines[i] = s.Section, s.line
		if s.hasSize || s.hasBytes {
			doc.Sections[i].Cost = s.cost(p.config)
		}
	}
	return doc, nil
}

// cost returns the cost that the section states. The half that it leaves open is measured.
func (s *section) cost(cfg composer.Config) tiers.Cost {
	size, bytes := s.size, s.bytes
	if !s.hasSize {
		size = cfg.Measure.Count(s.Content)
	}
	if !s.hasBytes {
		bytes = int64(len(s.Content))
	}
	return tiers.Charged(size, bytes)
}
