package program

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// isBuiltin reports whether a name is one of this package's builtins.
func isBuiltin(name string) bool { return (&run{}).builtins().Has(name) }

// builtins returns the builtins for programs and for rewritten code.
func (r *run) builtins() starlark.StringDict {
	all := starlark.StringDict{}
	for name, f := range map[string]func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error){
		"call": r.call, "parallel": r.parallel, "json_decode": r.jsonDecode, "json_encode": r.jsonEncode,
		callName: r.invoke, ownName: r.invokeOwn, binaryName: r.binary, moreName: r.more, keyName: r.key, madeName: r.made,
	} {
		all[name] = starlark.NewBuiltin(name, f)
	}
	return all
}

// invoke calls its first argument with the others.
func (r *run) invoke(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	f, args := args[0], args[1:]
	builtin, ok := f.(*starlark.Builtin)
	if !ok {
		return starlark.Call(thread, f, args, kwargs)
	}
	for i := range kwargs {
		kwargs[i][1] = r.metered(kwargs[i][1])
	}
	if builtin.Name() == "sorted" && len(args) > 1 { // key may be positional
		args[1] = r.metered(args[1])
	}
	if err := r.price(builtin, args, kwargs); err != nil {
		return nil, err
	}
	return starlark.Call(thread, f, args, kwargs)
}

// invokeOwn is invoke for a call whose arguments are all literal, and which is made
// exactly once.
func (r *run) invokeOwn(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	f, ok := args[0].(*starlark.Builtin)
	r.own = ok && f.Receiver() == nil && (f.Name() == "call" || f.Name() == "parallel")
	defer func() { r.own = false }()
	return r.invoke(thread, b, args, kwargs)
}

// metered wraps a function of the library, so that it is measured when another one calls
// it.
func (r *run) metered(v starlark.Value) starlark.Value {
	key, ok := v.(*starlark.Builtin)
	if !ok {
		return v
	}
	return starlark.NewBuiltin(key.Name(), func(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return r.invoke(thread, b, append(starlark.Tuple{key}, args...), kwargs)
	})
}

// binary evaluates an operator.
func (r *run) binary(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	op, x, y, err := r.operands(args)
	if err != nil {
		return nil, err
	}
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE:
		is, err := starlark.Compare(op, x, y)
		return starlark.Bool(is), err
	}
	return starlark.Binary(op, x, y)
}

// more returns the right operand of an augmented assignment.
func (r *run) more(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	_, _, y, err := r.operands(args)
	return y, err
}

// operands decodes the operands of an operator and charges its result.
func (r *run) operands(args starlark.Tuple) (op syntax.Token, x, y starlark.Value, err error) {
	n, err := starlark.AsInt32(args[0])
	if err != nil {
		return 0, nil, nil, err
	}
	op, x, y = syntax.Token(n), args[1], args[2]
	for _, v := range args[1:] {
		if i, ok := v.(starlark.Int); ok && i.BigInt().BitLen() > maxBits {
			return 0, nil, nil, errBits
		}
	}
	size := int64(0)
	switch op {
	case syntax.PLUS, syntax.PIPE, syntax.AMP, syntax.CIRCUMFLEX, syntax.MINUS:
		size = shallow(x) + shallow(y)
	case syntax.STAR:
		size = max(times(x, y), times(y, x))
	case syntax.PERCENT:
		if _, ok := x.(starlark.String); ok {
			size, err = r.meter.weigh(x, y)
			size *= 4
		}
	case syntax.SLASH, syntax.SLASHSLASH, syntax.LTLT, syntax.GTGT:
		size = maxBits / 4
	default: // compares
		_, err = r.meter.weigh(x, y)
	}
	if err == nil {
		err = r.meter.make(size)
	}
	return op, x, y, err
}

// times returns the size of a repeated value; 0 if n is not an int.
func times(v, n starlark.Value) int64 {
	count, ok := n.(starlark.Int)
	if !ok {
		return 0
	}
	if _, ok := v.(starlark.Int); ok {
		return maxBits / 4
	}
	many, ok := count.Int64()
	if !ok || many > 1<<31 {
		return 1 << 62
	}
	return shallow(v) * max(many, 0)
}

// key charges a dict key or an index, and returns it.
func (r *run) key(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	if _, err := r.meter.weigh(args[0]); err != nil {
		return nil, err
	}
	return args[0], r.meter.make(entryBytes)
}

