package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/winnow-mcp/winnow/daemon/debuglog"
	"github.com/winnow-mcp/winnow/protocol"
)

// named is a call with its real name, routed to the only registered tool.
type named struct {
	name      string
	arguments json.RawMessage
}

// newFace returns the mcp-go server whose tools, resources and prompts are those of the
// sessions.
func (s *Server) newFace(name, version string) *server.MCPServer {
	hooks := &server.Hooks{}
	hooks.AddOnRequestInitialization(s.begun(name))
	hooks.AddAfterInitialize(s.opened)
	hooks.AddAfterDiscover(s.discovered)
	hooks.AddAfterListTools(s.listed)
	hooks.AddBeforeCallTool(lead)
	s.listeners.hook(hooks)
	s.hookOffers(hooks)
	s.hookSubscriptions(hooks)
	face := server.NewMCPServer(name, version, server.WithToolCapabilities(true), server.WithLogging(),
		server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true), server.WithCompletions(),
		server.WithPromptCompletionProvider(completer{s}), server.WithResourceCompletionProvider(completer{s}),
		server.WithHooks(hooks), server.WithRecovery(), server.WithLogger(debuglog.New(s.log, nil)))
	// Only one tool is registered: mcp-go rejects a call of an unregistered name with a
	// protocol error. The router, however, accepts misspelled names, runs unlisted tools,
	// and otherwise tells the model what to do. Lists differ between sessions and change
	// within one.
	face.AddTool(mcp.Tool{Name: protocol.ProxyTool, RawInputSchema: json.RawMessage(`{"type":"object"}`)}, s.called)
	s.addOffers(face)
	return face
}

// begun is called before each request. It refuses a client with the gateway's own name,
// because Winnow would then list its own tools as a server's. It also handles
// subscriptions to resources, because mcp-go's hooks for them cannot return an error.
func (s *Server) begun(name string) server.OnRequestInitializationFunc {
	return func(ctx context.Context, _, message any) error {
		raw, ok := message.(json.RawMessage)
		var r struct {
			Method mcp.MCPMethod `json:"method"`
			Params struct {
				URI        string             `json:"uri"`
				ClientInfo mcp.Implementation `json:"clientInfo"`
				Meta       *mcp.Meta          `json:"_meta"`
			} `json:"params"`
		}
		if !ok || json.Unmarshal(raw, &r) != nil {
			return nil
		}
		from := r.Params.Meta.ClientInfo()
		if r.Params.ClientInfo.Name == name || from != nil && from.Name == name {
			return errItself
		}
		if r.Method == mcp.MethodResourcesSubscribe && r.Params.URI != "" && !mcp.IsModernProtocol(r.Params.Meta.ProtocolVersion()) {
			return s.sessions.subscribe(ctx, r.Params.URI)
		}
		return nil
	}
}

var errItself = errors.New("the client is Winnow, which does not serve itself; remove its entry from the files whose servers Winnow runs")

// lead routes every call to the one tool, with the real name in its arguments.
func lead(_ context.Context, _ any, r *mcp.CallToolRequest) {
	r.Params.Arguments = named{r.Params.Name, r.Params.RawArguments}
	r.Params.Name = protocol.ProxyTool
}

// opened opens a session.
func (s *Server) opened(ctx context.Context, _ any, r *mcp.InitializeRequest, result *mcp.InitializeResult) {
	from := server.ClientSessionFromContext(ctx)
	if from == nil {
		return
	}
	if s.stateless {
		if session := s.shared(ctx); session != nil {
			result.Instructions = session.Instructions()
		}
		return
	}
	client := Client{Principal: who(ctx), Person: person(&r.Params.ClientInfo, &r.Params.Capabilities), Notify: s.notifier(from)}
	session := s.backend.Open(client)
	result.Instructions = session.Instructions()
	if !s.sessions.add(from.SessionID(), client, session) {
		session.Close() // the server closes
	}
}

// person returns a client's description of itself. info and can may be nil.
func person(info *mcp.Implementation, can *mcp.ClientCapabilities) Person {
	var p Person
	if info != nil {
		p.Name, p.Version = info.Name, info.Version
	}
	if can == nil {
		return p
	}
	p.Samples, p.HasRoots = can.Sampling != nil, can.Roots != nil
	if e := can.Elicitation; e != nil {
		// No mode means the form, which is the older one.
		p.Elicits, p.ElicitsURL = e.Form != nil || e.URL == nil, e.URL != nil
	}
	return p
}

