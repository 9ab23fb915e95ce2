package editor

import (
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// networkOf converts VS Code's HTTP settings for extensions.
func networkOf(http protocol.HTTPSettings) protocol.Network {
	n := protocol.Network{InsecureSkipVerify: http.ProxyStrictSSL != nil && !*http.ProxyStrictSSL}
	if http.ProxySupport == "off" {
		n.NoProxy = "*" // otherwise the environment's proxy would be used
		return n
	}
	n.Proxy = http.Proxy
	n.NoProxy = strings.Join(http.NoProxy, ",")
	if http.ProxyAuthorization != nil {
		n.ProxyAuthorization = *http.ProxyAuthorization
	}
	return n
}
