package program

import (
	"fmt"
	"slices"

	"go.starlark.net/syntax"
)

// The builtins that a program is rewritten to call. Their names are not valid
// identifiers.
const (
	callName   = "$call"   // f(…) is $call(f, …)
	ownName    = "$own"    // call("a", {}) is $own(call, "a", {}), see [Call.Own]
	binaryName = "$binary" // a + b is $binary(op, a, b)
	moreName   = "$more"   // a += b is a += $more(op, a, b)
	keyName    = "$key"    // a[b] is a[$key(b)], because keys are hashed
	madeName   = "$made"   // [a, b] is $made([a, b])
)

// rewriter rewrites a program so that allocations are measured.
type rewriter struct {
	// straight: the rewritten code runs exactly once, whatever tools return.
	straight bool
	err      error
}

func (w *rewriter) program(file *syntax.File) {
	w.straight = true
	w.statements(file.Stmts)
}

// inside rewrites code that may run never or several times.
func (w *rewriter) inside(rewrite func()) {
	before := w.straight
	w.straight = false
	rewrite()
	w.straight = before
}

func (w *rewriter) statements(all []syntax.Stmt) {
	for _, s := range all {
		switch s := s.(type) {
		case *syntax.AssignStmt:
			w.assignment(s)
		case *syntax.DefStmt:
			w.target(s.Name)
			w.parameters(s.Params)
			w.inside(func() { w.statements(s.Body) })
		case *syntax.ExprStmt:
			w.expression(&s.X)
		case *syntax.ForStmt:
			w.target(s.Vars)
			w.expression(&s.X)
			w.inside(func() { w.statements(s.Body) })
		case *syntax.IfStmt:
			w.expression(&s.Cond)
			w.inside(func() {
				w.statements(s.True)
				w.statements(s.False)
			})
		case *syntax.ReturnStmt:
			w.expression(&s.Result)
		case *syntax.LoadStmt:
			w.refuse(s.Load, "a program loads no other")
		case *syntax.WhileStmt:
			w.refuse(s.While, "there is no while; use for")
		case *syntax.BranchStmt:
		}
	}
}

func (w *rewriter) refuse(at syntax.Position, why string) {
	if w.err == nil {
		w.err = &Error{Line: int(at.Line), Message: why}
	}
}

func (w *rewriter) assignment(s *syntax.AssignStmt) {
	if s.Op == syntax.EQ {
		w.expression(&s.RHS)
		w.target(s.LHS)
		return
	}
	// The left side is evaluated twice, so it must have no effect.
	calls := false
	syntax.Walk(s.LHS, func(n syntax.Node) bool {
		_, is := n.(*syntax.CallExpr)
		calls = calls || is
		return !calls
	})
	if calls {
		w.refuse(s.OpPos, "what is added to holds a call; give it a name first")
		return
	}
	again := w.copyOf(s.LHS)
	w.expression(&s.RHS)
	w.expression(&again)
	w.target(s.LHS)
	op := s.Op - syntax.PLUS_EQ + syntax.PLUS
	s.RHS = called(moreName, s.OpPos, operator(op, s.OpPos), again, s.RHS)
}

// copyOf returns a deep copy of an assignment's target, because target and copy are
// rewritten differently. It refuses a target that is not a name, a literal, an operation
// or an index.
func (w *rewriter) copyOf(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Ident:
		return &syntax.Ident{NamePos: e.NamePos, Name: e.Name}
	case *syntax.ParenExpr:
		return w.copyOf(e.X)
	case *syntax.Literal:
		again := *e
		return &again
	case *syntax.UnaryExpr:
		again := *e
		again.X = w.copyOf(e.X)
		return &again
	case *syntax.BinaryExpr:
		again := *e
		again.X, again.Y = w.copyOf(e.X), w.copyOf(e.Y)
		return &again
	case *syntax.IndexExpr:
		again := *e
		again.X, again.Y = w.copyOf(e.X), w.copyOf(e.Y)
		return &again
	}
	start, _ := e.Span()
	w.refuse(start, "this cannot be added to; write it as a = a + b")
	return e
}

// target rewrites the target of an assignment.
func (w *rewriter) target(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.Ident:
		if isConstant(e.Name) {
			w.refuse(e.NamePos, "nothing is assigned to "+e.Name)
		}
	case *syntax.IndexExpr:
		w.expression(&e.X)
		w.expression(&e.Y)
		e.Y = called(keyName, e.Lbrack, e.Y)
	case *syntax.DotExpr:
		w.expression(&e.X)
	case *syntax.ParenExpr:
		w.target(e.X)
	case *syntax.ListExpr:
		for _, item := range e.List {
			w.target(item)
		}
	case *syntax.TupleExpr:
		for _, item := range e.List {
			w.target(item)
		}
	}
}

// parameters rewrites the default values of parameters.
func (w *rewriter) parameters(all []syntax.Expr) {
	for _, p := range all {
		if b, ok := p.(*syntax.BinaryExpr); ok {
			w.expression(&b.Y)
		}
	}
}

func (w *rewriter) expressions(all []syntax.Expr) {
	for i := range all {
		w.expression(&all[i])
	}
}

