package daemon

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream"
)

// Notifications of MCP's that are passed through.
const (
	tellLog       = "notifications/message"
	tellResources = "notifications/resources/list_changed"
	tellPrompts   = "notifications/prompts/list_changed"
)

// levelTime bounds how long one server may take to change its level.
const levelTime = 5 * time.Second

// levels are MCP's, from the one that says most.
func levels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// logLevels is what the servers were asked to log.
type logLevels struct {
	// mu guards set, the level of each server with the connection that it was
	// asked on. It is held while servers are asked: the next wish waits.
	mu  sync.Mutex
	set map[string]levelSet
}

type levelSet struct {
	generation uint64
	level      string
}

// SetLevel implements [gateway.Session].
func (g *gatewaySession) SetLevel(ctx context.Context, level string) {
	g.mu.Lock()
	g.level = level
	g.mu.Unlock()
	g.server.applyLevels(ctx)
}

// wantedLevel is the level that says most of those that clients asked for;
// empty when none did.
func (s *Server) wantedLevel() string {
	most := len(levels())
	for _, g := range s.face.open() {
		g.mu.Lock()
		if at := slices.Index(levels(), g.level); at >= 0 {
			most = min(most, at)
		}
		g.mu.Unlock()
	}
	if most == len(levels()) {
		return ""
	}
	return levels()[most]
}

// applyLevels asks the servers that run for what the clients want to see.
func (s *Server) applyLevels(ctx context.Context) {
	wanted := s.wantedLevel()
	if wanted == "" {
		return
	}
	l := &s.face.levels
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.set == nil {
		l.set = map[string]levelSet{}
	}
	w := s.workspace
	snapshot := w.manager.Snapshot()
	for _, name := range w.ready(offersLogging) {
		server, _ := snapshot.Server(name)
		next := levelSet{server.Status.Generation, wanted}
		if l.set[name] == next {
			continue
		}
		l.set[name] = next
		s.setLevel(ctx, name, wanted)
	}
}

func (s *Server) setLevel(ctx context.Context, server, level string) {
	ctx, cancel := context.WithTimeout(ctx, levelTime)
	defer cancel()
	_, err := s.workspace.manager.Request(ctx, upstream.Request{
		Server: server, Method: "logging/setLevel", Params: json.RawMessage(mustMarshal(map[string]string{"level": level})),
	})
	if err != nil {
		s.log.Debug("log level not set", "server", server, "error", err)
	}
}

// announced passes on what a server announces, to those whom it concerns.
func (s *Server) announced(a upstream.Announcement) {
	if s.workspace.admits(a.Server) != nil {
		return
	}
	for _, g := range s.face.open() {
		switch a.Method {
		case tellResources:
			g.tellChange(offersResources, a.Method)
		case tellPrompts:
			g.tellChange(offersPrompts, a.Method)
		case tellLog:
			g.tellLog(a)
		}
	}
}

// tellChange tells a client that has seen a list that there is a newer one.
func (g *gatewaySession) tellChange(capability, method string) {
	g.mu.Lock()
	_, seen := g.offered[capability]
	g.mu.Unlock()
	if seen {
		g.client.Tell(method, nil)
	}
}

// tellLog tells a client what a server logs, when the client asked for it and
// the message can be its own: while calls are under way it is for those who
// make them, and else for those who have called the server.
func (g *gatewaySession) tellLog(a upstream.Announcement) {
	var params map[string]any
	if json.Unmarshal(a.Params, &params) != nil {
		return
	}
	level, _ := params["level"].(string)
	g.mu.Lock()
	from, used := slices.Index(levels(), g.level), g.used[a.Server]
	g.mu.Unlock()
	if from < 0 || slices.Index(levels(), level) < from {
		return
	}
	if mine := slices.Contains(a.Sessions, any(g)); !mine && (len(a.Sessions) > 0 || !used) {
		return
	}
	logger := a.Server
	if own, ok := params["logger"].(string); ok && own != "" {
		logger += "/" + own
	}
	params["logger"] = logger
	g.client.Tell(a.Method, params)
}
