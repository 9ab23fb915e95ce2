package config

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// known are servers of which it is known who may use the same process, by their
// package, image or program.
type known struct {
	share protocol.ServerShare
	// why says why, to the user.
	why   string
	names []string
}

// knownServers are looked through in their order.
var knownServers = []known{
	{protocol.ShareClient, "its browser holds the pages of one conversation", []string{
		"@playwright/mcp", "mcr.microsoft.com/playwright/mcp", "mcp/playwright", "@executeautomation/playwright-mcp-server",
		"chrome-devtools-mcp", "@modelcontextprotocol/server-puppeteer", "mcp/puppeteer", "puppeteer-mcp-server",
		"@browsermcp/mcp", "@browserbasehq/mcp", "@browserbasehq/mcp-server-browserbase", "@agent-infra/mcp-server-browser",
		"@angiejones/mcp-selenium", "browser-use",
	}},
	{protocol.ShareClient, "it keeps what one conversation notes", []string{
		"@modelcontextprotocol/server-memory", "mcp/memory", "@modelcontextprotocol/server-sequential-thinking", "mcp/sequentialthinking",
	}},
	{protocol.ShareClient, "it keeps the terminals of one conversation", []string{
		"@wonderwhy-er/desktop-commander", "iterm-mcp", "@simonb97/server-win-cli",
	}},
	{protocol.ShareFolder, "it works on the files of its folders", []string{
		"@modelcontextprotocol/server-filesystem", "mcp/filesystem", "mcp-server-git", "mcp/git", "serena", "serena-mcp-server",
	}},
	{protocol.ShareUser, "it is known not to look at its folder", []string{
		"@upstash/context7-mcp", "mcp/context7", "mcp-server-fetch", "mcp/fetch", "mcp-server-time", "mcp/time",
		"@modelcontextprotocol/server-github", "ghcr.io/github/github-mcp-server", "github-mcp-server",
		"@modelcontextprotocol/server-gitlab", "@modelcontextprotocol/server-slack", "@modelcontextprotocol/server-google-maps",
		"@modelcontextprotocol/server-brave-search", "@brave/brave-search-mcp-server", "tavily-mcp", "exa-mcp-server", "firecrawl-mcp",
		"@notionhq/notion-mcp-server", "@sentry/mcp-server", "@stripe/mcp", "figma-developer-mcp", "@supabase/mcp-server-supabase",
	}},
}

// ShareOf returns who uses the same process of a local server, and why. found is
// the server's definition with its variables replaced.
func ShareOf(written, found Definition) (share protocol.ServerShare, why string) {
	if written.Share != "" {
		return written.Share, `"share" of its entry says so`
	}
	for _, k := range knownServers {
		for _, program := range programs(found) {
			if slices.Contains(k.names, program) && (k.share != protocol.ShareUser || !relative(found.Args, program)) {
				return k.share, k.why
			}
		}
	}
	if filepath.IsAbs(found.Cwd) && written.Cwd != "" {
		return protocol.ShareUser, `its "cwd" is the same in every folder`
	}
	return protocol.ShareFolder, "it may look at its folder"
}

// programs are what a definition may be known by: its program, and the arguments
// that may be a package or an image, without their versions.
func programs(d Definition) []string {
	names := []string{strings.TrimSuffix(path.Base(filepath.ToSlash(d.Command)), ".exe")}
	for _, arg := range d.Args {
		if arg == "" || arg[0] == '-' {
			continue
		}
		name := arg
		if at := strings.LastIndexByte(name, '@'); at > 0 {
			name = name[:at]
		}
		if at := strings.LastIndexByte(name, ':'); at > strings.LastIndexByte(name, '/') {
			name = name[:at]
		}
		names = append(names, name)
	}
	return names
}

// relative reports whether an argument may be a path that starts at the working
// directory; the program's own name is none.
func relative(args []string, program string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		_, value, set := strings.Cut(arg, "=")
		if !set {
			value = arg
		}
		if filepath.IsAbs(value) || strings.Contains(value, "://") || strings.HasPrefix(value, program) {
			return false
		}
		return strings.HasPrefix(value, ".") || strings.ContainsAny(value, `/\`)
	})
}
