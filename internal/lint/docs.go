package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"path"
	"regexp"
	"strings"
)

func checkDocs(t *Tree) []Finding {
	var out []Finding
	for p := range t.shipped {
		files, documented := 0, false
		for f := range p.code {
			files++
			documented = documented || strings.TrimSpace(f.Syntax.Doc.Text()) != ""
			for _, d := range f.Syntax.Decls {
				out = append(out, t.undocumented(d)...)
			}
		}
		if files > 0 && !documented {
			out = append(out, Finding{File: p.Path, Message: "package without a package comment"})
		}
	}
	return out
}

// undocumented finds the exported names of a declaration that have no comment. A
// comment on a group of constants or variables speaks for the group.
func (t *Tree) undocumented(d ast.Decl) []Finding {
	var out []Finding
	missing := func(id *ast.Ident, docs ...*ast.CommentGroup) {
		if !id.IsExported() {
			return
		}
		for _, g := range docs {
			if strings.TrimSpace(g.Text()) != "" {
				return
			}
		}
		out = append(out, t.finding(id.Pos(), "%s is exported and has no doc comment", id.Name))
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || ast.IsExported(receiver(d)) {
			missing(d.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if d.Lparen.IsValid() {
					missing(s.Name, s.Doc, s.Comment)
				} else {
					missing(s.Name, d.Doc)
				}
			case *ast.ValueSpec:
				for _, id := range s.Names {
					missing(id, d.Doc, s.Doc, s.Comment)
				}
			}
		}
	}
	return out
}

// receiver is the name of a method's type.
func receiver(d *ast.FuncDecl) string {
	e := d.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

func checkFormat(t *Tree) []Finding {
	var out []Finding
	for _, p := range t.Packages {
		for _, f := range p.Files {
			want, err := format.Source(f.Source)
			if err != nil || !bytes.Equal(want, f.Source) {
				out = append(out, Finding{File: f.Name, Message: "not formatted: run gofmt -w " + f.Name})
			}
		}
	}
	return out
}

const (
	maxLines  = 900 // where a Go file stops being one concept; most are a third of it
	maxReadme = 150 // what a person reads before trying; the rest is package docs and docs/
)

func checkSize(t *Tree) []Finding {
	var out []Finding
	for _, p := range t.Packages {
		for _, f := range p.Files {
			if n := bytes.Count(f.Source, []byte("\n")); n > maxLines && !f.Generated {
				out = append(out, t.finding(f.Syntax.FileStart, "%d lines, more than %d: split it by concept", n, maxLines))
			}
		}
	}
	for _, x := range t.Texts {
		if n := bytes.Count(x.Bytes, []byte("\n")); x.Name == "README.md" && n > maxReadme {
			out = append(out, Finding{File: x.Name, Message: fmt.Sprintf("%d lines, more than %d: move parts to docs/", n, maxReadme)})
		}
	}
	return out
}

func checkUnfinished(t *Tree) []Finding {
	mark := regexp.MustCompile(`\b(` + "TO" + `DO|FIX` + `ME|XX` + `X)\b`)
	var out []Finding
	for _, p := range t.Packages {
		for _, f := range p.Files {
			for _, g := range f.Syntax.Comments {
				for _, c := range g.List {
					if m := mark.FindString(c.Text); m != "" {
						out = append(out, t.finding(c.Pos(), "%s in a comment: do it or open an issue", m))
					}
				}
			}
		}
	}
	for _, x := range t.Texts {
		// What examples say is a prompt's business; Go source was read above.
		ours := within(x.Name, "scripts") || within(x.Name, ".ci") || path.Ext(x.Name) == ".md"
		if !ours || within(x.Name, "examples") || path.Ext(x.Name) == ".go" {
			continue
		}
		for line, text := range lines(x.Bytes) {
			if m := mark.Find(text); m != nil && !sample(text) {
				out = append(out, Finding{x.Name, line, string(m) + ": do it or open an issue"})
			}
		}
	}
	return out
}
