package lint

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// clocks are the names of package time that read the machine.
var clocks = []string{"Now", "Since", "Until", "Local", "LoadLocation", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"}

func checkEffects(t *Tree) []Finding {
	var out []Finding
	for p := range t.pure {
		r := t.resolve(p)
		for f := range p.code {
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					out = append(out, t.finding(n.Pos(), "starts a goroutine"))
				case *ast.SelectStmt:
					out = append(out, t.finding(n.Pos(), "select: which case runs is chance"))
				case *ast.ChanType:
					out = append(out, t.finding(n.Pos(), "channel"))
				case *ast.SelectorExpr:
					if path, name, ok := r.imported(n); ok && path == "time" && slices.Contains(clocks, name) {
						out = append(out, t.finding(n.Pos(), "time.%s reads the machine: take the time as a value", name))
					}
				}
				return true
			})
		}
	}
	return out
}

// checkOrder finds what walks a map. Sorting at once needs no remark.
func checkOrder(t *Tree) []Finding {
	var out []Finding
	for p := range t.pure {
		r := t.resolve(p)
		for f := range p.code {
			sorted := map[ast.Expr]bool{}
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				var pos token.Pos
				switch n := n.(type) {
				case *ast.RangeStmt:
					// A loop that names neither key nor value cannot tell the order.
					typ := r.info.TypeOf(n.X)
					if typ == nil || n.Key == nil {
						return true
					}
					if _, ok := typ.Underlying().(*types.Map); !ok {
						return true
					}
					pos = n.Pos()
				case *ast.CallExpr:
					path, name, _ := r.imported(n.Fun)
					if path == "slices" && strings.HasPrefix(name, "Sorted") && len(n.Args) > 0 {
						sorted[n.Args[0]] = true
					}
					if path != "maps" || !slices.Contains([]string{"All", "Keys", "Values"}, name) || sorted[n] {
						return true
					}
					pos = n.Pos()
				default:
					return true
				}
				if !strings.Contains(t.remark(f, pos), "order") {
					out = append(out, t.finding(pos, "walks a map: sort it at once, or say in a comment why its order cannot show"))
				}
				return true
			})
		}
	}
	return out
}

// floatFree lists what of an import handles floating point.
func floatFree(path, name string) bool {
	switch path {
	case "math":
		return strings.HasPrefix(name, "MaxInt") || strings.HasPrefix(name, "MaxUint") || strings.HasPrefix(name, "MinInt")
	case "math/big", "strconv":
		return !strings.Contains(name, "Float") && !strings.Contains(name, "Complex")
	}
	return true
}

func checkFloats(t *Tree) []Finding {
	floating := []types.Object{
		types.Universe.Lookup("float32"), types.Universe.Lookup("float64"),
		types.Universe.Lookup("complex64"), types.Universe.Lookup("complex128"),
	}
	var out []Finding
	for p := range t.shipped {
		if r, ok := row(p.Path); !ok || r.Floor > effects {
			continue
		}
		r := t.resolve(p)
		for f := range p.code {
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					// 1e18 is a way to write an integer.
					v := constant.MakeFromLiteral(n.Value, n.Kind, 0)
					if (n.Kind == token.FLOAT || n.Kind == token.IMAG) && constant.ToInt(v).Kind() != constant.Int {
						out = append(out, t.finding(n.Pos(), "floating-point constant %s", n.Value))
					}
				case *ast.Ident:
					if obj := r.info.Uses[n]; obj != nil && slices.Contains(floating, obj) {
						out = append(out, t.finding(n.Pos(), "floating-point type %s", n.Name))
					}
				case *ast.SelectorExpr:
					if path, name, ok := r.imported(n); ok && !floatFree(path, name) {
						out = append(out, t.finding(n.Pos(), "floating point: %s.%s", path, name))
					} else if !ok && (n.Sel.Name == "Float64" || n.Sel.Name == "Float32") {
						out = append(out, t.finding(n.Pos(), "floating point: method %s", n.Sel.Name))
					}
				}
				return true
			})
		}
	}
	return out
}

