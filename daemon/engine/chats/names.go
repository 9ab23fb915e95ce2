package chats

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Naming says which of a client's tools are tools of MCP servers: those whose names have
// a form that clients use, or match a pattern of the user's. All others are the client's
// own and pass unchanged.
type Naming struct {
	// Servers holds the names of configured MCP servers. They determine where a server's
	// name ends, and that `server_tool` is a tool of one.
	Servers []string
	// Include and Exclude are patterns of names, as in [path.Match], set by the user for
	// an endpoint. Exclude wins.
	Include, Exclude []string
	// Forms holds additional forms, such as `ext:{server}:{tool}`.
	Forms []string
}

// prefix holds what a client puts before the server's name, and between it and the
// tool's.
type prefix struct{ before, between string }

// prefixes holds those of known clients, longest first.
var prefixes = []prefix{
	{"mcp__", "__"}, // Claude Code, Codex
	{"mcp--", "--"}, // Roo Code, Zoo Code
	vscodePrefix,
}

// vscodePrefix is the prefix of VS Code and Gemini CLI.
var vscodePrefix = prefix{"mcp_", "_"}

// maxVSCodeServer is the most characters that VS Code keeps of a server's name. With the
// text before and after it, they are 18.
const maxVSCodeServer = 13

// betweens separate a known server's name from its tool's.
var betweens = []string{"__", "--", "_", "-", "."}

// Identity is the server and the tool that a client's name of a tool means.
type Identity struct{ Server, Tool string }

// Namer applies a [Naming] to the tools of a list.
type Namer struct {
	include, exclude []string
	// prefixes holds the user's forms and those of known clients.
	prefixes []prefix
	// servers holds the spellings of each known server.
	servers []spelling
}

// spelling is a server's name as a client writes it. A cut one is VS Code's, and only
// follows its prefix. alike counts the servers with this spelling.
type spelling struct {
	server, spelled string
	alike           int
}

// Namer returns a [Namer] for n.
func (n *Naming) Namer() *Namer {
	m := &Namer{include: n.Include, exclude: n.Exclude, prefixes: slices.Concat(n.forms(), prefixes)}
	for _, server := range n.Servers {
		for _, spelled := range spellings(server) {
			m.servers = append(m.servers, spelling{server, spelled, 0})
		}
	}
	m.servers = append(m.servers, cutSpellings(n.Servers)...)
	return m
}

// Identify returns the server and the tool that a client's tool means. It returns none
// for the client's own tool, and several if the server's name was cut and is ambiguous.
// namespace is that of the name; may be empty.
func (n *Namer) Identify(namespace, name string) []Identity {
	if matches(n.exclude, name) || namespace != "" && matches(n.exclude, namespace) {
		return nil
	}
	if namespace != "" {
		if server, ok := cutAny(namespace); ok {
			return []Identity{{server, name}}
		}
		return nil
	}
	for _, p := range n.prefixes {
		if rest, ok := strings.CutPrefix(name, p.before); ok {
			if ids := n.split(rest, p); ids != nil {
				return ids
			}
		}
	}
	for _, between := range betweens {
		if ids := n.knownServers(name, between, false); ids != nil {
			return ids
		}
	}
	if matches(n.include, name) {
		return []Identity{{"included", name}}
	}
	return nil
}

// ServerIn returns the server of a tool with VS Code's form of name. ok is false if no
// known server has such tools, or several may.
func (n *Namer) ServerIn(name string) (server string, ok bool) {
	rest, found := strings.CutPrefix(name, vscodePrefix.before)
	if !found {
		return "", false
	}
	ids := n.knownServers(rest, vscodePrefix.between, true)
	if len(ids) != 1 {
		return "", false
	}
	return ids[0].Server, true
}

// forms returns the user's forms. A form without both parts is skipped; the configuration
// reports it.
func (n *Naming) forms() []prefix {
	var all []prefix
	for _, form := range n.Forms {
		before, rest, _ := strings.Cut(form, "{server}")
		if between, ok := strings.CutSuffix(rest, "{tool}"); ok && between != "" {
			all = append(all, prefix{before, between})
		}
	}
	return all
}

// cutAny returns the server of a namespace such as `mcp__server`.
func cutAny(namespace string) (server string, ok bool) {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(namespace, p.before); ok && rest != "" {
			return strings.Trim(rest, "_-"), true
		}
	}
	return "", false
}

// split splits what follows a prefix into server and tool: after the longest name of a
// known server, else at the first separator.
func (n *Namer) split(rest string, p prefix) []Identity {
	if ids := n.knownServers(rest, p.between, p == vscodePrefix); ids != nil {
		return ids
	}
	if server, tool, ok := strings.Cut(rest, p.between); ok && server != "" && tool != "" {
		return []Identity{{server, tool}}
	}
	return nil
}

// knownServers splits after the longest name of a known server. If names were cut,
// several may match.
func (n *Namer) knownServers(name, between string, cut bool) []Identity {
	var best []Identity
	for _, s := range n.servers {
		rest, ok := strings.CutPrefix(name, s.spelled)
		if !ok || s.alike > 0 && !cut {
			continue
		}
		tool, ok := strings.CutPrefix(withoutNumber(rest, s.alike), between)
		switch {
		case !ok || tool == "" || len(best) > 0 && len(tool) > len(best[0].Tool):
		case len(best) > 0 && len(tool) == len(best[0].Tool):
			best = append(best, Identity{s.server, tool})
		default:
			best = []Identity{{s.server, tool}}
		}
	}
	slices.SortStableFunc(best, func(a, b Identity) int { return cmp.Compare(a.Server, b.Server) })
	return slices.Compact(best)
}

// withoutNumber removes the number that VS Code appends to one of several servers with
// the same spelling. Without such a number it returns rest.
func withoutNumber(rest string, alike int) string {
	after := strings.TrimLeft(rest, "0123456789")
	if n, err := strconv.Atoi(rest[:len(rest)-len(after)]); err == nil && n > 1 && n <= alike {
		return after
	}
	return rest
}

// unusual matches characters that clients replace in names.
var unusual = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// unusualInVSCode matches those that VS Code replaces in a server's name by one "_".
var unusualInVSCode = regexp.MustCompile(`[^a-z0-9_.-]+`)

// spellings returns a server's name as clients spell it.
func spellings(server string) []string {
	plain := unusual.ReplaceAllString(server, "_")
	all := []string{server, plain, strings.ReplaceAll(plain, "-", "_"), strings.ToLower(plain)}
	slices.Sort(all)
	return slices.Compact(all)
}

// cutSpellings returns the servers' names as VS Code cuts them. VS Code numbers all but
// one of those that are then equal, in the order in which they started. That order is not
// known here, so each may have any number.
func cutSpellings(servers []string) []spelling {
	all, alike := make([]spelling, len(servers)), map[string]int{}
	for i, server := range servers {
		spelled := strings.ReplaceAll(unusualInVSCode.ReplaceAllString(strings.ToLower(server), "_"), ".", "_")
		spelled = spelled[:min(len(spelled), maxVSCodeServer)]
		all[i] = spelling{server: server, spelled: spelled}
		alike[spelled]++
	}
	for i := range all {
		all[i].alike = alike[all[i].spelled]
	}
	return all
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}
