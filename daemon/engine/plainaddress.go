package engine

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// plainAddress reports whether the redirect address of a sign-in is plain http on
// another host than localhost, and returns the warning to show. OAuth allows https
// or localhost only. Most sign-in pages refuse anything else, with an error in the
// browser that does not name the cause.
func plainAddress(address string) (protocol.ShowMessageParams, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || ownComputer(u.Hostname()) {
		return protocol.ShowMessageParams{}, false
	}
	port := cmp.Or(u.Port(), "80")
	local := port
	if n, err := strconv.Atoi(port); err == nil && n < 1024 { // where a user's own programs may not listen
		local = strconv.Itoa(n + 8000)
	}
	command := fmt.Sprintf("ssh -L %s:localhost:%s %s", local, port, u.Hostname())
	return protocol.ShowMessageParams{
		Type: protocol.MessageWarning,
		Message: "Most sign-in pages go back to https or to the browser's own computer only, and you opened VS Code at " +
			"http://" + u.Host,
		Next:    fmt.Sprintf("If this one refuses, run “%s” there and open VS Code at http://localhost:%s, or serve it by https.", command, local),
		Command: command,
	}, true
}

// ownComputer reports whether a host is the client's own computer.
func ownComputer(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || net.ParseIP(host).IsLoopback()
}
