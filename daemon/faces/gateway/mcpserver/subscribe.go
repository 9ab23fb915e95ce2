package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// hookSubscriptions implements subscriptions to resources: with a session by a request
// for each, without one by subscriptions/listen.
func (s *Server) hookSubscriptions(hooks *server.Hooks) {
	hooks.AddAfterUnsubscribe(func(ctx context.Context, _ any, r *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		if client := server.ClientSessionFromContext(ctx); client != nil {
			if end := s.sessions.unsubscribe(client.SessionID(), r.Params.URI); end != nil {
				ended(ctx, end)
			}
		}
	})
	hooks.AddBeforeSubscriptionsListen(s.subscribeWhileListening)
}

// subscribeWhileListening subscribes a client without a session until its request ends.
// Resources without a subscription are not acknowledged.
func (s *Server) subscribeWhileListening(ctx context.Context, _ any, r *mcp.SubscriptionsListenRequest) {
	session := s.sessionOf(ctx)
	if session == nil {
		return
	}
	var established []string
	var ends []func(context.Context)
	wanted := r.Params.Notifications.ResourceSubscriptions
	if len(wanted) > maxSubscriptions {
		s.log.Warn("not subscribed to all resources", "wanted", len(wanted), "limit", maxSubscriptions)
		wanted = wanted[:maxSubscriptions]
	}
	for _, uri := range wanted {
		end, err := session.Subscribe(ctx, uri, func(uri string) {
			params := map[string]any{"uri": uri}
			if err := s.face.SendNotificationToClient(ctx, mcp.MethodNotificationResourceUpdated, params); err != nil {
				s.log.Debug("notification not sent", "error", err)
			}
		})
		if err != nil {
			s.log.Warn("not subscribed", "error", err)
			continue
		}
		established, ends = append(established, uri), append(ends, end)
	}
	if len(ends) > 0 {
		s.sessions.endWith(ctx, ends)
	}
	r.Params.Notifications.ResourceSubscriptions = established
}

// completer passes completion requests to the sessions. It implements mcp-go's two
// interfaces for them.
type completer struct{ server *Server }

// CompletePromptArgument implements server.PromptCompletionProvider.
func (c completer) CompletePromptArgument(ctx context.Context, name string, a mcp.CompleteArgument, chosen mcp.CompleteContext) (*mcp.Completion, error) {
	return c.complete(ctx, Completing{Prompt: name, Argument: a.Name, Value: a.Value, Chosen: chosen.Arguments})
}

// CompleteResourceArgument implements server.ResourceCompletionProvider.
func (c completer) CompleteResourceArgument(ctx context.Context, uri string, a mcp.CompleteArgument, chosen mcp.CompleteContext) (*mcp.Completion, error) {
	return c.complete(ctx, Completing{URI: uri, Argument: a.Name, Value: a.Value, Chosen: chosen.Arguments})
}

func (c completer) complete(ctx context.Context, what Completing) (*mcp.Completion, error) {
	session := c.server.sessionOf(ctx)
	if session == nil {
		return nil, errEnded
	}
	raw, err := session.Complete(ctx, what)
	if err != nil {
		return nil, err
	}
	var completion mcp.Completion
	if err := json.Unmarshal(raw, &completion); err != nil {
		return nil, err
	}
	return &completion, nil
}
