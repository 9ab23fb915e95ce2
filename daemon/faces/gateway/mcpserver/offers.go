package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"maps"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/winnow-mcp/winnow/protocol"
)

// Resources and prompts are handled like tools: one resource and one prompt are
// registered, all requests are routed to them, and the lists are replaced by the
// session's.

// proxyURI is the only resource registered with mcp-go.
const proxyURI = "winnow:proxy"

// nameKey is the argument that passes on the real name. No real argument has this name.
const nameKey = "\x00name"

var errEnded = errors.New("this session has ended; connect again")

func (s *Server) hookOffers(hooks *server.Hooks) {
	hooks.AddBeforeReadResource(func(_ context.Context, _ any, r *mcp.ReadResourceRequest) {
		r.Params.Arguments = map[string]any{nameKey: r.Params.URI}
		r.Params.URI = proxyURI
	})
	hooks.AddBeforeGetPrompt(func(_ context.Context, _ any, r *mcp.GetPromptRequest) {
		arguments := map[string]string{}
		maps.Copy(arguments, r.Params.Arguments)
		arguments[nameKey] = r.Params.Name
		r.Params.Name, r.Params.Arguments = protocol.ProxyTool, arguments
	})
	hooks.AddAfterListResources(func(ctx context.Context, _ any, _ *mcp.ListResourcesRequest, result *mcp.ListResourcesResult) {
		result.Resources = offered[mcp.Resource](ctx, s, Session.Resources)
	})
	hooks.AddAfterListResourceTemplates(func(ctx context.Context, _ any, _ *mcp.ListResourceTemplatesRequest, result *mcp.ListResourceTemplatesResult) {
		result.ResourceTemplates = offered[mcp.ResourceTemplate](ctx, s, Session.Templates)
	})
	hooks.AddAfterListPrompts(func(ctx context.Context, _ any, _ *mcp.ListPromptsRequest, result *mcp.ListPromptsResult) {
		result.Prompts = offered[mcp.Prompt](ctx, s, Session.Prompts)
	})
	hooks.AddAfterSetLevel(func(ctx context.Context, _ any, r *mcp.SetLevelRequest, _ *mcp.EmptyResult) {
		if session := s.sessionOf(ctx); session != nil {
			session.SetLevel(ctx, string(r.Params.Level))
		}
	})
}

// offered returns a list of a session. An entry that cannot be decoded is left out.
func offered[T any](ctx context.Context, s *Server, list func(Session, context.Context) ([]json.RawMessage, error)) []T {
	all := []T{}
	session := s.sessionOf(ctx)
	if session == nil {
		return all
	}
	raw, err := list(session, ctx)
	if err != nil {
		s.log.Warn("not listed", "error", err)
	}
	for _, entry := range raw {
		var one T
		if err := json.Unmarshal(entry, &one); err != nil {
			s.log.Debug("entry left out", "error", err)
			continue
		}
		all = append(all, one)
	}
	return all
}

// addOffers registers the resource and the prompt that handle all requests.
func (s *Server) addOffers(face *server.MCPServer) {
	face.AddResource(mcp.NewResource(proxyURI, protocol.ProxyTool), s.read)
	face.AddPrompt(mcp.NewPrompt(protocol.ProxyTool), s.prompt)
}

// read handles every resources/read.
func (s *Server) read(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	session := s.sessionOf(ctx)
	uri, ok := r.Params.Arguments[nameKey].(string)
	if session == nil || !ok {
		return nil, errEnded
	}
	raw, err := session.Read(ctx, uri)
	if err != nil {
		return nil, err
	}
	var result struct {
		Contents []json.RawMessage `json:"contents"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, err
	}
	contents := make([]mcp.ResourceContents, len(result.Contents))
	for i, raw := range result.Contents {
		contents[i] = rawResource{raw: raw}
	}
	return contents, nil
}

// rawResource is the content of a resource byte for byte as its server sent it.
type rawResource struct {
	mcp.TextResourceContents
	raw json.RawMessage
}

// MarshalJSON implements json.Marshaler.
func (c rawResource) MarshalJSON() ([]byte, error) { return c.raw, nil }

// prompt handles every prompts/get.
func (s *Server) prompt(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	session := s.sessionOf(ctx)
	name, ok := r.Params.Arguments[nameKey]
	if session == nil || !ok {
		return nil, errEnded
	}
	delete(r.Params.Arguments, nameKey) // the map was made by the hook
	raw, err := session.Prompt(ctx, name, r.Params.Arguments)
	if err != nil {
		return nil, err
	}
	var wire struct {
		Description string `json:"description"`
		Messages    []struct {
			Role    mcp.Role        `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return nil, err
	}
	result := &mcp.GetPromptResult{Description: wire.Description}
	for _, m := range wire.Messages {
		result.Messages = append(result.Messages, mcp.PromptMessage{Role: m.Role, Content: rawContent{raw: m.Content}})
	}
	return result, nil
}
