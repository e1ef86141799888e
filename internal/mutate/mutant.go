package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// A mutant is one small change of one file: the bytes from start to end are replaced.
type mutant struct {
	file       string // as it was named to mutants
	line       int
	kind       string // which operator made it
	start, end int
	text       string // what stands there instead
	was        string
}

// apply returns the changed source.
func (m mutant) apply(src []byte) []byte {
	return slices.Concat(src[:m.start], []byte(m.text), src[m.end:])
}

// String names the mutant: the place and the change, each on one line.
func (m mutant) String() string {
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	return fmt.Sprintf("%s:%d: %s: %s => %s", m.file, m.line, m.kind, flat(m.was), cmp.Or(flat(m.text), "(nothing)"))
}

// What is put in each other's place: operators, and predeclared names.
var (
	operators = map[token.Token]token.Token{
		token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
		token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
		token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.QUO,
		token.OR: token.AND, token.AND: token.OR, token.XOR: token.OR, token.AND_NOT: token.AND, token.SHL: token.SHR, token.SHR: token.SHL,
		token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
		token.INC: token.DEC, token.DEC: token.INC, token.BREAK: token.CONTINUE, token.CONTINUE: token.BREAK,
	}
	names = map[string]string{"true": "false", "false": "true", "max": "min", "min": "max"}
)

// mutants returns the mutants of a file, in the order of their places. Constants says what stands in the place of a
// constant's name: see constants.
func mutants(name string, src []byte, constants map[string]string) ([]mutant, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var all []mutant
	at := func(pos token.Pos) int { return fset.Position(pos).Offset }
	add := func(kind string, from, to token.Pos, text string) {
		start, end := at(from), at(to)
		all = append(all, mutant{name, fset.Position(from).Line, kind, start, end, text, string(src[start:end])})
	}
	source := func(n ast.Node) string { return string(src[at(n.Pos()):at(n.End())]) }
	swap := func(pos token.Pos, op token.Token) {
		if other, known := operators[op]; known {
			add("operator", pos, pos+token.Pos(len(op.String())), other.String())
		}
	}
	negate := func(cond ast.Expr) {
		if cond != nil {
			add("negated", cond.Pos(), cond.End(), "!("+source(cond)+")")
		}
	}
	drop := func(n ast.Node) { add("dropped", n.Pos(), n.End(), "") }
	ignored := map[ast.Expr]bool{} // what is returned beside an error, which nobody may look at

	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.GenDecl:
			return n.Tok != token.CONST // other constants are other programs
		case *ast.IfStmt:
			negate(n.Cond)
		case *ast.ForStmt:
			negate(n.Cond)
		case *ast.CaseClause:
			for _, e := range n.List {
				if b, comparison := e.(*ast.BinaryExpr); comparison && b.Op != token.ADD {
					negate(e)
				}
			}
		case *ast.BinaryExpr:
			swap(n.OpPos, n.Op)
		case *ast.UnaryExpr:
			if n.Op == token.NOT {
				add("operator", n.OpPos, n.OpPos+1, "")
			}
		case *ast.BranchStmt:
			if n.Label == nil {
				swap(n.TokPos, n.Tok)
			}
		case *ast.IncDecStmt:
			swap(n.TokPos, n.Tok)
			drop(n)
		case *ast.AssignStmt:
			swap(n.TokPos, n.Tok)
			if n.Tok != token.DEFINE {
				drop(n)
			}
		case *ast.ExprStmt:
			drop(n)
		case *ast.ReturnStmt:
			if last := len(n.Results) - 1; last > 0 && isError(n.Results[last]) {
				for _, e := range n.Results[:last] {
					ignored[e] = true
				}
			}
		case *ast.BasicLit:
			if n.Kind == token.INT && !ignored[n] {
				add("number", n.Pos(), n.End(), "("+n.Value+"+1)")
				add("number", n.Pos(), n.End(), "("+n.Value+"-1)")
			}
		case *ast.Ident:
			if other := cmp.Or(names[n.Name], constants[n.Name]); other != "" {
				add("constant", n.Pos(), n.End(), other)
			}
		}
		return true
	})
	slices.SortStableFunc(all, func(a, b mutant) int { return cmp.Compare(a.start, b.start) })
	return all, nil
}

// isError reports whether an expression is surely an error that is not nil: err, x.err, fmt.Errorf(…), errors.New(…), or
// &SomeError{…}.
func isError(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "err"
	case *ast.SelectorExpr:
		return e.Sel.Name == "err"
	case *ast.CallExpr:
		f, qualified := e.Fun.(*ast.SelectorExpr)
		return qualified && (f.Sel.Name == "Errorf" || f.Sel.Name == "New")
	case *ast.UnaryExpr:
		literal, composite := e.X.(*ast.CompositeLit)
		if !composite {
			return false
		}
		named, is := literal.Type.(*ast.Ident)
		return is && strings.HasSuffix(named.Name, "Error")
	}
	return false
}

// constants finds the typed constants that are declared in groups, and gives each the next of its group, the last the
// first.
func constants(name string, src []byte) (map[string]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	next := map[string]string{}
	for _, d := range file.Decls {
		group, is := d.(*ast.GenDecl)
		if !is || group.Tok != token.CONST {
			continue
		}
		byType := map[string][]string{}
		for _, spec := range group.Specs {
			v := spec.(*ast.ValueSpec)
			if typed, named := v.Type.(*ast.Ident); named {
				for _, id := range v.Names {
					byType[typed.Name] = append(byType[typed.Name], id.Name)
				}
			}
		}
		for _, ids := range byType {
			for i, id := range ids {
				if len(ids) > 1 {
					next[id] = ids[(i+1)%len(ids)]
				}
			}
		}
	}
	return next, nil
}