// expression rewrites an expression in place.
func (w *rewriter) expression(e *syntax.Expr) {
	switch x := (*e).(type) {
	case *syntax.ParenExpr:
		w.expression(&x.X)
	case *syntax.CallExpr:
		w.callOf(x)
	case *syntax.DotExpr:
		w.expression(&x.X)
	case *syntax.Comprehension:
		w.inside(func() { w.comprehension(x) })
		*e = called(madeName, x.Lbrack, x)
	case *syntax.DictExpr:
		for _, entry := range x.List {
			w.entry(entry)
		}
		*e = called(madeName, x.Lbrace, x)
	case *syntax.LambdaExpr:
		w.parameters(x.Params)
		w.inside(func() { w.expression(&x.Body) })
	case *syntax.ListExpr:
		w.expressions(x.List)
		*e = called(madeName, x.Lbrack, x)
	case *syntax.TupleExpr:
		w.expressions(x.List)
		at, _ := x.Span()
		*e = called(madeName, at, x)
	case *syntax.CondExpr:
		w.expression(&x.Cond)
		w.inside(func() {
			w.expression(&x.True)
			w.expression(&x.False)
		})
	case *syntax.UnaryExpr:
		w.expression(&x.X)
	case *syntax.BinaryExpr:
		w.expression(&x.X)
		if x.Op == syntax.AND || x.Op == syntax.OR {
			w.inside(func() { w.expression(&x.Y) })
		} else {
			w.expression(&x.Y)
			*e = called(binaryName, x.OpPos, operator(x.Op, x.OpPos), x.X, x.Y)
		}
	case *syntax.SliceExpr:
		w.expression(&x.X)
		for _, part := range []*syntax.Expr{&x.Lo, &x.Hi, &x.Step} {
			w.expression(part)
		}
		*e = called(madeName, x.Lbrack, x)
	case *syntax.IndexExpr:
		w.expression(&x.X)
		w.expression(&x.Y)
		x.Y = called(keyName, x.Lbrack, x.Y)
	}
}

// callOf rewrites a call in place.
func (w *rewriter) callOf(x *syntax.CallExpr) {
	name := callName
	if w.straight && !slices.ContainsFunc(x.Args, func(arg syntax.Expr) bool { return !isWritten(argument(arg)) }) {
		name = ownName
	}
	w.expression(&x.Fn)
	for i := range x.Args {
		switch arg := x.Args[i].(type) {
		case *syntax.BinaryExpr:
			if arg.Op == syntax.EQ { // name=value
				w.expression(&arg.Y)
				continue
			}
		case *syntax.UnaryExpr:
			if arg.Op == syntax.STAR || arg.Op == syntax.STARSTAR {
				w.expression(&arg.X)
				arg.X = called(madeName, arg.OpPos, arg.X)
				continue
			}
		}
		w.expression(&x.Args[i])
	}
	x.Args = append([]syntax.Expr{x.Fn}, x.Args...)
	x.Fn = &syntax.Ident{NamePos: x.Lparen, Name: name}
}

// argument returns the value of an argument, which may be named.
func argument(e syntax.Expr) syntax.Expr {
	if named, ok := e.(*syntax.BinaryExpr); ok && named.Op == syntax.EQ {
		return named.Y
	}
	return e
}

// isConstant reports whether a name is a constant of the language, which programs must
// not redefine.
func isConstant(name string) bool { return name == "True" || name == "False" || name == "None" }

// isWritten reports whether the value of an expression is literal.
func isWritten(e syntax.Expr) bool {
	all := func(list []syntax.Expr) bool {
		return !slices.ContainsFunc(list, func(e syntax.Expr) bool { return !isWritten(e) })
	}
	switch e := e.(type) {
	case *syntax.Literal:
		return true
	case *syntax.Ident:
		return isConstant(e.Name)
	case *syntax.ParenExpr:
		return isWritten(e.X)
	case *syntax.UnaryExpr:
		return e.Op == syntax.MINUS && isWritten(e.X)
	case *syntax.ListExpr:
		return all(e.List)
	case *syntax.TupleExpr:
		return all(e.List)
	case *syntax.DictExpr:
		return all(e.List)
	case *syntax.DictEntry:
		return isWritten(e.Key) && isWritten(e.Value)
	}
	return false
}

func (w *rewriter) comprehension(x *syntax.Comprehension) {
	for _, clause := range x.Clauses {
		switch clause := clause.(type) {
		case *syntax.ForClause:
			w.target(clause.Vars)
			w.expression(&clause.X)
		case *syntax.IfClause:
			w.expression(&clause.Cond)
		}
	}
	if _, ok := x.Body.(*syntax.DictEntry); ok {
		w.entry(x.Body)
		return
	}
	w.expression(&x.Body)
}

// entry rewrites an entry of a dict, whose key is hashed.
func (w *rewriter) entry(e syntax.Expr) {
	if entry, ok := e.(*syntax.DictEntry); ok {
		w.expression(&entry.Key)
		w.expression(&entry.Value)
		entry.Key = called(keyName, entry.Colon, entry.Key)
	}
}

// called returns a call of a builtin of this package.
func called(name string, at syntax.Position, args ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args, Rparen: at}
}

// operator returns an operator as an argument.
func operator(op syntax.Token, at syntax.Position) syntax.Expr {
	return &syntax.Literal{Token: syntax.INT, TokenPos: at, Raw: fmt.Sprint(int(op)), Value: int64(op)}
}
