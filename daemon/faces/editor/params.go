package editor

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// maxChecked bounds the params that are looked through, in bytes: a longer one
// is a list of tools or of messages, and is decoded once only.
const maxChecked = 64 << 10

// members returns the names of the members that each method's params may have.
var members = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, m := range protocol.Methods() {
		all[m.Name] = memberNames(reflect.TypeOf(m.Params))
	}
	return all
})

// memberNames returns the JSON names of a struct's fields.
func memberNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			names = append(names, memberNames(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// unknownMembers returns the members of a request's params that mean nothing to
// its method.
func unknownMembers(method string, params json.RawMessage) []string {
	known, declared := members()[method]
	if !declared || len(params) > maxChecked {
		return nil
	}
	var unknown []string
	for name := range ijson.Members(params) {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return slices.Compact(unknown)
}
