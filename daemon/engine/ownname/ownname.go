// Package ownname derives the servers' own names of tools from a host's names:
// create_issue of github from "mcp__github__create_issue". It is pure: names in, names
// out.
package ownname

import (
	"regexp"
	"strings"
)

// Unknown is the server of a tool whose host does not name the server.
const Unknown = "unknown server"

// Name is a server and its own name of a tool.
type Name struct{ Server, Tool string }

// maxPrefix is the most bytes of a server's prefix in VS Code's names, "mcp_" and the
// last "_" included.
const maxPrefix = 18

// forms holds what clients put before a server's name, and between it and the tool's,
// longest first. In an ambiguous form, with nothing before and one character between, the
// character may be part of the server's own names.
var forms = []struct {
	before, between string
	ambiguous       bool
}{
	{"mcp__", "__", false}, // Claude Code, Codex
	{"mcp--", "--", false}, // Roo Code, Zoo Code
	{"mcp_", "_", false},   // VS Code, Gemini CLI
	{"", "__", false},
	{"", "--", false},
	{"", "_", true}, // opencode
	{"", "-", true},
	{"", ".", true},
}

// Find returns the server's own name for each of a host's names of the tools of one
// server, in their order. server is the host's name of the server, or Unknown: then the
// names may be of several servers, which are derived from them too. A name without a
// prefix is the tool's own.
//
// If VS Code cut a server's name or took it from its title, the prefix is what all names
// of the server share. If that is unknown, the prefix is one word.
func Find(server string, names []string) []Name {
	found := make([]Name, len(names))
	known := prefixes(server, names)
	rest := map[string][]int{} // names of VS Code's form without a known spelling, by group
	for i, name := range names {
		found[i] = Name{server, name}
		if tool, ok := cut(known, name); ok {
			found[i].Tool = tool
			continue
		}
		for _, form := range forms[:3] {
			inner, ok := strings.CutPrefix(name, form.before)
			first, tool, split := strings.Cut(inner, form.between)
			if !ok || !split || first == "" || tool == "" {
				continue
			}
			group := server
			if server == Unknown {
				found[i].Server, group = first, first
			}
			if found[i].Tool = tool; form.between == "_" {
				rest[group] = append(rest[group], i)
			}
			break
		}
	}
	for group, members := range rest {
		prefix := commonPrefix(names, members)
		for _, i := range members {
			if prefix == "" {
				break // a single name shows only its first word
			}
			found[i].Tool = names[i][len(prefix):]
			if server == Unknown {
				found[i].Server = strings.Trim(strings.TrimPrefix(prefix, "mcp_"), "_")
			} else {
				found[i].Server = group
			}
		}
	}
	return found
}

// prefixes returns what clients put before the names of a known server, most likely
// first.
func prefixes(server string, names []string) []string {
	if server == Unknown {
		return nil
	}
	var list []string
	for _, form := range forms {
		for _, spelled := range spellings(server) {
			prefix := form.before + spelled + form.between
			if form.before == "mcp_" {
				short := strings.TrimSuffix(prefix, "_")
				list = append(list, short[:min(len(short), maxPrefix-1)]+"_")
			}
			if !form.ambiguous || shared(prefix, names) {
				list = append(list, prefix) // also with "mcp_": Gemini CLI cuts none
			}
		}
	}
	return list
}

// cut removes the first matching prefix of a name, if text follows it.
func cut(prefixes []string, name string) (tool string, ok bool) {
	for _, prefix := range prefixes {
		if tool, ok := strings.CutPrefix(name, prefix); ok && tool != "" {
			return tool, true
		}
	}
	return "", false
}

// shared reports whether all of several names begin with a prefix.
func shared(prefix string, names []string) bool {
	for _, name := range names {
		if len(name) <= len(prefix) || !strings.HasPrefix(name, prefix) {
			return false
		}
	}
	return len(names) > 1
}

// unusual matches characters that clients replace in names, and unusualLower those that
// VS Code replaces.
var (
	unusual      = regexp.MustCompile(`[^A-Za-z0-9_-]`)
	unusualLower = regexp.MustCompile(`[^a-z0-9_.-]+`)
)

// spellings returns a server's name as clients spell it.
func spellings(server string) []string {
	plain := unusual.ReplaceAllString(server, "_")
	lower := strings.ReplaceAll(unusualLower.ReplaceAllString(strings.ToLower(server), "_"), ".", "_")
	return []string{server, plain, strings.ReplaceAll(plain, "-", "_"), strings.ToLower(plain), lower}
}

// commonPrefix returns the longest prefix up to a "_" that several names share and that
// VS Code may have derived from a server. It returns "" for fewer than two names.
func commonPrefix(names []string, members []int) string {
	if len(members) < 2 {
		return ""
	}
	prefix := names[members[0]]
	for _, i := range members {
		for !strings.HasPrefix(names[i], prefix) || len(prefix) >= len(names[i]) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	prefix = prefix[:min(len(prefix), maxPrefix)]
	return prefix[:strings.LastIndexByte(prefix, '_')+1]
}