// notifier returns a function that notifies a client outside a request.
func (s *Server) notifier(client server.ClientSession) func(method string, params map[string]any) {
	return func(method string, params map[string]any) {
		var err error
		if p, ok := client.(*pipe); ok {
			err = p.notify(method, params)
		} else {
			err = s.web.listeners.SendNotificationToSpecificClient(client.SessionID(), method, params)
		}
		if err != nil && !errors.Is(err, server.ErrSessionNotFound) {
			s.log.Debug("notification not sent", "method", method, "error", err)
		}
	}
}

// listed replaces mcp-go's list by the session's tools.
func (s *Server) listed(ctx context.Context, _ any, r *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
	result.Tools = []mcp.Tool{}
	var failed string
	ctx, end := s.received(ctx, Received{Method: string(mcp.MethodToolsList), Principal: who(ctx), Meta: passedMeta(r.Params.Meta)})
	defer func() { end(failed) }()
	session := s.sessionOf(ctx)
	if session == nil {
		return
	}
	hintFresh(ctx, session, result)
	tools, err := session.Tools(ctx)
	if err != nil {
		failed = "failed"
		s.log.Warn("tools not listed", "error", err)
		return
	}
	for _, t := range tools {
		result.Tools = append(result.Tools, wireTool(t))
	}
}

func (s *Server) sessionOf(ctx context.Context) Session {
	if s.stateless || server.IsModernRequest(ctx) {
		return s.shared(ctx)
	}
	client := server.ClientSessionFromContext(ctx)
	if client == nil {
		return nil
	}
	return s.sessions.get(who(ctx), client.SessionID())
}

func wireTool(t Tool) mcp.Tool {
	w := mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description,
		RawInputSchema: t.InputSchema, RawOutputSchema: t.OutputSchema,
	}
	w.Meta = wireMeta(t.Meta)
	if len(t.Annotations) > 0 && json.Unmarshal(t.Annotations, &w.Annotations) != nil {
		w.Annotations = mcp.ToolAnnotation{} // invalid annotations
	}
	return w
}

// wireMeta decodes a `_meta`; nil if there is none.
func wireMeta(raw json.RawMessage) *mcp.Meta {
	var meta mcp.Meta
	if len(raw) == 0 || json.Unmarshal(raw, &meta) != nil {
		return nil
	}
	return &meta
}

// called handles every tools/call.
func (s *Server) called(ctx context.Context, r mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
	call, _ := r.Params.Arguments.(named)
	ctx, end := s.received(ctx, Received{Method: string(mcp.MethodToolsCall), Tool: call.name, Principal: who(ctx), Meta: passedMeta(r.Params.Meta)})
	defer func() {
		switch {
		case err != nil || result == nil: // nil: it panics
			end("failed")
		case result.IsError:
			end("error")
		default:
			end("")
		}
	}()
	return s.call(ctx, r)
}

// call makes a call.
func (s *Server) call(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	session := s.sessionOf(ctx)
	call, ok := r.Params.Arguments.(named)
	if session == nil || !ok {
		return mcp.NewToolResultError("This session has ended; connect again."), nil
	}
	if s.stateless {
		return s.callAtOnce(ctx, session, call, &r)
	}
	if server.IsModernRequest(ctx) {
		return s.rounds.call(ctx, session, call, &r.Params, s.progress(ctx, r.Params.Meta))
	}
	answer, err := session.Call(ctx, Call{
		From: s.sessions.person(server.ClientSessionFromContext(ctx).SessionID()),
		Name: call.name, Arguments: call.arguments, Meta: passedMeta(r.Params.Meta),
		Ask: s.asker(ctx), Progress: s.progress(ctx, r.Params.Meta),
	})
	if err != nil {
		return nil, wirePages(err)
	}
	if session.Changed(ctx) {
		s.notify(ctx, mcp.MethodNotificationToolsListChanged, nil)
	}
	return wireResult(answer), nil
}

// callAtOnce makes a call that cannot send requests to its client.
func (s *Server) callAtOnce(ctx context.Context, session Session, call named, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := Call{
		Name: call.name, Arguments: call.arguments, Meta: ownMeta(r.Params.Meta), Progress: s.progress(ctx, r.Params.Meta),
		Ask: func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return nil, errAsksNobody },
	}
	if server.IsModernRequest(ctx) {
		from := caller(ctx)
		c.From = Person{Name: from.Name, Version: from.Version, ElicitsURL: from.ElicitsURL && r.Params.RequestState != pagesShown}
	}
	answer, err := session.Call(ctx, c)
	var pages *PagesNeeded
	if errors.As(err, &pages) {
		return wireInput(pages)
	}
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	return wireResult(answer), nil
}

