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

// maxChecked bounds the size in bytes of params that are checked. Longer ones are lists
// of tools or messages and are decoded only once.
const maxChecked = 64 << 10

// members maps each method to the allowed members of its params.
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

// unknownMembers returns the members of params that the method does not have, sorted.
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
