package team

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/mcpserver"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/team/pg"
	"github.com/winnow-mcp/winnow/daemon/team/vault"
	"github.com/winnow-mcp/winnow/daemon/upstream"
)

// A holder runs servers that are programs. Each server runs at one holder, which has a
// lease on it. Gateways reach it by MCP over HTTP. A holder that cannot renew its leases
// ends the programs before the leases expire. Then another holder takes them, in another
// epoch.

const (
	// leaseTime is how long a failed holder blocks a server. The holder itself stops a
	// third of it earlier.
	leaseTime = 4 * time.Second
	// leaseEvery is how often leases are renewed and one more is taken, so that holders
	// that start together share the servers.
	leaseEvery = 500 * time.Millisecond
	// epochHeader is the header with the epoch in which a gateway knows the holder.
	epochHeader = "Winnow-Epoch"
	holderPath  = "/servers/"
)

// HoldOptions configures a holder.
type HoldOptions struct {
	Store *pg.Store
	// Address is the holder's address for gateways, as host:port.
	Address string
	// Ring verifies that a request is from a gateway of the team.
	Ring    *vault.Ring
	Version string
	Log     *slog.Logger
	Environ func(name string) (string, bool)
}

// holder is a running holder.
type holder struct {
	options HoldOptions
	owner   string
	leases  pg.Leases
	traces  traces

	// mu guards the following fields: who runs the programs, the leases, until when they
	// are certain to hold, and the faces of the running servers.
	mu      sync.Mutex
	manager *upstream.Manager
	have    map[string]pg.Lease
	until   time.Time
	faces   map[string]*heldServer
}

// running returns who runs the programs now.
func (h *holder) running() *upstream.Manager {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.manager
}

func newManager(o HoldOptions) *upstream.Manager {
	return upstream.NewManager(upstream.Options{Logger: o.Log, ClientVersion: o.Version})
}

// heldServer is a server as gateways see it.
type heldServer struct {
	server  *mcpserver.Server
	handler http.Handler
}

// Hold runs programs until ctx ends.
func Hold(ctx context.Context, o HoldOptions, listener net.Listener) error {
	if o.Ring == nil {
		return errors.New("a holder needs --keys, the same as the gateways have: by it they prove who they are")
	}
	h := &holder{
		options: o, owner: o.Address + " " + rand.Text(), leases: o.Store.Leases(), have: map[string]pg.Lease{}, faces: map[string]*heldServer{},
		manager: newManager(o), traces: openTraces(o.Environ, o.Ring, o.Version, o.Log),
	}
	defer h.traces.close(ctx, o.Log)
	web := &http.Server{Handler: h, ReadHeaderTimeout: headerTime, IdleTimeout: waitTime}
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			o.Log.Error("holder serves no longer", "error", err)
		}
	})
	h.run(ctx)
	// All activity for the servers ends before other holders may start.
	err := web.Close()
	serving.Wait()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	for _, one := range h.shown() {
		err = errors.Join(err, one.server.Close())
	}
	return errors.Join(err, h.running().Close(end), h.leases.Release(end, h.owner, ""))
}

