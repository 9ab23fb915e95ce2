package main

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// The types of the method table itself, which are not on the wire.
const (
	methodType    = "Method"
	directionType = "Direction"
)

// Row is one row of the method table, its types by name.
type Row struct {
	// Method is the name on the wire.
	Method    string
	Direction protocol.Direction
	Params    string
	// Result is empty for a notification.
	Result string
}

// tableRows reads the names of the table's types.
func tableRows(methods []protocol.Method) []Row {
	rows := make([]Row, len(methods))
	for i, m := range methods {
		rows[i] = Row{Method: m.Name, Direction: m.Direction, Params: typeName(m.Params), Result: typeName(m.Result)}
	}
	return rows
}

func typeName(zero any) string {
	if zero == nil {
		return ""
	}
	return reflect.TypeOf(zero).Name()
}

// methodPrefix begins the name of each constant that names a method.
const methodPrefix = "Method"

// methodNames maps each method on the wire to the name of its constant less
// the prefix: "task/open" to TaskOpen.
func (p *Package) methodNames() (map[string]string, error) {
	names := map[string]string{}
	var errs []error
	for _, c := range p.Constants {
		name, ok := strings.CutPrefix(c.Name, methodPrefix)
		if !ok {
			continue
		}
		method, err := strconv.Unquote(c.Literal)
		if err != nil {
			errs = append(errs, fmt.Errorf("constant %s: a method is a string", c.Name))
			continue
		}
		if other, ok := names[method]; ok {
			errs = append(errs, fmt.Errorf("%s has two constants: %s%s and %s", method, methodPrefix, other, c.Name))
		}
		names[method] = name
	}
	return names, errors.Join(errs...)
}
