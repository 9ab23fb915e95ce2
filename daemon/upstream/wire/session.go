package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// session speaks MCP over a transport of mcp-go, which does framing, authorization and
// resumption. It adds to each request what the protocol revision requires, and returns
// responses byte for byte. mcp-go's own client is not used: it decodes responses into Go
// types, which lose unknown members (top level of a schema, members of later revisions,
// spelling of numbers), rejects a list for one odd entry, and keeps a decoded copy of
// every tool. The headers of 2026-07-28 are made by mcp-go's functions.
type session struct {
	transport transport.Interface
	era       Era
	// self is the client's name and version.
	self mcp.Implementation
	// http is set if each request has headers and a stream of its own.
	http bool
	// version is the revision in use. It is written before any other request is sent.
	version string
	ids     atomic.Int64
	// level is the log level requested of servers of 2026-07-28; nil requests none.
	level atomic.Pointer[string]

	// mu guards mirrored, the tools whose arguments are repeated in headers.
	mu       sync.Mutex
	mirrored map[string]*mcp.Tool

	// background counts notifications under way.
	background sync.WaitGroup
}

// clientCapabilities are what a caller may support; see caller.go. Changes of roots are
// not announced, because a notification cannot say whose roots they are.
const clientCapabilities = `{"roots":{},"sampling":{},"elicitation":{"form":{},"url":{}}}`

func newSession(t transport.Interface, era Era, clientVersion string) *session {
	_, http := t.(transport.HTTPConnection)
	return &session{transport: t, era: era, http: http, self: mcp.Implementation{Name: "winnow", Version: clientVersion}}
}

// answeredError is an error response of the server.
type answeredError struct{ *mcp.JSONRPCErrorDetails }

func (e *answeredError) Error() string { return fmt.Sprintf("%s (code %d)", e.Message, e.Code) }

// unreadable reports whether the error replaced a response that could not be read; see
// frames and mendBody.
func (e *answeredError) unreadable() bool { return e.Code == codeNotJSON || e.Code == codeTooLarge }

// send makes a request and returns its result. params is a JSON object, or empty. If the
// context ends first, the server is notified.
func (s *session) send(ctx context.Context, method mcp.MCPMethod, params json.RawMessage) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	params, err := s.withMeta(params)
	if err != nil {
		return nil, fmt.Errorf("%s: params: %w", method, err)
	}
	request := transport.JSONRPCRequest{
		JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(s.ids.Add(1)), Method: string(method),
		Header: s.headers(method, params),
	}
	if len(params) > 0 {
		request.Params = params
	}
	if s.era == EraSSE {
		ctx = noDeadline{ctx}
	}
	response, err := s.transport.SendRequest(ctx, request)
	switch {
	case err != nil:
		if ctx.Err() != nil {
			s.announceCancel(ctx, method, request.ID)
		}
		return nil, err
	case response.Error != nil:
		return nil, &answeredError{response.Error}
	}
	return response.Result, nil
}

// withMeta adds the `_meta` that requests of 2026-07-28 require.
func (s *session) withMeta(params json.RawMessage) (json.RawMessage, error) {
	if s.era != EraModern {
		return params, nil
	}
	meta := map[string]any{
		mcp.MetaKeyProtocolVersion:    s.version,
		mcp.MetaKeyClientInfo:         s.self,
		mcp.MetaKeyClientCapabilities: json.RawMessage(clientCapabilities),
	}
	if level := s.level.Load(); level != nil {
		meta[mcp.MetaKeyLogLevel] = *level
	}
	fields := map[string]json.RawMessage{}
	if len(params) > 0 {
		if err := json.Unmarshal(params, &fields); err != nil {
			return nil, err
		}
	}
	own := map[string]json.RawMessage{}
	if raw := fields["_meta"]; raw != nil {
		if err := json.Unmarshal(raw, &own); err != nil {
			return nil, err
		}
	}
	for key, value := range own {
		if meta[key] == nil {
			meta[key] = value
		}
	}
	var err error
	if fields["_meta"], err = json.Marshal(meta); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// headers returns the headers of a request of 2026-07-28, for proxies that route by
// headers: its method, its name, and the annotated arguments of a tool.
func (s *session) headers(method mcp.MCPMethod, params json.RawMessage) http.Header {
	if s.era != EraModern || !s.http {
		return nil
	}
	header := http.Header{}
	for name, value := range mcp.StandardHeaders(s.version, method, params) {
		header.Set(name, value)
	}
	if method != mcp.MethodToolsCall {
		return header
	}
	name, _ := mcp.ExtractHeaderName(method, params)
	s.mu.Lock()
	tool := s.mirrored[name]
	s.mu.Unlock()
	if tool != nil {
		for name, value := range mcp.GenerateParamHeaders(tool, params) {
			header.Set(name, value)
		}
	}
	return header
}

// mayMirror reports whether a tool may have an annotation about headers. mcp-go decodes
// the schema twice to say so; few tools have any.
func mayMirror(tool json.RawMessage) bool {
	return bytes.IndexByte(tool, '\\') >= 0 || bytes.Contains(bytes.ToLower(tool), []byte("x-mcp-header"))
}

// mirror records which arguments of a tool are repeated in headers. It returns an error
// for a tool with wrong annotations, which must not be called.
func (s *session) mirror(raw json.RawMessage) error {
	if s.era != EraModern || !s.http {
		return nil
	}
	name := ijson.Text(ijson.LastMember(raw, "name")) // an entry that is not a tool is dropped elsewhere
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.mirrored, name)
	if !mayMirror(raw) {
		return nil
	}
	tool := &mcp.Tool{Name: name, RawInputSchema: ijson.LastMember(raw, "inputSchema")}
	err := mcp.ValidateParamHeaderAnnotations(tool)
	if err == nil && len(mcp.ExtractParamHeaderBindings(tool)) > 0 {
		if s.mirrored == nil {
			s.mirrored = map[string]*mcp.Tool{}
		}
		s.mirrored[name] = tool
	}
	return err
}

