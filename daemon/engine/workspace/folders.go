package workspace

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/protocol"
)

// places holds the folders with files to read, besides the workspace's.
type places struct {
	userDir       string
	home          string
	globalStorage []string
}

// placesOf fills in the operating system's defaults for what the host omits.
func placesOf(p *protocol.InitializeParams) places {
	found := places{userDir: p.UserConfigDir, home: p.HomeDir, globalStorage: p.GlobalStorageDirs}
	// A machine without a home or configuration folder has no such files.
	if found.home == "" {
		found.home, _ = os.UserHomeDir()
	}
	if found.userDir == "" {
		if dir, err := os.UserConfigDir(); err == nil {
			found.userDir = filepath.Join(dir, "winnow")
		}
	}
	return found
}

// Folder is a root of the workspace on this machine.
type Folder struct {
	Name string
	Path string
}

// localFolders returns the roots that are folders of this machine, and an error for each
// other root.
func localFolders(folders []protocol.WorkspaceFolder) (local []Folder, problems []error) {
	local = make([]Folder, 0, len(folders))
	for _, f := range folders {
		path, err := pathOfURI(f.URI)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		name := f.Name
		if name == "" {
			name = filepath.Base(path)
		}
		local = append(local, Folder{name, path})
	}
	return local, problems
}

// pathOfURI returns the local path of a file: URI.
func pathOfURI(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return "", fmt.Errorf("workspace folder %q is passed over: it is not a file: URI", uri)
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
		if u.Host != "" {
			path = "//" + u.Host + u.Path
		}
	}
	return filepath.Clean(filepath.FromSlash(path)), nil
}

// options returns where files are looked for, including the folders.
func (p *places) options(environ func(name string) (string, bool), folders []Folder) config.Options {
	roots := make([]string, len(folders))
	for i, f := range folders {
		roots[i] = f.Path
	}
	copilot, _ := environ("COPILOT_HOME")
	codex, _ := environ("CODEX_HOME")
	cline, _ := environ("CLINE_MCP_SETTINGS_PATH")
	configHome, _ := environ("XDG_CONFIG_HOME")
	return config.Options{
		Folders: roots, UserDir: p.userDir, Home: p.home, GlobalStorageDirs: p.globalStorage,
		CopilotDir: copilot, CodexDir: codex, ClineFile: cline, ConfigHome: configHome,
	}
}
