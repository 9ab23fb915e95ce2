package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/gateway"
	"github.com/winnow-mcp/winnow/protocol"
)

// gatewayLabel names the gateway in clients. A client that knows a server by
// the same name would switch one of them off.
const gatewayLabel = "winnow"

// gatewayFace is the gateway of a session with a host. It begins to listen
// when somebody asks where it is.
type gatewayFace struct {
	// mu guards what follows.
	mu     sync.Mutex
	server *gateway.Server
	end    context.CancelFunc
	over   bool

	watching sync.WaitGroup
}

// gatewayInfo answers gateway/info.
func (s *Server) gatewayInfo(context.Context, *protocol.Empty) (protocol.GatewayInfoResult, error) {
	server, err := s.startGateway()
	if err != nil {
		return protocol.GatewayInfoResult{}, err
	}
	label := s.freeLabel()
	return protocol.GatewayInfoResult{
		URL: server.URL(), Token: server.Token(), Label: label,
		Snippets: snippets(label, server.URL(), server.Token()),
	}, nil
}

// startGateway returns the gateway, which listens from now on.
func (s *Server) startGateway() (*gateway.Server, error) {
	f := &s.face
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return nil, fail(protocol.KindLifecycle, "Start a new daemon.", "the session is over")
	}
	if f.server != nil {
		return f.server, nil
	}
	server, err := gateway.Listen(gateway.Options{
		Backend: gatewayBackend{s}, Name: gatewayLabel, Version: s.options.Version, Log: s.log,
	})
	if err != nil {
		return nil, err
	}
	f.server = server
	life, end := context.WithCancel(s.workspace.life)
	f.end = end
	f.watching.Go(func() { s.watchCatalog(life, server) })
	return server, nil
}

// watchCatalog tells clients of what has come, until life ends.
func (s *Server) watchCatalog(life context.Context, server *gateway.Server) {
	for {
		changed := s.workspace.news.wait()
		server.CatalogChanged(life)
		select {
		case <-changed:
		case <-life.Done():
			return
		}
	}
}

// close ends the gateway and its sessions.
func (f *gatewayFace) close() error {
	f.mu.Lock()
	f.over = true
	server, end := f.server, f.end
	f.mu.Unlock()
	if server == nil {
		return nil
	}
	end()
	f.watching.Wait()
	return server.Close()
}

// freeLabel is a name that no server of the user's has.
func (s *Server) freeLabel() string {
	label := gatewayLabel
	for n := 2; ; n++ {
		if _, taken := s.workspace.state().config.Server(label); !taken {
			return label
		}
		label = fmt.Sprintf("%s%d", gatewayLabel, n)
	}
}

// snippets are the configurations of other clients, to paste.
func snippets(label, url, token string) []protocol.GatewaySnippet {
	headers := map[string]string{"Authorization": "Bearer " + token}
	file := func(root string, entry map[string]any) string {
		entry["url"], entry["headers"] = url, headers
		// Maps of strings always encode.
		text, err := json.MarshalIndent(map[string]any{root: map[string]any{label: entry}}, "", "  ")
		if err != nil {
			return ""
		}
		return string(text)
	}
	return []protocol.GatewaySnippet{
		{Client: "Cursor", File: ".cursor/mcp.json", Text: file("mcpServers", map[string]any{})},
		{Client: "Claude Code", Text: fmt.Sprintf("claude mcp add --transport http %s %s --header \"Authorization: Bearer %s\"", label, url, token)},
		{Client: "Zoo Code", File: ".roo/mcp.json", Text: file("mcpServers", map[string]any{"type": "streamable-http"})},
		{Client: "Cline", File: "cline_mcp_settings.json", Text: file("mcpServers", map[string]any{"type": "streamableHttp"})},
		{Client: "VS Code", File: ".vscode/mcp.json", Text: file("servers", map[string]any{"type": "http"})},
	}
}
