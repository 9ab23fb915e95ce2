package config

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// known describes servers with known sharing.
type known struct {
	share protocol.ServerShare
	// why is the reason, for the user.
	why string
	// names holds their packages, images or programs. parts holds parts of such names,
	// where sharing less than possible is harmless.
	names, parts []string
}

// is reports whether a program is one of them.
func (k *known) is(program string) bool {
	return slices.Contains(k.names, program) ||
		slices.ContainsFunc(k.parts, func(part string) bool { return strings.Contains(program, part) })
}

// knownServers are searched in order.
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

// ShareOf returns who uses the same process of a local server, and why. found is the
// server's definition with its variables replaced. told reports that its entry says so or
// the server is known; otherwise it may keep unknown state.
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
	// Even if its "cwd" is the same in every folder: it may request the client's roots,
	// and keep the answer.
	return protocol.ShareFolder, "it may look at its folder", false
}

// programs returns the names that may identify a definition: its program, and arguments
// that may be a package or an image, without versions.
func programs(d Definition) []string {
	names := []string{strings.TrimSuffix(program(d.Command), ".exe")}
	for _, arg := range d.Args {
		if arg != "" && arg[0] != '-' {
			names = append(names, program(arg))
		}
	}
	return names
}

// program returns the name of a package, an image or a module, or the package that
// contains a path, or else the file's name.
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
	return strings.ReplaceAll(name, "_", "-") // a Python module
}

// relative reports whether an argument may be a relative path; the program's own name is
// not.
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
