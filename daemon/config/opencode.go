package config

import (
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// fromOpencode writes the members of an entry as all other clients have them.
// opencode, and Kilo Code since it is built on opencode, have a command line in
// `command`, `environment` for env, `enabled` for the opposite of disabled,
// `scope` for the scopes of `oauth`, and types of their own. A value of the wrong kind stays as it is, for the decoder
// of the key to report.
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

// fromOpencodeOAuth writes the members of `oauth` as all other clients have them.
func fromOpencodeOAuth(members []member) []member {
	members = slices.Clone(members)
	for i := range members {
		if members[i].key == "scope" {
			members[i].key = "scopes"
		}
	}
	return members
}

// opencodeType returns the common name of a type. A remote server is spoken to
// over streamable HTTP.
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

// negated turns true and false around.
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
