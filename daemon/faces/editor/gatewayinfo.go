package editor

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/protocol"
)

// gatewayInfo says where the gateway is and of which version its tools are, and
// words how other clients reach it.
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

// versionOf stands for what a host sees of tools: 12 letters.
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
