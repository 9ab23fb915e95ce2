package editor

import (
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// networkOf says how the network is reached, as VS Code's settings have it for
// extensions.
func networkOf(http protocol.HTTPSettings) protocol.Network {
	n := protocol.Network{InsecureSkipVerify: http.ProxyStrictSSL != nil && !*http.ProxyStrictSSL}
	if http.ProxySupport == "off" {
		n.NoProxy = "*" // or else the environment's proxy would be used
		return n
	}
	n.Proxy = http.Proxy
	n.NoProxy = strings.Join(http.NoProxy, ",")
	if http.ProxyAuthorization != nil {
		n.ProxyAuthorization = *http.ProxyAuthorization
	}
	return n
}
