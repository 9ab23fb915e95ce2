package engine

import (
	"fmt"
	"maps"
	"os"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
)

// networkOf reads the host's additional trusted certificates. It skips unreadable ones,
// and the error names them.
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

// serverEnv returns additions to every server's environment: the host's network settings,
// and a variable that marks servers started by Winnow.
func serverEnv(n protocol.Network, environ func(name string) (string, bool)) map[string]string {
	env := upstream.NetworkEnv(environ)
	env[workspace.UpstreamVariable] = "1"
	if n.Proxy != "" {
		maps.Copy(env, map[string]string{"HTTP_PROXY": n.Proxy, "HTTPS_PROXY": n.Proxy, "http_proxy": n.Proxy, "https_proxy": n.Proxy})
	}
	if n.NoProxy != "" {
		maps.Copy(env, map[string]string{"NO_PROXY": n.NoProxy, "no_proxy": n.NoProxy})
	}
	if len(n.ExtraCACerts) > 0 {
		env["NODE_EXTRA_CA_CERTS"] = n.ExtraCACerts[0]
	}
	return env
}
