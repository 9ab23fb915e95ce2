package daemon

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
)

// paths are the folders of a session.
type paths struct {
	storage       string // empty keeps caches in memory
	userDir       string
	home          string
	globalStorage []string
}

// pathsOf fills in what the host left to the operating system's customs.
func pathsOf(p *protocol.InitializeParams) paths {
	found := paths{storage: p.StoragePath, userDir: p.UserConfigDir, home: p.HomeDir, globalStorage: p.GlobalStorageDirs}
	// A machine without a home or a configuration folder has no such files.
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

// vectors is where the vectors of embedding providers are kept; empty keeps
// them in memory.
func (p *paths) vectors() string {
	if p.storage == "" {
		return ""
	}
	return filepath.Join(p.storage, "vectors")
}

// folder is a root of the workspace on this machine.
type folder struct {
	name string
	path string
}

// localFolders returns the roots that are folders of this machine, and warns
// of the others.
func (w *workspace) localFolders(folders []protocol.WorkspaceFolder) *[]folder {
	local := make([]folder, 0, len(folders))
	for _, f := range folders {
		path, err := pathOfURI(f.URI)
		if err != nil {
			w.warn(err)
			continue
		}
		name := f.Name
		if name == "" {
			name = filepath.Base(path)
		}
		local = append(local, folder{name, path})
	}
	return &local
}

// pathOfURI returns the path that a file: URI means here.
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

// networkOf reads the certificates that the host trusts besides. Those that
// cannot be read are passed over, and the error names them.
func networkOf(n protocol.Network) (upstream.Network, error) {
	network := upstream.Network{
		ProxyURL: n.Proxy, NoProxy: n.NoProxy, ProxyAuthorization: n.ProxyAuthorization, InsecureSkipVerify: n.InsecureSkipVerify,
	}
	var failed []string
	for _, path := range n.ExtraCACerts {
		pem, err := os.ReadFile(path)
		if err != nil {
			failed = append(failed, err.Error())
			continue
		}
		network.ExtraCAs = append(append(network.ExtraCAs, pem...), '\n')
	}
	if len(failed) > 0 {
		return network, fmt.Errorf("extra certificates are passed over: %s", strings.Join(failed, "; "))
	}
	return network, nil
}