// run renews and takes leases until ctx ends.
func (h *holder) run(ctx context.Context) {
	again := time.NewTicker(leaseEvery)
	defer again.Stop()
	for {
		begun := time.Now()
		err := h.turn(ctx, begun)
		if err != nil && ctx.Err() == nil {
			h.options.Log.Warn("leases are not renewed", "error", err)
		}
		h.mu.Lock()
		held, left := len(h.have) > 0, time.Until(h.until)
		h.mu.Unlock()
		if held && left <= 0 {
			h.options.Log.Error("the leases may be another's by now: the servers are ended")
			h.endAll(ctx)
		}
		var over <-chan time.Time // nil: nothing is held
		if held && left > 0 {
			over = time.After(left)
		}
		select {
		case <-again.C:
		case <-over:
		case <-h.running().Updates():
			h.tell(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// endAll kills the programs at once, because they must have ended before the leases
// expire.
func (h *holder) endAll(ctx context.Context) {
	h.mu.Lock()
	before := h.manager
	h.manager, h.have, h.until = newManager(h.options), map[string]pg.Lease{}, time.Time{}
	h.mu.Unlock()
	if err := before.Close(ctx); err != nil {
		h.options.Log.Error("servers have not ended", "error", err)
	}
}

// turn renews the leases, releases those of removed servers, and takes a free one.
func (h *holder) turn(ctx context.Context, begun time.Time) error {
	by := begun.Add(leaseTime / 3)
	h.mu.Lock()
	if len(h.have) > 0 && h.until.Before(by) {
		by = h.until
	}
	h.mu.Unlock()
	ctx, cancel := context.WithDeadline(ctx, by)
	defer cancel()
	// A holder that cannot read what to run yields first to those that can.
	now, err := load(ctx, h.options.Store, 0)
	if err != nil {
		return err
	}
	mine, err := h.leases.Renew(ctx, h.owner, leaseTime)
	if err != nil {
		return err
	}
	until := begun.Add(leaseTime * 2 / 3)
	for name := range mine {
		if _, ok := now.programs[name]; !ok || now.gone(name) {
			delete(mine, name)
			if err := h.leases.Release(ctx, h.owner, name); err != nil {
				return err
			}
		}
	}
	taken, err := h.leases.All(ctx)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(now.programs)) {
		if _, ok := taken[name]; ok || now.gone(name) {
			continue
		}
		got, ok, err := h.leases.Acquire(ctx, pg.Lease{Name: name, Owner: h.owner, Address: h.options.Address}, leaseTime)
		if err != nil {
			return err
		}
		if ok {
			mine[name] = got
			break
		}
	}
	h.keep(ctx, mine, now.programs, until)
	return nil
}

// keep runs the programs of the leases, and no others.
func (h *holder) keep(ctx context.Context, mine map[string]pg.Lease, programs map[string]config.Entry, until time.Time) {
	var want []upstream.Config
	for _, name := range slices.Sorted(maps.Keys(mine)) {
		e := programs[name]
		d := config.Expand(config.Server{Name: name, Origin: e.Origin, Definition: e.Definition}, config.Lookup{Env: h.options.Environ, ReadFile: os.ReadFile}).Definition
		want = append(want, upstream.Config{
			Name: name, Transport: d.Transport, Command: d.Command, Args: d.Args, Env: d.Env, Cwd: d.Cwd, Sandbox: d.Sandbox, Timeout: e.Policy.Timeout,
		})
	}
	h.mu.Lock()
	h.until = until
	changed := !maps.Equal(h.have, mine)
	h.have = mine
	for name := range mine {
		if h.faces[name] == nil {
			s := mcpserver.New(mcpserver.Options{
				Backend: heldBackend{h, name}, Stateless: true, Name: "winnow-holder", Version: h.options.Version, Log: h.options.Log,
				Received: h.traces.received,
			})
			h.faces[name] = &heldServer{s, s.Handler()}
		}
	}
	h.mu.Unlock()
	// Apply determines the changes itself.
	if err := h.running().Apply(ctx, want); err != nil && ctx.Err() == nil {
		h.options.Log.Error("servers are not run", "error", err)
	}
	if changed {
		h.options.Log.Info("servers of this holder", "servers", slices.Sorted(maps.Keys(mine)))
	}
}

// tell notifies the gateways of changed lists.
func (h *holder) tell(ctx context.Context) {
	for _, one := range h.shown() {
		one.server.CatalogChanged(ctx)
	}
}

// shown returns the faces of the servers.
func (h *holder) shown() []*heldServer {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.faces))
}

// ServeHTTP implements http.Handler. It answers requests from this team's gateways in the
// epoch of the lease.
func (h *holder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutPrefix(r.URL.Path, holderPath)
	if r.URL.Path == "/healthz" {
		_, _ = fmt.Fprintln(w, "alive")
		return
	}
	h.mu.Lock()
	lease, held := h.have[name]
	held = held && time.Now().Before(h.until)
	face := h.faces[name]
	h.mu.Unlock()
	epoch := r.Header.Get(epochHeader)
	pass := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	known := slices.ContainsFunc(h.options.Ring.Passes("holder", name, epoch), func(one string) bool {
		return subtle.ConstantTimeCompare([]byte(one), []byte(pass)) == 1
	})
	switch {
	case !ok || !known:
		http.Error(w, "Only gateways of the team are answered", http.StatusUnauthorized)
	case !held || epoch != strconv.FormatInt(lease.Epoch, 10):
		http.Error(w, "This holder does not run the server in that epoch", http.StatusMisdirectedRequest)
	default:
		r.Header.Del("Authorization")
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		face.handler.ServeHTTP(w, r.WithContext(mcpserver.As(h.traces.FromHeader(r.Context(), r.Header), principal.Principal{Subject: "gateway"})))
	}
}

// heldBackend offers one server's tools unchanged.
type heldBackend struct {
	*holder

	name string
}

// Open implements [mcpserver.Backend].
func (b heldBackend) Open(mcpserver.Client) mcpserver.Session { return &heldSession{heldBackend: b} }

// heldSession is a gateway's view of a server. It implements [mcpserver.Session].
type heldSession struct {
	heldBackend

	mu   sync.Mutex
	seen string // guarded by mu: the list as last sent
}

func (s *heldSession) server() upstream.ServerSnapshot {
	one, _ := s.running().Snapshot().Server(s.name)
	return one
}

// Tools implements [mcpserver.Session]. It waits for a starting server, because an empty
// list would be taken as final.
func (s *heldSession) Tools(ctx context.Context) (all []mcpserver.Tool, err error) {
	one := s.server()
	for one.Status.State != upstream.Ready {
		if one.Status.State == upstream.Failed {
			return nil, fmt.Errorf("server %q: %s", s.name, one.Status.Error)
		}
		select {
		case <-time.After(50 * time.Millisecond):
			one = s.server()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	var seen strings.Builder
	for _, t := range one.Tools {
		var tool struct {
			Title, Description        string
			InputSchema, OutputSchema json.RawMessage
			Annotations               json.RawMessage
			Meta                      json.RawMessage `json:"_meta"`
		}
		if json.Unmarshal(t.Raw, &tool) == nil {
			all = append(all, mcpserver.Tool{
				Name: t.Name, Title: tool.Title, Description: tool.Description, InputSchema: tool.InputSchema, OutputSchema: tool.OutputSchema,
				Annotations: tool.Annotations, Meta: tool.Meta,
			})
			seen.Write(t.Raw)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = seen.String()
	return all, nil
}

// Changed implements [mcpserver.Session].
func (s *heldSession) Changed(context.Context) bool {
	one := s.server()
	var now strings.Builder
	for _, t := range one.Tools {
		now.Write(t.Raw)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := one.Status.State == upstream.Ready && s.seen != "" && now.String() != s.seen
	if changed {
		s.seen = now.String()
	}
	return changed
}

// Call implements [mcpserver.Session].
func (s *heldSession) Call(ctx context.Context, c mcpserver.Call) (mcpserver.Answer, error) {
	request := upstream.CallRequest{Server: s.name, Tool: c.Name, Arguments: c.Arguments, Meta: c.Meta}
	if c.Progress != nil {
		request.Progress = func(p upstream.Progress) { c.Progress(p.Progress, p.Total, p.Message) }
	}
	ctx, request, end := s.traces.called(ctx, request)
	result, err := s.running().Call(ctx, request)
	end(result, err)
	if err != nil {
		return mcpserver.Answer{}, err
	}
	var answer struct {
		Content           []json.RawMessage `json:"content"`
		StructuredContent json.RawMessage   `json:"structuredContent"`
		Meta              json.RawMessage   `json:"_meta"`
	}
	if err := json.Unmarshal(result.Raw, &answer); err != nil {
		return mcpserver.Answer{}, err
	}
	return mcpserver.Answer{Content: answer.Content, StructuredContent: answer.StructuredContent, Meta: answer.Meta, IsError: result.IsError}, nil
}

// Instructions implements [mcpserver.Session].
func (s *heldSession) Instructions() string { return s.server().Instructions }

// errOnlyTools is returned for what a holder does not forward.
var errOnlyTools = errors.New("a holder passes on tools only")

// Resources, Templates, Prompts, Read, Prompt, Subscribe and Complete implement
// [mcpserver.Session]; gateways do not use them.
func (s *heldSession) Resources(context.Context) ([]json.RawMessage, error) { return nil, nil }
func (s *heldSession) Templates(context.Context) ([]json.RawMessage, error) { return nil, nil }
func (s *heldSession) Prompts(context.Context) ([]json.RawMessage, error)   { return nil, nil }
func (s *heldSession) Read(context.Context, string) (json.RawMessage, error) {
	return nil, errOnlyTools
}
func (s *heldSession) Prompt(context.Context, string, map[string]string) (json.RawMessage, error) {
	return nil, errOnlyTools
}
func (s *heldSession) Subscribe(context.Context, string, func(string)) (func(context.Context), error) {
	return nil, errOnlyTools
}
func (s *heldSession) Complete(context.Context, mcpserver.Completing) (json.RawMessage, error) {
	return nil, errOnlyTools
}

// SetLevel, Fresh and Close implement [mcpserver.Session].
func (s *heldSession) SetLevel(context.Context, string) {}
func (s *heldSession) Fresh() time.Duration             { return 0 }
func (s *heldSession) Close()                           {}
