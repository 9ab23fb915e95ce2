package config

import (
	"github.com/tailscale/hujson"

	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
)

// nonStandard returns the place of the first comment or trailing comma.
func nonStandard(d *jsonc.Document) (place, bool) {
	if d.Root.IsStandard() {
		return place{}, false
	}
	// Standardize keeps offsets, because it replaces with blanks.
	standard := d.Root.Clone()
	standard.Standardize()
	for i, c := range standard.Pack() {
		if i >= len(d.Data) || d.Data[i] != c {
			return place{offset: i}, true
		}
	}
	return place{}, false
}

// rootNode copies the outermost value. It omits the values of unwanted keys, because
// ~/.claude.json holds megabytes of other data.
func rootNode(d *jsonc.Document, wanted func(key string) bool) node {
	object, ok := d.Root.Value.(*hujson.Object)
	if !ok {
		return jsonNode(d.Root)
	}
	n := node{kind: kindObject, at: place{offset: d.Root.StartOffset}}
	for _, m := range object.Members {
		key, value := jsonc.NameOf(m), node{}
		if wanted(key) {
			value = jsonNode(m.Value)
		}
		n.members = append(n.members, member{key, place{offset: m.Name.StartOffset}, value})
	}
	return n
}

// jsonNode converts v into a node.
func jsonNode(v hujson.Value) node {
	n := node{at: place{offset: v.StartOffset}}
	switch value := v.Value.(type) {
	case *hujson.Object:
		n.kind = kindObject
		for _, m := range value.Members {
			n.members = append(n.members, member{jsonc.NameOf(m), place{offset: m.Name.StartOffset}, jsonNode(m.Value)})
		}
	case *hujson.Array:
		n.kind = kindList
		for _, e := range value.Elements {
			n.items = append(n.items, jsonNode(e))
		}
	case hujson.Literal:
		n.kind, n.text = literalKind(value), value.String()
	}
	return n
}

func literalKind(l hujson.Literal) kind {
	switch l.Kind() {
	case 'n':
		return kindNull
	case 't', 'f':
		return kindBool
	case '"':
		return kindString
	default:
		return kindNumber
	}
}
