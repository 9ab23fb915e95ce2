package config

import "slices"

// fromCodex writes the members of an entry as all other clients have them. Codex
// has names of its own for rules, headers and the variables that they come from.
func fromCodex(members []member) []member {
	var common []member
	headers := node{kind: kindObject}
	var headersAt place
	for _, m := range members {
		switch m.key {
		case "enabled":
			m.key, m.value = "disabled", negated(m.value)
		case "enabled_tools":
			m.key = "onlyAllow"
		case "disabled_tools":
			m.key = "disabledTools"
		case "tool_timeout_sec":
			m.key = "timeout"
		case "http_headers", "env_http_headers", "bearer_token_env_var":
			headersAt = m.at
			headers.members = append(headers.members, codexHeaders(m)...)
			continue
		case "tools", "default_tools_approval_mode": // see codexAllowed
			continue
		}
		common = append(common, m)
	}
	if len(headers.members) > 0 {
		headers.at = headersAt
		common = append(common, member{"headers", headersAt, headers})
	}
	if allowed := codexAllowed(members); len(allowed.value.items) > 0 {
		common = append(common, allowed)
	}
	return common
}

// codexHeaders returns the headers that one key gives: as they are, by the names
// of variables, or a bearer token by that of one.
func codexHeaders(m member) []member {
	variable := func(v node, before string) node {
		if v.kind == kindString {
			v.text = before + "${env:" + v.text + "}"
		}
		return v
	}
	switch m.key {
	case "bearer_token_env_var":
		return []member{{"Authorization", m.at, variable(m.value, "Bearer ")}}
	case "env_http_headers":
		headers := slices.Clone(m.value.members)
		for i := range headers {
			headers[i].value = variable(headers[i].value, "")
		}
		return headers
	}
	return m.value.members
}

// codexAllowed returns the tools that Codex runs unasked.
func codexAllowed(members []member) member {
	const approve = "approve"
	allowed := member{key: AllowKey, value: node{kind: kindList}}
	add := func(name string, at place) {
		allowed.at, allowed.value.at = at, at
		allowed.value.items = append(allowed.value.items, node{kind: kindString, at: at, text: name})
	}
	for _, m := range members {
		switch {
		case m.key == "default_tools_approval_mode" && m.value.text == approve:
			add("*", m.at)
		case m.key == "tools":
			for _, tool := range m.value.members {
				for _, said := range tool.value.members {
					if said.key == "approval_mode" && said.value.text == approve {
						add(tool.key, tool.at)
					}
				}
			}
		}
	}
	return allowed
}