func checkState(t *Tree) []Finding {
	var out []Finding
	for p := range t.shipped {
		r := t.resolve(p)
		changed := func(e ast.Expr, how string) {
			if id := r.global(e); id != nil {
				out = append(out, t.finding(e.Pos(), "package-level variable %s %s", id.Name, how))
			}
		}
		for f := range p.code {
			for _, d := range f.Syntax.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Recv == nil && d.Name.Name == "init" {
						out = append(out, t.finding(d.Pos(), "func init: build the value where it is used"))
					}
				case *ast.GenDecl:
					if d.Tok == token.VAR {
						out = append(out, t.globals(r, d)...)
					}
				}
			}
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					if n.Tok != token.DEFINE {
						for _, l := range n.Lhs {
							changed(l, "is assigned")
						}
					}
				case *ast.IncDecStmt:
					changed(n.X, "is assigned")
				case *ast.RangeStmt:
					if n.Tok == token.ASSIGN {
						changed(n.Key, "is assigned")
						if n.Value != nil {
							changed(n.Value, "is assigned")
						}
					}
				case *ast.UnaryExpr:
					if n.Op == token.AND {
						changed(n.X, "has its address taken, so that anyone may change it")
					}
				case *ast.CallExpr:
					for _, name := range []string{"clear", "copy", "delete"} {
						if len(n.Args) > 0 && r.builtin(n.Fun, name) {
							changed(n.Args[0], "is changed by "+name)
						}
					}
				}
				return true
			})
		}
	}
	return out
}

// globals finds variables that are made to be changed: locks and the like, and
// exported ones that are not errors to compare with.
func (t *Tree) globals(r resolved, d *ast.GenDecl) []Finding {
	var out []Finding
	for _, s := range d.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for _, name := range v.Names {
			if name.IsExported() && !strings.HasPrefix(name.Name, "Err") {
				out = append(out, t.finding(name.Pos(), "exported variable %s can be assigned by any importer: make it a function or a constant", name.Name))
			}
		}
		parts := slices.Clone(v.Values)
		if v.Type != nil {
			parts = append(parts, v.Type)
		}
		for _, e := range parts {
			if u, ok := e.(*ast.UnaryExpr); ok {
				e = u.X
			}
			if c, ok := e.(*ast.CompositeLit); ok {
				e = c.Type
			}
			if s, ok := e.(*ast.StarExpr); ok {
				e = s.X
			}
			if i, ok := e.(*ast.IndexExpr); ok {
				e = i.X
			}
			if path, name, ok := r.imported(e); ok && (path == "sync" || path == "sync/atomic") {
				out = append(out, t.finding(v.Pos(), "package-level %s.%s: state belongs to a value that the caller holds", path, name))
			}
		}
	}
	return out
}

// justified reports whether a comment stands on the call's own line, or one that
// says so on the line above.
func (t *Tree) justified(f *File, call *ast.CallExpr, says *regexp.Regexp) bool {
	line := t.Fset.Position(call.End()).Line
	for _, g := range f.Syntax.Comments {
		if g.Pos() > call.End() && t.Fset.Position(g.Pos()).Line == line {
			return true
		}
	}
	return says.MatchString(t.remark(f, call.Pos()))
}

func checkPanics(t *Tree) []Finding {
	unreachable := regexp.MustCompile(`(?i)\bunreachable\b`)
	var out []Finding
	for p := range t.shipped {
		if r, ok := row(p.Path); !ok || r.Floor > effects+1 {
			continue
		}
		r := t.resolve(p)
		for f := range p.code {
			for _, d := range f.Syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(strings.ToLower(fn.Name.Name), "must") && strings.Contains(fn.Doc.Text(), "panic") {
					continue // the caller asked for it by name
				}
				ast.Inspect(d, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					if !ok {
						return true
					}
					path, name, _ := r.imported(call.Fun)
					if path == "os" && name == "Exit" || path == "log" {
						out = append(out, t.finding(call.Pos(), "%s.%s: a package returns its errors", path, name))
					}
					if r.builtin(call.Fun, "panic") && !t.justified(f, call, unreachable) {
						out = append(out, t.finding(call.Pos(), "panic without a comment on its line that says why it is unreachable"))
					}
					return true
				})
			}
		}
	}
	return out
}
