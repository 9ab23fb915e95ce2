package config

import (
	"path/filepath"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

func TestShareOf(t *testing.T) {
	t.Parallel()
	if filepath.Separator != '/' {
		t.Skip("NOT TESTED: the paths are not this system's")
	}
	tests := []struct {
		name string
		d    Definition
		cwd  string // as written
		want protocol.ServerShare
	}{
		{"unknown", Definition{Command: "python", Args: []string{"server.py"}, Cwd: "/ws"}, "", protocol.ShareFolder},
		{"absolute cwd", Definition{Command: "python", Args: []string{"server.py"}, Cwd: "/srv"}, "/srv", protocol.ShareFolder},
		{"browser", Definition{Command: "npx", Args: []string{"-y", "@playwright/mcp@latest"}, Cwd: "/ws"}, "", protocol.ShareClient},
		{"browser with cwd", Definition{Command: "npx", Args: []string{"-y", "chrome-devtools-mcp@0.6.0"}, Cwd: "/srv"}, "/srv", protocol.ShareClient},
		{"known by its program", Definition{Command: "/usr/bin/mcp-server-time", Cwd: "/ws"}, "", protocol.ShareUser},
		{"package", Definition{Command: "npx", Args: []string{"-y", "@upstash/context7-mcp@1.0.0", "--api-key", "x"}, Cwd: "/ws"}, "", protocol.ShareUser},
		{"image", Definition{Command: "docker", Args: []string{"run", "-i", "--rm", "-e", "TOKEN", "ghcr.io/github/github-mcp-server:v1"}, Cwd: "/ws"}, "", protocol.ShareUser},
		{"a relative argument", Definition{Command: "npx", Args: []string{"-y", "@stripe/mcp", "--config", "./x.json"}, Cwd: "/ws"}, "", protocol.ShareFolder},
		{"a relative value", Definition{Command: "npx", Args: []string{"-y", "@stripe/mcp", "--config=conf/x.json"}, Cwd: "/ws"}, "", protocol.ShareFolder},
		{"reads .env", Definition{Command: "npx", Args: []string{"-y", "tavily-mcp@latest"}, Cwd: "/ws"}, "", protocol.ShareFolder},
		{"files", Definition{Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-filesystem", "/srv"}, Cwd: "/srv"}, "/srv", protocol.ShareFolder},
		{"installed here", Definition{Command: "node", Args: []string{"/ws/node_modules/@modelcontextprotocol/server-memory/dist/index.js"}, Cwd: "/ws"}, "", protocol.ShareClient},
		{"a link to it", Definition{Command: "/ws/node_modules/.bin/mcp-server-memory", Cwd: "/ws"}, "", protocol.ShareClient},
		{"installed browser", Definition{Command: "node", Args: []string{"/ws/node_modules/chrome-devtools-mcp/build/src/index.js"}, Cwd: "/ws"}, "", protocol.ShareClient},
		{"a module", Definition{Command: "python", Args: []string{"-m", "mcp_server_fetch"}, Cwd: "/ws"}, "", protocol.ShareUser},
		{"a folder of that name", Definition{Command: "python", Args: []string{"server.py", "/home/u/server-memory-notes/x"}, Cwd: "/ws"}, "", protocol.ShareFolder},
		{"said", Definition{Command: "npx", Args: []string{"@playwright/mcp"}, Share: protocol.ShareUser, Cwd: "/ws"}, "", protocol.ShareUser},
	}
	for _, tt := range tests {
		written := tt.d
		written.Cwd = tt.cwd
		if got, why := ShareOf(written, tt.d); got != tt.want || why == "" {
			t.Errorf("%s: %q (%s), want %q", tt.name, got, why, tt.want)
		}
	}
}

// Each known server is in one list.
func TestKnownServers(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range knownServers {
		for _, name := range k.names {
			if seen[name] {
				t.Errorf("%s is in two lists", name)
			}
			seen[name] = true
		}
	}
}