// announceCancel sends notifications/cancelled in a goroutine. It sends none for the
// first message, which must not be cancelled, and none over HTTP in 2026-07-28, where the
// end of the stream cancels the request.
func (s *session) announceCancel(ctx context.Context, method mcp.MCPMethod, id mcp.RequestId) {
	if method == mcp.MethodInitialize || method == mcp.MethodServerDiscover || s.http && s.era == EraModern {
		return
	}
	const patience = 5 * time.Second
	s.background.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		// Best effort: the call has returned already.
		_ = s.notify(ctx, mcp.MethodNotificationCancelled, map[string]any{"requestId": id, "reason": "the request was cancelled"})
	})
}

func (s *session) notify(ctx context.Context, method mcp.MCPMethod, params map[string]any) error {
	return s.transport.SendNotification(ctx, mcp.JSONRPCNotification{
		JSONRPC:      mcp.JSONRPC_VERSION,
		Notification: mcp.Notification{Method: string(method), Params: mcp.NotificationParams{AdditionalFields: params}},
	})
}

// introduction is the first response of a server.
type introduction struct {
	info         Info
	instructions string
	// capabilities is the JSON as the server wrote it.
	capabilities json.RawMessage
}

// begin makes the first exchange of a connection for its era.
func (s *session) begin(ctx context.Context) (introduction, error) {
	if s.era == EraModern {
		return s.discover(ctx)
	}
	return s.initialize(ctx)
}

// agree sets the revision in use.
func (s *session) agree(version string) {
	s.version = version
	if t, ok := s.transport.(transport.HTTPConnection); ok {
		t.SetProtocolVersion(version)
	}
}

// initialize makes the handshake of revisions up to 2025-11-25.
func (s *session) initialize(ctx context.Context) (introduction, error) {
	raw, err := s.send(ctx, mcp.MethodInitialize, codec.Marshal(map[string]any{
		"protocolVersion": s.era.version(),
		"clientInfo":      map[string]string{"name": s.self.Name, "version": s.self.Version},
		"capabilities":    json.RawMessage(clientCapabilities),
	}))
	if err != nil {
		return introduction{}, err
	}
	var result struct {
		ProtocolVersion string          `json:"protocolVersion"`
		ServerInfo      Info            `json:"serverInfo"`
		Instructions    string          `json:"instructions"`
		Capabilities    json.RawMessage `json:"capabilities"`
	}
	if json.Unmarshal(raw, &result) != nil {
		return introduction{}, fmt.Errorf("%s: %w", mcp.MethodInitialize, clean.ErrNotObject)
	}
	if !mcp.IsValidProtocolVersion(result.ProtocolVersion) {
		return introduction{}, mcp.UnsupportedProtocolVersionError{Version: result.ProtocolVersion}
	}
	s.agree(result.ProtocolVersion)
	if err := s.notify(ctx, mcp.MethodNotificationInitialized, nil); err != nil {
		return introduction{}, err
	}
	return introduction{info: result.ServerInfo, instructions: result.Instructions, capabilities: result.Capabilities}, nil
}

// discover makes the first request of 2026-07-28. It negotiates nothing, because only one
// revision has no handshake.
func (s *session) discover(ctx context.Context) (introduction, error) {
	s.agree(s.era.version())
	raw, err := s.send(ctx, mcp.MethodServerDiscover, nil)
	if err != nil {
		return introduction{}, err
	}
	var result struct {
		Meta struct {
			ServerInfo Info `json:"io.modelcontextprotocol/serverInfo"`
		} `json:"_meta"`
		Instructions string          `json:"instructions"`
		Capabilities json.RawMessage `json:"capabilities"`
	}
	if json.Unmarshal(raw, &result) != nil {
		return introduction{}, fmt.Errorf("%s: %w", mcp.MethodServerDiscover, clean.ErrNotObject)
	}
	return introduction{info: result.Meta.ServerInfo, instructions: result.Instructions, capabilities: result.Capabilities}, nil
}

// noDeadline hides a context's deadline but keeps its cancellation. mcp-go's SSE
// transport makes a timer from a deadline. It may fire first, with an error that is not
// the context's.
type noDeadline struct {
	context.Context //nolint:containedctx // it is a context
}

func (noDeadline) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }
