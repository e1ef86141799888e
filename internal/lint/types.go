package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strings"
)

// A resolved package knows which declaration each identifier of its code means.
type resolved struct {
	scope *types.Scope
	info  types.Info
}

// resolve type-checks a package's code without loading its imports. Whatever
// depends on an import stays untyped; identifiers and the package's own types
// are exact, shadowing included.
func (t *Tree) resolve(p *Package) resolved {
	r := resolved{info: types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Uses:  map[*ast.Ident]types.Object{},
	}}
	var files []*ast.File
	for f := range p.code {
		files = append(files, f.Syntax)
	}
	conf := types.Config{
		Importer: hollow{},
		Error:    func(error) {}, // the names that hollow imports lack
	}
	pkg, _ := conf.Check(p.Path, t.Fset, files, &r.info)
	r.scope = pkg.Scope()
	return r
}

// hollow imports every path as a complete package without names.
type hollow struct{}

// Import returns an empty package named as the path's last element that is not a
// major version.
func (hollow) Import(p string) (*types.Package, error) {
	name := path.Base(p)
	if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		name = path.Base(path.Dir(p))
	}
	pkg := types.NewPackage(p, strings.TrimPrefix(name, "go-"))
	pkg.MarkComplete()
	return pkg, nil
}

// imported returns the import path and the name of an expression like
// strconv.ParseFloat.
func (r resolved) imported(e ast.Expr) (path, name string, ok bool) {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", "", false
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return "", "", false
	}
	pkg, ok := r.info.Uses[id].(*types.PkgName)
	if !ok {
		return "", "", false
	}
	return pkg.Imported().Path(), sel.Sel.Name, true
}

// builtin reports whether e is the predeclared function of that name.
func (r resolved) builtin(e ast.Expr, name string) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok || id.Name != name {
		return false
	}
	_, ok = r.info.Uses[id].(*types.Builtin)
	return ok
}

// global returns the package-level variable that an assignable expression is a
// part of: v in v[i].f, (*v).f and v.
func (r resolved) global(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			if v, ok := r.info.Uses[x].(*types.Var); ok && v.Parent() == r.scope {
				return x
			}
			return nil
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// remark returns the comments that end on the line of pos or on the line above it.
func (t *Tree) remark(f *File, pos token.Pos) string {
	line := t.Fset.Position(pos).Line
	var b strings.Builder
	for _, g := range f.Syntax.Comments {
		if end := t.Fset.Position(g.End()).Line; end == line || end == line-1 {
			b.WriteString(g.Text())
		}
	}
	return b.String()
}
