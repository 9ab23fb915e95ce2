package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// reachAll returns the types of the wire, which hosts need, and those of Winnow's
// own file. It fails for a type that none of them is made of.
func reachAll(pkg *Package, methods []protocol.Method) (wire, file *reach, err error) {
	wire = &reach{pkg: pkg, types: map[string]reflect.Type{}, lists: true}
	file = &reach{pkg: pkg, types: map[string]reflect.Type{}}
	roots := []any{protocol.Code(0), protocol.ErrorData{}, protocol.Settings{}}
	for _, m := range methods {
		roots = append(roots, m.Params)
		if m.Result != nil {
			roots = append(roots, m.Result)
		}
	}
	var errs []error
	for _, root := range roots {
		errs = append(errs, wire.add(reflect.TypeOf(root)))
	}
	errs = append(errs, file.add(reflect.TypeFor[protocol.WinnowFile]()))
	elsewhere := []string{"Direction", ruleType, "Sandbox", "EnvValue", "AlwaysLoad"} // of tables, and what tags stand for
	for _, name := range pkg.Types {
		if wire.types[name] == nil && file.types[name] == nil && !slices.Contains(elsewhere, name) {
			errs = append(errs, fmt.Errorf("type %s is in no message and no file; remove it, or use it", name))
		}
	}
	return wire, file, errors.Join(errs...)
}

// methodPrefix begins the names of the constants that name methods.
const methodPrefix = "Method"

// methodNames returns the names of the constants by their methods, without the
// prefix. It fails unless each has one row in the table.
func methodNames(pkg *Package, methods []protocol.Method) (map[string]string, error) {
	names := map[string]string{}
	rows := map[string]int{}
	for _, m := range methods {
		rows[m.Name]++
	}
	var errs []error
	for _, c := range pkg.Values[""] {
		name, ok := strings.CutPrefix(c.Name, methodPrefix)
		if !ok {
			continue
		}
		method, err := strconv.Unquote(c.Literal)
		if err != nil || names[method] != "" || rows[method] != 1 {
			errs = append(errs, fmt.Errorf("constant %s: one string for each method, with one row in Methods", c.Name))
		}
		names[method] = name
	}
	for _, m := range methods {
		if names[m.Name] == "" {
			errs = append(errs, fmt.Errorf("method %s has a row in Methods but no constant", m.Name))
		}
	}
	return names, errors.Join(errs...)
}
