package editor

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/protocol"
)

// gatewayInfo returns the gateway's address, the version of its tools, and the
// configurations for other clients.
func gatewayInfo(g Gateway, catalog func(*protocol.CatalogListParams) (protocol.CatalogListResult, error)) (protocol.GatewayInfoResult, error) {
	result, err := g.Info()
	if err != nil {
		return result, err
	}
	display.Snippets(result.Snippets)
	list, err := catalog(&protocol.CatalogListParams{})
	if err != nil {
		return result, err
	}
	result.Version, err = versionOf(list.Tools)
	return result, err
}

// versionOf returns a hash of the fields of tools that a host sees: 12 hex digits.
func versionOf(tools []protocol.ToolInfo) (string, error) {
	hash := sha256.New()
	to := json.NewEncoder(hash)
	for i := range tools {
		t := &tools[i]
		if err := to.Encode([]any{t.Server, t.Tool, t.Description, t.InScope}); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:6]), nil
}