// pagesShown is the state of a request that is repeated after the user was shown pages.
// It proves nothing, and needs not: the call is made as if for the first time, and if
// pages are still missing, the model gets an error.
const pagesShown = "pages shown"

// wireInput returns the response by which a client without sessions shows pages to its
// user and repeats the call.
func wireInput(pages *PagesNeeded) (*mcp.CallToolResult, error) {
	requests := mcp.InputRequests{}
	for i, page := range pages.Elicitations {
		var request mcp.InputRequest
		if err := json.Unmarshal(encode(map[string]any{"method": mcp.MethodElicitationCreate, "params": page}), &request); err != nil {
			return nil, err
		}
		requests[fmt.Sprint("page", i)] = request
	}
	return &mcp.CallToolResult{
		Result:               mcp.Result{ResultType: mcp.ResultTypeInputRequired},
		MultiRoundTripResult: mcp.MultiRoundTripResult{InputRequests: requests, RequestState: pagesShown},
	}, nil
}

var errAsksNobody = errors.New("this gateway puts no questions to its clients")

// wirePages returns the error by which a client with a session learns of pages that its
// user must open. The client repeats the call.
func wirePages(err error) error {
	var pages *PagesNeeded
	if !errors.As(err, &pages) {
		return err
	}
	var wire mcp.URLElicitationRequiredError
	for _, raw := range pages.Elicitations {
		var params mcp.ElicitationParams
		if json.Unmarshal(raw, &params) == nil {
			wire.Elicitations = append(wire.Elicitations, params)
		}
	}
	return wire
}

// asker returns the [Ask] for the client of a request.
func (s *Server) asker(ctx context.Context) Ask {
	client := server.ClientSessionFromContext(ctx)
	if p, ok := client.(*pipe); ok {
		return p.ask
	}
	if l := s.sessions.backchannel(who(ctx), client.SessionID()); l != nil {
		return l.ask(ctx)
	}
	return func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return nil, errGone }
}

// passedMeta returns the `_meta` of a request for its server, without the progress token,
// which is the client's.
func passedMeta(meta *mcp.Meta) json.RawMessage {
	if meta == nil || len(meta.AdditionalFields) == 0 {
		return nil
	}
	return encode(meta.AdditionalFields)
}

// reporter sends progress to a client.
type reporter = func(progress, total float64, message string)

// progress returns the reporter for the client of a request, or nil if it sent no token.
func (s *Server) progress(ctx context.Context, meta *mcp.Meta) reporter {
	if meta == nil || meta.ProgressToken == nil {
		return nil
	}
	return func(progress, total float64, message string) {
		params := map[string]any{"progressToken": meta.ProgressToken, "progress": progress}
		if total > 0 {
			params["total"] = total
		}
		if message != "" {
			params["message"] = message
		}
		s.notify(ctx, "notifications/progress", params)
	}
}

// notify sends a notification to the client of a request.
func (s *Server) notify(ctx context.Context, method string, params map[string]any) {
	var err error
	if p, ok := server.ClientSessionFromContext(ctx).(*pipe); ok {
		err = p.notify(method, params)
	} else {
		send := func() error { return s.face.SendNotificationToClient(ctx, method, params) }
		if server.IsModernRequest(ctx) {
			err = writtenAfter(ctx, send)
		} else {
			err = send()
		}
	}
	if err != nil {
		s.log.Debug("notification not sent", "method", method, "error", err)
	}
}

func wireResult(a Answer) *mcp.CallToolResult {
	result := &mcp.CallToolResult{
		Content: make([]mcp.Content, len(a.Content)), IsError: a.IsError, RawStructuredContent: a.StructuredContent,
	}
	result.Meta = wireMeta(a.Meta)
	for i, raw := range a.Content {
		result.Content[i] = rawContent{raw: raw}
	}
	return result
}

// rawContent is a content block byte for byte as its server sent it. It embeds a type of
// mcp-go, because only those implement mcp.Content.
type rawContent struct {
	mcp.TextContent
	raw json.RawMessage
}

// MarshalJSON implements json.Marshaler.
func (c rawContent) MarshalJSON() ([]byte, error) { return c.raw, nil }
