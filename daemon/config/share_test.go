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
		// unknown: it may keep a state.
		unknown bool
	}{
		{"unknown", Definition{Command: "python", Args: []string{"server.py"}, Cwd: "/ws"}, "", protocol.ShareFolder, true},
		{"absolute cwd", Definition{Command: "python", Args: []string{"server.py"}, Cwd: "/srv"}, "/srv", protocol.ShareFolder, true},
		{"browser", Definition{Command: "npx", Args: []string{"-y", "@playwright/mcp@latest"}, Cwd: "/ws"}, "", protocol.ShareClient, false},
		{"browser with cwd", Definition{Command: "npx", Args: []string{"-y", "chrome-devtools-mcp@0.6.0"}, Cwd: "/srv"}, "/srv", protocol.ShareClient, false},
		{"known by its program", Definition{Command: "/usr/bin/mcp-server-time", Cwd: "/ws"}, "", protocol.ShareUser, false},
		{"package", Definition{Command: "npx", Args: []string{"-y", "@upstash/context7-mcp@1.0.0", "--api-key", "x"}, Cwd: "/ws"}, "", protocol.ShareUser, false},
		{"image", Definition{Command: "docker", Args: []string{"run", "-i", "--rm", "-e", "TOKEN", "ghcr.io/github/github-mcp-server:v1"}, Cwd: "/ws"}, "", protocol.ShareUser, false},
		{"a relative argument", Definition{Command: "npx", Args: []string{"-y", "@stripe/mcp", "--config", "./x.json"}, Cwd: "/ws"}, "", protocol.ShareFolder, true},
		{"a relative value", Definition{Command: "npx", Args: []string{"-y", "@stripe/mcp", "--config=conf/x.json"}, Cwd: "/ws"}, "", protocol.ShareFolder, true},
		{"reads .env", Definition{Command: "npx", Args: []string{"-y", "tavily-mcp@latest"}, Cwd: "/ws"}, "", protocol.ShareFolder, false},
		{"files", Definition{Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-filesystem", "/srv"}, Cwd: "/srv"}, "/srv", protocol.ShareFolder, false},
		{"installed here", Definition{Command: "node", Args: []string{"/ws/node_modules/@modelcontextprotocol/server-memory/dist/index.js"}, Cwd: "/ws"}, "", protocol.ShareClient, false},
		{"a link to it", Definition{Command: "/ws/node_modules/.bin/mcp-server-memory", Cwd: "/ws"}, "", protocol.ShareClient, false},
		{"installed browser", Definition{Command: "node", Args: []string{"/ws/node_modules/chrome-devtools-mcp/build/src/index.js"}, Cwd: "/ws"}, "", protocol.ShareClient, false},
		{"a module", Definition{Command: "python", Args: []string{"-m", "mcp_server_fetch"}, Cwd: "/ws"}, "", protocol.ShareUser, false},
		{"a folder of that name", Definition{Command: "python", Args: []string{"server.py", "/home/u/server-memory-notes/x"}, Cwd: "/ws"}, "", protocol.ShareFolder, true},
		{"said", Definition{Command: "npx", Args: []string{"@playwright/mcp"}, Share: protocol.ShareUser, Cwd: "/ws"}, "", protocol.ShareUser, false},
	}
	for _, tt := range tests {
		written := tt.d
		written.Cwd = tt.cwd
		if got, why, told := ShareOf(written, tt.d); got != tt.want || why == "" || told == tt.unknown {
			t.Errorf("%s: %q (%s), told %t, want %q", tt.name, got, why, told, tt.want)
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
