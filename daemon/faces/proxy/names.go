package proxy

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
)

// Naming says which of a client's tools are tools of MCP servers: those whose
// names have one of the forms that clients give them, or match a pattern of
// the user's. Everything else is the client's own and passes untouched.
type Naming struct {
	// Servers are the names of MCP servers that are known from the
	// configuration. They tell where a server's name ends, and that
	// `server_tool` is a tool of one.
	Servers []string
	// Include and Exclude are patterns of names, as in [path.Match], that the
	// user has given for an endpoint. Exclude wins.
	Include, Exclude []string
	// Forms are further ones, such as `ext:{server}:{tool}`.
	Forms []string
}

// prefix is what a client puts before the server's name, and between it and
// the tool's.
type prefix struct{ before, between string }

// prefixes are those of known clients. The longest come first.
var prefixes = []prefix{
	{"mcp__", "__"}, // Claude Code, Codex
	{"mcp--", "--"}, // Roo Code, Zoo Code
	{"mcp_", "_"},   // VS Code, Gemini CLI
}

// betweens separate a known server's name from its tool's.
var betweens = []string{"__", "--", "_", "-", "."}

// Identity is what a client's name of a tool says.
type Identity struct{ Server, Tool string }

// Namer applies a [Naming] to the tools of a list.
type Namer struct {
	include, exclude []string
	// prefixes are the user's forms, and those of known clients.
	prefixes []prefix
	// servers are the spellings of each known server.
	servers []spelling
}

// spelling is a name of a server as a client writes it.
type spelling struct{ server, spelled string }

// Namer returns what identifies tools.
func (n *Naming) Namer() *Namer {
	m := &Namer{include: n.Include, exclude: n.Exclude, prefixes: slices.Concat(n.forms(), prefixes)}
	for _, server := range n.Servers {
		for _, spelled := range spellings(server) {
			m.servers = append(m.servers, spelling{server, spelled})
		}
	}
	return m
}

// Identify returns the server and the tool that a client's tool stands for, or
// false for one of the client's own.
func (n *Namer) Identify(t *wire.Tool) (Identity, bool) {
	if matches(n.exclude, t.Name) || t.Namespace != "" && matches(n.exclude, t.Namespace) {
		return Identity{}, false
	}
	if t.Namespace != "" {
		server, ok := cutAny(t.Namespace)
		return Identity{server, t.Name}, ok
	}
	for _, p := range n.prefixes {
		if rest, ok := strings.CutPrefix(t.Name, p.before); ok {
			if id, ok := n.split(rest, p.between); ok {
				return id, true
			}
		}
	}
	for _, between := range betweens {
		if id, ok := n.knownServer(t.Name, between); ok {
			return id, true
		}
	}
	if matches(n.include, t.Name) {
		return Identity{"included", t.Name}, true
	}
	return Identity{}, false
}

// forms returns the forms of the user's. One that lacks a part matches nothing;
// the configuration has refused it.
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

// split splits what follows a prefix into server and tool: behind the longest
// name of a known server, else at the first separator.
func (n *Namer) split(rest, between string) (Identity, bool) {
	if id, ok := n.knownServer(rest, between); ok {
		return id, true
	}
	server, tool, ok := strings.Cut(rest, between)
	return Identity{server, tool}, ok && server != "" && tool != ""
}

// knownServer splits behind the longest name of a known server.
func (n *Namer) knownServer(name, between string) (Identity, bool) {
	best := Identity{}
	for _, s := range n.servers {
		rest, ok := strings.CutPrefix(name, s.spelled)
		if !ok {
			continue
		}
		tool, ok := strings.CutPrefix(rest, between)
		if ok && tool != "" && (best.Server == "" || len(tool) < len(best.Tool)) {
			best = Identity{s.server, tool}
		}
	}
	return best, best.Server != ""
}

// unusual are characters that clients replace in names.
var unusual = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// spellings returns a server's name as clients spell it.
func spellings(server string) []string {
	plain := unusual.ReplaceAllString(server, "_")
	all := []string{server, plain, strings.ReplaceAll(plain, "-", "_"), strings.ToLower(plain)}
	slices.Sort(all)
	return slices.Compact(all)
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}
