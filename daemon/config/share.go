package config

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// known are servers of which it is known who may use the same process.
type known struct {
	share protocol.ServerShare
	// why says why, to the user.
	why string
	// names are their packages, images or programs; parts are pieces of such a
	// name, where sharing less than is possible does no harm.
	names, parts []string
}

// is reports whether a program is one of them.
func (k *known) is(program string) bool {
	return slices.Contains(k.names, program) ||
		slices.ContainsFunc(k.parts, func(part string) bool { return strings.Contains(program, part) })
}

// knownServers are looked through in their order.
var knownServers = []known{
	{protocol.ShareClient, "its browser holds the pages of one conversation", nil, []string{
		"playwright", "puppeteer", "chrome-devtools", "selenium", "browsermcp", "browserbase", "browser-use", "mcp-server-browser",
	}},
	{protocol.ShareClient, "it keeps what one conversation notes", []string{"mcp/memory"}, []string{
		"server-memory", "sequential-thinking", "sequentialthinking",
	}},
	{protocol.ShareClient, "it keeps the terminals of one conversation", []string{"iterm-mcp", "@simonb97/server-win-cli"}, []string{
		"desktop-commander",
	}},
	{protocol.ShareFolder, "it works on the files of its folders", []string{
		"@modelcontextprotocol/server-filesystem", "mcp/filesystem", "mcp-server-filesystem", "mcp-server-git", "mcp/git",
		"serena", "serena-mcp-server",
	}, nil},
	{protocol.ShareFolder, "it reads the .env of its folder", []string{
		"@brave/brave-search-mcp-server", "tavily-mcp", "firecrawl-mcp", "@sentry/mcp-server", "figma-developer-mcp",
	}, nil},
	{protocol.ShareUser, "it is known not to look at its folder", []string{
		"@upstash/context7-mcp", "mcp/context7", "mcp-server-fetch", "mcp/fetch", "mcp-server-time", "mcp/time",
		"@modelcontextprotocol/server-github", "ghcr.io/github/github-mcp-server", "github-mcp-server",
		"@modelcontextprotocol/server-gitlab", "@modelcontextprotocol/server-slack", "@modelcontextprotocol/server-google-maps",
		"@modelcontextprotocol/server-brave-search", "exa-mcp-server", "@notionhq/notion-mcp-server", "@stripe/mcp",
		"@supabase/mcp-server-supabase",
	}, nil},
}

// ShareOf returns who uses the same process of a local server, and why. found is
// the server's definition with its variables replaced. told: its entry says so, or the
// server is known; else it may keep a state of which nothing is known.
func ShareOf(written, found Definition) (share protocol.ServerShare, why string, told bool) {
	if written.Share != "" {
		return written.Share, `"share" of its entry says so`, true
	}
	for _, k := range knownServers {
		for _, name := range programs(found) {
			if k.is(name) && (k.share != protocol.ShareUser || !relative(found.Args, name)) {
				return k.share, k.why, true
			}
		}
	}
	// Also one whose "cwd" is the same in every folder: it may ask its client for the
	// roots, and keep the answer.
	return protocol.ShareFolder, "it may look at its folder", false
}

// programs are what a definition may be known by: its program, and the arguments
// that may be a package or an image, without their versions.
func programs(d Definition) []string {
	names := []string{strings.TrimSuffix(program(d.Command), ".exe")}
	for _, arg := range d.Args {
		if arg != "" && arg[0] != '-' {
			names = append(names, program(arg))
		}
	}
	return names
}

// program returns the name of a package, an image or a module, or that of the
// package in which a path lies, or else its file's.
func program(name string) string {
	name = filepath.ToSlash(name)
	if _, inside, found := strings.Cut(name, "/node_modules/"); found {
		parts := strings.SplitN(strings.TrimPrefix(inside, ".bin/"), "/", 3)
		if len(parts) > 1 && strings.HasPrefix(parts[0], "@") {
			return parts[0] + "/" + parts[1]
		}
		return parts[0]
	}
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		name = name[:at]
	}
	if filepath.IsAbs(name) || strings.HasPrefix(name, ".") {
		name = path.Base(name)
	}
	if at := strings.LastIndexByte(name, ':'); at > strings.LastIndexByte(name, '/') {
		name = name[:at]
	}
	return strings.ReplaceAll(name, "_", "-") // a module of Python
}

// relative reports whether an argument may be a path that starts at the working
// directory; the program's own name is none.
func relative(args []string, name string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		_, value, set := strings.Cut(arg, "=")
		if !set {
			value = arg
		}
		if filepath.IsAbs(value) || strings.Contains(value, "://") || strings.HasPrefix(strings.ReplaceAll(value, "_", "-"), name) {
			return false
		}
		return strings.HasPrefix(value, ".") || strings.ContainsAny(value, `/\`)
	})
}
