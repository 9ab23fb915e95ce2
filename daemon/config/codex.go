package config

import "slices"

// fromCodex converts the members of an entry to the common form. Codex has its own names
// for rules, headers and their variables.
func fromCodex(members []member) []member {
	var common []member
	headers := node{kind: kindObject}
	var headersAt place
	enabled, none := codexEnabled(members)
	for _, m := range members {
		switch m.key {
		case "enabled":
			if none {
				continue // see below
			}
			m.key, m.value = "disabled", negated(m.value)
		case "enabled_tools":
			if none {
				m = member{"disabled", m.at, node{kind: kindBool, at: m.value.at, text: "true"}}
				break
			}
			m.key, m.value = "onlyAllow", enabled
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

// codexHeaders returns the headers of one key: values, names of variables, or the
// variable of a bearer token.
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

// codexEnabled returns the tools of enabled_tools without those of disabled_tools, as
// Codex does. none reports that enabled_tools is set and no tool is left.
func codexEnabled(members []member) (enabled node, none bool) {
	var disabled []node
	there := false
	for _, m := range members {
		switch m.key {
		case "enabled_tools":
			enabled, there = m.value, m.value.kind == kindList
		case "disabled_tools":
			disabled = m.value.items
		}
	}
	enabled.items = slices.DeleteFunc(slices.Clone(enabled.items), func(tool node) bool {
		return slices.ContainsFunc(disabled, func(d node) bool { return d.kind == kindString && tool.kind == kindString && d.text == tool.text })
	})
	return enabled, there && len(enabled.items) == 0
}

// codexAllowed returns the tools that Codex runs unasked. Its default for the others is
// not taken over if a tool is asked about: it would allow all, including that one.
func codexAllowed(members []member) member {
	const approve = "approve"
	allowed := member{key: AllowKey, value: node{kind: kindList}}
	add := func(name string, at place) {
		allowed.at, allowed.value.at = at, at
		allowed.value.items = append(allowed.value.items, node{kind: kindString, at: at, text: name})
	}
	asks := slices.ContainsFunc(members, func(m member) bool {
		return m.key == "tools" && slices.ContainsFunc(m.value.members, func(tool member) bool {
			return slices.ContainsFunc(tool.value.members, func(said member) bool {
				return said.key == "approval_mode" && said.value.text != approve
			})
		})
	})
	for _, m := range members {
		switch {
		case m.key == "default_tools_approval_mode" && m.value.text == approve && !asks:
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
