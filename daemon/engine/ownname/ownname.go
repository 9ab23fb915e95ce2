// Package ownname finds what servers themselves call their tools, where a host
// tells only what it calls them: of "mcp__github__create_issue", create_issue of
// github. It is pure: names in, names out.
package ownname

import (
	"regexp"
	"strings"
)

// Unknown is the server of a tool that a host cannot tell the server of.
const Unknown = "unknown server"

// Name is a tool as its server names it, and the server.
type Name struct{ Server, Tool string }

// maxPrefix is how many bytes VS Code's names have for a server at most, "mcp_"
// and the last "_" included.
const maxPrefix = 18

// forms are what clients put before a server's name, and between it and the
// tool's. The longest come first. Without a word before it, a single character
// between them may be the server's own way of naming.
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

// Find returns, for each of the names that a host has for the tools of one
// server, the server's own, in their order. server is what the host calls the
// server, or Unknown, for which the names may be of several: the servers are then
// read off the names too. A name that shows no prefix is the tool's own.
//
// A server's name that VS Code cut, or took from its title, is what all names of
// the server begin with; where that is unknown, the prefix is one word.
func Find(server string, names []string) []Name {
	found := make([]Name, len(names))
	known := prefixes(server, names)
	rest := map[string][]int{} // names of VS Code's form that no spelling explains, by group
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
				break // a single name tells no more than its first word
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

// prefixes are what clients put before the names of a server that they know, the
// likeliest first.
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
				list = append(list, prefix) // with "mcp_" too: Gemini CLI cuts none
			}
		}
	}
	return list
}

// cut cuts the first of some prefixes that a name has, and something behind it.
func cut(prefixes []string, name string) (tool string, ok bool) {
	for _, prefix := range prefixes {
		if tool, ok := strings.CutPrefix(name, prefix); ok && tool != "" {
			return tool, true
		}
	}
	return "", false
}

// shared reports whether all names, of more than one, begin with a prefix.
func shared(prefix string, names []string) bool {
	for _, name := range names {
		if len(name) <= len(prefix) || !strings.HasPrefix(name, prefix) {
			return false
		}
	}
	return len(names) > 1
}

// unusual are characters that clients replace in names, and unusualLower those
// that VS Code does.
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

// commonPrefix returns the longest beginning of several names, up to a "_", that
// they share and that VS Code may have made of a server; empty for fewer.
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