// made charges a new value, and returns it.
func (r *run) made(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return args[0], r.meter.make(shallow(args[0]))
}

// cost is how a function of the library is charged before it runs.
type cost int

const (
	// free: constant time and size.
	free cost = iota + 1
	// hashes: it reads its arguments, but not its receiver.
	hashes
	// reads: it reads its arguments and its receiver.
	reads
	// copies: the result is about as large as the arguments.
	copies
	// lists: the result is a list of the arguments' items.
	lists
	// special: the result can be far larger than the arguments.
	special
)

// costs holds the functions and methods that programs may call.
var costs = map[string]cost{
	"append": free, "insert": free, "pop": free, "popitem": free, "clear": free, "len": free, "type": free, "range": free,
	"call": free, "parallel": free, "json_encode": free, "elems": free,

	"add": hashes, "get": hashes, "setdefault": hashes, "discard": hashes,

	"remove": reads, "index": reads, "count": reads,
	"abs": reads, "any": reads, "all": reads, "bool": reads, "float": reads, "int": special, "min": reads, "max": reads,
	"find": reads, "rfind": reads, "rindex": reads, "startswith": reads, "endswith": reads, "isalnum": reads, "isalpha": reads,
	"isdigit": reads, "islower": reads, "isspace": reads, "istitle": reads, "isupper": reads, "issubset": reads, "issuperset": reads,

	"capitalize": copies, "lower": copies, "upper": copies, "title": copies, "strip": copies, "lstrip": copies, "rstrip": copies,
	"removeprefix": copies, "removesuffix": copies, "partition": copies, "rpartition": copies, "str": copies, "repr": copies,
	"print": copies, "fail": copies, "json_decode": reads,

	"dict": lists, "enumerate": lists, "list": lists, "reversed": lists, "set": lists, "sorted": lists, "tuple": lists, "zip": lists,
	"extend": lists, "update": lists, "keys": lists, "values": lists, "items": lists, "union": lists, "intersection": lists,
	"difference": lists, "symmetric_difference": lists,

	"join": special, "replace": special, "format": special, "split": special, "rsplit": special, "splitlines": special,
}

// price charges a function of the library before its call.
func (r *run) price(f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) error {
	how := costs[f.Name()]
	if how == 0 {
		return fmt.Errorf("%s is not available in a program", f.Name())
	}
	given := append(starlark.Tuple{}, args...)
	for _, pair := range kwargs {
		given = append(given, pair[1])
	}
	switch {
	case how == free:
		return r.meter.make(entryBytes)
	case how == hashes:
		_, err := r.meter.weigh(given...)
		return errorsOr(err, r.meter.make(entryBytes))
	case f.Receiver() != nil:
		given = append(given, f.Receiver())
	}
	size, err := r.meter.weigh(given...)
	if err != nil {
		return err
	}
	switch how {
	case copies:
		return r.meter.make(size * 4) // strings may be escaped
	case lists:
		n := int64(dictBytes)
		for _, v := range given {
			n += int64(max(0, starlark.Len(v))) * entryBytes
		}
		return r.meter.make(n)
	case special:
		return r.priceText(f, args, size)
	case free, hashes, reads:
	}
	return nil
}

func errorsOr(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// priceText charges the functions marked special. size is the size of all arguments.
func (r *run) priceText(f *starlark.Builtin, args starlark.Tuple, size int64) error {
	text, _ := f.Receiver().(starlark.String)
	arg := func(i int) string {
		if i < len(args) {
			s, _ := starlark.AsString(args[i])
			return s
		}
		return ""
	}
	switch f.Name() {
	case "int":
		if len(arg(0)) > maxDigits {
			return errBits
		}
	case "join":
		if len(args) > 0 {
			size += int64(len(text)) * int64(max(0, starlark.Len(args[0])))
		}
	case "replace":
		size += int64(strings.Count(string(text), arg(0))) * int64(len(arg(1)))
	case "format":
		size += int64(strings.Count(string(text), "{")) * size * 4
	case "split", "rsplit":
		parts := len(text)
		if sep := arg(0); sep != "" {
			parts = strings.Count(string(text), sep)
		}
		size += int64(parts+1) * itemBytes
	case "splitlines":
		size += int64(strings.Count(string(text), "\n")+strings.Count(string(text), "\r")+1) * itemBytes
	}
	return r.meter.make(size)
}
