package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Module is the import path of the module that the rules are about.
const Module = "github.com/quirehq/quire"

// A Tree is a module read from disk: its text files, and its Go packages parsed.
type Tree struct {
	Fset     *token.FileSet
	Packages []*Package // sorted by Path
	Texts    []Text     // every text file, Go source included, sorted by Name
}

// A Package is the Go files of one folder, tests included.
type Package struct {
	// Path is the folder relative to the module root, "." for the root.
	Path string
	// Nested is true in a folder that has, or lies under, a go.mod of its own.
	// Such a package is a tool: it does not ship with the module.
	Nested bool
	Files  []*File // sorted by Name
}

// A File is one parsed Go file.
type File struct {
	Name      string // slash-separated, relative to the module root
	Source    []byte
	Syntax    *ast.File
	Test      bool // named _test.go
	Generated bool // has the standard "Code generated … DO NOT EDIT." line
}

// A Text is one file without NUL bytes.
type Text struct {
	Name  string
	Bytes []byte
}

// A Finding is one broken rule at one place.
type Finding struct {
	File    string
	Line    int // 1-based; 0 where the finding is about the whole file or folder
	Message string
}

// String is the finding as file:line: message.
func (f Finding) String() string {
	if f.Line == 0 {
		return f.File + ": " + f.Message
	}
	return f.File + ":" + strconv.Itoa(f.Line) + ": " + f.Message
}

// Load reads the whole tree under root. It leaves out what .gitignore leaves
// out: build outputs, local stores and installed node modules. Go files under
// testdata are texts, not packages. A Go file that does not parse is an error.
func Load(root fs.FS) (*Tree, error) {
	t := &Tree{Fset: token.NewFileSet()}
	folders := map[string]*Package{}
	var nested []string
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if ignoredDir(name) {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || ignoredFile(name) {
			return nil
		}
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		if bytes.IndexByte(data, 0) >= 0 {
			return nil
		}
		t.Texts = append(t.Texts, Text{name, data})
		dir := path.Dir(name)
		if path.Base(name) == "go.mod" && dir != "." {
			nested = append(nested, dir)
		}
		if path.Ext(name) != ".go" || slices.Contains(strings.Split(dir, "/"), "testdata") {
			return nil
		}
		syntax, err := parser.ParseFile(t.Fset, name, data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p := folders[dir]
		if p == nil {
			p = &Package{Path: dir}
			folders[dir] = p
			t.Packages = append(t.Packages, p)
		}
		p.Files = append(p.Files, &File{
			Name:      name,
			Source:    data,
			Syntax:    syntax,
			Test:      strings.HasSuffix(name, "_test.go"),
			Generated: ast.IsGenerated(syntax),
		})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lint: %w", err)
	}
	for _, p := range t.Packages {
		for _, dir := range nested {
			if within(p.Path, dir) {
				p.Nested = true
			}
		}
	}
	slices.SortFunc(t.Packages, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
	return t, nil
}

// ignoredDir repeats the folders of .gitignore. Git itself is not asked: the
// checks also run over trees that are not a checkout.
func ignoredDir(name string) bool {
	switch name {
	case ".git", ".quire", "bin":
		return true
	}
	switch path.Base(name) {
	case "node_modules", ".quire":
		return true
	}
	return false
}

func ignoredFile(name string) bool {
	switch path.Ext(name) {
	case ".test", ".out", ".prof":
		return true
	}
	return false
}

// within reports whether the slash-separated name is dir or lies under it.
func within(name, dir string) bool {
	return dir == "." || name == dir || strings.HasPrefix(name, dir+"/")
}

// finding places a message at a position of a parsed file.
func (t *Tree) finding(pos token.Pos, format string, args ...any) Finding {
	p := t.Fset.Position(pos)
	return Finding{p.Filename, p.Line, fmt.Sprintf(format, args...)}
}

// shipped yields the packages that are part of the module.
func (t *Tree) shipped(yield func(*Package) bool) {
	for _, p := range t.Packages {
		if !p.Nested && !yield(p) {
			return
		}
	}
}

// code yields the package's files that are not tests.
func (p *Package) code(yield func(*File) bool) {
	for _, f := range p.Files {
		if !f.Test && !yield(f) {
			return
		}
	}
}
