package config

import (
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// fromOpencode converts the members of an entry to the common form. opencode, and Kilo
// Code, which is based on it, use a command line in `command`, `environment` for env,
// `enabled` for the opposite of disabled, `scope` for the scopes of `oauth`, and their
// own types. A value of the wrong kind is kept, so that the key's decoder reports it.
func fromOpencode(members []member) []member {
	var common []member
	for _, m := range members {
		switch m.key {
		case "type":
			m.value.text = opencodeType(m.value)
		case "command":
			if v := m.value; v.kind == kindList && len(v.items) > 0 {
				args := node{kind: kindList, at: v.at, items: v.items[1:]}
				common = append(common, member{"args", m.at, args})
				m.value = v.items[0]
			}
		case "environment":
			m.key = "env"
		case "enabled":
			m.key, m.value = "disabled", negated(m.value)
		case "oauth":
			if m.value.kind == kindBool {
				continue // false: no sign-in, which is what a server that asks for none gets
			}
			m.value.members = fromOpencodeOAuth(m.value.members)
		}
		common = append(common, m)
	}
	return common
}

// fromOpencodeOAuth converts the members of `oauth` to the common form.
func fromOpencodeOAuth(members []member) []member {
	members = slices.Clone(members)
	for i := range members {
		if members[i].key == "scope" {
			members[i].key = "scopes"
		}
	}
	return members
}

// opencodeType returns the common name of a type. A remote server uses streamable HTTP.
func opencodeType(v node) string {
	switch {
	case v.kind == kindString && v.text == "local":
		return string(protocol.TypeStdio)
	case v.kind == kindString && v.text == "remote":
		return string(protocol.TypeHTTP)
	default:
		return v.text
	}
}

// negated negates a boolean.
func negated(v node) node {
	switch {
	case v.kind != kindBool:
	case v.text == "true":
		v.text = "false"
	default:
		v.text = "true"
	}
	return v
}
